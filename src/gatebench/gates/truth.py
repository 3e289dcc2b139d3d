"""The upper bound: a gate that is told the oracle's verdict and passes it on."""

from gatebench.errors import GateFault
from gatebench.gates.base import Ground, StopView
from gatebench.gates.placebo import NoSettings
from gatebench.gates.settings import read_settings
from gatebench.model.stop import GateResult, GateStatus

HEAD = "The work doesn't do all that was asked for yet. Missing or wrong:"


class TruthGate:
    """The gate ``truth``: blocks exactly where a hidden requirement fails, and says which."""

    name = "truth"

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        read_settings(NoSettings, self.name, ground.settings)

    async def prepare(self) -> None:
        """Nothing is needed."""

    async def recall(self) -> None:
        """Nothing was kept."""

    async def check(self, stop: StopView) -> GateResult:
        """Ask for the verdict on the snapshot, and wait for it.

        Raises:
            GateFault: nobody hands the truth in, or there is no verdict.
        """
        if self._ground.truth is None:
            raise GateFault("nobody hands the truth to the gate 'truth'.", "Run it in a trial.")
        truth = await self._ground.truth(stop.tree)
        if truth.unscorable is not None:
            raise GateFault(f"there is no verdict on this snapshot: {truth.unscorable}.")
        lines = [f"{n}. {said}" for n, said in enumerate(truth.failing.values(), start=1)]
        return GateResult(
            name=self.name,
            status=GateStatus.RED if truth.failing else GateStatus.PASS,
            reason="\n".join([HEAD, *lines]) if truth.failing else "",
            detail={"failing": list(truth.failing)},
        )

    async def last(self, tree: str) -> None:
        """Nothing more is to be said."""
