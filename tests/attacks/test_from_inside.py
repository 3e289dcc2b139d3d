"""What the agent sees of the bench: nothing; and no credential of the caller's gets near it."""

import os
from pathlib import Path

import anyio
import pytest
from suite_ground import shared_ground

from attacks.arena import SECRET
from attacks.catalogue import stage
from attacks.reading import FROM_INSIDE
from gatebench.agents.program import bundled_cli
from gatebench.model.matrix import Choice
from gatebench.model.trial import SHIPPED_CONFIGS, TrialId
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import Journal
from gatebench.trial.bench import Means, open_bench
from gatebench.trial.lifecycle import Job, run_trial
from gatebench.trial.progress import Nobody


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_ground(tmp_path_factory).cache


@pytest.mark.proof  # the quick half of the battery holds the most telling of these
def test_looking_around_shows_nothing(cache: Path) -> None:
    told = {o.attack.name: o.trouble for o in stage(FROM_INSIDE, cache)}
    assert len(told) >= 5
    assert {name: trouble for name, trouble in told.items() if trouble} == {}


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "MY_KEY"):
        monkeypatch.setenv(name, SECRET)
    return SECRET


@pytest.mark.cli
def test_a_callers_key_reaches_no_file_no_command_line_and_no_environment(
    cache: Path, tmp_path: Path, planted: str
) -> None:
    if bundled_cli() is None:
        pytest.skip("the extra 'claude' is not installed")
    home = JobDir(tmp_path / "ledger-4711")
    home.path.mkdir()
    seen = anyio.run(_hunted, cache, home)
    assert seen > 0, "no process of the agent's was looked at"
    files = [path for path in home.path.rglob("*") if path.is_file()]
    assert len(files) > 20
    holding = [path.name for path in files if planted.encode() in path.read_bytes()]
    assert holding == []
    shown = (home.path / "T1-g1-r1/stream.jsonl").read_text()
    words = ("gatebench", "gate-bench", "gate_bench", "ledger-4711", "test_T1.py:")
    assert [word for word in words if word in shown] == []


async def _hunted(cache: Path, home: JobDir) -> int:
    """One trial of a worker that hunts for the tests; how often a look met its processes."""
    means = Means(cache, "", secrets=(SECRET,))
    met = 0
    async with open_bench(Choice(profile="hunter"), means, home.trees) as bench:
        await bench.settle_trees()
        with Journal(home.journal, home.redactor) as journal:
            job = Job(bench, home, journal, Nobody())
            config = next(c for c in SHIPPED_CONFIGS if c.name == "g1")
            async with anyio.create_task_group() as group:

                async def look() -> None:
                    nonlocal met
                    while True:
                        met += _look()
                        await anyio.sleep(0.1)

                group.start_soon(look)
                score = await run_trial(job, TrialId("T1", "g1", 1), config)
                group.cancel_scope.cancel()
    assert score.status == "ok", score.why
    return met


def _look() -> int:
    """How many agents run; none may hold the secret in its command line or environment."""
    met = 0
    for pid in (entry.name for entry in os.scandir("/proc") if entry.name.isdigit()):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
            held = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        assert SECRET.encode() not in line, line
        if line.startswith(b"/opt/agent/agent"):
            met += 1
            assert SECRET.encode() not in held, line
    return met
