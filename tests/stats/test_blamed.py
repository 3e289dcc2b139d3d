"""Reasons of blocks, counted over a job."""

from dataclasses import replace

from handmade import six_trials

from gatebench.model.job import JobData
from gatebench.model.reasons import TestFate, Triage
from gatebench.report.markdown import to_markdown
from gatebench.report.results import from_json, results, to_json
from gatebench.stats.analysis import analyze


def triaged() -> JobData:
    """T1-g1: its right block (R2 R5) points at R2; T2-g1: its false block is over-strict."""
    ours = TestFate(id="a", reference=True, without=("R2",))
    strict = TestFate(id="b", reference=False, without=("R1",))
    known = {
        "T1-g1-r1": (Triage(n=1, tree="t", tests=(ours,)),),
        "T2-g1-r1": (Triage(n=1, tree="t", tests=(strict,)),),
    }
    data = six_trials()
    trials = tuple(replace(t, triage=known.get(str(t.id), ())) for t in data.trials)
    return replace(data, trials=trials)


def test_nothing_is_told_where_nothing_was_looked_into() -> None:
    assert analyze(six_trials()).reasons == ()


def test_six_reasons() -> None:
    (table,) = analyze(triaged()).reasons
    assert (table.config, table.gate) == ("g1", "tests")
    assert (table.right, table.right_matched, table.right_coincidental) == (1, 1, 0)
    assert (table.false, table.false_over_strict, table.false_outside) == (1, 1, 0)
    assert (table.right_unknown, table.false_unknown) == (0, 0)


def test_they_reach_the_report() -> None:
    found = results(triaged())
    assert from_json(to_json(found)) == found
    text = to_markdown(found)
    assert "### What blocks pointed at" in text
    assert "| g1 · tests | 1 | 1 | 0 | 0 | 1 | 1 | 0 | 0 |" in text
    assert "What blocks pointed at" not in to_markdown(results(six_trials()))
