"""The engine with a provider behind it: forwards, meters, is patient, keeps budgets."""

import random
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import anyio

from gatebench.gateway.budget import Purse, Wallet
from gatebench.gateway.charging import begin_try, charge_usd
from gatebench.gateway.errors import Refusal
from gatebench.gateway.exchange import Failure, Opened, open_answer, plain, stream
from gatebench.gateway.faults import RULES, Fault, message_of
from gatebench.gateway.lanes import Lanes
from gatebench.gateway.patience import Patience, lifts_in, retry_after
from gatebench.gateway.prices import load_table, same_model
from gatebench.gateway.record import Log
from gatebench.gateway.routes import Hooks, Line, Route
from gatebench.gateway.site import Inbound, Outbound, Site
from gatebench.gateway.upstream import Upstream, passed_back
from gatebench.model.usage import Call, Role

_SLOWS = frozenset((Fault.RATE_LIMITED, Fault.OVERLOADED))
_NEVER_AGAIN = (("x-should-retry", "false"),)
"""The gateway has tried for long enough; the CLI that honours this doesn't start over."""
LANE, LIMIT = "a lane of the gateway", "the provider's limit to lift"
"""What a call waits for, in words."""
_OK, _BAD_GATEWAY, _TOO_MANY = 200, 502, 429


