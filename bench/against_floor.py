"""(a): a matrix that does nothing, against a shell loop that does only the unavoidable."""

import subprocess
import time
from pathlib import Path

import anyio
from figure import Figure, run

from gatebench.cli import place
from gatebench.suites import build_environment, fetch_upstream, load_suite

LANES = 3
BOUND = 1.10
FLOOR = """
set -e
work=$(mktemp -d); cp -r {upstream} $work/w; cd $work/w
echo x > note; git add note; git -c user.name=d -c user.email=d@e commit -qm w
export PYTHONDONTWRITEBYTECODE=1 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
PYTHONPATH=$work/w {python} -m pytest -q --tb=native -p no:cacheprovider {hidden} >/dev/null 2>&1 || true
{python} -m pytest -q -p no:cacheprovider tests >/dev/null 2>&1
rm -rf $work
"""  # noqa: E501  # a command a line
"""One trial: a copy, one commit, the hidden tests with our options, the library's suite."""


async def floor_script() -> str:
    """The unavoidable, as a shell script for one trial of T1."""
    suite = load_suite("tinydb")
    upstream = await fetch_upstream(suite, place.cache())
    environment = await build_environment(suite, place.cache())
    hidden = suite.root / "hidden" / "test_T1.py"
    python = environment.root / "bin" / "python"
    return FLOOR.format(upstream=upstream, python=python, hidden=hidden)


def against_floor(trials: int, scratch: Path) -> list[Figure]:
    """Wall time of so many trials of ``nop`` on ``bare``, start-up included, over the loop's."""
    script = scratch / "floor.sh"
    script.write_text(anyio.run(floor_script))
    began = time.monotonic()
    loop = f"seq {trials} | xargs -P {LANES} -n 1 sh {script}"
    subprocess.run(["sh", "-c", loop], check=True)
    floor = time.monotonic() - began
    fixed = ("T1", "--agent", "nop", "--configs", "bare", "--no-cache", "--jobs", str(LANES))
    began = time.monotonic()
    run(*fixed, "--reps", str(trials), "--out", str(scratch / "a"))
    ours = time.monotonic() - began
    how = f"{trials} trials at {LANES} at once: {ours:.1f} s, floor {floor:.1f} s"
    return [Figure("a", "nop trials over a shell loop", ours / floor, "x", BOUND, how)]
