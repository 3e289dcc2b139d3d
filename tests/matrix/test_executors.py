"""Trials on other machines: what travels, what the head files, what is refused."""

import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from clustered import needs_ray
from front import Front, Job, complaint, equal_but_for_times, run_job

from gatebench.errors import LookError, StoreError
from gatebench.matrix.executors import Here, Where
from gatebench.matrix.executors.parcel import Errand, Kit, Parcel, heed, named_by_path, unpack
from gatebench.matrix.executors.post import Post
from gatebench.matrix.executors.station import Station
from gatebench.matrix.hold import Hold
from gatebench.matrix.schedule import Drain
from gatebench.model.matrix import Choice
from gatebench.model.trial import SHIPPED_CONFIGS, TrialId
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import Journal, read_lines
from gatebench.store.trial_dir import SESSION, TrialDir
from gatebench.trial.bench import Means, open_bench
from gatebench.trial.lifecycle import Job as TrialJob
from gatebench.trial.progress import Nobody

LOOK = 1
BARE = SHIPPED_CONFIGS[0]
FIRST, SECOND = TrialId("T1", "bare", 1), TrialId("T1", "bare", 2)


def kit_of(cache: Path) -> Kit:
    here = Here(cache, "/usr/bin:/bin", None, ())
    return Kit(
        key="k",
        choice=Choice(agent="nop"),
        means=Means(cache / "nowhere", "", roles=False),
        digests={"sandbox": "bwrap"},
        where=Where("ray", here=lambda: here),
        needs_key=False,
        files={},
    )


@pytest.fixture
def here_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A station moves its process's temporary files; this process is not its own."""
    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)


@pytest.fixture
def station(front: Front, here_again: None) -> Iterator[Station]:  # noqa: ARG001  # for its effect
    station = Station(kit_of(front.cache))
    yield station
    station.close()


def filed(parcels: list[Parcel], trial: TrialId, front: Front, job: Path) -> TrialDir:
    """The trial's directory as the head files it, with a store of its own."""

    async def file() -> TrialDir:
        home = JobDir(job)
        means = Means(front.cache, "", roles=False)
        async with open_bench(Choice(agent="nop"), means, home.trees) as bench:
            await bench.trees.create()
            with Journal(home.journal) as journal:
                head = TrialJob(bench, home, journal, Nobody())
                for parcel in parcels:
                    await unpack(parcel, head, trial)
            session = json.loads((home.trial(trial).path / SESSION).read_bytes())
            assert await bench.trees.read(session["final_tree"], "tinydb/database.py")
        return home.trial(trial)

    return anyio.run(file)


def test_what_a_node_sends_is_the_whole_trial(
    station: Station, front: Front, tmp_path: Path
) -> None:
    sent = list(station.run(Errand(FIRST, BARE, attempt=3)))

    home = filed(sent, FIRST, front, tmp_path)
    score = home.score()
    assert score is not None
    assert (score.status, score.attempt, score.hidden_fail) == ("ok", 3, 5)
    names = {path.name for path in home.path.iterdir()}
    assert names >= {"meta.json", "stream.jsonl", "hidden.txt", "suite.txt", SESSION, "post.diff"}
    events = [e["event"] for e in read_lines(tmp_path / "journal.jsonl").entries]
    assert events.count("scored") == 1
    assert "working" in [m.doing for parcel in sent for m in parcel.moments]


def test_a_bench_serves_many_errands_and_sends_no_object_twice(station: Station) -> None:
    first, second = (list(station.run(Errand(t, BARE, 1))) for t in (FIRST, SECOND))
    assert sum(len(parcel.objects) for parcel in first) > 20
    assert sum(len(parcel.objects) for parcel in second) == 0


def test_a_machine_that_differs_refuses(front: Front, here_again: None) -> None:  # noqa: ARG001
    other = replace(kit_of(front.cache), digests={"agent": "1.2.3", "sandbox": "bwrap"})
    with pytest.raises(LookError, match="has another agent than the head"):
        Station(other)


def test_keys_do_not_travel(front: Front, here_again: None) -> None:  # noqa: ARG001
    with pytest.raises(LookError, match="no key for the provider on"):
        Station(replace(kit_of(front.cache), needs_key=True))


def test_what_is_named_by_path_goes_along(tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text("title = 'mine'")
    choice = Choice(profile=str(profile), inject="break")
    assert named_by_path(choice, SHIPPED_CONFIGS) == (str(profile),)


def test_a_usage_limit_on_one_machine_holds_all() -> None:
    post, drain, hold = Post(), Drain(), Hold(60.0)
    post.paused(0.6, "the limit is reached")
    post.paused(0.5, "the limit is reached")  # the countdown
    assert post.news.is_set()
    first, second = post.taken(), post.taken()
    assert first.worth_sending
    assert not second.worth_sending
    began = time.monotonic()
    heed(first, drain, hold)
    assert anyio.run(hold.over, drain)
    assert time.monotonic() - began >= 0.6
    assert hold.times == 0, "the trial waits by itself"


def test_a_trial_that_ended_at_one_is_run_again_or_ends_the_job() -> None:
    post, drain, hold = Post(), Drain(), Hold(60.0)
    post.limited(0.2, "the limit is reached")
    heed(post.taken(), drain, hold)
    assert (hold.times, drain.wanted) == (1, False)
    post.limited(3600.0, "the limit is reached")
    heed(post.taken(), drain, hold)
    assert (hold.times, drain.why) == (2, "the limit is reached")


@pytest.mark.parametrize("name", ["../score.json", "/etc/x", "attempts/1/score.json", ""])
def test_a_parcel_stays_in_its_trial(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="has no place in"):
        TrialDir(tmp_path / "T1-bare-r1").take({name: b"x"})


def test_the_score_is_filed_last(tmp_path: Path) -> None:
    home = TrialDir(tmp_path / "T1-bare-r1")
    home.take({"score.json": b"{}", SESSION: b"{}", "z.txt": b"z", "a/b.txt": b"b"})
    order = sorted(
        (p for p in home.path.rglob("*") if p.is_file()), key=lambda p: p.stat().st_ctime_ns
    )
    assert [p.name for p in order][-2:] == [SESSION, "score.json"]


def test_without_the_extra_one_sentence_and_nothing_written(front: Front, tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    absent.mkdir()
    (absent / "ray.py").write_text("raise ModuleNotFoundError('No module named ray', name='ray')\n")
    bare = replace(front, extra={"PYTHONPATH": str(absent)})
    said = complaint(bare("run", "T1", "--executor", "ray", "--out", tmp_path / "job"), LOOK)
    assert "--executor ray needs Ray, which is not installed here (ray)." in said
    assert "pip install 'gate-bench[ray]'" in said
    assert not (tmp_path / "job").exists()


def test_ray_on_this_machine_comes_to_what_local_comes_to(front: Front, nop: Job) -> None:
    needs_ray()
    args = ("T1", "--configs", "bare,g1", "--reps", "1", "--agent", "nop", "--executor", "ray")
    job = run_job(front, front.cwd / "on-ray", *args)
    for trial in nop.trials:
        assert equal_but_for_times(trial.score, job.trial(trial.path.name).score)
