"""Whose id a command has: root's commands drop it, an ordinary user's keep it."""

import os
import stat
import traceback
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from shutin import opened, script, shell

from gatebench.sandbox import Bind, Limits
from gatebench.sandbox.bwrap import BwrapSandbox
from gatebench.sandbox.identity import HOST_ID, OWN
from gatebench.sandbox.program import find_program, nameless_copies

ORDINARY = 60_777
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become someone else")


def as_ordinary_user(act: Callable[[], None]) -> bool:
    """Run something in a child under another id; whether it went well."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgroups([])
            os.setresgid(ORDINARY, ORDINARY, ORDINARY)
            os.setresuid(ORDINARY, ORDINARY, ORDINARY)
            act()
            code = 0
        except BaseException:  # noqa: BLE001  # a child must not return into pytest
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


@as_root
def test_an_ordinary_user_has_the_same_sandbox(tmp_path: Path) -> None:
    opened()
    program = find_program()
    assert program is not None
    nameless_copies((program.path, *program.libraries))
    place = tmp_path / "w"
    place.mkdir()
    os.chown(place, ORDINARY, ORDINARY)
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            folder.chmod(0o755)

    def act() -> None:
        binds = (Bind(place, "/home/dev/project", writable=True),)
        text = "id -u; echo x > /home/dev/project/new; for i in $(seq 30); do sleep 1 & done; wait"
        command = script(text, Limits(20, processes=12), binds)
        done = anyio.run(BwrapSandbox(program, OWN).run, command)
        assert done.stdout == b"1000\n", done
        assert b"fork" in done.stderr.lower()
        assert (place / "new").stat().st_uid == ORDINARY

    assert as_ordinary_user(act)


@as_root
def test_roots_commands_are_not_roots(tmp_path: Path) -> None:
    closed = tmp_path / "root-only"
    work = closed / "w"
    work.mkdir(parents=True)
    (work / "old").write_text("old")
    closed.chmod(0o700)
    done = shell(
        "id -u; stat -c %u /usr; cd /home/dev/project && echo new > new && echo x > old",
        binds=(Bind(work, "/home/dev/project", writable=True),),
    )
    assert done.stdout == b"1000\n65534\n", done
    assert {(work / name).stat().st_uid for name in ("old", "new")} == {HOST_ID}


@as_root
def test_nothing_outside_a_writable_bind_changes_hands(tmp_path: Path) -> None:
    work = tmp_path / "w"
    work.mkdir()
    (tmp_path / "outside").write_text("x")
    (work / "link").symlink_to("../outside")
    shell("true", binds=(Bind(work, "/home/dev/project", writable=True),))
    assert (tmp_path / "outside").stat().st_uid == 0
    assert (work / "link").lstat().st_uid == HOST_ID
