"""Kinds of mutation that cosmic-ray lacks, written in its form.

An operator tells the places in a parso node where it can act, and changes the node in place. Here
are those without which a feature made of plain statements would hardly be mutated at all.
"""

from collections.abc import Iterator
from typing import Any

Place = tuple[tuple[int, int], tuple[int, int]]
_KEPT = frozenset({"pass_stmt", "string", "strings", "keyword"})


class DeleteStatement:
    """Puts ``pass`` in a simple statement's place; docstrings stay."""

    def mutation_positions(self, node: Any) -> Iterator[Place]:
        """The statement, if it does something."""
        if node.type == "simple_stmt" and not _idle(node.children[0]):
            yield node.start_pos, node.children[0].end_pos

    def mutate(self, node: Any, _index: int) -> Any:
        """Empty every leaf but the first."""
        first, *others = _leaves(node.children[0])
        first.value = "pass"
        for leaf in others:
            leaf.value = leaf.prefix = ""
        return node


class ReplaceInWithNotIn:
    """Turns ``in`` into ``not in``, in comparisons only."""

    def mutation_positions(self, node: Any) -> Iterator[Place]:
        """Every ``in`` of a comparison."""
        if _is(node, "in") and node.parent is not None and node.parent.type == "comparison":
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, _index: int) -> Any:
        """Put ``not`` before it."""
        node.value = "not in"
        return node


class ReplaceNotInWithIn:
    """Turns ``not in`` into ``in``."""

    def mutation_positions(self, node: Any) -> Iterator[Place]:
        """Every ``not in``."""
        if node.type == "comp_op" and _is(node.children[0], "not"):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, _index: int) -> Any:
        """Take the ``not`` away."""
        word, rest = node.children
        word.value = rest.prefix = ""
        return node


class ChangeText:
    """Puts two letters before a text; docstrings stay."""

    def mutation_positions(self, node: Any) -> Iterator[Place]:
        """A text, or one piece of an f-string."""
        docstring = node.parent is not None and node.parent.type == "simple_stmt"
        if node.type == "fstring_string" or (node.type == "string" and not docstring):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, _index: int) -> Any:
        """Write them after the opening quote."""
        if node.type == "fstring_string":
            node.value = f"XX{node.value}"
            return node
        mark = node.value[-3:] if node.value[-3:] in {'"""', "'''"} else node.value[-1:]
        head, _, tail = node.value.partition(mark)
        node.value = f"{head}{mark}XX{tail}"
        return node


OWN = (DeleteStatement, ReplaceInWithNotIn, ReplaceNotInWithIn, ChangeText)


def _idle(node: Any) -> bool:
    return node.type in _KEPT and not _is(node, "continue") and not _is(node, "break")


def _is(node: Any, word: str) -> bool:
    return bool(node.type == "keyword" and node.value == word)


def _leaves(node: Any) -> Iterator[Any]:
    if not hasattr(node, "children"):
        yield node
        return
    for child in node.children:
        yield from _leaves(child)
