"""The file system that a sandboxed command sees, as bwrap's arguments."""

from contextlib import suppress
from pathlib import Path

from gatebench.sandbox.spec import HOME, HOSTNAME, UID, USER, Bind, Command

_MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ssl",
    "ca-certificates",
    "pki",
    "crypto-policies",
    "alternatives",
    "localtime",
)
_TMPFS_BYTES = 512 * 1024 * 1024
_PACKAGE = Path(__file__).parent.parent
RESOLV = Path("/etc/resolv.conf")

ETC_FILES = {
    "passwd": f"root:x:0:0:root:/root:/usr/sbin/nologin\n{USER}:x:{UID}:{UID}::{HOME}:/bin/bash\n",
    "group": f"root:x:0:\n{USER}:x:{UID}:\n",
    "hosts": f"127.0.0.1 localhost {HOSTNAME}\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
"""Files in /etc that are made up rather than the host's."""


def system_binds() -> tuple[Bind, ...]:
    """What every command sees of the host's system, read-only; missing pieces left out.

    Top-level directories that are links on the host (``/lib`` → ``usr/lib``) are no binds: they
    become the same links.
    """
    roots = [Path("/usr"), *(Path("/", name) for name in _MERGED)]
    etc = [Path("/etc", name) for name in _ETC]
    wanted = [path for path in roots if path.is_dir() and not path.is_symlink()]
    wanted += [path for path in etc if path.exists()]
    return tuple(Bind(path, str(path)) for path in wanted)


def system_arguments() -> list[str]:
    """The system, private places, devices; everything but what the command brings itself."""
    arguments: list[str] = ["--perms", "0755", "--dir", "/etc"]
    for bind in system_binds():
        arguments += ["--ro-bind", str(bind.source), bind.target]
    for name in _MERGED:
        link = Path("/", name)
        if link.is_symlink():
            arguments += ["--symlink", str(link.readlink()), str(link)]
    if _PACKAGE.is_relative_to("/usr"):
        # An installation under /usr would show the suites' data.
        arguments += ["--tmpfs", str(_PACKAGE), "--remount-ro", str(_PACKAGE)]
    return [*arguments, *_private_places()]


def _private_places() -> list[str]:
    size = str(_TMPFS_BYTES)
    return [
        *("--proc", "/proc"),
        *("--dev", "/dev"),
        *("--perms", "1777", "--size", size, "--tmpfs", "/dev/shm"),  # noqa: S108  # inside
        *("--remount-ro", "/dev"),
        *("--perms", "1777", "--size", size, "--tmpfs", "/tmp"),  # noqa: S108  # inside
        *("--perms", "0755", "--size", size, "--tmpfs", HOME),
        *("--dir", "/run", "--dir", "/var", "--symlink", "../tmp", "/var/tmp"),  # noqa: S108
    ]


def isolation(command: Command) -> tuple[str, ...]:
    """What shuts a command in."""
    return (*ISOLATION, "--share-net") if command.network else ISOLATION


def etc_files(command: Command) -> dict[str, str]:
    """Files in /etc that are made up; with the network, how to find names there is the host's."""
    if not command.network:
        return ETC_FILES
    named = {
        "nsswitch.conf": ETC_FILES["nsswitch.conf"].replace("hosts: files", "hosts: files dns")
    }
    with suppress(OSError):
        named["resolv.conf"] = RESOLV.read_text(errors="replace")
    return {**ETC_FILES, **named}


def command_arguments(command: Command) -> list[str]:
    """Environment and directory; they come last."""
    arguments = ["--remount-ro", "/", "--chdir", command.cwd]
    for name, value in command.env.items():
        arguments += ["--setenv", name, value]
    return arguments


ISOLATION = (
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--die-with-parent",
    "--new-session",
    *("--uid", str(UID), "--gid", str(UID)),
    *("--hostname", HOSTNAME),
)
"""What shuts the command in. Without user namespaces of its own it can't make a pid namespace
in which `Process.freeze` would not find its processes."""
