"""Ends and removes what an invocation leaves that was killed outright.

The kernel kills a sandbox in the name of its dying parent, but not one that was just being set up:
bwrap's child begins without that order, and waits for ever for a parent that is gone. So one small
process of ours, in a session of its own, waits for our end (the end of a pipe), kills whatever
carries this invocation's mark in its environment, and removes our temporary files.
"""

import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

VARIABLE = "INVOCATION_ID"
"""As service managers name such a mark: it tells the command nothing."""
_PROGRAM = """\
import os, shutil, signal, sys, time
mark = os.fsencode(sys.argv[1])
sys.stdin.buffer.read()

def marked(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as environ:
            return mark in environ.read().split(bytes(1))
    except OSError:
        return False

quiet, until = 0, time.monotonic() + 10
while quiet < 3 and time.monotonic() < until:
    left = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and marked(pid)]
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    quiet = 0 if left else quiet + 1
    time.sleep(0.1)
shutil.rmtree(sys.argv[2], ignore_errors=True)
"""


@dataclass(frozen=True)
class Keeper:
    """The process that waits, and the mark it looks for."""

    mark: dict[str, str]
    """For the environment of whatever must not outlive us."""
    folder: Path
    """For all temporary files of this process: short, and named by chance."""
    process: "subprocess.Popen[bytes]" = field(repr=False)


@cache
def keeper() -> Keeper:
    """This process's keeper, started at the first call; temporary files go to its folder then."""
    mark = secrets.token_hex(16)
    folder = Path(tempfile.mkdtemp(prefix=""))
    folder.chmod(0o711)  # commands have an id of their own
    tempfile.tempdir = str(folder)
    _hand_on_no_deafness()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _PROGRAM, f"{VARIABLE}={mark}", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={},
        start_new_session=True,  # what kills our process group spares it
    )
    return Keeper({VARIABLE: mark}, folder, process)


def _hand_on_no_deafness() -> None:
    """A shell has what it starts in the background ignore Ctrl-C, and so would our commands.

    A handler that does nothing is as deaf, but isn't inherited.
    """
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda _number, _frame: None)
