"""One trial's directory: the only writer of what is in it."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from gatebench.errors import StoreError
from gatebench.model.score import Score, SessionRecord
from gatebench.model.stop import StopRecord
from gatebench.model.trial import TrialId
from gatebench.store.atomic import json_text, write_bytes, write_text
from gatebench.store.journal import read_lines
from gatebench.store.redaction import RedactedStream, Redactor

SCORE = "score.json"
STOPS = "gate.jsonl"
SESSION = "session.json"
ATTEMPTS = "attempts"

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True)
class TrialDir:
    """``<job>/<task>-<cfg>-r<rep>/``. A ``score.json`` in it means: done."""

    path: Path
    redactor: Redactor = field(default_factory=Redactor, compare=False, repr=False)

    @property
    def id(self) -> TrialId:
        """Read from the directory's name."""
        return TrialId.parse(self.path.name)

    @property
    def attempt(self) -> int:
        """Number of the attempt whose files lie at the top, from 1."""
        return 1 + len(self.past_attempts())

    def past_attempts(self) -> list[Path]:
        """Directories of earlier attempts, in order."""
        return sorted((self.path / ATTEMPTS).glob("*"), key=lambda p: int(p.name))

    def file(self, name: str) -> Path:
        """Path of one of the trial's files; its directory is made."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, data: str | bytes) -> None:
        """Keep one piece of evidence."""
        if isinstance(data, bytes):
            write_bytes(self.file(name), self.redactor.clean(data), durable=False)
        else:
            write_text(self.file(name), self.redactor.words(data), durable=False)

    def save(self, name: str, record: BaseModel) -> None:
        """Keep one record as JSON."""
        text = json_text(record.model_dump(mode="json"))
        write_text(self.file(name), self.redactor.words(text))

    @contextmanager
    def stream(self, name: str) -> Iterator[Callable[[bytes], None]]:
        """Keep evidence that comes in pieces, each at once; yields what takes them."""
        with self.file(name).open("wb") as file:

            def put(data: bytes) -> None:
                file.write(data)
                file.flush()  # whoever watches sees it, and a kill takes nothing away

            stream = RedactedStream(self.redactor, put)
            try:
                yield stream.feed
            finally:
                stream.close()

    def save_stops(self, stops: Iterable[StopRecord]) -> None:
        """Rewrite ``gate.jsonl`` whole."""
        lines = (json.dumps(s.model_dump(mode="json"), ensure_ascii=True) + "\n" for s in stops)
        write_text(self.file(STOPS), self.redactor.words("".join(lines)), durable=False)

    def score(self) -> Score | None:
        """The score, or ``None`` while the trial isn't done.

        Raises:
            StoreError: the file isn't a score.
        """
        path = self.path / SCORE
        if not path.exists():
            return None
        return _read(Score, path)

    def session(self) -> SessionRecord | None:
        """The session that has ended, of a trial that has no score yet.

        Raises:
            StoreError: the file isn't a session's record.
        """
        path = self.path / SESSION
        if not path.exists() or (self.path / SCORE).exists():
            return None
        return _read(SessionRecord, path)

    def read(self, name: str) -> bytes | None:
        """One piece of evidence; ``None`` where there is none of that name."""
        path = self.path / name
        return path.read_bytes() if path.is_file() else None

    def stops(self) -> tuple[StopRecord, ...]:
        """The stops recorded so far."""
        path = self.path / STOPS
        try:
            return tuple(StopRecord.model_validate(e) for e in read_lines(path).entries)
        except ValidationError as error:
            raise _alien(path, error) from error

    def changed_since(self, seen: dict[str, tuple[int, int]]) -> dict[str, bytes]:
        """Files of this attempt that are new or have changed, by name; they are seen then.

        Args:
            seen: size and time of change (ns) of what was given before, by name.
        """
        changed: dict[str, bytes] = {}
        for path in self._files():
            try:
                info = path.stat()
                data = path.read_bytes()
            except FileNotFoundError:
                continue  # a part that has been renamed since
            name, mark = str(path.relative_to(self.path)), (info.st_size, info.st_mtime_ns)
            if seen.get(name) != mark:
                changed[name], seen[name] = data, mark
        return changed

    def _files(self) -> Iterator[Path]:
        """This attempt's files; none that is being written (its name begins with a dot)."""
        if not self.path.is_dir():
            return
        for path in sorted(self.path.rglob("*")):
            attempt = path.relative_to(self.path).parts[0]
            if attempt != ATTEMPTS and not path.name.startswith(".") and path.is_file():
                yield path

    def take(self, files: Mapping[str, bytes]) -> None:
        """Keep files that another machine's directory of this trial held.

        What says how far the trial is comes last: the session, then the score.

        Raises:
            StoreError: a name that would leave the directory, or a file that can't be written.
        """
        milestones = (SESSION, SCORE)
        for name in sorted(files, key=lambda n: milestones.index(n) if n in milestones else -1):
            parts = Path(name).parts
            if not parts or ".." in parts or parts[0] in {"/", ATTEMPTS}:
                raise StoreError(f"the file {name!r} has no place in {self.path}.")
            data = self.redactor.clean(files[name])
            write_bytes(self.file(name), data, durable=name in milestones)

    def begin_attempt(self) -> None:
        """Make room for a new attempt: what lies at the top moves to ``attempts/<n>/``."""
        self.path.mkdir(parents=True, exist_ok=True)
        left = [p for p in self.path.iterdir() if p.name != ATTEMPTS]
        if not left:
            return
        home = self.file(f"{ATTEMPTS}/{self.attempt}")
        home.mkdir()
        for piece in left:
            shutil.move(piece, home / piece.name)


def _read(kind: type[R], path: Path) -> R:
    try:
        return kind.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise _alien(path, error) from error


def _alien(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"{path} can't be read as the record it should be ({type(error).__name__}).",
        "It was written by another version or by hand; move the trial's directory away and run "
        "the same command again.",
    )
