"""Many trials at once, failures all over: the ledger is the provider's own count, to the token."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import anyio
import httpx

from gatebench.gateway import RULES, SiteSpec, account, spent_usd
from gatebench.gateway.faults import Fault as Class
from gatebench.gateway.prices import is_priced, price_usd, same_model, table_version
from gatebench.model.usage import Call, Role, Usage
from provider import Fault, Provider, sometimes
from provider.ground import MODEL, QUICK, Ground, Setup, asked, on_ground, team
from provider.test_failures import TOKENS

TRIALS, CALLS = 50, 4
LOSES_TOKENS = frozenset((Fault.CUT, Fault.STALL))
"""What the provider charges for and never tells."""
FAULTS = (
    Fault.TOO_MANY,
    Fault.OVERLOADED,
    Fault.BROKEN,
    Fault.RESET,
    Fault.CUT,
    Fault.CUT_EARLY,
    Fault.MALFORMED,
    Fault.MALFORMED_EARLY,
    Fault.OVERLOADED_EVENT,
    Fault.OTHER_MODEL,
)
ROLES = tuple(Role)


async def matrix(here: Ground) -> None:
    """Fifty trials, six at once, every role in each."""
    gate = anyio.CapacityLimiter(6)

    async def trial(number: int) -> None:
        async with gate:
            for turn in range(CALLS):
                role = ROLES[(number + turn) % len(ROLES)]
                name = f"T{number}-g13-r1"
                engine = here.live.engine(here.route, name, role)
                spec = SiteSpec(f"{name}/{role.value}/{turn}", role, engine, None, here._sink)
                site = here.gateway.open_site(spec)
                try:
                    await here.post(asked(stream=turn != 2), site.base_url)
                except httpx.RemoteProtocolError:
                    # As the CLI does: once more, not streamed.
                    await here.post(asked(stream=False), site.base_url)

    async with anyio.create_task_group() as group:
        for number in range(TRIALS):
            group.start_soon(trial, number)


def test_fifty_trials_with_failures(tmp_path: Path) -> None:
    provider = Provider(team, sometimes(7, 0.3, FAULTS))
    patience = replace(QUICK, tries=12)
    here = on_ground(tmp_path, matrix, Setup(provider, patience))
    calls = [call for call, _ in here.calls]
    assert len(calls) >= TRIALS * CALLS
    assert all(call.status == 200 for call in calls)
    assert len({s.fault for s in provider.served}) == len(FAULTS) + 1

    accounts = account(calls)
    found = Counter[str]()
    for role in accounts.roles.values():
        found.update(role.usage.model_dump(exclude_none=True))
    lost = [s for s in provider.served if s.fault in LOSES_TOKENS and s.request["stream"]]
    untold = Counter({"output_tokens": sum(s.usage["output_tokens"] - 1 for s in lost)})
    for name in TOKENS:
        assert found[name] + untold[name] == provider.total(name), name
    assert sum(r.retries for r in accounts.roles.values()) == len(provider.served) - len(calls)

    uncertain = [u for role in accounts.roles.values() for u in role.uncertain]
    assert len(uncertain) == sum(call.uncertain for call in calls) >= len(lost)
    assert all((u.at_least_usd or 0) > 0 for u in uncertain)
    assert accounts.cost_usd is None
    exact = [c for c in calls if not c.uncertain]
    total = account(exact).cost_usd
    assert total
    assert abs(total - sum(priced(c) for c in exact)) < 1e-6
    assert abs(spent_usd(calls) - accounts.at_least_usd) < 1e-6


def priced(call: Call) -> float:
    return price_usd(call.usage, call.model_served) or 0.0


def test_what_a_role_told_itself_is_compared() -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=0)
    call = Call(
        site="t", role=Role.WORKER, stop=None, model_asked=MODEL, model_served=MODEL,
        usage=usage, status=200, wall_s=1.0,
    )  # fmt: skip
    cost = price_usd(usage, MODEL)
    assert cost
    for told, disagrees in ((cost * 1.005, False), (cost * 1.02, True), (None, None)):
        found = account([call], {Role.WORKER: told}).roles[Role.WORKER]
        assert (found.told_usd, found.disagrees) == (told, disagrees)
    assert account([call]).prices == table_version()


def test_cache_tokens_have_prices_of_their_own() -> None:
    def cost(**counts: int) -> float:
        found = price_usd(Usage(**{"input_tokens": 0, "output_tokens": 0, **counts}), MODEL)
        assert found is not None
        return found

    million = 1_000_000
    plain = cost(input_tokens=million)
    assert cost(cache_read_input_tokens=million) < plain / 5
    assert cost(cache_creation_input_tokens=million) == plain * 1.25
    hour = cost(cache_creation_input_tokens=million, cache_creation_1h_input_tokens=million)
    assert hour == plain * 2
    assert cost(output_tokens=million) > plain


def test_names_of_models() -> None:
    assert same_model("claude-sonnet-5-5", "claude-sonnet-5-5-20260929")
    assert same_model("claude-sonnet-5-5[1m]", "claude-sonnet-5-5")
    assert not same_model("claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20260101")
    assert not same_model("claude-sonnet-5-5", "claude-sonnet-4-5")
    assert is_priced(MODEL)
    assert not is_priced("my-own-model", "http://localhost:8000")
    assert price_usd(Usage(input_tokens=1), MODEL) is None


def test_every_class_has_its_rule() -> None:
    assert set(RULES) == set(Class)


def test_the_documents_table_is_the_codes() -> None:
    text = (Path(__file__).parents[2] / "docs" / "live.md").read_text()
    for fault, rule in RULES.items():
        words = ["yes" if x else "no" for x in (rule.retried, rule.valid, rule.drains)]
        line = f"| `{fault.value}` | {rule.says} | {rule.broke} | {' | '.join(words)} |"
        assert line in text, line
