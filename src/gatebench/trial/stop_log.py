"""The one writer of a trial's stops.

Every change of a stop goes to the job's journal first (append-only, on the disk when the call
returns) and then into ``gate.jsonl``, which is rewritten whole. So ``gate.jsonl`` can always be
made again from the journal, and a reader of either never sees half a stop.
"""

from typing import Any

from gatebench.errors import StoreError
from gatebench.model.stop import StopRecord
from gatebench.model.trial import TrialId
from gatebench.model.usage import Sent
from gatebench.store.journal import Journal
from gatebench.store.trial_dir import TrialDir


class StopLog:
    """The stops of one attempt of one trial, in order."""

    def __init__(self, home: TrialDir, journal: Journal, attempt: int) -> None:
        self._home = home
        self._journal = journal
        self._attempt = attempt
        self._broken: StoreError | None = None
        self._stops: dict[int, StopRecord] = {stop.n: stop for stop in home.stops()}

    @property
    def trial(self) -> TrialId:
        """Whose stops these are."""
        return self._home.id

    @property
    def stops(self) -> tuple[StopRecord, ...]:
        """The stops so far, by number."""
        return tuple(self._stops[n] for n in sorted(self._stops))

    def open(self, stop: StopRecord) -> None:
        """A new stop: its snapshot has been taken."""
        self._put(stop)

    def update(self, n: int, **fields: Any) -> StopRecord:
        """Something more is known of a stop: the decision, the delivery, the verdict.

        Args:
            n: the stop's number.
            fields: fields of `StopRecord` with their new values.
        """
        stop = self._stops[n].model_copy(update=fields)
        self._put(stop)
        return stop

    def event(self, kind: str, **fields: Any) -> None:
        """Note something in the journal that is no stop."""
        self._append({"event": kind, **self._who(), **fields})

    def note(self, kind: str, **fields: Any) -> None:
        """Note something that is known otherwise too: nobody waits for the disk."""
        self._append({"event": kind, **self._who(), **fields}, durable=False)

    def sent(self, call: Sent) -> None:
        """Note that a call is on its way, in case we are killed before it is back."""
        entry = {"event": "sent", **self._who(), **call.model_dump(mode="json")}
        self._append(entry, durable=False)  # the agent waits for this

    def raise_broken(self) -> None:
        """Raise what once kept an entry out of the journal.

        Raises:
            StoreError: there is one missing. Whoever made it may have swallowed that: to an agent
                the gateway says no more than that there was an error.
        """
        if self._broken is not None:
            raise self._broken

    def _append(self, entry: dict[str, Any], *, durable: bool = True) -> None:
        try:
            self._journal.append(entry, durable=durable)
        except StoreError as error:
            self._broken = self._broken or error
            raise

    def _put(self, stop: StopRecord) -> None:
        self._stops[stop.n] = stop
        self._append({"event": "stop", **self._who(), "stop": stop.model_dump(mode="json")})
        self._home.save_stops(self.stops)

    def _who(self) -> dict[str, Any]:
        return {"trial": str(self.trial), "attempt": self._attempt}
