"""Take one stop through a config's gates; run things side by side."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import anyio

from gatebench.gates.base import Gate, StopView
from gatebench.model.room import raise_if_full
from gatebench.model.stop import GateResult, GateStatus


async def run_gates(
    gates: Sequence[Gate], stop: StopView, *, run_all: bool, doing: Callable[[str], None]
) -> tuple[GateResult, ...]:
    """Run the gates in order; a later one only if the earlier ones weren't red.

    Args:
        gates: the config's gates.
        stop: the stop; its limit is what all gates have together.
        run_all: run the later ones all the same.
        doing: told each gate's name when it begins.
    """
    ends = time.monotonic() + stop.limit_s
    results: list[GateResult] = []
    for gate in gates:
        if not run_all and any(r.status is GateStatus.RED for r in results):
            results.append(GateResult(name=gate.name, status=GateStatus.SKIPPED))
            continue
        doing(gate.name)
        results.append(await run_gate(gate, replace(stop, limit_s=ends - time.monotonic())))
    return tuple(results)


async def run_gate(gate: Gate, stop: StopView) -> GateResult:
    """One gate within what is left of the stop; its faults are its own, never red.

    Raises:
        DiskFull: no gate's fault.
    """
    began = time.monotonic()
    try:
        with anyio.fail_after(max(0.0, stop.limit_s)):
            result = await gate.check(stop)
    except TimeoutError:
        result = _fault(gate, GateStatus.TIMED_OUT, f"no word within {stop.limit_s:.0f} s")
    except Exception as error:  # noqa: BLE001  # the boundary: a broken gate fails open, and is counted
        raise_if_full(error)
        result = _fault(gate, GateStatus.ERROR, f"{type(error).__name__}: {error}")
    wall_s = round(time.monotonic() - began, 3) if result.wall_s is None else result.wall_s
    return result.model_copy(update={"name": gate.name, "wall_s": wall_s})


def _fault(gate: Gate, status: GateStatus, error: str) -> GateResult:
    return GateResult(name=gate.name, status=status, error=error)


async def side_by_side(*jobs: Callable[[], Awaitable[None]]) -> None:
    """Run jobs at once; the first fault is raised as itself, not in a group."""
    faults: list[Exception] = []

    async def one(job: Callable[[], Awaitable[None]]) -> None:
        try:
            await job()
        except Exception as error:  # noqa: BLE001  # raised below, as it is
            faults.append(error)

    async with anyio.create_task_group() as group:
        for job in jobs:
            group.start_soon(one, job)
    if faults:
        raise faults[0]
