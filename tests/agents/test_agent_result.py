"""What a session came to, from its stream and its process's end (row C4 of the cases)."""

from typing import Any

import pytest

from gatebench.agents.result import Cause, Ending, Tally, WorkerResult
from gatebench.agents.stream import Assistant, Broken, Event, HookResponse, Message, Result

SUCCESS: dict[str, Any] = {"type": "result", "subtype": "success", "is_error": False}


def finish(*events: Event, exit_code: int | None = 0, timed_out: bool = False) -> WorkerResult:
    tally = Tally()
    for event in events:
        tally.add(event)
    return tally.finish(
        Ending(exit_code, timed_out, lingered=False, worker_wall_s=1, wall_s=2, stderr=b"")
    )


def test_the_last_of_two_results_counts() -> None:
    first = Result({**SUCCESS, "result": "one", "total_cost_usd": 1.0})
    last = Result({**SUCCESS, "result": "two", "total_cost_usd": 2.5})
    result = finish(first, last)
    assert (result.results, result.text, result.total_cost_usd) == (2, "two", 2.5)


@pytest.mark.parametrize(
    ("said", "cost"),
    [
        ({}, None),
        ({"total_cost_usd": 0.0}, 0.0),
        ({"total_cost_usd": 0}, 0.0),
        ({"total_cost_usd": "free"}, None),
        ({"total_cost_usd": True}, None),
        ({"total_cost_usd": float("nan")}, None),
    ],
)
def test_cost_is_as_said_and_missing_is_unknown(said: dict[str, Any], cost: float | None) -> None:
    assert finish(Result({**SUCCESS, **said})).total_cost_usd == cost


def test_denials_are_counted_and_missing_is_unknown() -> None:
    assert finish(Result({**SUCCESS, "permission_denials": [{}, {}]})).permission_denials == 2
    assert finish(Result({**SUCCESS, "permission_denials": []})).permission_denials == 0
    assert finish(Result(SUCCESS)).permission_denials is None


def test_every_model_that_served_is_named_but_the_clis_own_words() -> None:
    turns = [Assistant({"message": {"model": m}}) for m in ("m1", "<synthetic>", "m1")]
    result = finish(*turns, Result({**SUCCESS, "modelUsage": {"m1": {}, "m2": {}}}))
    assert result.models == ("m1", "m2")


def test_stop_responses_are_counted_and_no_others() -> None:
    hooks = [HookResponse({"hook_event": e}) for e in ("Stop", "PreToolUse", "Stop")]
    assert finish(*hooks, Result(SUCCESS)).stop_responses == 2


def test_the_session_id_is_the_first_said() -> None:
    assert (
        finish(Message({"session_id": "a"}), Result(SUCCESS | {"session_id": "b"})).session_id
        == "a"
    )


@pytest.mark.parametrize(
    ("said", "exit_code", "cause"),
    [
        (SUCCESS, 0, Cause.OK),
        (SUCCESS, 143, Cause.OK),
        ({"subtype": "error_max_turns", "is_error": True}, 1, Cause.MAX_TURNS),
        ({"subtype": "success", "is_error": True, "api_error_status": 500}, 1, Cause.API_ERROR),
        ({"subtype": "success", "is_error": True}, 1, Cause.API_ERROR),
        ({"subtype": "error_during_execution", "is_error": True}, 1, Cause.AGENT_ERROR),
        (None, 0, Cause.NO_RESULT),
        (None, 1, Cause.CRASHED),
        (None, None, Cause.CRASHED),
    ],
)
def test_the_cause_is_classed(
    said: dict[str, Any] | None, exit_code: int | None, cause: Cause
) -> None:
    events = [] if said is None else [Result({"type": "result", **said})]
    assert finish(*events, exit_code=exit_code).cause is cause


def test_time_that_is_up_is_the_cause_whatever_was_said() -> None:
    assert finish(Result(SUCCESS), timed_out=True).cause is Cause.TIMED_OUT


def test_without_a_result_everything_is_unknown() -> None:
    result = finish(Broken(b"{"), exit_code=1)
    unknown = (
        result.num_turns,
        result.total_cost_usd,
        result.is_error,
        result.subtype,
        result.text,
    )
    assert unknown == (None,) * 5
    assert result.broken_lines == 1
    assert not result.completed
