"""Whole jobs recorded with failures, and played back with the provider gone."""

import json
import shutil
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import zstandard
from front import Front, Job, equal_but_for_times

from gatebench.gateway import Cassettes
from gatebench.matrix.examples import EXAMPLE, examples
from provider import KEY, Fault, by_number
from provider.paid import Shop, shop

pytestmark = pytest.mark.cli
TOKENS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
FAILURES = {
    1: Fault.OVERLOADED_EVENT,
    3: Fault.TOO_MANY_LATER,
    5: Fault.RESET,
    7: Fault.ECHO_PIECES,
    8: Fault.ECHO,
    9: Fault.BROKEN,
    11: Fault.MALFORMED_EARLY,
}
NOBODY = {"ANTHROPIC_API_KEY": ""}


@dataclass(frozen=True)
class Recorded:
    job: Job
    shop: Shop
    """Closed by now."""


@pytest.fixture(scope="module")
def recorded(front: Front, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    out = tmp_path_factory.mktemp("recorded") / "job"
    with shop(front, by_number(FAILURES)) as here:
        args = ("T1", "--configs", "bare,g13adv", "--reps", "1", "--via", "record")
        job = here.run(out, *args, "--max-cost", "5")
    assert job.done.returncode == 0, job.done.stdout
    return Recorded(job, here)


def stored(job: Path) -> bytes:
    """Every byte of a job, recordings unpacked."""
    reader = zstandard.ZstdDecompressor()
    parts = []
    for path in (p for p in job.rglob("*") if p.is_file()):
        data = path.read_bytes()
        if path.suffix == ".zst":
            data = reader.stream_reader(data, read_across_frames=True).readall()
        parts.append(data)
    return b"\0".join(parts)


def play(front: Front, job: str | Path, out: Path, *args: str) -> Job:
    words = ("--via", "playback", str(job), *args)
    done = replace(front, extra=NOBODY)("run", *words, "--out", out)
    return Job(front, words, out, done)


def test_failures_are_nobodys_and_the_ledger_is_the_providers_count(recorded: Recorded) -> None:
    job, provider = recorded.job, recorded.shop.provider
    assert {t.score["status"] for t in job.trials} == {"ok"}
    assert {t.score["reviewer_errors"] for t in job.trials} == {None, 0}
    assert [s.fault for s in provider.served if s.fault] == list(FAILURES.values())
    found = Counter[str]()
    for role in (r for t in job.trials for r in t.json("ledger.json")["roles"].values()):
        found.update({name: role["usage"][name] for name in TOKENS})
    assert found == {name: provider.total(name) for name in TOKENS}
    uncertain = [
        u
        for t in job.trials
        for r in t.json("ledger.json")["roles"].values()
        for u in r["uncertain"]
    ]
    assert len(uncertain) == 1, "the malformed stream may be charged for more than it told"


def test_scores_cost_what_the_gateway_counted(recorded: Recorded) -> None:
    for trial in recorded.job.trials:
        ledger = trial.json("ledger.json")
        assert trial.score["cost_total_usd"] == (
            None if ledger["cost_usd"] is None else pytest.approx(ledger["cost_usd"], abs=1e-5)
        )


def test_show_tells_what_each_role_cost(recorded: Recorded) -> None:
    def told(trial: str) -> dict[str, str]:
        said = recorded.job.front("show", recorded.job.path, trial).stdout
        return {line.split()[0]: line for line in said.splitlines() if " calls, " in line}

    rows, others = told("T1-g13adv-r1"), told("T1-bare-r1")
    assert set(rows) == {"worker", "writer", "reviewer_a", "challenger"}
    # Which of two trials side by side met the failures is chance.
    assert any("tries again" in row for row in (*rows.values(), *others.values()))
    assert all("$" in row for row in rows.values())


def test_the_key_is_nowhere_in_the_job(recorded: Recorded) -> None:
    whole = stored(recorded.job.path)
    assert KEY.encode() not in whole
    assert b"*" * len(KEY) in whole, "it was sent back, and starred"


@pytest.mark.proof
def test_played_back_with_the_provider_gone_every_score_is_the_same(
    recorded: Recorded, front: Front, tmp_path: Path
) -> None:
    again = play(front, recorded.job.path, tmp_path / "again")
    assert again.done.returncode == 0, again.done.stdout
    for trial in recorded.job.trials:
        mine = again.trial(trial.path.name)
        assert equal_but_for_times(mine.score, trial.score)
        assert mine.json("ledger.json") == trial.json("ledger.json")
    name = "T1-g13adv-r1"
    assert again.trial(name).decisions == recorded.job.trial(name).decisions


def test_the_example_that_ships_plays_back(front: Front, tmp_path: Path) -> None:
    again = play(front, EXAMPLE, tmp_path / "again")
    assert again.done.returncode == 0, f"{again.done.stdout}: record it again, provider.example"
    assert "SIMULATED" in again.done.stdout
    home = examples() / EXAMPLE
    for trial in again.trials:
        shipped = json.loads((home / trial.path.name / "score.json").read_bytes())
        assert equal_but_for_times(trial.score, shipped)
        assert trial.score["simulated"] is True
    assert sum(p.stat().st_size for p in home.rglob("*") if p.is_file()) < 60_000


def test_the_example_names_no_machine_and_no_key() -> None:
    whole = stored(examples() / EXAMPLE)
    assert KEY.encode() not in whole
    assert b"/root" not in whole
    assert b"You are" not in whole, "no request is stored"
    assert Cassettes(examples() / EXAMPLE / "cassettes").entries("T1-bare-r1/worker")


def changed(tmp_path: Path) -> Path:
    """The example with another prompt than it was recorded with."""
    job = tmp_path / "job"
    shutil.copytree(examples() / EXAMPLE, job)
    lock = json.loads((job / "lock.json").read_bytes())
    lock["matrix"]["choice"]["prompt"] = "explicit"
    lock["matrix"]["configs"] = lock["matrix"]["configs"][:1]
    (job / "lock.json").write_text(json.dumps(lock))
    return job


@pytest.mark.proof
def test_a_changed_prompt_is_caught_and_named(front: Front, tmp_path: Path) -> None:
    again = play(front, changed(tmp_path), tmp_path / "again")
    assert again.done.returncode == 1
    said = " ".join(again.done.stdout.split())
    assert "T1-bare-r1/worker: call 1 isn't the one recorded: message 1 of 2 differs" in said
    assert "recorded with 2." in said
    assert again.trial("T1-bare-r1").score["status"] == "mismatch"


@pytest.mark.proof
def test_or_it_goes_on_live_if_that_is_agreed_to(front: Front, tmp_path: Path) -> None:
    job = changed(tmp_path)
    with shop(front) as here:
        lock = (job / "lock.json").read_text()
        (job / "lock.json").write_text(lock.replace("http://127.0.0.1:8600", here.provider.url))
        args = ("--via", "playback", str(job), "--on-mismatch", "live", "--out", tmp_path / "again")
        assert "--yes" in here.front("run", *args).stderr
        assert here.provider.served == []
        done = here.front("run", *args, "--yes")
        assert done.returncode == 0, done.stdout
        assert "isn't the one recorded" in done.stdout
        assert here.provider.served
