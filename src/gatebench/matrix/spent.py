"""What earlier invocations of a job spent: every call is in its journal."""

from collections.abc import Iterator

from pydantic import ValidationError

from gatebench.gateway import spent_usd
from gatebench.model.usage import Call
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import read_lines

_OF_THE_JOURNAL = ("event", "trial", "attempt")


def spent_before(home: JobDir) -> float:
    """Dollars that a job's budget has been charged, attempts that came to nothing included."""
    return sum(_charged(call) for call in _calls(home))


def _charged(call: Call) -> float:
    return spent_usd([call]) if call.charged_usd is None else call.charged_usd


def _calls(home: JobDir) -> Iterator[Call]:
    """Calls to an upstream; a line that is none is none of ours."""
    for entry in read_lines(home.journal).entries:
        if entry.get("event") != "call" or entry.get("upstream") is None:
            continue
        try:
            yield Call.model_validate({k: v for k, v in entry.items() if k not in _OF_THE_JOURNAL})
        except ValidationError:
            continue
