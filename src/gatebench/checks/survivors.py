"""What is known of the mutants that a task's hidden tests let live: one class and reason each."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import model_validator

from gatebench.model.base import Record
from gatebench.model.task import Task
from gatebench.suites.files import read_toml, validate
from gatebench.suites.format import Filled
from gatebench.suites.mutants import Mutant

FOLDER = "strength"
_DIGITS = 3
_REMEDY = "docs/strength.md says what it holds."


class Kind(StrEnum):
    """Why a mutant survives."""

    EQUIVALENT = "equivalent"
    """No caller can see a difference."""
    OUT_OF_PROMISE = "out_of_promise"
    """A difference about which no prompt says anything: a message's text and the like."""
    WEAKNESS = "weakness"
    """The hidden tests should have noticed. None may stay."""


class Survivor(Record):
    """``[[survivors]]`` of ``strength/<id>.toml``: one mutant, and why it lives."""

    file: Filled
    line: int
    operator: Filled
    occurrence: int
    was: str
    now: str
    kind: Kind
    why: Filled

    @property
    def key(self) -> tuple[object, ...]:
        """What makes it that mutant."""
        return (self.file, self.line, self.operator, self.occurrence, self.was, self.now)


class StrengthFile(Record):
    """``strength/<id>.toml``."""

    mutants: int
    killed: int
    raw: float
    """Killed by all, to three digits."""
    without_equivalents: float
    """The same, equivalent mutants left out of the count."""
    survivors: tuple[Survivor, ...] = ()

    @model_validator(mode="after")
    def _adds_up(self) -> "StrengthFile":
        if self.killed + len(self.survivors) != self.mutants:
            raise ValueError("killed and survivors don't add up to mutants")
        alike = sum(s.kind is Kind.EQUIVALENT for s in self.survivors)
        for name, total in (("raw", self.mutants), ("without_equivalents", self.mutants - alike)):
            if getattr(self, name) != score(self.killed, total):
                raise ValueError(f"{name} isn't {score(self.killed, total)}")
        return self


@dataclass(frozen=True)
class Mutation:
    """How the mutants of one task came out."""

    mutants: int
    killed: int
    alike: int
    """Survivors listed as equivalent."""
    kinds: dict[str, int]
    """Number of survivors by class; those not listed are ``unlisted``."""
    problems: tuple[str, ...]

    @property
    def raw(self) -> float:
        """Killed by all."""
        return score(self.killed, self.mutants)

    @property
    def without_equivalents(self) -> float:
        """Killed by all that some caller can tell from the reference."""
        return score(self.killed, self.mutants - self.alike)


def score(killed: int, total: int) -> float:
    """The share killed, to three digits; 1 where there is nothing to kill."""
    return round(killed / total, _DIGITS) if total else 1.0


def strength_path(root: Path, task_id: str) -> Path:
    """Where a task's survivors stand."""
    return root / FOLDER / f"{task_id}.toml"


def read_strength(root: Path, task: Task) -> StrengthFile | None:
    """A task's recorded figures and survivors; ``None`` where the suite has no such file.

    Raises:
        SuiteError: the file is broken, or its figures don't add up.
    """
    path = strength_path(root, task.id)
    if not path.is_file():
        return None
    return validate(path, StrengthFile, read_toml(path, _REMEDY))


def compare(
    path: Path, known: StrengthFile | None, total: int, survivors: Sequence[Mutant]
) -> Mutation:
    """Hold what survived against what the suite lists."""
    listed = {s.key: s for s in known.survivors} if known else {}
    keys = [key_of(mutant) for mutant in survivors]
    found = [listed.get(key) for key in keys]
    killed = total - len(survivors)
    problems = [*_unlisted(path, survivors, found), *_stale(path, listed, keys)]
    problems += [
        f"{path.name}: '{s.now.strip()}' ({s.operator}) is a weakness: mend the hidden tests."
        for s in listed.values()
        if s.kind is Kind.WEAKNESS
    ]
    if known and (known.mutants, known.killed) != (total, killed):
        said = f"it says {known.killed} of {known.mutants} killed, seen were {killed} of {total}"
        problems.append(f"{path.name}: {said}.")
    kinds = Counter(str(s.kind) if s else "unlisted" for s in found)
    return Mutation(total, killed, kinds[Kind.EQUIVALENT], dict(kinds), tuple(problems))


def key_of(mutant: Mutant) -> tuple[object, ...]:
    """A mutant's identity, as `Survivor.key` gives it."""
    place = (mutant.file, mutant.line, mutant.operator, mutant.occurrence)
    return (*place, mutant.was.strip(), mutant.now.strip())


def _unlisted(
    path: Path, survivors: Sequence[Mutant], found: Sequence[Survivor | None]
) -> Iterable[str]:
    for mutant, survivor in zip(survivors, found, strict=True):
        if survivor is None:
            yield f"{path.name}: survives, but isn't listed: {mutant}"


def _stale(
    path: Path, listed: dict[tuple[object, ...], Survivor], keys: Sequence[tuple[object, ...]]
) -> Iterable[str]:
    for key, survivor in listed.items():
        if key not in keys:
            where = f"{survivor.file}:{survivor.line} {survivor.operator}"
            yield f"{path.name}: listed, but didn't survive: {where}: '{survivor.now}'"
