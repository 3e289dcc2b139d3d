"""Pairs what the stream says about Stop hooks with who connects to the socket; no I/O.

The stream is the CLI's own word: a stop is a `hook_started` with a new id. A connection is
anyone's: any process of the agent's can make one. So a connection never makes a stop. It opens one
that has started, and gets the answer of the stop during which it came; what is beyond the one that
the hook needs, or came without a stop, is forged.

Events in either order go in, actions for the server come out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from gatebench.hook.client import FAILED
from gatebench.model.stop import Delivery

ORPHAN_S = 10.0
"""How long a connection waits for a stop."""
UNCONNECTED_S = 30.0
"""How long a started hook may take to connect before its stop is judged without it."""
CLI_TIMEOUT_S = 1_800.0

_NEVER_RAN = (126, 127)


@dataclass(frozen=True)
class Open:
    """Judge stop `n` now."""

    n: int
    input: bytes | None
    """The first connection's; ``None`` where none came."""


@dataclass(frozen=True)
class Reply:
    """Send an answer over a connection and close it."""

    peer: int
    answer: bytes


@dataclass(frozen=True)
class Drop:
    """Close a connection without an answer."""

    peer: int


@dataclass(frozen=True)
class Settled:
    """What became of stop `n`'s answer; said once for each stop."""

    n: int
    delivery: Delivery
    forged: int
    """Connections beyond one, and those without a stop since the last settled one."""


Action = Open | Reply | Drop | Settled


@dataclass(frozen=True)
class Response:
    """How a hook ended, as the stream tells it."""

    stdout: str
    exit_code: int | None
    outcome: str


@dataclass
class _Stop:
    n: int
    started_at: float
    peers: list[int] = field(default_factory=list)
    connections: int = 0
    opened: bool = False
    answer: bytes | None = None
    ended: bool = False
    """Its hook has ended, or the session has."""
    pending: bool = False
    """A delivered block; the CLI has yet to go on."""


