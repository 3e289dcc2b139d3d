"""The tables of a replay, as text cells."""

from gatebench.model.labels import Label
from gatebench.report import words
from gatebench.report.sheets import Sheet
from gatebench.stats.replay_records import (
    Group,
    PairRow,
    ReplayRow,
    ReplayTables,
    RetestRow,
    RuleRow,
)

_SPOKEN = (
    (Label.RIGHT_BLOCK, "right"),
    (Label.FALSE_BLOCK, "false"),
    (Label.MISS, "miss"),
    (Label.CORRECT_ALLOW, "correct allow"),
)
_COUNTED = {label for label, _ in _SPOKEN}


def replay_sheets(found: ReplayTables | None) -> tuple[Sheet, ...]:
    """Those that hold anything; none without a replay."""
    if found is None:
        return ()
    sheets = (
        *(_rows(found, group) for group in Group),
        *(_rules(found, group) for group in Group),
        _retest(found),
        *(_pairs(found, group) for group in Group),
        _recorded(found),
    )
    return tuple(sheet for sheet in sheets if sheet.rows)


def _rows(found: ReplayTables, group: Group) -> Sheet:
    return Sheet(
        id=f"replay-{group.name.lower()}",
        title=f"Gates on the same states: {group.value}",
        note="Only states that every config here looked at. Counts are of all looks; the two "
        "rates are of the first look alone, of a trial its first stop. 'g13 · review' is that gate "
        "by itself, on states an earlier gate would have kept from it too. Other: regression "
        "blocks, gate faults, no verdict.",
        headers=(
            "config",
            "states",
            "looks",
            *(head for _, head in _SPOKEN),
            "other",
            "failing, blocked",
            "passing, blocked",
            "$ per look",
        ),
        rows=tuple(_row(row) for row in found.rows if row.group is group),
    )


def _row(row: ReplayRow) -> tuple[str, ...]:
    return (
        row.config,
        str(row.states),
        str(row.looks),
        *_labels(row.labels),
        words.share(row.right_block_rate),
        words.share(row.false_block_rate),
        words.usd(row.usd_per_look),
    )


def _labels(labels: dict[str, int]) -> tuple[str, ...]:
    other = sum(n for name, n in labels.items() if name not in _COUNTED)
    return (*(str(labels[label]) for label, _ in _SPOKEN), str(other))


def _rules(found: ReplayTables, group: Group) -> Sheet:
    return Sheet(
        id=f"replay-rules-{group.name.lower()}",
        title=f"One reviewer, two, or a challenger: {group.value}",
        note="Verdicts made of the same calls: reviewer A alone; A or B blocks (union); A and B "
        "block (intersection); what a challenger upholds of A's findings or adds. Counts of all "
        "looks at which every call was answered.",
        headers=("rule", "looks", *(head for _, head in _SPOKEN), "other", "$ per look"),
        rows=tuple(_rule(row) for row in found.rules if row.group is group),
    )


def _rule(row: RuleRow) -> tuple[str, ...]:
    own = f" ({', '.join(f'{k} {v}' for k, v in row.settings.items())})" if row.settings else ""
    return f"{row.rule}{own}", str(row.looks), *_labels(row.labels), words.usd(row.usd_per_look)


def _retest(found: ReplayTables) -> Sheet:
    return Sheet(
        id="replay-retest",
        title="The same gate asked again",
        note="Test–retest: the same states, drawn anew each time; a gate with acceptance tests has "
        "them written anew. Agreement: pairs of looks at one state with the same verdict. κ "
        "(Fleiss): the same beyond chance.",
        headers=("config", "times", "states", "not always alike", "agreement", "κ"),
        rows=tuple(_again(row) for row in found.retest),
    )


def _again(row: RetestRow) -> tuple[str, ...]:
    return (
        row.config,
        str(row.times),
        str(row.states),
        str(row.unlike),
        words.percent(row.agreement.value),
        words.number(row.kappa.value),
    )


def _pairs(found: ReplayTables, group: Group) -> Sheet:
    return Sheet(
        id=f"replay-pairs-{group.name.lower()}",
        title=f"Config beside config: {group.value}",
        note="First looks, by who blocked. No p: McNemar's was measured not to hold here.",
        headers=(
            "pair",
            "failing: both",
            "first only",
            "second only",
            "neither",
            "passing: both",
            "first only",
            "second only",
            "neither",
        ),
        rows=tuple(_pair(row) for row in found.pairs if row.group is group),
    )


def _pair(row: PairRow) -> tuple[str, ...]:
    numbers = [str(n) for n in list(dict(row).values())[3:]]
    return f"{row.config} and {row.against}", *numbers


def _recorded(found: ReplayTables) -> Sheet:
    return Sheet(
        id="replay-recorded",
        title="What was recorded, asked again",
        note="Stops at which the very gate had spoken in its trial, and how often it said the same "
        "at time 1. The simulated team must say the same every time; a model need not.",
        headers=("gate", "recorded", "same verdict", "same words"),
        rows=tuple(
            (
                " ".join([row.gate, *(f"{k} {v}" for k, v in row.settings.items())]),
                str(row.recorded),
                str(row.same_verdict),
                str(row.same_words),
            )
            for row in found.recorded
        ),
    )
