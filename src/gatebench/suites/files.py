"""Reading a suite's files: TOML into records, errors into sentences, contents into digests."""

import hashlib
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from gatebench.errors import SuiteError
from gatebench.model.base import Record

R = TypeVar("R", bound=Record)
IGNORED = frozenset({"__pycache__", ".pytest_cache", ".git"})


def read_text(path: Path, remedy: str) -> str:
    """A suite file's text.

    Args:
        path: the file.
        remedy: what to do when it isn't there.

    Raises:
        SuiteError: it is missing, or no UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SuiteError(f"{path}: not UTF-8 text.", "Save it as UTF-8.") from None
    except OSError as error:
        raise SuiteError(f"{path}: {error.strerror or error}.", remedy) from None


def read_toml(path: Path, remedy: str) -> dict[str, Any]:
    """A suite file's tables.

    Raises:
        SuiteError: it is missing, or no TOML.
    """
    try:
        return tomllib.loads(read_text(path, remedy))
    except tomllib.TOMLDecodeError as error:
        raise SuiteError(f"{path}: not valid TOML: {error}.", "Mend the line it names.") from None


def validate(path: Path, record: type[R], data: dict[str, Any]) -> R:
    """The record that a file's tables describe.

    Raises:
        SuiteError: a field is missing, unknown or of the wrong kind.
    """
    try:
        return record.model_validate(data)
    except ValidationError as error:
        said = error.errors(include_url=False)
        # A misspelt key is better named than the one it leaves missing.
        first = next((e for e in said if e["type"] == "extra_forbidden"), said[0])
        field = ".".join(str(part) for part in first["loc"]) or "(the whole file)"
        raise SuiteError(
            f"{path}: field '{field}': {first['msg']}.", _remedy(first["type"])
        ) from None


def _remedy(kind: str) -> str:
    """What to do about one kind of pydantic's complaints."""
    if kind == "extra_forbidden":
        return "Remove it or mend its spelling; docs/suites.md lists the known keys."
    if kind == "missing":
        return "Add it; docs/suites.md says what it holds."
    return "docs/suites.md says what it holds."


def files_below(root: Path) -> tuple[Path, ...]:
    """Every regular file below a directory, sorted by name; byte code and caches left out."""
    found = (p for p in root.rglob("*") if not IGNORED & set(p.relative_to(root).parts))
    return tuple(sorted(p for p in found if p.is_file()))


def digest_files(root: Path, files: Iterable[Path]) -> str:
    """sha256 over names (relative to ``root``) and contents, independent of the order given."""
    total = hashlib.sha256()
    for path in sorted(files):
        name = path.relative_to(root).as_posix().encode()
        data = path.read_bytes()
        total.update(b"%d:%s %d:" % (len(name), name, len(data)) + data)
    return total.hexdigest()