class Tracker:
    """State of one session's stops. Times are seconds of any one clock."""

    def __init__(self, cli_timeout_s: float = CLI_TIMEOUT_S) -> None:
        self._cli_timeout_s = cli_timeout_s
        self._stops: dict[str, _Stop] = {}
        self._waiting: dict[int, tuple[bytes, float]] = {}
        self._stray = 0
        self._over = False
        self.forged = 0
        """All forged connections so far."""
        self.delivered_blocks = 0
        """Blocks that reached the CLI so far (one that it overrode too)."""

    @property
    def stops(self) -> int:
        """How many stops there have been."""
        return len(self._stops)

    def number(self, hook_id: str) -> int | None:
        """Which stop a hook belongs to."""
        stop = self._stops.get(hook_id)
        return stop.n if stop else None

    def peers(self, n: int) -> tuple[int, ...]:
        """The connections that wait for a stop's answer."""
        return tuple(p for s in self._stops.values() if s.n == n for p in s.peers)

    def started(self, hook_id: str, now: float) -> list[Action]:
        """A Stop hook is about to run."""
        if hook_id in self._stops or self._over:
            return []
        actions = [*self._settle_pending(Delivery.DELIVERED)]
        stop = self._stops[hook_id] = _Stop(len(self._stops) + 1, now)
        waiting, self._waiting = self._waiting, {}
        for peer, (said, _) in waiting.items():
            actions += self._attach(stop, peer, said)
        return actions

    def connected(self, peer: int, said: bytes, now: float) -> list[Action]:
        """A process has connected and sent its input.

        Args:
            peer: any number that tells connections apart.
            said: what it sent.
            now: the time.
        """
        stop = self._current()
        if stop is not None:
            return self._attach(stop, peer, said)
        if self._over:
            return self.refused(peer)
        self._waiting[peer] = (said, now)
        return []

    def refused(self, peer: int) -> list[Action]:
        """A connection that is none of the hook's: it sent nothing sensible, or came too late."""
        self._stray += 1
        self.forged += 1
        return [Drop(peer)]

    def answered(self, n: int, answer: bytes) -> list[Action]:
        """The judge has spoken; empty allows."""
        stop = next(s for s in self._stops.values() if s.n == n)
        stop.answer = answer
        peers, stop.peers = stop.peers, []
        return [Reply(peer, answer) for peer in peers]

    def responded(self, hook_id: str, response: Response, now: float) -> list[Action]:
        """A Stop hook has ended. One whose start was never seen is a stop all the same."""
        actions = self.started(hook_id, now)
        stop = self._stops.get(hook_id)
        if stop is None or stop.ended:
            return actions
        stop.ended = True
        actions += self._open(stop, None)
        delivery = self._delivery(stop, response, now)
        if delivery is Delivery.DELIVERED and stop.answer:
            self.delivered_blocks += 1
            stop.pending = True
            return actions
        return [*actions, self._settle(stop, delivery)]

    def turn(self) -> list[Action]:
        """The model has taken a turn: what was sent back has gone on."""
        return [*self._settle_pending(Delivery.DELIVERED)]

    def session_ended(self, *, completed: bool) -> list[Action]:
        """No more events will come.

        Args:
            completed: it ended of its own will, as one does that may stop.
        """
        after = Delivery.OVERRIDDEN if completed else Delivery.DELIVERED
        actions = [*self._settle_pending(after)]
        self._over = True
        for stop in self._stops.values():
            if not stop.ended:
                stop.ended = True
                actions += [*self._open(stop, None), self._settle(stop, Delivery.UNDELIVERED)]
        waiting, self._waiting = self._waiting, {}
        return actions + [a for peer in waiting for a in self.refused(peer)]

    def tick(self, now: float) -> list[Action]:
        """Time has passed: give up waiting where it has been long enough."""
        late = [p for p, (_, since) in self._waiting.items() if now - since >= ORPHAN_S]
        actions: list[Action] = []
        for peer in late:
            del self._waiting[peer]
            actions += self.refused(peer)
        for stop in self._stops.values():
            if not stop.opened and now - stop.started_at >= UNCONNECTED_S:
                actions += self._open(stop, None)
        return actions

    def _current(self) -> _Stop | None:
        """The latest stop whose hook still runs."""
        return next((s for s in reversed(self._stops.values()) if not s.ended), None)

    def _attach(self, stop: _Stop, peer: int, said: bytes) -> list[Action]:
        stop.connections += 1
        self.forged += stop.connections > 1
        if stop.answer is not None:
            return [Reply(peer, stop.answer)]
        stop.peers.append(peer)
        return self._open(stop, said)

    def _open(self, stop: _Stop, said: bytes | None) -> list[Action]:
        if stop.opened:
            return []
        stop.opened = True
        return [Open(stop.n, said)]

    def _settle(self, stop: _Stop, delivery: Delivery) -> Settled:
        stop.pending = False
        stray, self._stray = self._stray, 0
        return Settled(stop.n, delivery, max(0, stop.connections - 1) + stray)

    def _settle_pending(self, delivery: Delivery) -> Iterator[Action]:
        for stop in self._stops.values():
            if stop.pending:
                yield self._settle(stop, delivery)

    def _delivery(self, stop: _Stop, response: Response, now: float) -> Delivery:
        if response.exit_code == 0:
            same = stop.answer is not None and _same(response.stdout, stop.answer)
            return Delivery.DELIVERED if same else Delivery.UNDELIVERED
        # The CLI says "cancelled" after its time limit, but also when it was interrupted itself.
        waited = now - stop.started_at
        if response.outcome == "cancelled" and waited >= self._cli_timeout_s * 0.99:
            return Delivery.TIMED_OUT
        # A client that was crowded out by forged connections did not fail of itself.
        alone = stop.connections <= 1 and self._stray == 0
        failed = response.exit_code in _NEVER_RAN or (response.exit_code == FAILED and alone)
        return Delivery.ERRORED if failed else Delivery.UNDELIVERED


def _same(stdout: str, answer: bytes) -> bool:
    return stdout.strip("\n") == answer.decode("utf-8", "replace").strip("\n")
