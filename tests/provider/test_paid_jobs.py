"""Money: what is told before, what is never passed, what is known after; by the command line."""

import os
import shlex
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from front import Front, complaint, digest, lines

from provider import Fault, by_number
from provider.ground import MODEL
from provider.paid import Shop, shop

BARE = ("T1", "--configs", "bare")
TOKENS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


@pytest.fixture(scope="module")
def paid(front: Front) -> Iterator[Shop]:
    with shop(front) as found:
        yield found


def charged(journal: list[dict[str, Any]]) -> float:
    return sum(float(e["charged_usd"]) for e in journal if e["event"] == "call")


def test_without_a_terminal_and_without_yes_nothing_is_sent(paid: Shop, tmp_path: Path) -> None:
    job = paid.run(tmp_path / "a", *BARE, yes=False)
    said = complaint(job.done, 2)
    assert f"2 trials with {MODEL} cost money (about $0.4" in said
    assert "--yes" in said
    assert not job.path.exists()


def test_a_dry_run_shows_what_it_is_likely_to_cost(paid: Shop, tmp_path: Path) -> None:
    args = ("T1", "--configs", "bare,g13adv", "--dry-run", "--max-cost", "3")
    said = paid.run(tmp_path / "a", *args, yes=False).done.stdout
    rows = {line.split()[0]: line.split() for line in said.splitlines() if "typical tok" in line}
    (_, trials, each, whole, *_), adv = rows["bare"], rows["g13adv"]
    assert (trials, each) == ("2", "0.210")
    assert float(whole) == pytest.approx(0.42)
    assert float(adv[2]) > 2 * float(each)
    assert "at most $3.00 by --max-cost" in said
    assert "genai-prices" in said
    assert paid.provider.served == []


def test_a_model_without_a_price_is_said_and_a_budget_for_it_refused(
    paid: Shop, tmp_path: Path
) -> None:
    args = (*BARE, "--model", "my-own", "--upstream", "http://127.0.0.1:9")
    said = paid.front("run", *args, "--dry-run").stdout
    assert "has no price for my-own at http://127.0.0.1:9" in said
    assert "what that costs can't be told" in said
    done = paid.front("run", *args, "--max-cost", "1", "--yes", "--out", tmp_path / "a")
    assert "no price for my-own" in complaint(done, 2)


def test_a_budget_holds_over_invocations_and_the_command_that_goes_on_is_named(
    paid: Shop, tmp_path: Path
) -> None:
    served = len(paid.provider.served)
    args = (*BARE, "--reps", "2", "--jobs", "1", "--max-cost", "0.08")
    job = paid.run(tmp_path / "a", *args)
    assert job.done.returncode == 1
    assert [t.score["status"] for t in job.trials] == ["ok", "budget"]
    spent = charged(job.journal)
    last = max(e["charged_usd"] for e in job.journal if e["event"] == "call")
    assert 0.08 <= spent < 0.08 + last

    before = len(paid.provider.served)
    assert before > served
    again = job.again()
    assert again.returncode == 1
    assert len(paid.provider.served) == before, "a budget that is used up lets nothing through"

    (line,) = (w for w in again.stdout.splitlines() if w.startswith("To go on: "))
    words = shlex.split(line)
    assert words[-2:] == ["--max-cost", "0.16"]
    done = paid.front(*words[4:])
    assert done.returncode == 0, done.stdout
    assert [t.score["status"] for t in job.trials] == ["ok", "ok"]
    assert charged(job.journal) < 0.16 + last


@pytest.mark.proof
def test_a_trial_that_uses_its_own_budget_up_is_a_class_of_its_own(
    paid: Shop, tmp_path: Path
) -> None:
    job = paid.run(tmp_path / "a", *BARE, "--reps", "1", "--max-cost-trial", "0.05")
    score = job.trial("T1-bare-r1").score
    assert (score["status"], score["budgets"]) == ("trial_budget", {"trial": 0.05})
    assert job.done.returncode == 1
    before = len(paid.provider.served)
    assert "budget of their own" in job.again().stdout
    assert len(paid.provider.served) == before, "the same budget would end it in the same way"
    more = paid.front("run", *job.args, "--max-cost-trial", "1", "--out", job.path)
    assert more.returncode == 0, more.stdout


@pytest.mark.proof
def test_reviewers_without_budget_are_no_gate_that_erred(paid: Shop, tmp_path: Path) -> None:
    args = ("T1", "--configs", "g3", "--reps", "1", "--max-cost-role", "reviewers=0.00001")
    job = paid.run(tmp_path / "a", *args)
    score = job.trial("T1-g3-r1").score
    assert (score["status"], score["budgets"]) == ("trial_budget", {"reviewers": 0.00001})
    assert "invalid" in job.done.stdout


@pytest.mark.parametrize("wrong", ["reviewer=1", "worker", "worker=0"])
def test_a_budget_that_cant_be_is_refused(paid: Shop, tmp_path: Path, wrong: str) -> None:
    job = paid.run(tmp_path / "a", *BARE, "--max-cost-role", wrong)
    complaint(job.done, 2)
    assert not job.path.exists()


