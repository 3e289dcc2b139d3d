"""How the worker turns one state of its work into the next: the edits, as tool uses.

The worker knows the blueprint by heart, not the files: it replaces what it expects to find. Where
the tree differs it looks again and looks for any state of the block that it knows.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from gatebench.model.blueprint import Blueprint, Edit
from gatebench.team.view import ToolUse
from gatebench.team.worker import Outcome

_NUMBERED = re.compile(r"^\s*\d+(?:→|\t)(.*)$")


def changes(blueprint: Blueprint, before: Outcome, after: Outcome, cwd: str) -> tuple[ToolUse, ...]:
    """The tool uses that lead from one state to another; none where nothing differs."""
    pairs = ((e, state(e, before), state(e, after)) for e in blueprint.edits)
    return tuple(change(e, old, new, cwd) for e, old, new in pairs if old != new)


def state(edit: Edit, outcome: Outcome) -> str:
    """The text at an edit's place; upstream's, which is the anchor, when nothing was begun."""
    return edit.render(outcome.subset) if outcome.started else edit.anchor


def change(edit: Edit, old: str, new: str, cwd: str) -> ToolUse:
    """One change: an Edit at an anchor, or a Write of a file of its own."""
    path = f"{cwd}/{edit.file}"
    if not edit.anchor:
        return ToolUse("Write", {"file_path": path, "content": new})
    return ToolUse("Edit", {"file_path": path, "old_string": old, "new_string": new})


def look_again(failed: Iterable[ToolUse]) -> tuple[ToolUse, ...]:
    """Read the files whose change failed; another range, so that the answer holds the text."""
    paths = dict.fromkeys(use.given("file_path") for use in failed)
    return tuple(
        ToolUse("Read", {"file_path": path, "offset": 1, "limit": 5000}) for path in paths if path
    )


def rebuild(blueprint: Blueprint, use: ToolUse, shown: str) -> tuple[ToolUse, ...] | None:
    """A failed Edit again, on what the file holds now.

    Args:
        blueprint: the worker's solution.
        use: the Edit (or Write) that failed.
        shown: what Read gave for its file, line numbers included.

    Returns:
        what is to be done (nothing where the text is there already); ``None`` when no known
        state of the block is in the file.
    """
    if use.name != "Edit":
        return (use,)
    text = plain(shown)
    found = next((s for s in _known_states(blueprint, use) if text.count(s) == 1), None)
    if found is None:
        return None
    done = found == use.given("new_string")
    return () if done else (ToolUse("Edit", {**use.input, "old_string": found}),)


def plain(shown: str) -> str:
    """What Read shows, without its line numbers."""
    matches = (_NUMBERED.match(line) for line in shown.splitlines())
    return "\n".join(found[1] for found in matches if found)


def subsets(ids: Iterable[str]) -> Iterator[frozenset[str]]:
    """All subsets, the largest first."""
    pool = tuple(ids)
    for size in range(len(pool), -1, -1):
        yield from map(frozenset, itertools.combinations(pool, size))


@lru_cache(maxsize=64)
def named_conditions(blueprint: Blueprint) -> tuple[str, ...]:
    """The requirements that a blueprint's conditions speak of, in order."""
    directives = (
        line.strip()
        for edit in blueprint.edits
        for line in edit.text.splitlines()
        if line.strip().startswith("#if ")
    )
    words = (word for line in directives for word in line.removeprefix("#if ").split())
    return tuple(sorted({w for w in words if w not in {"not", "and"}}))


def _known_states(blueprint: Blueprint, use: ToolUse) -> tuple[str, ...]:
    """Every text that the failed edit's place may hold, the longest first."""
    new = use.given("new_string")
    states: set[str] = set()
    for edit in blueprint.edits:
        own = {edit.render(s) for s in subsets(named_conditions(blueprint))} | {edit.anchor}
        if use.given("file_path").endswith(edit.file) and new in own:
            states |= own
    return tuple(sorted((s for s in states if s), key=lambda s: (-len(s), s)))
