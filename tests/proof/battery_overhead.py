"""What the sandbox costs per command, as `bench/sandbox_overhead.py` prints it."""

import subprocess
import sys
import time

from proof.page import ROOT
from proof.registry import Record, battery


@battery("overhead", "milliseconds that the sandbox adds to a command")
def overhead() -> Record:
    began = time.monotonic()
    command = (sys.executable, str(ROOT / "bench/sandbox_overhead.py"))
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    lines = (done.stdout + done.stderr).splitlines()
    return Record(
        title="Overhead of the sandbox per command",
        header=("figure",),
        rows=tuple((line,) for line in lines),
        ok=done.returncode == 0,
        seconds=time.monotonic() - began,
    )
