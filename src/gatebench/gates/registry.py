"""The gates there are: those that ship, and those that others bring by entry point."""

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points

from gatebench.errors import UnknownName
from gatebench.gates.base import Gate, Ground
from gatebench.gates.review import ReviewGate
from gatebench.gates.tests import TestsGate

GROUP = "gatebench.gates"
"""Entry-point group in which a package names its gates: a callable from `Ground` to `Gate`."""

GateMaker = Callable[[Ground], Gate]

SHIPPED: dict[str, GateMaker] = {"tests": TestsGate, "review": ReviewGate}


def gate_names() -> tuple[str, ...]:
    """Every gate that a config may name."""
    return (*SHIPPED, *(name for name in _foreign() if name not in SHIPPED))


def make_gate(name: str, ground: Ground) -> Gate:
    """The gate of that name, for one trial.

    Raises:
        UnknownName: there is none.
        UsageError: a setting that the gate doesn't know.
    """
    maker = SHIPPED.get(name) or _foreign().get(name)
    if maker is None:
        raise UnknownName("gate", name, gate_names())
    return maker(ground)


@cache
def _foreign() -> dict[str, GateMaker]:
    return {point.name: point.load() for point in entry_points(group=GROUP)}
