"""``report.html``: one file that needs nothing else, for a screen, a phone and paper."""

from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from gatebench.model.job import JobData
from gatebench.report import words
from gatebench.report.false_blocks import MOST, false_blocks
from gatebench.report.fig_cost import cost_plane
from gatebench.report.fig_flow import flows
from gatebench.report.fig_forest import forest
from gatebench.report.fig_gates import confusion
from gatebench.report.fig_worth import worth_curves
from gatebench.report.method import METHOD
from gatebench.report.money_sheets import effect_sheets, money_sheets
from gatebench.report.replay_sheets import replay_sheets
from gatebench.report.results import Results
from gatebench.report.shapes import Figure
from gatebench.report.sheets import Sheet, gate_sheets, outcome_sheets, reasons


@dataclass(frozen=True)
class Section:
    """Pictures first, then the tables under them."""

    id: str
    title: str
    figures: tuple[Figure, ...]
    sheets: tuple[Sheet, ...]


def to_html(found: Results, job: JobData) -> str:
    """The whole page.

    Args:
        found: the job's results.
        job: the same job, for the texts of its false blocks. They come from agents and gates, so
            they are escaped like everything else; the page forbids itself scripts and requests.
    """
    blocks = false_blocks(job)
    return _template().render(
        found=found,
        size=_size(found),
        promises=words.each(found.job.requirements.values(), "hidden requirement"),
        sections=_sections(found),
        reasons=reasons(found),
        blocks=blocks[:MOST],
        more_blocks=max(0, len(blocks) - MOST),
        method=METHOD,
    )


def _sections(found: Results) -> tuple[Section, ...]:
    outcomes, gates = outcome_sheets(found), gate_sheets(found)
    effects, money = effect_sheets(found), money_sheets(found)
    comparisons = tuple(s for s in effects if s.id == "comparisons")
    transitions = tuple(s for s in effects if s.id == "transitions")
    given = (
        Section("outcome", "What came of it", _some(forest(found)), (*comparisons, *outcomes)),
        Section("gates", "Gates against the truth", _some(confusion(found)), gates),
        Section("flow", "What blocks did", flows(found), transitions),
        Section("money", "What it costs", _some(cost_plane(found), worth_curves(found)), money),
        Section("replay", "Replay: gates on the same states", (), replay_sheets(found.replay)),
    )
    return tuple(s for s in given if s.figures or s.sheets)


def _some(*figures: Figure | None) -> tuple[Figure, ...]:
    return tuple(f for f in figures if f)


def _size(found: Results) -> str:
    job = found.job
    parts = ((len(job.tasks), "task"), (len(job.configs), "config"), (job.reps, "repetition"))
    return " × ".join(words.plural(n, noun) for n, noun in parts)


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("gatebench.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2")
