"""The library a suite is about: fetched by its pinned hash, made a repository of one commit."""

import hashlib
import shutil
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

import anyio

from gatebench.errors import FetchError, SuiteError
from gatebench.suites.caching import Place, cached
from gatebench.suites.clients import pip_command, run_client
from gatebench.suites.files import IGNORED
from gatebench.suites.suite import Suite, Upstream
from gatebench.workspace import make_repository

_LAYOUT = "1"
"""Raised whenever the same sdist would give another tree."""
_TREE = "tree"
_MADE_BY_PACKAGING = frozenset({"PKG-INFO", "setup.cfg"})


async def fetch_upstream(suite: Suite, cache: Path) -> Path:
    """The pristine library as a prepared repository, fetched on first use.

    Args:
        suite: the suite whose library is wanted.
        cache: the cache directory; made where it isn't there. Concurrent callers are safe.

    Returns:
        a directory with the library's files and a ``.git`` of one commit; not to be changed.

    Raises:
        FetchError: the index can't be reached, or serves something else.
        SuiteError: the library doesn't hold the directories that the suite names.
    """
    place = Place(cache, "upstream", f"{suite.upstream.sha256[:32]}-{_LAYOUT}")

    async def build(part: Path) -> None:
        with tempfile.TemporaryDirectory(dir=part) as scratch:
            files = await _files(suite.upstream, Path(scratch))
            _check(suite, files)
            await make_repository(files, part / _TREE)

    return await cached(place, build) / _TREE


def _check(suite: Suite, files: Path) -> None:
    """The library must look as the suite says."""
    for field in ("package", "tests"):
        name = getattr(suite.library, field)
        if not (files / name).is_dir():
            raise SuiteError(
                f"{suite.root / 'suite.toml'}: field 'library.{field}': "
                f"the library has no directory '{name}'.",
                "Name a directory of the library's tree.",
            )


async def _files(upstream: Upstream, scratch: Path) -> Path:
    """The library's plain files in a directory below ``scratch``."""
    files = scratch / "files"
    if upstream.path is not None:
        source = upstream.path
        await anyio.to_thread.run_sync(
            lambda: shutil.copytree(source, files, ignore=lambda _, names: IGNORED & set(names))
        )
        return files
    archive = await _download(upstream, scratch)
    await anyio.to_thread.run_sync(_unpack, archive, files)
    return files


async def _download(upstream: Upstream, scratch: Path) -> Path:
    """The sdist, by the ordinary client, its hash checked by the client and by us."""
    name = f"{upstream.package}=={upstream.version}"
    pins = scratch / "pins.txt"
    pins.write_text(f"{name} --hash=sha256:{upstream.sha256}\n")
    options = ("--quiet", "--no-deps", "--require-hashes", "--no-binary", str(upstream.package))
    argv = pip_command("download", *options, "--dest", str(scratch / "sdist"), "-r", str(pins))
    await run_client(argv, f"{name} could not be fetched")
    archives = sorted((scratch / "sdist").iterdir())
    if len(archives) != 1 or _sha256(archives[0]) != upstream.sha256:
        raise FetchError(
            f"{name}: what the package index serves isn't the pinned sdist.",
            "Use an index that serves the original, or mend 'upstream.sha256' in suite.toml.",
        )
    return archives[0]


def _sha256(path: Path) -> str:
    """Of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _unpack(archive: Path, dest: Path) -> None:
    """What a checkout would hold, without the sdist's top directory and packaging's files."""
    try:
        with tarfile.open(archive) as tar:
            for member in tar.getmembers():
                inner = PurePosixPath(member.name).parts[1:]
                if inner and not _packaging(inner[0]):
                    tar.extract(member.replace(name="/".join(inner)), dest, filter="data")
    except (tarfile.TarError, OSError) as error:
        raise FetchError(
            f"{archive.name}: can't be unpacked: {error}.", "Check 'upstream' in suite.toml."
        ) from None


def _packaging(name: str) -> bool:
    """Files that building the sdist added."""
    return name in _MADE_BY_PACKAGING or name.endswith(".egg-info")
