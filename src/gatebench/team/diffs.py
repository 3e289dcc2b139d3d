"""Reading a diff as a reviewer does: which lines came, which went, and what is thereby promised."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from gatebench.model.blueprint import Blueprint
from gatebench.team.edits import subsets

_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_FAR = 0.5
"""A diff that shares less than this with its best match is someone else's work."""


@dataclass
class FileDiff:
    """One file's part of a diff."""

    added: list[tuple[int, str]] = field(default_factory=list)
    """(line number in the new file, text)."""
    removed: list[str] = field(default_factory=list)

    def net(self) -> Counter[str]:
        """Lines gained (positive) and lost (negative), wherever they stand."""
        count = Counter(text for _, text in self.added)
        count.subtract(self.removed)
        return _tidy(count)


@dataclass(frozen=True)
class Seen:
    """A prompt, taken apart."""

    files: dict[str, FileDiff]
    """By path in the new tree."""
    prose: str
    """The text around the diff."""


def read(prompt: str) -> Seen:
    """Find a unified diff in a prompt; the rest is prose."""
    files: dict[str, FileDiff] = {}
    prose: list[str] = []
    lines = prompt.split("\n")
    path, at = "", 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("+++ "):
            path = line[4:].split("\t")[0].removeprefix("b/")
        elif path and (found := _HUNK.match(line)):
            at = _take_hunk(lines, at, found, files.setdefault(path, FileDiff()))
        else:
            prose.append(line)
    return Seen(files, "\n".join(prose))


def _take_hunk(lines: list[str], at: int, head: re.Match[str], into: FileDiff) -> int:
    """Read one hunk's lines; returns the index of the first line after it."""
    old, number, new = int(head[1] or 1), int(head[2]), int(head[3] or 1)
    while at < len(lines) and (old > 0 or new > 0):
        sign, text = lines[at][:1], lines[at][1:]
        if sign == "+":
            into.added.append((number, text))
        elif sign == "-":
            into.removed.append(text)
        elif sign not in {"", " ", "\\"}:
            break
        old -= sign in {"-", " ", ""}
        new -= sign in {"+", " ", ""}
        number += sign in {"+", " ", ""}
        at += 1
    return at


def recognise(
    seen: Seen, blueprint: Blueprint, ids: Iterable[str], guards: frozenset[str]
) -> frozenset[str]:
    """The requirements that a diff satisfies: those of the rendering it resembles most.

    An empty diff, and one that resembles no rendering, satisfies nothing but the guards.
    """
    files = {edit.file for edit in blueprint.edits} & seen.files.keys()
    actual = {path: seen.files[path].net() for path in sorted(files)}
    size = sum(map(_size, actual.values()))
    if not size:
        return guards
    near = [(_distance(blueprint, s, actual), s) for s in subsets(ids)]
    least = min(distance for distance, _ in near)
    if least > _FAR * size:
        return guards
    best = [s for distance, s in near if distance == least]
    return best[0] if len(best) == 1 else max(best, key=lambda s: _likeness(blueprint, s, seen))


def line_of(seen: Seen, path: str, hunk: str) -> int:
    """The line in the new file where a finding belongs: a best guess, 1 without any."""
    added = seen.files.get(path, FileDiff()).added
    wanted = hunk.strip()
    hits = [number for number, text in added if wanted and wanted in text]
    return hits[0] if hits else added[0][0] if added else 1


def _distance(blueprint: Blueprint, subset: frozenset[str], actual: dict[str, Counter[str]]) -> int:
    """How many lines a rendering's net change differs by from the diff's."""
    expected = _expected(blueprint, subset)
    paths = expected.keys() | actual.keys()
    return sum(_apart(expected.get(p, Counter()), actual.get(p, Counter())) for p in paths)


def _expected(blueprint: Blueprint, subset: frozenset[str]) -> dict[str, Counter[str]]:
    net: dict[str, Counter[str]] = {}
    for edit, text in blueprint.render(subset):
        count = net.setdefault(edit.file, Counter())
        count.update(text.splitlines())
        count.subtract(edit.anchor.splitlines())
    return {path: _tidy(count) for path, count in net.items()}


def _likeness(blueprint: Blueprint, subset: frozenset[str], seen: Seen) -> float:
    """How far the order of the added lines agrees: tells apart what only order sets apart."""
    shown = [text for _, f in sorted(seen.files.items()) for _, text in f.added]
    wanted = [line for _, text in blueprint.render(subset) for line in text.splitlines()]
    return difflib.SequenceMatcher(None, shown, wanted, autojunk=False).ratio()


def _tidy(count: Counter[str]) -> Counter[str]:
    """Without blank lines and surrounding white space, which say nothing."""
    tidy: Counter[str] = Counter()
    for text, n in count.items():
        if text.strip():
            tidy[text.strip()] += n
    return Counter({text: n for text, n in tidy.items() if n})


def _apart(one: Counter[str], other: Counter[str]) -> int:
    return sum(abs(one[text] - other[text]) for text in one.keys() | other.keys())


def _size(count: Counter[str]) -> int:
    return sum(map(abs, count.values()))
