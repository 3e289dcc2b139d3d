"""A gated trial before its first block is a bare one, and feedback tells only what is wrong."""

import pytest
from front import Job, Json, Trial

GATED = ("T1-g1-r1", "T1-g3-r1", "T1-g13adv-r1")
OF_THE_BENCH = ("gatebench", "gate-bench", "g13adv", "/run/stop", "careless", "test_T1")


@pytest.fixture(params=GATED)
def gated(request: pytest.FixtureRequest, careless: Job) -> Trial:
    return careless.trial(request.param)


def test_first_requests_differ_in_metadata_only(careless: Job) -> None:
    seen = {trial.json("result.json")["first_request"] for trial in careless.trials}
    assert len(seen) == 1
    assert None not in seen


def test_the_prompt_is_the_same_under_every_config(careless: Job) -> None:
    (prompt,) = {(trial.path / "prompt.txt").read_text() for trial in careless.trials}
    assert not any(word in prompt.lower() for word in ("gate", "hook", "hidden", "block"))


def test_the_stream_shows_the_hook_at_every_stop(gated: Trial) -> None:
    hooks = [e for e in gated.stream if e.get("hook_event") == "Stop"]
    assert [e["subtype"] for e in hooks] == ["hook_started", "hook_response"] * 2
    answers = [e for e in hooks if e["subtype"] == "hook_response"]
    assert [e["exit_code"] for e in answers] == [0, 0]
    assert [e["stderr"] for e in answers] == ["", ""]
    assert '"decision": "block"' in answers[0]["stdout"]
    assert answers[1]["stdout"] == ""


def test_after_a_block_the_agent_goes_on(gated: Trial) -> None:
    kinds = [_kind(event) for event in gated.stream]
    after = kinds[kinds.index("feedback") :]
    assert "tool_use" in after
    assert kinds.count("feedback") == 1
    assert kinds[-1] == "result"


def _kind(event: Json) -> str:
    if event["type"] == "user" and "Stop hook feedback:" in str(event["message"]):
        return "feedback"
    if event["type"] == "assistant" and "tool_use" in str(event["message"]["content"]):
        return "tool_use"
    return str(event["type"])


def test_feedback_is_the_reason_and_nothing_else(gated: Trial) -> None:
    reason = gated.stops[0]["reason"]
    assert gated.feedback() == [f"Stop hook feedback:\n{reason}"]
    assert len(reason) <= 1_500


def test_nothing_shown_to_the_agent_tells_of_the_bench(careless: Job) -> None:
    words = (*OF_THE_BENCH, str(careless.path), str(careless.front.cache))
    for trial in careless.trials:
        shown = "\n".join([*trial.told(), (trial.path / "prompt.txt").read_text()])
        assert shown.count("\n") > 50, "the session's texts were not found"
        assert [word for word in words if word in shown] == []


def test_the_hooks_own_files_tell_nothing_either(gated: Trial) -> None:
    for name in ("settings.json", "hook/check", "hook-input-1.json"):
        text = (gated.path / name).read_text().lower()
        told = ("gatebench", "gate-bench", "hidden", gated.score["cfg"] + '"', "oracle")
        assert [word for word in told if word in text] == [], name
