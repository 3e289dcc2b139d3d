"""Plausible token counts, from the script alone, whatever the real requests weigh."""

import json

from gatebench.model.usage import Role, Usage
from gatebench.team.profile import TokenCounts
from gatebench.team.seat import Seat
from gatebench.team.view import Block, Feedback, Said, Text, Turn, View

_CHARS_PER_TOKEN = 4
_FRESH = 4
"""Input tokens that are never cached."""


def usage(seat: Seat, view: View, blocks: tuple[Block, ...]) -> Usage:
    """What one reply used: the context so far comes from the cache, what is new goes into it."""
    counts = seat.profile.tokens
    grown = [_grows(counts, turn) for turn in view.turns]
    last = _last_said(view.turns)
    base = counts.system + _prompt(seat, counts)
    cached = 0 if last is None else base + sum(grown[:last])
    return Usage(
        input_tokens=_FRESH,
        output_tokens=_weigh(counts, blocks),
        cache_read_input_tokens=cached,
        cache_creation_input_tokens=base + sum(grown) - cached,
    )


def _last_said(turns: tuple[Turn, ...]) -> int | None:
    said = [at for at, turn in enumerate(turns) if isinstance(turn, Said)]
    return said[-1] if said else None


def _prompt(seat: Seat, counts: TokenCounts) -> int:
    plain = seat.role in {Role.WORKER, Role.WRITER}
    return counts.prompt if plain else counts.review_prompt


def _grows(counts: TokenCounts, turn: Turn) -> int:
    """By how much one turn lengthens the context; tool results are counted with their uses."""
    if isinstance(turn, Said):
        by_tool = {"Read": counts.read, "Bash": counts.shell}
        results = sum(by_tool.get(use.name, counts.other) for use in turn.uses)
        return _weigh(counts, turn.blocks) + results
    return counts.feedback if isinstance(turn, Feedback) else 0


def _weigh(counts: TokenCounts, blocks: tuple[Block, ...]) -> int:
    chars = sum(
        len(b.text) if isinstance(b, Text) else len(json.dumps({**b.input})) for b in blocks
    )
    return counts.thinking + chars // _CHARS_PER_TOKEN
