"""How the tree of any subset of a task's requirements is built: edits with conditions.

A blueprint is a list of edits to the pristine library. Each edit replaces one anchor, a piece of
text that occurs exactly once in its file, with a text whose lines may stand under conditions::

    #if R1 and not R3
    ...
    #else
    ...
    #end

``{anchor}`` on a line of its own stands for the anchor itself. Conditions nest. The directives
never reach a tree: what is rendered holds only the lines of the branches taken.
"""

from collections.abc import Iterable

from gatebench.errors import SuiteError
from gatebench.model.base import Record

ANCHOR = "{anchor}"


class Edit(Record):
    """One conditional replacement in one file."""

    file: str
    """Path inside the library's tree."""
    anchor: str
    """Text that occurs exactly once in the pristine file; empty for a new file."""
    text: str
    """The replacement, with directives."""

    def render(self, satisfied: frozenset[str]) -> str:
        """The replacement for a subset of the requirements.

        Raises:
            SuiteError: a directive that can't be read.
        """
        lines = _taken(self.text.splitlines(), satisfied, self.file)
        body = "\n".join(self.anchor if line.strip() == ANCHOR else line for line in lines)
        return body if self.anchor else body + "\n"


class Blueprint(Record):
    """All edits of one solution."""

    edits: tuple[Edit, ...]

    def render(self, satisfied: Iterable[str]) -> tuple[tuple[Edit, str], ...]:
        """Each edit with its replacement text for a subset of the requirements."""
        subset = frozenset(satisfied)
        return tuple((edit, edit.render(subset)) for edit in self.edits)

    def apply(self, pristine: dict[str, str], satisfied: Iterable[str]) -> dict[str, str]:
        """The changed files of the pristine tree, by path.

        Args:
            pristine: text of the library's files by path (at least those edited).
            satisfied: ids of the requirements the tree shall satisfy.

        Raises:
            SuiteError: an anchor that doesn't occur exactly once.
        """
        changed: dict[str, str] = {}
        for edit, text in self.render(satisfied):
            before = changed.get(edit.file, pristine.get(edit.file, ""))
            if edit.anchor and before.count(edit.anchor) != 1:
                raise SuiteError(
                    f"{edit.file}: the anchor {edit.anchor!r} occurs "
                    f"{before.count(edit.anchor)} times, not once.",
                    "Choose an anchor that is unique in the pristine file.",
                )
            changed[edit.file] = before.replace(edit.anchor, text, 1) if edit.anchor else text
        return changed


def _taken(lines: list[str], satisfied: frozenset[str], where: str) -> list[str]:
    """The lines of the branches whose conditions hold."""
    taken: list[str] = []
    stack: list[bool] = []
    for line in lines:
        word, _, rest = line.strip().partition(" ")
        if word == "#if":
            stack.append(_holds(rest, satisfied, where))
        elif word in {"#else", "#end"}:
            if not stack:
                raise SuiteError(f"{where}: '{word}' without '#if'.", "Open it with '#if R1'.")
            top = stack.pop()
            if word == "#else":
                stack.append(not top)
        elif all(stack):
            taken.append(line)
    if stack:
        raise SuiteError(f"{where}: '#if' without '#end'.", "Close it.")
    return taken


def _holds(condition: str, satisfied: frozenset[str], where: str) -> bool:
    """Evaluate ``R1``, ``not R1``, and their conjunctions with ``and``."""
    for term in condition.split(" and "):
        words = term.split()
        negated = words[:1] == ["not"]
        if len(words) != 1 + negated:
            raise SuiteError(
                f"{where}: can't read the condition '#if {condition}'.",
                "Write terms like 'R1' or 'not R1', joined by 'and'.",
            )
        if (words[-1] in satisfied) == negated:
            return False
    return True
