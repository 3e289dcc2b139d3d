"""The engine with a provider behind it: forwards, meters, is patient, keeps budgets."""

import random
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import anyio
import httpx

from gatebench.gateway.budget import Purse, Wallet
from gatebench.gateway.errors import Refusal
from gatebench.gateway.exchange import Failure, Opened, open_answer, plain, stream
from gatebench.gateway.faults import RULES, Fault, message_of
from gatebench.gateway.lanes import Lanes
from gatebench.gateway.patience import Patience, lifts_in, retry_after
from gatebench.gateway.prices import load_table, price_usd, same_model
from gatebench.gateway.record import Log
from gatebench.gateway.routes import Hooks, Line, Route
from gatebench.gateway.site import Inbound, Outbound, Site
from gatebench.gateway.upstream import Upstream, passed_back
from gatebench.model.usage import Call, Role, Usage

_SLOWS = frozenset((Fault.RATE_LIMITED, Fault.OVERLOADED))
_NEVER_AGAIN = (("x-should-retry", "false"),)
"""The gateway has tried for long enough; the CLI that honours this doesn't start over."""
_BYTES_PER_TOKEN = 3
"""For what a budget is charged where the provider didn't tell; never for a ledger."""
LANE, LIMIT = "a lane of the gateway", "the provider's limit to lift"
"""What a call waits for, in words."""
_BAD_GATEWAY, _TOO_MANY = 502, 429


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
        self._lines: dict[str, Line] = {}

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
                await line.client.aclose()
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
        """The open line to an upstream."""
        if upstream.base not in self._lines:
            lanes = Lanes(self._most, self.hooks.on_pause)
            self._lines[upstream.base] = Line(upstream, upstream.client(self.patience), lanes)
        return self._lines[upstream.base]


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
            yield await plain(line.upstream, line.client, inbound)
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
                log.tries += 1
                opened = await open_answer(line.upstream, line.client, log, attempt, self._whole_s)
                if isinstance(opened, Opened):
                    line.lanes.faster()
                    stack.push_async_exit(attempt.pop_all())
                    return self._passed_on(line, log, opened)
            wait_s = self._wait_s(line, log, opened, began)
            if wait_s is None:
                return self._given_up(line, log, opened)
            log.missed(opened.fault, opened.status, opened.meter)
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
        told = lifts_in(failure.headers, said, time.time())
        left_s = patience.unknown_s if told is None else told + 1
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
            why = hider.clean_text(message_of(failure.body))
            self.live.hooks.on_drain(failure.fault, why)
        if failure.status is None or failure.status == httpx.codes.OK:
            raise Refusal(_BAD_GATEWAY, f"No answer from the provider ({failure.fault.value})")
        log.status = failure.status
        kept = tuple(h for h in passed_back(failure.headers, hider) if h[0] != "x-should-retry")
        body = hider.clean(failure.body)
        return Outbound(failure.status, kept + _NEVER_AGAIN, _once(body))

    def _check_model(self, log: Log) -> None:
        if self.route.pinned and not same_model(self.route.model, log.asked):
            log.fault = Fault.PINNED
            raise Refusal(404, f"model: {log.asked}")

    def _check_budget(self, log: Log) -> None:
        budget = self.purse.used_up()
        if budget is None:
            return
        log.fault = Fault.BUDGET
        if budget is self.live.wallet.job:
            self.live.hooks.on_drain(Fault.BUDGET, f"${budget.limit_usd} are spent.")
        raise Refusal(_TOO_MANY, "This session's budget is used up")

    def _close(self, log: Log) -> None:
        """Charge, and tell the site's sink."""
        call = log.call()
        self.purse.charge(self._charge(call, log))
        log.site.spec.sink(call, log.inbound.request)

    def _charge(self, call: Call, log: Log) -> float:
        """Dollars for the budgets: what is known, else a careful estimate."""
        url = self.route.upstream.base
        known = price_usd(call.usage, call.model_served, url, call.at)
        if known is not None and not call.uncertain:
            return known
        if call.status != httpx.codes.OK and not call.uncertain:
            return 0.0
        tries = max(1, sum(a.status == httpx.codes.OK for a in call.attempts))
        guess = Usage(
            input_tokens=tries * len(log.inbound.body) // _BYTES_PER_TOKEN,
            output_tokens=log.passed_bytes // _BYTES_PER_TOKEN,
        )
        return max(known or 0.0, price_usd(guess, self.route.model, url, call.at) or 0.0)


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body