@pytest.mark.proof
def test_a_usage_limit_is_counted_down_and_goes_on_by_itself(front: Front, tmp_path: Path) -> None:
    with shop(front, by_number({2: Fault.LIMIT})) as here:
        job = here.run(tmp_path / "a", *BARE, "--reps", "1")
    assert job.done.returncode == 0
    assert "the provider holds everything up for" in job.done.stdout
    assert job.trial("T1-bare-r1").score["status"] == "ok"


@pytest.mark.proof
def test_one_that_lifts_too_late_ends_the_job_resumable(front: Front, tmp_path: Path) -> None:
    limited = [True]
    with shop(front, lambda n: Fault.LIMIT_FAR if n > 1 and limited[0] else None) as here:
        job = here.run(tmp_path / "a", *BARE, "--reps", "2", "--jobs", "1")
        assert job.done.returncode == 1
        said = " ".join(job.done.stdout.split())
        assert "regain access on 2099-01-01" in said
        assert "To go on: " in said
        assert job.trial("T1-bare-r1").score["status"] == "usage_limit"
        limited[0] = False
        assert job.again().returncode == 0


@pytest.mark.proof
def test_reviewers_have_a_server_a_key_and_a_model_of_their_own(
    front: Front, paid: Shop, tmp_path: Path
) -> None:
    key = "another-key-for-the-reviewers-1234"
    with shop(front) as other:
        other.provider.key = key
        (tmp_path / "key").write_text(key + "\n")
        before = len(paid.provider.served)
        args = ("T1", "--configs", "g3", "--reps", "1", "--reviewer-model", "claude-haiku-4-5")
        named = ("--reviewer-upstream", other.provider.url, "--reviewer-key", tmp_path / "key")
        job = paid.run(tmp_path / "a", *args, *map(str, named))
        assert job.done.returncode == 0, job.done.stdout
        roles = {s.headers["x-api-key"] for s in other.provider.served}
        assert roles == {key}
        assert {s.model for s in other.provider.served} == {"claude-haiku-4-5"}
        assert {s.model for s in paid.provider.served[before:]} == {MODEL}
    assert job.trial("T1-g3-r1").score["model_ok"] is True
    ledger = job.trial("T1-g3-r1").json("ledger.json")["roles"]
    assert ledger["reviewer_a"]["cost_usd"] < ledger["reviewer_a"]["usage"]["output_tokens"]
    assert key.encode() not in b"".join(p.read_bytes() for p in job.path.rglob("*") if p.is_file())
    assert digest(job.path)


@pytest.mark.proof
def test_the_workers_key_goes_to_no_other_server(front: Front, paid: Shop, tmp_path: Path) -> None:
    with shop(front) as other:
        args = ("T1", "--configs", "g3", "--reps", "1", "--reviewer-upstream", other.provider.url)
        job = paid.run(tmp_path / "a", *args)
        assert {s.headers.get("x-api-key") for s in other.provider.served} == {"local"} or all(
            "x-api-key" not in s.headers for s in other.provider.served
        )
        assert job.trial("T1-g3-r1").score["status"] == "credential"
        assert job.done.returncode == 1


def test_a_key_on_the_command_line_is_refused_and_not_repeated(paid: Shop, tmp_path: Path) -> None:
    job = paid.run(tmp_path / "a", *BARE, "--key", "sk-ant-api03-my-very-own-key")
    said = complaint(job.done, 2)
    assert "sk-ant" not in said


def test_a_call_that_a_kill_lost_is_uncertain_and_counts_with_all_it_may_have_cost(
    front: Front, tmp_path: Path
) -> None:
    with shop(front, by_number({2: Fault.STALL_EARLY})) as found:
        args = (*BARE, "--reps", "1", "--max-cost", "0.3", "--model", MODEL, "--yes")
        words = ("run", *args, "--upstream", found.provider.url, "--out", str(tmp_path / "job"))
        running = found.front.start(*words)
        until = time.monotonic() + 120
        while len(found.provider.served) < 2:
            assert time.monotonic() < until
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        again = found.front(*words)
        sent_then = len(found.provider.served)
    journal = lines(tmp_path / "job" / "journal.jsonl")
    sent = {e["at"]: e for e in journal if e["event"] == "sent"}
    (lost,) = sent.keys() - {e["at"] for e in journal if e["event"] == "call"}
    # The CLI allows tens of thousands of tokens in answer; what came of them nobody knows.
    assert 0.3 < sent[lost]["at_most_usd"] < 3
    assert [e["at"] for e in journal if e["event"] == "lost"] == [lost]
    said = " ".join(again.stdout.split())
    assert "1 calls were on their way when an earlier invocation was killed" in said
    most = sent[lost]["at_most_usd"]
    assert f"uncertain, at most ${most:.2f}, which the budget counts as spent" in said
    assert again.returncode == 1
    assert "The job's budget is used up" in said
    assert sent_then == 2, "nothing more was sent"
