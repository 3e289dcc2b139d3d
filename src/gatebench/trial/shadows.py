"""Shadow gates: they look at every stop, off the agent's path, and are told to nobody."""

from collections.abc import Awaitable, Callable

import anyio
from anyio.abc import TaskGroup

from gatebench.gates.base import Gate, StopView
from gatebench.gates.runner import run_gate
from gatebench.hook.server import STOP_LIMIT_S
from gatebench.model.room import raise_if_full
from gatebench.model.score import WriterOutcome
from gatebench.model.scored import gates_usd, sum_usd
from gatebench.model.stop import GateResult, GateStatus
from gatebench.trial.stop_log import StopLog


class Shadows:
    """The shadow gates of one trial: started at each stop, waited for before the score.

    They run beside the session, as the oracle does, so neither the decision nor the agent's time
    depends on them. One stop after the other, for a gate may remember what it saw.
    """

    def __init__(self, log: StopLog, group: TaskGroup) -> None:
        self.gates: tuple[Gate, ...] = ()
        """Set once they are made."""
        self._log = log
        self._group = group
        self._faults: dict[str, str] = {}
        """Why a gate could not be prepared, by its name."""
        self._begun: set[int] = set()
        self._turn = anyio.Lock()
        self._open = 0
        self._idle = anyio.Event()
        self._idle.set()

    async def prepare(self, how: Callable[[Gate], Awaitable[None]]) -> None:
        """Let each prepare, or recall; one that can't costs nobody the trial."""
        for gate in self.gates:
            try:
                await how(gate)
            except Exception as error:  # noqa: BLE001  # the boundary: recorded at every stop
                raise_if_full(error)
                self._faults[gate.name] = f"{type(error).__name__}: {error}"

    @property
    def cost_usd(self) -> float | None:
        """What they asked models for; ``None`` without any, or where a part is unknown."""
        if not self.gates:
            return None
        writers = (getattr(gate, "writer_outcome", None) for gate in self.gates)
        parts = [w.cost_usd for w in writers if isinstance(w, WriterOutcome)]
        parts += gates_usd(gate for stop in self._log.stops for gate in stop.shadow)
        return sum_usd(parts)

    def begin(self, stop: StopView) -> None:
        """Let every shadow gate look at a stop, beside whatever else is going on."""
        if not self.gates or stop.n in self._begun:
            return
        self._begun.add(stop.n)
        self._open += 1
        if self._open == 1:
            self._idle = anyio.Event()
        self._group.start_soon(self._look, stop)

    async def settled(self) -> None:
        """Look at the stops that an interruption left out, and wait for all."""
        for stop in self._log.stops:
            if stop.tree is not None and not stop.shadow:
                self.begin(StopView(stop.n, stop.tree, (), STOP_LIMIT_S))
        await self._idle.wait()

    async def _look(self, stop: StopView) -> None:
        try:
            async with self._turn:
                found = [await self._one(gate, stop) for gate in self.gates]
                self._log.update(stop.n, shadow=tuple(found))
        finally:
            self._open -= 1
            if not self._open:
                self._idle.set()

    async def _one(self, gate: Gate, stop: StopView) -> GateResult:
        fault = self._faults.get(gate.name)
        if fault is not None:
            return GateResult(name=gate.name, status=GateStatus.ERROR, error=fault)
        return await run_gate(gate, stop)