class Live:
    """A job's lines to its providers, as an async context manager.

    ::

        async with Live(wallet, hooks=Hooks(on_drain=...)) as live:
            route = routes(Route("claude-sonnet-5-5", upstream))[role]
            engine = live.engine(route, "T1-g1-r1", role)

    Args:
        wallet: the job's budgets.
        patience: with upstreams.
        hooks: what the job wants to hear.
        lanes: most calls at once to one upstream.
    """

    def __init__(
        self,
        wallet: Wallet,
        patience: Patience | None = None,
        hooks: Hooks | None = None,
        lanes: int = 16,
    ) -> None:
        self.wallet = wallet
        self.patience = patience or Patience()
        self.hooks = hooks or Hooks()
        self._most = lanes
        self._lines: dict[Upstream, Line] = {}

    async def __aenter__(self) -> Self:
        """Load the price table; lines are opened as they are needed."""
        await anyio.to_thread.run_sync(load_table)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Hang up."""
        with anyio.CancelScope(shield=True):
            for line in self._lines.values():
                await line.transport.aclose()
        self._lines.clear()

    def engine(self, route: Route, trial: str, role: Role) -> "LiveEngine":
        """What stands behind a role's sites in a trial.

        Args:
            route: the role's.
            trial: name for the budgets, unique per attempt.
            role: whose calls they are.
        """
        return LiveEngine(self, route, self.wallet.purse(trial, role))

    def line(self, upstream: Upstream) -> Line:
        """The open line to an upstream; another credential is another line."""
        if upstream not in self._lines:
            lanes = Lanes(self._most, self.hooks.on_pause)
            self._lines[upstream] = Line(upstream, upstream.transport(self.patience), lanes)
        return self._lines[upstream]


@dataclass(frozen=True)
class LiveEngine:
    """One role's way to its provider."""

    live: Live
    route: Route
    purse: Purse

    @asynccontextmanager
    async def relay(self, site: Site, inbound: Inbound) -> AsyncIterator[Outbound]:
        """Pass a request on, and what comes back; the site's sink is told of every model call.

        Raises:
            Refusal: a budget is used up, the model isn't the role's, or nothing could be reached.
        """
        line = self.live.line(self.route.upstream)
        if not inbound.is_call:
            yield await plain(line.upstream, line.transport, inbound)
            return
        log = Log(site, inbound, line.upstream.base)
        try:
            async with AsyncExitStack() as stack:
                yield await self._persist(line, log, stack)
        except Refusal as refusal:
            log.status = refusal.status
            raise
        except anyio.get_cancelled_exc_class():
            # Only a client that hangs up, or the end of the job, cancels.
            log.fault = log.fault or log.left(paused=line.lanes.paused)
            raise
        finally:
            self._close(log)

    async def _persist(self, line: Line, log: Log, stack: AsyncExitStack) -> Outbound:
        """Try until something can be passed on or patience ends."""
        self._check_model(log)
        while True:
            self._check_budget(log)
            async with AsyncExitStack() as attempt:
                with log.waiting(LIMIT if line.lanes.paused else LANE):
                    began = await attempt.enter_async_context(line.lanes.lane())
                self._check_budget(log)
                begin_try(log, self.route.model)
                opened = await open_answer(line, log, attempt, self._whole_s)
                if isinstance(opened, Opened):
                    line.lanes.faster()
                    stack.push_async_exit(attempt.pop_all())
                    return self._passed_on(line, log, opened)
            wait_s = self._wait_s(line, log, opened, began)
            if wait_s is None:
                return self._given_up(line, log, opened)
            log.missed(opened.fault, opened.status, opened.meter)
            self._settle(log)  # a try that may cost something counts before the next one
            log.slept_s += wait_s
            with log.waiting(f"the provider ({opened.fault.value})"):
                await anyio.sleep(wait_s)

    @property
    def _whole_s(self) -> float:
        return self.live.patience.whole_s

    def _wait_s(self, line: Line, log: Log, failure: Failure, began: float) -> float | None:
        """Seconds before the next try; ``None`` where there is to be none."""
        if failure.fault in _SLOWS:
            line.lanes.slower(began)
        if not RULES[failure.fault].retried or failure.headers.get("x-should-retry") == "false":
            return None
        if failure.fault is Fault.USAGE_LIMIT:
            return self._pause(line, log, failure)
        patience = self.live.patience
        failures = 1 + sum(a.fault != Fault.USAGE_LIMIT for a in log.attempts)
        if failures >= patience.tries:
            return None
        told = retry_after(failure.headers, time.time())
        if told is not None and told > patience.wait_s:
            return self._pause(line, log, failure)
        wait_s = patience.backoff(failures, random.random) if told is None else told
        return wait_s if log.slept_s + wait_s <= patience.wait_s else None

    def _pause(self, line: Line, log: Log, failure: Failure) -> float | None:
        """Hold the whole line until the limit lifts; the call waits for a lane like all others."""
        patience = self.live.patience
        said = message_of(failure.body)
        left_s = self._lifts_s(failure)
        if log.waited_s + left_s > patience.pause_s:
            return None
        line.lanes.pause(left_s, line.upstream.hider.clean_text(said))
        return 0.0

    def _passed_on(self, line: Line, log: Log, opened: Opened) -> Outbound:
        log.status, log.meter, log.ttft_s = opened.status, opened.meter, opened.ttft_s
        return Outbound(opened.status, opened.headers, stream(opened, log, line.upstream.hider))

    def _given_up(self, line: Line, log: Log, failure: Failure) -> Outbound:
        """The provider's own last word, or what stands for it."""
        log.fault = failure.fault
        log.missed(failure.fault, failure.status, failure.meter)
        hider = line.upstream.hider
        if RULES[failure.fault].drains:
            self._end_or_hold(failure, hider.clean_text(message_of(failure.body)))
        if failure.status is None or failure.status == _OK:
            raise Refusal(_BAD_GATEWAY, f"No answer from the provider ({failure.fault.value})")
        log.status = failure.status
        kept = tuple(h for h in passed_back(failure.headers, hider) if h[0] != "x-should-retry")
        body = hider.clean(failure.body)
        return Outbound(failure.status, kept + _NEVER_AGAIN, _once(body))

    def _end_or_hold(self, failure: Failure, why: str) -> None:
        """Nothing goes on now: the job waits for a limit that lifts soon enough, else it ends."""
        hooks = self.live.hooks
        left_s = self._lifts_s(failure) if failure.fault is Fault.USAGE_LIMIT else None
        if left_s is not None and left_s <= self.live.patience.hold_s:
            hooks.on_hold(left_s, why)
        else:
            hooks.on_drain(failure.fault, why)

    def _lifts_s(self, failure: Failure) -> float:
        """Seconds until a usage limit lifts; a guess where the provider doesn't tell."""
        told = lifts_in(failure.headers, message_of(failure.body), time.time())
        return self.live.patience.unknown_s if told is None else told + 1

    def _check_model(self, log: Log) -> None:
        if self.route.pinned and not same_model(self.route.model, log.asked):
            log.fault = Fault.PINNED
            raise Refusal(404, f"model: {log.asked}")

    def _check_budget(self, log: Log) -> None:
        budget = self.purse.used_up()
        if budget is None:
            return
        of_job = budget is self.live.wallet.job
        log.fault = Fault.BUDGET if of_job else Fault.TRIAL_BUDGET
        if of_job:
            self.live.hooks.on_drain(Fault.BUDGET, budget.said)
        raise Refusal(_TOO_MANY, "This session's budget is used up")

    def _settle(self, log: Log) -> Call:
        """Charge what a call has come to beyond what it was charged before; gives its record."""
        call = log.call()
        whole = charge_usd(call, log, self.route.model)
        self.purse.charge(max(0.0, whole - log.charged_usd))
        log.charged_usd = max(log.charged_usd, whole)
        return call.model_copy(update={"charged_usd": round(log.charged_usd, 9)})

    def _close(self, log: Log) -> None:
        """Charge, and tell the site's sink."""
        log.site.spec.sink(self._settle(log), log.inbound.request)


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body
