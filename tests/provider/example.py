"""Records the job that ships as an example of playing back.

::

    PYTHONPATH=tests python -m provider.example

To be done again whenever what is sent changes: the command-line agent's version, a prompt, a gate's
words. What isn't needed to play it back is left out.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from front import Front

from gatebench.cli import place
from gatebench.matrix.examples import EXAMPLE, examples
from provider.paid import shop

PORT = 8600
ARGS = ("T1", "--configs", "bare,g1,g13adv", "--reps", "1", "--via", "record", "--rehearsal")
KEPT = ("lock.json", "matrix.txt", "cassettes", "*/score.json")


def main() -> int:
    """Record, keep what is needed, replace the example."""
    with tempfile.TemporaryDirectory() as scratch:
        front = Front(Path(scratch), place.cache())
        with shop(front, port=PORT) as here:
            job = here.run(Path(scratch, EXAMPLE), *ARGS)
        sys.stdout.write(job.done.stdout + job.done.stderr)
        if job.done.returncode:
            return job.done.returncode
        home = examples() / EXAMPLE
        shutil.rmtree(home, ignore_errors=True)
        for pattern in KEPT:
            for found in job.path.glob(pattern):
                _copy(found, home / found.relative_to(job.path))
    return 0


def _copy(found: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if found.is_dir():
        shutil.copytree(found, target)
    else:
        shutil.copyfile(found, target)


if __name__ == "__main__":
    sys.exit(main())
