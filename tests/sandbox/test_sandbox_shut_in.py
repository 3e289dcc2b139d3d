"""What a command can't see, reach or change."""

import os
import secrets
import socket
import threading
from pathlib import Path

import anyio
import pytest
from shutin import opened, shell

from gatebench.errors import SpawnFailed
from gatebench.sandbox import Bind, Command, Completed, Limits


def text(done: Completed) -> str:
    return done.stdout.decode("utf-8", "replace")


def test_a_command_runs_and_its_exit_code_comes_back() -> None:
    done = shell("echo out; echo err >&2; exit 7")
    assert (done.exit_code, done.stdout, done.stderr) == (7, b"out\n", b"err\n")
    assert (done.timed_out, done.cut, done.limit) == (False, False, None)


def test_it_is_an_ordinary_user_with_a_neutral_name() -> None:
    done = shell("id -u; id -g; id -un; hostname; pwd")
    assert text(done).split() == ["1000", "1000", "dev", "box", "/"]


@pytest.mark.parametrize("folder", ["/root", "/work", "/opt", "/home/cloudsdk", "/mnt", "/sys"])
def test_the_rest_of_the_file_system_is_not_there(folder: str) -> None:
    assert shell(f"test -e {folder}").exit_code == 1


def test_a_file_of_the_caller_is_found_by_no_search(tmp_path: Path) -> None:
    name = f"test_T{secrets.token_hex(4)}"
    (tmp_path / name).write_text("secret")
    assert text(shell(f"find / -name {name} 2>/dev/null; ls {tmp_path}")) == ""


def test_only_its_own_processes_show() -> None:
    done = shell("for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f; echo; done")
    lines = text(done).splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("/proc/self/fd/")
    assert " -- /bin/sh -c for f" in lines[0]
    assert "/" not in lines[0].split(" -- ")[0].replace("/proc/self/fd/", "")


def test_the_init_shows_no_path_of_the_host() -> None:
    done = shell(
        "readlink /proc/1/exe /proc/1/cwd /proc/1/root; cat /proc/1/maps /proc/1/environ; "
        "ls -l /proc/1/fd"
    )
    for word in ("site-packages", "venv", "bubblewrap", str(Path.cwd()), "gate"):
        assert word not in text(done)
    assert "/memfd:init (deleted)" in text(done)


def test_mount_sources_are_the_binds_and_the_system_only(tmp_path: Path) -> None:
    done = shell("cat /proc/self/mountinfo", binds=(Bind(tmp_path, "/home/dev/project"),))
    roots = {line.split()[3] for line in text(done).splitlines()}
    foreign = {root for root in roots if not root.startswith(("/usr", "/etc"))} - {
        *("/", "/newroot", "/null", "/zero", "/full", "/random", "/urandom", "/tty")
    }
    assert len(foreign) == 1
    assert str(tmp_path).endswith(foreign.pop())


def test_no_descriptor_but_the_standard_ones_is_inherited(tmp_path: Path) -> None:
    secret = os.open(tmp_path / "x", os.O_CREAT | os.O_RDWR)
    os.set_inheritable(secret, True)  # noqa: FBT003  # os takes it so
    done = shell("ls /proc/$$/fd", binds=(Bind(tmp_path, "/opt/a"), Bind(tmp_path, "/opt/b")))
    os.close(secret)
    assert text(done).split() == ["0", "1", "2"]


def test_the_environment_is_what_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_TOKEN", "sk-secret")
    names = {line.split("=")[0] for line in text(shell("env")).splitlines()}
    assert names == {"PATH", "HOME", "LC_ALL", "PWD"}


def test_there_is_no_network() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
        done = shell(f'/usr/bin/python3 -c "{code}"; ls /sys/class/net; cat /proc/net/dev')
    assert b"refused" in done.stderr
    assert "eth" not in text(done)


def test_abstract_sockets_of_the_host_are_out_of_reach() -> None:
    name = secrets.token_hex(6)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        code = f"import socket; socket.socket(socket.AF_UNIX).connect(chr(0) + '{name}')"
        done = shell(f'/usr/bin/python3 -c "{code}"')
    assert b"ConnectionRefusedError" in done.stderr


@pytest.mark.parametrize("path", ["/x", "/etc/x", "/usr/x", "/run/x", "/dev/x", "/var/x", "/opt/x"])
def test_writes_to_the_system_fail(path: str, tmp_path: Path) -> None:
    done = shell(f"mkdir -p /opt; echo x > {path}", binds=(Bind(tmp_path, "/opt/python"),))
    assert done.exit_code != 0


def test_the_private_places_can_be_written_and_are_capped() -> None:
    done = shell("for d in /tmp /home/dev /dev/shm /var/tmp; do echo x > $d/x || exit 1; done")
    assert done.exit_code == 0
    done = shell("head -c 600000000 /dev/zero > /tmp/x", limits=Limits(20, file_bytes=None))
    assert b"No space left" in done.stderr


def test_a_writable_bind_is_written_and_a_read_only_one_is_not(tmp_path: Path) -> None:
    for name in ("w", "r"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old").write_text("old")
    binds = (
        Bind(tmp_path / "w", "/home/dev/project", writable=True),
        Bind(tmp_path / "r", "/opt/r"),
    )
    done = shell(
        "cd /home/dev/project && echo new > new && echo x > old; echo x > /opt/r/old", binds=binds
    )
    assert (tmp_path / "w" / "new").read_text() == "new\n"
    assert (tmp_path / "w" / "old").read_text() == "x\n"
    assert (tmp_path / "r" / "old").read_text() == "old"
    assert b"Read-only" in done.stderr


def test_what_only_the_caller_may_read_can_be_bound(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "in").mkdir(parents=True)
    (closed / "in" / "settings").write_text("yes")
    (closed / "in" / "settings").chmod(0o600)
    (closed / "in").chmod(0o700)
    closed.chmod(0o700)
    binds = (Bind(closed / "in", "/opt/in"), Bind(closed / "in" / "settings", "/run/settings.json"))
    assert text(shell("cat /opt/in/settings /run/settings.json", binds=binds)) == "yesyes"


def test_a_bound_socket_can_be_used(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()

        def serve() -> None:
            with server.accept()[0] as peer:
                peer.sendall(b"hello")

        thread = threading.Thread(target=serve)
        thread.start()
        code = (
            "import socket; s=socket.socket(socket.AF_UNIX); s.connect('/run/m'); print(s.recv(9))"
        )
        done = shell(f'/usr/bin/python3 -c "{code}"', binds=(Bind(tmp_path / "s", "/run/m"),))
        thread.join()
    assert text(done) == "b'hello'\n"


def test_no_user_namespace_can_be_made_inside() -> None:
    assert shell("unshare --user --map-root-user true").exit_code != 0


def test_kernel_settings_can_not_be_changed() -> None:
    done = shell("echo x > /proc/sys/kernel/core_pattern; echo b > /proc/sysrq-trigger")
    assert done.exit_code != 0
    assert b"core_pattern" not in Path("/proc/sys/kernel/core_pattern").read_bytes()
    assert shell("echo x > /proc/sys/kernel/core_pattern").exit_code != 0


def test_a_missing_program_or_source_is_a_failure_to_start(tmp_path: Path) -> None:
    with pytest.raises(SpawnFailed, match="nope"):
        anyio.run(opened().run, Command(("/nope",), Limits(5)))
    with pytest.raises(SpawnFailed, match="absent"):
        anyio.run(
            opened().run, Command(("/bin/true",), Limits(5), (Bind(tmp_path / "absent", "/x"),))
        )
