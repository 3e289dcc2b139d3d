"""What earlier invocations of a job spent: every call is in its journal, those on their way too."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from gatebench.gateway import spent_usd
from gatebench.model.usage import Call, Sent
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import read_lines

Entry = Mapping[str, Any]
LOST = "lost"
"""The journal's event for a call that was found to have been lost."""
_OF_THE_JOURNAL = ("event", "trial", "attempt")
R = TypeVar("R", bound=BaseModel)


def spent_before(home: JobDir) -> float:
    """Dollars that a job's budget is charged, attempts that came to nothing included.

    Of a call that was on its way when its invocation was killed nobody knows what it cost: it
    counts with all that it may have.
    """
    entries = read_lines(home.journal).entries
    known = sum(_charged(call) for call in _calls(entries))
    return known + at_most_usd(sent for _, sent in lost_calls(entries))


def lost_calls(entries: Iterable[Entry]) -> list[tuple[Entry, Sent]]:
    """Calls that were sent and of which nothing came back, each with its journal entry."""
    entries = tuple(entries)
    back = {(e.get("site"), e.get("at")) for e in entries if e.get("event") == "call"}
    sent = ((e, _read(Sent, e)) for e in entries if e.get("event") == "sent")
    return [(e, s) for e, s in sent if s is not None and (s.site, s.at) not in back]


def untold(entries: Iterable[Entry]) -> list[tuple[Entry, Sent]]:
    """Those that no invocation has noted yet."""
    entries = tuple(entries)
    told = {(e.get("site"), e.get("at")) for e in entries if e.get("event") == LOST}
    return [(e, s) for e, s in lost_calls(entries) if (s.site, s.at) not in told]


def at_most_usd(calls: Iterable[Sent]) -> float:
    """All that calls may have cost, as far as that is known."""
    return sum(call.at_most_usd or 0.0 for call in calls)


def _charged(call: Call) -> float:
    return spent_usd([call]) if call.charged_usd is None else call.charged_usd


def _calls(entries: Iterable[Entry]) -> Iterator[Call]:
    """Calls to an upstream; a line that is none is none of ours."""
    for entry in entries:
        if entry.get("event") == "call" and entry.get("upstream") is not None:
            call = _read(Call, entry)
            if call is not None:
                yield call


def _read(kind: type[R], entry: Entry) -> R | None:
    try:
        return kind.model_validate({k: v for k, v in entry.items() if k not in _OF_THE_JOURNAL})
    except ValidationError:
        return None
