"""The Python beneath a test environment, and how it is found again inside a sandbox.

Inside, the environment is bound at ``/opt/python`` and the base interpreter's prefix at
``/opt/base`` (a prefix under ``/usr`` is there anyway). Outside, with no sandbox, the same
environment works where it lies in the cache. Three things make both true:

- ``bin/python`` is a relative link to ``../../base/bin/python3.x``; beside the environment
  in the cache, ``base`` is a link to the prefix.
- ``pyvenv.cfg`` names an absolute home; a second one, for inside, is bound over it.
- An interpreter that finds its own shared library by an absolute path is copied, with that
  path made relative: inside, the old one isn't there.
"""

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from gatebench.errors import FetchError

INSIDE = "/opt/python"
BASE_INSIDE = "/opt/base"
_ORIGIN = b"$ORIGIN/../lib"
_ASK = (
    "import json,os,site,sys,sysconfig\n"
    "v=sysconfig.get_config_var\n"
    "print(json.dumps(dict(prefix=os.path.realpath(sys.base_prefix),"
    "version=list(sys.version_info[:3]),cache_tag=sys.implementation.cache_tag,"
    "platform=sysconfig.get_platform(),"
    "sites=site.getsitepackages()+[sysconfig.get_path('purelib')],"
    "libdir=v('LIBDIR') or '',library=v('INSTSONAME') if v('Py_ENABLE_SHARED') else '')))"
)


@dataclass(frozen=True)
class Interpreter:
    """A base interpreter."""

    executable: Path
    """Resolved, e.g. ``/usr/bin/python3.11``."""
    prefix: Path
    version: tuple[int, int, int]
    tag: str
    """Implementation and platform."""
    sites: tuple[Path, ...]
    """Its own package directories: what is installed there must not show inside."""
    libdir: str
    library: str
    """Name of the shared library it is linked to; empty where it is linked statically."""

    @property
    def elsewhere(self) -> bool:
        """The prefix isn't under ``/usr``, which every sandbox shows."""
        return not self.prefix.is_relative_to("/usr")

    @property
    def bin_name(self) -> str:
        """Path of the executable inside the prefix."""
        return self.executable.relative_to(self.prefix).as_posix()

    def inside(self, path: Path) -> str:
        """Where a path below the prefix is seen inside."""
        if not self.elsewhere:
            return str(path)
        return f"{BASE_INSIDE}/{path.relative_to(self.prefix).as_posix()}"


def own_executable() -> Path:
    """The base interpreter beneath the one that this product runs on."""
    return Path(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))


def ask_command(executable: Path) -> tuple[str, ...]:
    """An argv that makes an interpreter describe itself."""
    return (str(executable), "-I", "-c", _ASK)


def read_answer(executable: Path, answer: str) -> Interpreter:
    """The interpreter that `ask_command`'s output describes.

    Raises:
        FetchError: its executable lies outside its prefix.
    """
    said = json.loads(answer)
    prefix = Path(said["prefix"])
    if not executable.is_relative_to(prefix):
        raise FetchError(
            f"the Python at {executable} lies outside its prefix {prefix}.",
            "Run gate-bench with a Python installed the ordinary way.",
        )
    major, minor, micro = said["version"]
    return Interpreter(
        executable=executable,
        prefix=prefix,
        version=(major, minor, micro),
        tag=f"{said['cache_tag']}-{said['platform']}",
        sites=tuple(dict.fromkeys(Path(os.path.realpath(site)) for site in said["sites"])),
        libdir=said["libdir"],
        library=said["library"],
    )


def settle(base: Interpreter, part: Path, final: Path) -> None:
    """Make a fresh venv at ``part/python`` work in its final place and inside.

    Args:
        base: the interpreter beneath.
        part: the directory that holds it now.
        final: what that directory will be called.
    """
    venv = part / "python"
    if not base.elsewhere:
        return
    (part / "base").symlink_to(base.prefix)
    _link(base, venv)
    configuration = (venv / "pyvenv.cfg").read_text().splitlines()
    kept = [line for line in configuration if not line.startswith("home")]
    home = Path(base.bin_name).parent
    for path, root in ((venv / "pyvenv.cfg", f"{final}/base"), (part / "inside.cfg", BASE_INSIDE)):
        path.write_text("\n".join([f"home = {root}/{home}", *kept, ""]))


def _link(base: Interpreter, venv: Path) -> None:
    """Point ``bin/python`` at the base, or copy the base where a link won't find its library."""
    python = venv / "bin" / "python"
    python.unlink()
    image = base.executable.read_bytes() if base.library else b""
    old = b"\0" + base.libdir.encode() + b"\0"
    if base.library and image.count(old) == 1 and len(base.libdir) >= len(_ORIGIN):
        new = b"\0" + _ORIGIN.ljust(len(old) - 1, b"\0")
        python.write_bytes(image.replace(old, new))
        python.chmod(0o755)
        shutil.copy2(Path(base.libdir) / base.library, venv / "lib" / base.library)
    else:
        python.symlink_to(f"../../base/{base.bin_name}")
