"""What a battery is, and where the batteries are."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field

import proof


@dataclass(frozen=True)
class Record:
    """What a battery has to show."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    ok: bool
    """Whether everything came out as it must."""
    seconds: float
    notes: tuple[str, ...] = field(default=())
    """Sentences below the table."""


Run = Callable[[], Record]


@dataclass(frozen=True)
class Battery:
    """One battery by name."""

    name: str
    about: str
    run: Run


BATTERIES: dict[str, Battery] = {}


def battery(name: str, about: str) -> Callable[[Run], Run]:
    """Enter a function as a battery.

    Args:
        name: by which it is asked for.
        about: one clause for the list.
    """

    def enter(run: Run) -> Run:
        BATTERIES[name] = Battery(name, about, run)
        return run

    return enter


def find_all() -> dict[str, Battery]:
    """Every battery of this package, by name, in order of the modules' names."""
    for module in sorted(m.name for m in pkgutil.iter_modules(proof.__path__)):
        if module.startswith("battery_"):
            importlib.import_module(f"proof.{module}")
    return BATTERIES
