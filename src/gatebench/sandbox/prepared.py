"""A command that was started before what it is to work on is there: it waits for its stdin."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from gatebench.sandbox.launched import Launched, put_away, run_to_end
from gatebench.sandbox.spec import Bind, Command, Completed


@dataclass
class Prepared:
    """A started command that was given no stdin yet; it can be let go once.

    Whoever has it lets it go or ends it: nothing else does while we live.
    """

    command: Command
    """As it was started."""
    launched: Launched
    hand_over: Callable[[tuple[Bind, ...]], Awaitable[None]]
    """Makes what was put into binds since the start usable for the command."""
    _over: bool = False

    @property
    def alive(self) -> bool:
        """Whether it still waits, as far as can be seen at once."""
        return not self._over and self.launched.process.returncode is None

    async def go(self, stdin: bytes, wall_s: float, filled: tuple[Bind, ...] = ()) -> Completed:
        """Give it its stdin and take it to its end, as `Sandbox.run` does.

        Args:
            stdin: all that it gets.
            wall_s: its deadline, seconds from now; the other limits hold since its start.
            filled: binds whose sources have been filled since.

        Raises:
            SpawnFailed: it had never started.
        """
        self._over = True
        try:
            await self.hand_over(filled)
        except BaseException:
            await put_away(self.launched)
            raise
        limits = replace(self.command.limits, wall_s=wall_s)
        return await run_to_end(self.launched, replace(self.command, stdin=stdin, limits=limits))

    async def end(self) -> None:
        """Leave nothing of it behind; one that was let go is over anyway."""
        if not self._over:
            self._over = True
            await put_away(self.launched)
