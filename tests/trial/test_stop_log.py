"""What the journal had no room for is not forgotten, whoever swallowed the error."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import resource, signal, sys
from pathlib import Path
from gatebench.errors import StoreError
from gatebench.store.journal import Journal
from gatebench.store.trial_dir import TrialDir
from gatebench.trial.stop_log import StopLog

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
home = Path(sys.argv[1])
log = StopLog(TrialDir(home / "T1-bare-r1"), Journal(home / "j"), 1)
log.raise_broken()
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
try:
    log.event("call")
except StoreError:
    pass
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
log.event("later")
try:
    log.raise_broken()
except StoreError as error:
    print(error)
"""


def test_an_entry_that_is_missing_is_told_at_the_next_step(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    run = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert f"{tmp_path}/j can't be written" in run.stdout
    assert (tmp_path / "j").read_bytes().startswith(b'{"event":"later"')
