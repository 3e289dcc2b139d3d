"""The report's tables about differences, blocks' effects, money and reviewers."""

from gatebench.report import words
from gatebench.report.results import Results
from gatebench.report.sheets import Sheet
from gatebench.stats.compared import Comparison
from gatebench.stats.estimate import Estimate
from gatebench.stats.records import CostTable, ReviewerTable, TransitionTable


def effect_sheets(found: Results) -> tuple[Sheet, ...]:
    """What configs change against each other, and what blocks do."""
    return tuple(s for s in (_comparisons(found), _transitions(found)) if s.rows)


def money_sheets(found: Results) -> tuple[Sheet, ...]:
    """What it costs, and what it is worth."""
    return tuple(s for s in (_costs(found), _worth(found), _reviewers(found)) if s.rows)


def name(found: Comparison) -> str:
    """``g1 − bare``; those not planned carry a mark."""
    return f"{found.config} − {found.against}" + ("" if found.planned else " *")


def _comparisons(found: Results) -> Sheet:
    return Sheet(
        id="comparisons",
        title="Config against config",
        note="Points of the hidden pass rate with 95 % limits. Holm corrects over the planned "
        "contrasts; those with * were not planned and carry no p. Least p: the smallest the "
        "permutation test could have given. Seen at 80 %: the smallest true difference that would "
        "have been. Only here / there: requirements that pass in one of two paired trials alone. "
        "Against nudge, block-once, random-block or retry: what a gate gains over a block that "
        "looks at nothing.",
        headers=(
            "contrast",
            "tasks like these",
            "seen at 80 %",
            "t, Holm",
            "these tasks",
            "permutation, Holm",
            "least p",
            "only here / there",
        ),
        rows=tuple(_comparison(c) for c in found.comparisons),
    )


def _comparison(found: Comparison) -> tuple[str, ...]:
    t, exact = found.t_test, found.permutation
    return (
        name(found),
        words.change(found.difference),
        words.points(found.difference.mde),
        _p(t.p_holm if t else None),
        words.change(found.difference_these_tasks),
        _p(exact.p_holm if exact else None),
        _p(exact.minimum_p if exact and found.planned else None),
        f"{found.only_config} / {found.only_against}",
    )


def _p(p: float | None) -> str:
    return words.UNKNOWN if p is None else words.p_value(p).removeprefix("p = ").removeprefix("p ")


def _transitions(found: Results) -> Sheet:
    return Sheet(
        id="transitions",
        title="What blocks did to requirements",
        note="From a delivered block to the next look. Repaired of those failing at the block, "
        "broken of those passing at it; untouched ones passed before and after.",
        headers=(
            "blocks",
            "number",
            "followed",
            "repaired",
            "still broken",
            "broken",
            "untouched",
            "repaired share",
            "broken share",
        ),
        rows=tuple(_transition(t) for t in found.transitions if t.blocks),
    )


def _transition(table: TransitionTable) -> tuple[str, ...]:
    which = table.gate or (table.label or "all").replace("_", " ")
    counts = (table.blocks, table.followed, table.repaired, table.still_broken)
    return (
        f"{table.config} · {which}",
        *(str(n) for n in (*counts, table.broken, table.untouched)),
        words.share(table.repaired_share),
        words.share(table.broken_share),
    )


def _costs(found: Results) -> Sheet:
    return Sheet(
        id="costs",
        title="Cost per trial",
        note="US dollars and seconds, means over valid trials. Writer: fixed, paid before the "
        "first stop. Induced: worker's dollars above bare. Per right block: the gates' own cost "
        "(reviewers and writer) per catch. Work: wall time without hooks.",
        headers=(
            "config",
            "total",
            "worker",
            "reviewers",
            "writer",
            "reviewers per stop",
            "induced",
            "per right block",
            "work",
            "hooks",
            "frontier",
        ),
        rows=tuple(_cost(c) for c in found.costs),
    )


def _cost(cost: CostTable) -> tuple[str, ...]:
    return (
        cost.config,
        words.money(cost.total),
        words.usd(cost.worker_usd_mean),
        words.usd(cost.reviewers_usd_mean),
        words.usd(cost.writer_usd_mean),
        words.usd(cost.reviewers_usd_per_stop),
        words.extra_money(cost.induced_worker),
        words.usd(cost.own_usd_per_right_block.value),
        _seconds(cost.work_s_mean),
        _seconds(cost.hook_s_mean),
        {True: "yes", False: "no", None: words.UNKNOWN}[cost.on_frontier],
    )


def _seconds(wall_s: float | None) -> str:
    return words.UNKNOWN if wall_s is None else f"{wall_s:.1f} s"


def _worth(found: Results) -> Sheet:
    worth = next((c.worth_usd for c in found.comparisons), 0.0)
    return Sheet(
        id="worth",
        title=f"Net benefit at {words.usd(worth)} per hidden requirement",
        note="Extra requirements at that worth minus extra cost, dollars per trial. The price of "
        "an extra requirement is a ratio: where its limits are missing, the set of prices the data "
        "allow is unbounded, and the net benefit tells more. A price below 0 is either more for "
        "less money or less for more.",
        headers=("contrast", "extra cost", "net benefit", "$ per extra requirement"),
        rows=tuple(
            (
                name(c),
                words.extra_money(c.cost_difference),
                words.extra_money(c.net_benefit),
                words.money(c.usd_per_requirement),
            )
            for c in found.comparisons
        ),
    )


def _reviewers(found: Results) -> Sheet:
    return Sheet(
        id="reviewers",
        title="Two independent reviewers on the same stops",
        note="Failing stops by who blocked them; agreement of the two; effective number: how many "
        "independent reviewers they are worth; Chapman: failing stops estimated from both, and by "
        "how much that is off the known truth.",
        headers=(
            "config",
            "stops",
            "both",
            "A only",
            "B only",
            "neither",
            "κ",
            "PABAK",
            "both wrong",
            "effective number",
            "Chapman (bias)",
        ),
        rows=tuple(_reviewer(r) for r in found.reviewers),
    )


def _reviewer(table: ReviewerTable) -> tuple[str, ...]:
    caught = (table.caught_by_both, table.caught_by_first, table.caught_by_second)
    agreement = (table.kappa, table.pabak, table.double_fault, table.effective_reviewers)
    bias = "" if table.chapman_bias is None else f" ({words.signed(f'{table.chapman_bias:+d}')})"
    return (
        table.config,
        *(str(n) for n in (table.stops, *caught, table.caught_by_none)),
        *(_plain(e) for e in agreement),
        words.number(table.chapman.value, 1) + bias,
    )


def _plain(estimate: Estimate) -> str:
    return words.number(estimate.value)
