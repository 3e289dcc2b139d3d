"""A program that is killed outright leaves no sandbox behind, however far its start had come."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

STARTS = """\
import sys
import anyio
from gatebench.sandbox import Command, Limits, open_sandbox
print("ready", flush=True)
command = Command(("sleep", sys.argv[2]), Limits(wall_s=60))
anyio.run(open_sandbox(sys.argv[1]).run, command)
"""
PREPARES = """\
import sys
import anyio
from gatebench.sandbox import Command, Limits, open_sandbox

async def wait():
    command = Command(("sleep", sys.argv[1]), Limits(wall_s=60))
    prepared = await open_sandbox("bwrap").prepare(command)
    print("ready", flush=True)
    await anyio.sleep(60)

anyio.run(wait)
"""
MARKS = """\
import subprocess, sys, time
from gatebench.sandbox.keeper import keeper
argv = ["sleep", sys.argv[1]]
subprocess.Popen(argv, env=keeper().mark, stdout=subprocess.DEVNULL, start_new_session=True)
print("ready", flush=True)
time.sleep(60)
"""


def begun(source: str, *args: str) -> "subprocess.Popen[bytes]":
    """A program in a process group of its own, once it says that it is ready."""
    argv = [sys.executable, "-c", source, *args]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, process_group=0)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def kill(process: "subprocess.Popen[bytes]") -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def left(word: str, patience_s: float = 8.0) -> list[str]:
    """Command lines that hold a word, once they had time to go."""
    until = time.monotonic() + patience_s
    while (found := holding(word)) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def holding(word: str) -> list[str]:
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in words:
            found.append(b" ".join(words).decode())
    return found


def test_what_carries_the_mark_ends_with_us() -> None:
    number = f"600.{os.getpid()}1"
    process = begun(MARKS, number)
    assert holding(number)
    kill(process)
    assert left(number) == []


@pytest.mark.parametrize("kind", ["bwrap", "none"])
def test_killed_at_any_instant_of_a_start(kind: str) -> None:
    number = f"600.{os.getpid()}2"
    for turn in range(8):
        process = begun(STARTS, kind, number)
        time.sleep(turn * 0.012)
        kill(process)
    assert left(number) == []


def test_what_waits_for_its_stdin_ends_with_us() -> None:
    number = f"600.{os.getpid()}3"
    process = begun(PREPARES, number)
    assert holding(number)
    kill(process)
    assert left(number) == []


def test_temporary_files_go_with_us() -> None:
    source = (
        "import tempfile, time\n"
        "from gatebench.sandbox.keeper import keeper\n"
        "keeper()\n"
        "print('ready', flush=True)\n"
        "print(tempfile.mkdtemp(), flush=True)\n"
        "time.sleep(60)\n"
    )
    process = begun(source)
    assert process.stdout is not None
    place = Path(process.stdout.readline().decode().strip())
    assert place.is_dir()
    kill(process)
    until = time.monotonic() + 8
    while place.parent.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not place.parent.exists()
