"""``results.md``: the answers, the tables, what was warned of, and how it was computed."""

from collections.abc import Iterable

from gatebench.report import words
from gatebench.report.method import METHOD
from gatebench.report.money_sheets import effect_sheets, money_sheets
from gatebench.report.replay_sheets import replay_sheets
from gatebench.report.results import Results
from gatebench.report.sheets import Sheet, gate_sheets, outcome_sheets, reasons

BAND = (
    "> **SIMULATED.** A scripted team played every role. Nothing on this page is a finding about a "
    "model; it shows what the bench measures and how."
)
SPECIAL = str.maketrans({c: "\\" + c for c in "\\|*_`[]<>#"})


def to_markdown(found: Results) -> str:
    """The whole file's text."""
    parts = [
        f"# {_safe(found.job.name)}",
        *([BAND] if found.simulated else []),
        _head(found),
        "## The five questions",
        *(f"**{q.id}. {q.question}** {_safe(q.answer)}" for q in found.questions),
        *_section("Outcome", outcome_sheets(found)),
        *_reasons(found),
        *_section("Gates against the truth", gate_sheets(found)),
        *_section("Effects", effect_sheets(found)),
        *_section("Money and reviewers", money_sheets(found)),
        *_section("Replay: gates on the same states", replay_sheets(found.replay)),
        *_premise(found),
        *_list("Warnings", found.warnings),
        *_list("Method", METHOD),
    ]
    return "\n\n".join(parts) + "\n"


def _head(found: Results) -> str:
    job = found.job
    size = " × ".join(
        words.plural(n, noun)
        for n, noun in (
            (len(job.tasks), "task"),
            (len(job.configs), "config"),
            (job.reps, "repetition"),
        )
    )
    promises = words.each(job.requirements.values(), "hidden requirement")
    return (
        f"Suite {_safe(job.suite)}: {size}, {promises} a task. "
        f"{job.trials_valid} valid of {job.trials_done} finished of {job.trials_planned} "
        "planned trials. '–' means unknown or without meaning, never 0."
    )


def _section(title: str, sheets: Iterable[Sheet]) -> Iterable[str]:
    given = list(sheets)
    return [f"## {title}", *(_sheet(s) for s in given)] if given else []


def _sheet(sheet: Sheet) -> str:
    rows = [sheet.headers, *sheet.rows]
    lines = ["| " + " | ".join(_safe(cell) for cell in row) + " |" for row in rows]
    rule = "|" + ":--|" + "--:|" * (len(sheet.headers) - 1)
    return "\n".join([f"### {sheet.title}", "", sheet.note, "", lines[0], rule, *lines[1:]])


def _reasons(found: Results) -> Iterable[str]:
    told = reasons(found)
    return ["No interval: " + "; ".join(f"{_safe(n)} ({_safe(r)})" for n, r in told) + "."] * bool(
        told
    )


def _premise(found: Results) -> Iterable[str]:
    if found.premise is None:
        return []
    return [
        "## Are gated trials like bare ones until their first block?",
        (
            f"{_safe(found.premise.words)} ({found.premise.gated_trials} gated and "
            f"{found.premise.bare_trials} bare first stops.)"
        ),
    ]


def _list(title: str, sentences: Iterable[str]) -> Iterable[str]:
    given = [f"- {_safe(s)}" for s in sentences]
    return [f"## {title}", "\n".join(given)] if given else []


def _safe(text: str) -> str:
    """Text from a job stays text: no table, link or emphasis of its own."""
    return " ".join(text.translate(SPECIAL).split())
