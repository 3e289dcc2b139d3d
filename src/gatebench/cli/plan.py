"""``gatebench plan``: how large an experiment must be, and what it will cost."""

from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from gatebench.cli.jobs import find_job
from gatebench.errors import UnknownName, UsageError
from gatebench.model.job import JobData
from gatebench.model.trial import SHIPPED_CONFIGS
from gatebench.stats.cells import Cells
from gatebench.stats.planning import (
    ASSUMED,
    PlanResult,
    Prices,
    Wanted,
    pilot_prices,
    pilot_spread,
    plan,
)
from gatebench.store.reading import load_job

PAIR = 2
SHOWN_REPS = (1, 2, 4)


def main(
    pilot: Annotated[
        str | None, typer.Argument(help="A job whose spread and prices are taken.")
    ] = None,
    effect: Annotated[
        float, typer.Option(help="Difference of pass rates to be seen, in points.")
    ] = 20.0,
    power: Annotated[float, typer.Option(help="Chance to see it, a share.")] = 0.8,
    contrast: Annotated[str, typer.Option(help="Which two configs, e.g. g13:g1.")] = "g1:bare",
    configs: Annotated[
        str, typer.Option(help="Configs that will be run; the job's or the shipped ones.")
    ] = "",
    prices: Annotated[
        str,
        typer.Option(help="Dollars a trial: one number, or bare=0.40,g1=0.65,… by config."),
    ] = "",
    max_tasks: Annotated[int, typer.Option(min=3, help="Tasks there can be at most.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Say how many tasks and repetitions an effect needs, and what that costs.

    Example: gatebench plan latest --effect 15 --contrast g13:g1
    """
    wanted = _wanted(_contrast(contrast), effect, power, max_tasks)
    job = load_job(find_job(pilot)) if pilot else None
    known = job.configs if job else tuple(c.name for c in SHIPPED_CONFIGS)
    run = tuple(w.strip() for w in configs.split(",") if w.strip()) or known
    found = _plan(Wanted(wanted.contrast, wanted.effect, power, run, max_tasks), job, prices)
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        _tell(found, simulated=bool(job and job.simulated))


def _wanted(contrast: tuple[str, str], effect: float, power: float, most: int) -> Wanted:
    if not 0 < effect <= 100:  # noqa: PLR2004  # points
        raise UsageError(f"--effect {effect:g} won't do.", "Give points between 0 and 100.")
    if not 0 < power < 1:
        raise UsageError(f"--power {power:g} won't do.", "Give a share like 0.8.")
    return Wanted(contrast, effect / 100, power, (), most)


def _contrast(text: str) -> tuple[str, str]:
    parts = tuple(p.strip() for p in text.split(":"))
    if len(parts) != PAIR or not all(parts) or parts[0] == parts[1]:
        raise UsageError(f"--contrast '{text}' won't do.", "Name two configs, like g1:bare.")
    return parts[0], parts[1]


def _plan(wanted: Wanted, job: JobData | None, prices: str) -> PlanResult:
    for name in wanted.contrast:
        if name not in wanted.configs:
            raise UnknownName("config", name, wanted.configs)
    stated = stated_prices(prices, wanted.configs) if prices else None
    if job is None:
        return plan(wanted, ASSUMED, stated)
    cells = Cells(job)
    spread = pilot_spread(cells, wanted.contrast) or ASSUMED
    return plan(wanted, spread, stated or pilot_prices(cells, wanted.configs))


def stated_prices(text: str, configs: tuple[str, ...]) -> Prices:
    """Dollars a trial by config, as they were written.

    Raises:
        UsageError: no numbers, or a config without a price.
    """
    parts = [part.partition("=") for part in text.split(",")]
    try:
        if len(parts) == 1 and not parts[0][1]:
            return Prices(dict.fromkeys(configs, float(text)), "stated")
        usd = {name.strip(): float(number) for name, _, number in parts}
    except ValueError:
        raise UsageError(
            f"--prices '{text}' won't do.", "Give 0.5, or bare=0.40,g1=0.65 for every config."
        ) from None
    missing = [c for c in configs if c not in usd]
    if missing:
        raise UsageError(f"--prices has none for {', '.join(missing)}.", "Price every config.")
    return Prices({c: usd[c] for c in configs}, "stated")


def _tell(found: PlanResult, *, simulated: bool) -> None:
    console = Console()
    console.print(found.words, highlight=False)
    console.print(f"Spread: {found.spread.source}. Prices: {found.price_source}.", highlight=False)
    if simulated:
        console.print("The pilot is SIMULATED: a real team's spread and prices differ.")
    console.print(_table(found))


def _table(found: PlanResult) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("tasks", "reps", "trials", "power", "seen at 80 %", "cost"):
        table.add_column(header, justify="right")
    for d in found.designs:
        if d.reps not in SHOWN_REPS and d != found.recommended:
            continue
        seen = "–" if d.mde is None else f"{100 * d.mde:.0f} points"
        cost = "–" if d.cost_usd is None else f"${d.cost_usd:,.2f}"
        cells = (str(d.tasks), str(d.reps), str(d.trials), f"{100 * d.power:.0f} %", seen, cost)
        table.add_row(*cells, style="bold" if d == found.recommended else "")
    return table
