"""Results of equal trees: what is kept, for whom, and what is marked."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from front import Front, complaint, equal_but_for_times, run_job
from pydantic import TypeAdapter

from gatebench.model.verdict import SuiteRun
from gatebench.suites.results import Kind, Results

USAGE = 2
KIND = Kind(
    "runs",
    TypeAdapter(SuiteRun),
    red=lambda run: None if run.green else run.failed,
    sound=lambda run: run.green is not None,
)


def run(failed: int | None, wall_s: float = 1.5) -> SuiteRun:
    green = None if failed is None else failed == 0
    return SuiteRun(passed=9, failed=failed, green=green, wall_s=wall_s, log="said")


def asked(results: Results, *made: SuiteRun, key: str = "tree") -> list[tuple[SuiteRun, bool]]:
    """What one gets who asks so many times, where the runs come to that."""
    runs = iter(made)

    async def make() -> SuiteRun:
        return next(runs)

    async def ask() -> list[tuple[SuiteRun, bool]]:
        return [await results.get(KIND, (key,), make) for _ in made]

    return anyio.run(ask)


def known(results: Results, *failed: int | None) -> list[bool]:
    return [cached for _, cached in asked(results, *map(run, failed))]


def test_green_is_kept_at_once() -> None:
    first, second = asked(Results(), run(0, wall_s=1.5), run(0, wall_s=99.0))
    assert (first, second) == ((run(0, wall_s=1.5), False), (run(0, wall_s=1.5), True))


@pytest.mark.parametrize(
    ("failed", "cached"),
    [
        ((2, 2, 2), [False, False, True]),
        ((2, 0, 2), [False, False, True]),  # it was a flake: green is what stays
        ((2, 3, 3, 3), [False, False, False, True]),  # red in another way proves nothing
        ((None, None, None), [False] * 3),  # a fault of ours is no result
    ],
)
def test_red_is_kept_when_it_was_red_in_the_same_way_twice(
    failed: tuple[int | None, ...], cached: list[bool]
) -> None:
    assert known(Results(), *failed) == cached


def test_fresh_gives_nothing_that_was_there_before() -> None:
    assert known(Results(fresh=True), 0, 0, 0) == [False] * 3


def test_another_key_is_another_result() -> None:
    results = Results()
    asked(results, run(0))
    assert asked(results, run(1), key="other")[0] == (run(1), False)


def test_another_job_finds_what_was_kept(tmp_path: Path) -> None:
    asked(Results(tmp_path), run(0, wall_s=2.5))
    assert asked(Results(tmp_path), run(1)) == [(run(0, wall_s=2.5), True)]
    assert known(Results(), 1) == [False]


@pytest.mark.parametrize("spoil", [lambda p: p.write_bytes(b"{"), lambda p: p.unlink()])
def test_a_spoilt_file_is_none(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    asked(Results(tmp_path), run(0))
    spoil(next(tmp_path.rglob("*.json")))
    assert known(Results(tmp_path), 0) == [False]


def test_a_place_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert known(Results(blocked), 0, 0) == [False, True]


NOP = ("T1", "--configs", "bare", "--reps", "2", "--agent", "nop", "--jobs", "1")


@pytest.mark.proof
def test_across_jobs_on_request(front: Front, tmp_path: Path) -> None:
    reuse = ("--reuse", str(tmp_path / "known"))
    first, second = (run_job(front, tmp_path / n, *NOP, *reuse) for n in ("one", "two"))
    verdicts = [t.json("hidden-final.json") for job in (first, second) for t in job.trials]
    # Every requirement fails on the pristine library: red, so it is judged twice before.
    assert [v["cached"] for v in verdicts] == [False, False, True, True]
    assert verdicts[2]["wall_s"] == verdicts[3]["wall_s"] == verdicts[1]["wall_s"]
    for one, other in zip(first.trials, second.trials, strict=True):
        assert equal_but_for_times(one.score, other.score)


def test_both_at_once_is_refused(front: Front) -> None:
    done = front("run", "T1", "--reuse", "shared", "--no-cache")
    assert "--reuse and --no-cache exclude each other" in complaint(done, USAGE)
