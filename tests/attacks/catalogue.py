"""Every attack, honest neighbours among them."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import anyio

from attacks.arena import Attack, Outcome, arena
from attacks.judging import JUDGING
from attacks.leftovers import LEFTOVERS
from attacks.reading import READING
from attacks.stops import STOPS

LANES = 2
ATTACKS: tuple[Attack, ...] = (*READING, *STOPS, *JUDGING, *LEFTOVERS)
QUICK: tuple[Attack, ...] = tuple(attack for attack in ATTACKS if attack.quick)


def _quiet(_outcome: Outcome) -> None:
    """Nobody watches."""


def stage(
    attacks: Iterable[Attack], cache: Path, tell: Callable[[Outcome], None] = _quiet
) -> list[Outcome]:
    """Run attacks, some at once, and give what came of each, in the order given."""
    return anyio.run(_stage, tuple(attacks), cache, tell)


async def _stage(
    attacks: tuple[Attack, ...], cache: Path, tell: Callable[[Outcome], None]
) -> list[Outcome]:
    outcomes: dict[int, Outcome] = {}
    todo = iter(enumerate(attacks))
    async with arena(cache) as place:

        async def lane(todo: Iterator[tuple[int, Attack]]) -> None:
            for number, attack in todo:
                outcomes[number] = await place.stage(attack)
                tell(outcomes[number])

        async with anyio.create_task_group() as group:
            for _ in range(LANES):
                group.start_soon(lane, todo)
    return [outcomes[number] for number in sorted(outcomes)]
