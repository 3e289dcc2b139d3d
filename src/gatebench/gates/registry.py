"""The gates there are: those that ship, and those that others bring by entry point.

A config may use a gate twice under names of its own: ``command:ruff``, ``command:types``. What is
before the colon says which gate it is.
"""

import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from gatebench.errors import UnknownName, UsageError
from gatebench.gates.base import Gate, Ground
from gatebench.gates.command import CommandGate
from gatebench.gates.diff_guard import DiffGuard
from gatebench.gates.mutation import MutationGate
from gatebench.gates.placebo import BlockOnce, Nudge, RandomBlock, Retry
from gatebench.gates.review import ReviewGate
from gatebench.gates.tests import TestsGate
from gatebench.gates.truth import TruthGate
from gatebench.model.trial import kind_of

GROUP = "gatebench.gates"
"""Entry-point group in which a package names its gates: a callable from `Ground` to `Gate`."""

_LABEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*")
GateMaker = Callable[[Ground], Gate]

SHIPPED: dict[str, GateMaker] = {
    "tests": TestsGate,
    "review": ReviewGate,
    "command": CommandGate,
    "diff-guard": DiffGuard,
    "mutation": MutationGate,
    "nudge": Nudge,
    "block-once": BlockOnce,
    "random-block": RandomBlock,
    "retry": Retry,
    "truth": TruthGate,
}


def gate_names() -> tuple[str, ...]:
    """Every gate that a config may name; nobody's package is loaded for it."""
    return (*SHIPPED, *(name for name in _foreign() if name not in SHIPPED))


def make_gate(name: str, ground: Ground) -> Gate:
    """The gate of that name, for one trial.

    Raises:
        UnknownName: there is none.
        UsageError: a setting that the gate doesn't know, or a package that can't be loaded.
    """
    kind, label = kind_of(name), name.partition(":")[2]
    if label and not _LABEL.fullmatch(label):
        raise UsageError(f"the gate name '{name}' won't do.", "Use letters, digits, '_' and '.'.")
    point = _foreign().get(kind)
    maker = SHIPPED.get(kind) or (_load(point) if point else None)
    if maker is None:
        raise UnknownName("gate", name, gate_names())
    gate = maker(ground)
    if gate.name != name:
        gate.name = name
    return gate


@cache
def _foreign() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _load(point: EntryPoint) -> GateMaker:
    try:
        maker: GateMaker = point.load()
    except Exception as error:  # the boundary: other people's code
        raise UsageError(
            f"the gate '{point.name}' can't be loaded from {point.value}: {error}.",
            "Mend or remove the package that brings it.",
        ) from error
    return maker
