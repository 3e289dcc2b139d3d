"""Holds the agent's processes still while a stop is judged."""

from collections.abc import Iterable

from gatebench.hook.peers import let_all_go, let_go
from gatebench.sandbox import Process


class Stillness:
    """Everything of the agent's stands still but its CLI, which is waiting anyway.

    The connected peers too, until their answer is there: one of them may be no hook but a process
    that goes on editing.
    """

    def __init__(self) -> None:
        self.process: Process | None = None
        """The agent's; ``None`` leaves everything running."""
        self._stops: set[int] = set()
        self._cli: frozenset[int] = frozenset()

    def hold(self, n: int) -> None:
        """Stop everything for stop `n`; it stands still on return."""
        self._stops.add(n)
        if self.process is not None:
            self._cli = self.process.writers
            self.process.freeze(self._cli)

    def release_peers(self, pids: Iterable[int]) -> None:
        """Let those go on that are to read an answer."""
        if self.process is not None:
            let_go(self.process, pids, self._cli)

    def release(self, n: int) -> None:
        """Stop `n` is over: let everything go on, unless another stop holds it."""
        self._stops.discard(n)
        if self.process is not None and not self._stops:
            let_all_go(self.process)
