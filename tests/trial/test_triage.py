"""A real trial's blocks, looked into afterwards: the acceptance tests on trees of known truth."""

import shutil
from pathlib import Path

import anyio
import pytest
from front import Front, Job

from gatebench.model.labels import blocking_gate
from gatebench.model.matrix import Choice
from gatebench.model.reasons import Reason, Triage, reason_of
from gatebench.store.job_dir import JobDir
from gatebench.store.reading import load_job
from gatebench.store.trial_dir import TrialDir
from gatebench.trial.bench import Means, open_bench
from gatebench.trial.triage import Triagist


def look_into(home: JobDir, cache: Path) -> dict[str, tuple[Triage, ...]]:
    async def run() -> dict[str, tuple[Triage, ...]]:
        means = Means(cache, "/usr/bin:/bin", roles=False)
        async with open_bench(Choice(agent="nop"), means, home.trees) as bench:
            triagist = Triagist(bench)
            return {d.path.name: await triagist.triage(d) for d in home.trial_dirs()}

    return anyio.run(run)


@pytest.fixture(scope="module")
def looked(
    careless: Job, front: Front, tmp_path_factory: pytest.TempPathFactory
) -> tuple[JobDir, dict[str, tuple[Triage, ...]]]:
    """The careless worker leaves out R2, R4 and R5 of T1 until it is told."""
    copy = tmp_path_factory.mktemp("triage") / "job"
    shutil.copytree(careless.path, copy, symlinks=True)
    home = JobDir(copy)
    return home, look_into(home, front.cache)


def test_failing_acceptance_tests_point_at_what_is_missing(
    looked: tuple[JobDir, dict[str, tuple[Triage, ...]]],
) -> None:
    first = looked[1]["T1-g1-r1"][0]
    assert first.tests
    assert all(fate.reference for fate in first.tests)
    assert {r for fate in first.tests for r in fate.points_at} <= {"R2", "R4", "R5"}


def test_every_block_was_for_the_right_reason(
    looked: tuple[JobDir, dict[str, tuple[Triage, ...]]],
) -> None:
    reasons = []
    for trial in load_job(looked[0]).trials:
        known = {t.n: t for t in trial.triage}
        for stop in trial.stops:
            gate = blocking_gate(stop)
            if gate:
                reasons.append((gate, reason_of(stop, known.get(stop.n), gate)))
    assert ("tests", Reason.MATCHED) in reasons
    assert ("review", Reason.MATCHED) in reasons
    assert {reason for _, reason in reasons} == {Reason.MATCHED}


def test_a_minor_remark_is_about_nothing_and_blocked_nothing(
    looked: tuple[JobDir, dict[str, tuple[Triage, ...]]],
) -> None:
    matches = [m for found in looked[1].values() for t in found for m in t.findings]
    minor = [m for m in matches if m.finding.severity == "minor"]
    assert minor
    assert not any(m.blocked or m.requirements for m in minor)


def test_what_was_looked_into_is_not_looked_into_again(
    looked: tuple[JobDir, dict[str, tuple[Triage, ...]]], front: Front
) -> None:
    home, before = looked
    trial = TrialDir(home.path / "T1-g1-r1")
    mark = before["T1-g1-r1"][0].model_copy(update={"suite_failing": ("marked",)})
    trial.save("triage-1.json", mark)
    try:
        assert look_into(home, front.cache)["T1-g1-r1"][0] == mark
    finally:
        trial.save("triage-1.json", before["T1-g1-r1"][0])
