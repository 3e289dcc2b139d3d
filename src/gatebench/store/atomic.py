"""Writes that are whole or not at all."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from gatebench.errors import StoreError


def write_bytes(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file so that a reader sees the old one or the new one, never a part.

    Args:
        path: where; its directory must exist.
        data: the whole content.
        durable: wait until it is on the disk; leave out for evidence that a resume can do without.

    Raises:
        StoreError: the disk is full, or the place can't be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        if durable:
            _sync_directory(path.parent)
    except OSError as error:
        raise StoreError(
            f"{path} can't be written: {error.strerror or error}.",
            "Make room or fix the permissions, then run the same command again: it resumes.",
        ) from error


def write_text(path: Path, text: str, *, durable: bool = True) -> None:
    """Write text as UTF-8; what can't be encoded (lone surrogates) is written as ``?``."""
    write_bytes(path, text.encode("utf-8", "replace"), durable=durable)


def write_json(path: Path, value: Any) -> None:
    """Write one JSON document, indented, keys in the order given."""
    write_text(path, json_text(value))


def json_text(value: Any) -> str:
    """One JSON document as it is written: indented, keys in the order given."""
    return json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def write_record(path: Path, record: BaseModel) -> None:
    """Write one record as a JSON document."""
    write_json(path, record.model_dump(mode="json"))


def _sync_directory(directory: Path) -> None:
    """Make a rename itself durable."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
