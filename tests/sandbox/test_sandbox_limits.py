"""Deadlines, leftovers, and what a command may use."""

import secrets
import time
from pathlib import Path

import anyio
import pytest
from shutin import opened, script, shell

from gatebench.sandbox import Bind, Completed, Limits


def alive_with(word: str) -> list[int]:
    """Host pids whose command line holds a word."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (path / "cmdline").read_bytes():
                found.append(int(path.name))
        except OSError:
            continue
    return found


@pytest.fixture
def number() -> str:
    """A duration for ``sleep`` that no one else uses, to find the process by."""
    return f"600.{secrets.randbelow(10**9):09}"


def test_the_deadline_ends_a_command(number: str) -> None:
    done = shell(f"echo begun; sleep {number}", limits=Limits(0.5))
    assert done.timed_out
    assert done.stdout == b"begun\n"
    assert done.wall_s < 2
    assert alive_with(number) == []


def test_a_sleeper_in_its_own_session_holding_stdout_doesnt_outlive_the_deadline(
    number: str,
) -> None:
    done = shell(f"setsid sleep {number} & wait", limits=Limits(0.5))
    assert done.timed_out
    assert done.wall_s < 2
    assert alive_with(number) == []


def test_a_daemon_left_behind_dies_with_the_command(number: str) -> None:
    done = shell(f"setsid sh -c 'sleep {number} & sleep {number}' & sleep 0.1; echo done")
    assert (done.exit_code, done.stdout, done.timed_out) == (0, b"done\n", False)
    assert done.wall_s < 2
    assert alive_with(number) == []


def test_ignoring_the_signals_doesnt_help(number: str) -> None:
    done = shell(f"trap '' INT TERM; while :; do sleep {number}; done", limits=Limits(0.3))
    assert done.timed_out
    assert done.wall_s < 3
    assert alive_with(number) == []


def test_an_interrupted_command_may_say_its_last_words(number: str) -> None:
    done = shell(f"trap 'echo bye; exit 3' INT; sleep {number} & wait", limits=Limits(2))
    assert (done.timed_out, done.stdout, done.exit_code) == (True, b"bye\n", 3)


def test_cancelling_leaves_nothing(number: str) -> None:
    async def main() -> None:
        with anyio.move_on_after(0.3):
            await opened().run(script(f"setsid sleep {number} & sleep {number}"))

    anyio.run(main)
    assert alive_with(number) == []


def test_stdin_is_empty_unless_given() -> None:
    assert shell("cat; echo end").stdout == b"end\n"
    assert shell("cat; echo end", stdin=b"in\xff\n").stdout == b"in\xff\nend\n"
    assert shell("exit 0", stdin=b"x" * 10_000_000).exit_code == 0
    assert shell("/usr/bin/python3 -c 'input()'").stderr.endswith(b"EOF when reading a line\n")


def test_huge_output_is_capped_with_head_tail_and_mark() -> None:
    begun = time.monotonic()
    done = shell(
        "echo first; head -c 200000000 /dev/zero; echo last",
        limits=Limits(20, output_bytes=100_000),
    )
    assert done.exit_code == 0
    assert done.cut
    assert len(done.stdout) < 101_000
    assert done.stdout.startswith(b"first\n\0")
    assert done.stdout.endswith(b"\0last\n")
    assert b"\n[... 199900011 bytes cut ...]\n" in done.stdout
    assert time.monotonic() - begun < 10


def test_any_bytes_come_back_as_they_are() -> None:
    done = shell(r"printf '\033[31m\000\377\n'")
    assert done.stdout == b"\x1b[31m\0\xff\n"


def test_killed_by_a_signal() -> None:
    assert shell("kill -SEGV $$").exit_code == 139
    assert shell("kill -9 $$").exit_code == 137


BOMB = """
import os, time
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.05)
"""


def test_a_fork_bomb_is_bounded_and_named(tmp_path: Path) -> None:
    (tmp_path / "bomb.py").write_text(BOMB)
    binds = (Bind(tmp_path, "/home/dev/project"),)
    command = "exec /usr/bin/python3 /home/dev/project/bomb.py"
    done = shell(command, binds=binds, limits=Limits(1.5, processes=64))
    assert (done.timed_out, done.limit) == (True, "processes")
    assert done.wall_s < 6


def test_a_shell_s_fork_bomb_leaves_nothing(number: str) -> None:
    bomb = f"b() {{ b | b & sleep {number}; }}; b"
    done = shell(bomb, limits=Limits(1, processes=64, output_bytes=1000))
    assert b"fork" in done.stderr.lower()
    assert done.wall_s < 5
    assert alive_with(number) == []


def test_the_limit_on_processes_counts_each_command_by_itself() -> None:
    text = "for i in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait; echo fine"
    results: list[Completed] = []

    async def one() -> None:
        results.append(await opened().run(script(text, Limits(20, processes=12))))

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(one)

    anyio.run(main)
    assert [(done.stdout, done.stderr) for done in results] == [(b"fine\n", b"")] * 4


def test_too_many_processes_are_refused() -> None:
    done = shell("for i in $(seq 30); do sleep 1 & done; wait", limits=Limits(20, processes=12))
    assert b"fork" in done.stderr.lower()


def test_a_file_larger_than_allowed_is_refused_and_named(tmp_path: Path) -> None:
    binds = (Bind(tmp_path, "/home/dev/project", writable=True),)
    done = shell(
        "exec head -c 3000000 /dev/zero > /home/dev/project/x",
        binds=binds,
        limits=Limits(20, file_bytes=1_000_000),
    )
    assert done.limit == "file_bytes"
    assert (tmp_path / "x").stat().st_size == 1_000_000
