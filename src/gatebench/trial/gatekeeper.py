"""What happens at a stop, from the hook's call to its answer."""

import json
import time
import traceback
from functools import partial

import anyio

from gatebench.gates.base import StopView
from gatebench.gates.reason import build_reason
from gatebench.gates.runner import run_gates
from gatebench.hook.server import STOP_LIMIT_S, StopRequest
from gatebench.model.labels import blocking_gate
from gatebench.model.policy import decide
from gatebench.model.room import raise_if_full
from gatebench.model.scored import delivered_blocks
from gatebench.model.stop import Decision, Delivery, GateResult, StopRecord
from gatebench.model.usage import Role
from gatebench.trial.run import Run
from gatebench.trial.standby import stand_by
from gatebench.workspace import Snapshot


class Gatekeeper:
    """Answers the stops of one trial: snapshot, journal, gates, journal, answer."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def judge(self, request: StopRequest) -> bytes:
        """Gate one stop.

        Returns:
            The hook's answer: JSON that blocks, or nothing, which allows.
        """
        began = time.monotonic()
        run, n = self._run, request.n
        try:
            run.doing("snapshot", n)
            snapshot = await self._capture(request)
            try:
                gates = await self._gates(request, snapshot, began)
                return self._decide(n, gates, began)
            finally:
                # Not before: the oracle would take processors from what the agent waits for.
                run.verdicts.begin(n, snapshot.tree, partial(self._file, request, snapshot.tree))
        finally:
            run.hook_wall_s += time.monotonic() - began
            run.doing("working", n)

    async def delivered(self, n: int, delivery: Delivery, forged: int) -> None:
        """File what became of the answer to a stop."""
        stop = self._run.log.update(n, delivery=delivery, forged=forged)
        if stop.decision is Decision.BLOCK:
            stand_by(self._run)

    async def failed(self, n: int, error: Exception) -> None:
        """The gating itself broke: the stop was allowed; it is counted and never a pass.

        Raises:
            DiskFull: that was it; the session can't be gated any more, and ends.
        """
        raise_if_full(error)
        run = self._run
        run.gate_crashes += 1
        words = "".join(traceback.format_exception(error))
        errors = run.home.file("gate-errors.txt")
        async with await anyio.open_file(errors, "a", encoding="utf-8") as file:
            await file.write(run.home.redactor.words(f"stop {n}\n{words}\n"))
        run.log.event("gate_crash", stop=n, error=repr(error))

    async def _capture(self, request: StopRequest) -> Snapshot:
        """Take the snapshot, and journal the stop before anything else is done."""
        run, n = self._run, request.n
        snapshot = await run.bench.trees.snapshot(run.work, run.start_tree)
        given = _input(request.input)
        run.log.open(
            StopRecord(
                ts=time.time(),
                n=n,
                tree=snapshot.tree,
                stop_hook_active=_flag(given.get("stop_hook_active")),
                closed=self._closed(),
            )
        )
        return snapshot

    async def _file(self, request: StopRequest, tree: str) -> None:
        """Keep what was seen at a stop; nobody waits for it."""
        run, n = self._run, request.n
        if request.input is not None:
            run.home.write(f"hook-input-{n}.json", request.input)
        run.home.write(f"snap-{n}.diff", await run.bench.trees.diff(run.start_tree, tree))

    def _closed(self) -> bool | None:
        """Whether the model has closed as many turns as there are true stops, this one included.

        Whatever forges a stop in the stream can't make the gateway have spoken.
        """
        ledger, stops = self._run.ledger, self._run.log.stops
        if not ledger.called(Role.WORKER):
            return None
        return ledger.closings > sum(stop.closed is not False for stop in stops)

    async def _gates(
        self, request: StopRequest, snapshot: Snapshot, began: float
    ) -> tuple[GateResult, ...]:
        run, n, given = self._run, request.n, request.input
        left = STOP_LIMIT_S - (time.monotonic() - began)
        view = StopView(n, snapshot.tree, snapshot.cut, left, given)
        run.shadows.begin(view)
        return await run_gates(
            run.gates, view, run_all=run.config.run_all, doing=lambda name: run.doing(name, n)
        )

    def _decide(self, n: int, gates: tuple[GateResult, ...], began: float) -> bytes:
        run = self._run
        decision = decide(gates, delivered_blocks(run.log.stops), run.config.give_up)
        reason = build_reason(gates) if decision is Decision.BLOCK else None
        stop = run.log.update(
            n,
            gates=gates,
            gate1=_view(gates, "tests"),
            gate3=_view(gates, "review"),
            decision=decision,
            reason=reason,
            wall_s=round(time.monotonic() - began, 3),
        )
        # The stop's own record says so too, and is on the disk.
        run.log.note("decided", stop=n, decision=decision.value, gate=blocking_gate(stop))
        return b"" if reason is None else _block(reason)


def _block(reason: str) -> bytes:
    """The only form that always blocks: JSON on stdout with exit 0 (docs/hook.md)."""
    return json.dumps({"decision": "block", "reason": reason}).encode()


def _view(gates: tuple[GateResult, ...], name: str) -> dict[str, object] | None:
    """A gate's own record with its status and time, as ``gate1`` and ``gate3``."""
    gate = next((g for g in gates if g.name == name), None)
    if gate is None:
        return None
    return {"status": gate.status.value, **gate.detail, "wall_s": gate.wall_s}


def _input(data: bytes | None) -> dict[str, object]:
    try:
        given = json.loads(data or b"{}")
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
