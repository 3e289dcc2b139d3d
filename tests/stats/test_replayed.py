"""Replays made by hand, every count and figure worked out by hand."""

import pytest
from handmade_replay import (
    ADV,
    ARMS,
    BAD,
    ERROR,
    GOLD,
    INDEP,
    by_hand,
    challenge,
    look,
    with_replay,
)

from gatebench.model.replay import ReplayData
from gatebench.report.html import to_html
from gatebench.report.markdown import to_markdown
from gatebench.report.replay import replay_json, replay_results
from gatebench.report.results import from_json, results, to_json
from gatebench.stats.panels import replay_tables
from gatebench.stats.replay_records import Group, ReplayRow, RuleRow
from gatebench.stats.replayed import Seen


def rows_of(data: ReplayData) -> dict[tuple[str, Group], ReplayRow]:
    return {(r.config, r.group): r for r in replay_tables(Seen(data)).rows}


def labels(row: ReplayRow | RuleRow) -> dict[str, int]:
    return {name: n for name, n in row.labels.items() if n}


def test_each_config_is_put_together_from_its_gates() -> None:
    rows = rows_of(by_hand())
    stops, gold = Group.STOPS, Group.SOLUTIONS
    assert labels(rows["g1", stops]) == {"miss": 2, "correct_allow": 2}
    assert labels(rows["g3", stops]) == {"right_block": 1, "miss": 1, "correct_allow": 2}
    assert labels(rows["g13adv", stops]) == {"right_block": 1, "miss": 1, "correct_allow": 2}
    assert labels(rows["g1", gold]) == {"false_block": 1, "correct_allow": 3}
    assert labels(rows["g3", gold]) == {"false_block": 1, "correct_allow": 3}
    assert labels(rows["g13adv", gold]) == {"false_block": 1, "correct_allow": 3}


def test_a_gate_behind_another_is_told_by_itself() -> None:
    row = rows_of(by_hand())["g13adv · review", Group.SOLUTIONS]
    assert labels(row) == {"correct_allow": 4}
    assert ("g13adv · tests", Group.SOLUTIONS) not in rows_of(by_hand())


def test_rates_rest_on_first_looks_at_first_stops() -> None:
    row = rows_of(by_hand())["g3", Group.STOPS]
    assert (row.states, row.looks) == (2, 4)
    assert (row.right_block_rate.count, row.right_block_rate.n) == (1, 1)
    assert row.false_block_rate.n == 0
    assert row.usd_per_look == 2.0
    gold = rows_of(by_hand())["g1", Group.SOLUTIONS]
    assert (gold.false_block_rate.count, gold.false_block_rate.n) == (1, 2)
    assert gold.usd_per_look == 0.0


def test_a_blocked_look_costs_only_the_gates_that_ran() -> None:
    row = rows_of(by_hand())["g13adv", Group.SOLUTIONS]
    assert row.usd_per_look == pytest.approx((0 + 4 + 4 + 4) / 4)


def test_four_ways_to_decide_from_the_same_calls() -> None:
    found = replay_tables(Seen(by_hand())).rules
    rules = {(r.rule, r.group): r for r in found}
    stops, gold = Group.STOPS, Group.SOLUTIONS
    assert {r.looks for r in found} == {4}
    assert labels(rules["union", stops])["right_block"] == 1
    assert labels(rules["intersection", stops]) == {"miss": 2, "correct_allow": 2}
    assert labels(rules["challenger", stops])["right_block"] == 1
    assert labels(rules["one reviewer", gold]) == {"correct_allow": 4}
    assert labels(rules["union", gold]) == {"false_block": 1, "correct_allow": 3}
    costs = [rules[rule, gold].usd_per_look for rule, _ in list(rules)[:4]]
    assert costs == [1.0, 2.0, 2.0, 4.0]


def test_calls_that_are_not_the_same_are_not_compared() -> None:
    data = by_hand()
    other = challenge(BAD, a=True, upheld=False)
    looks = [
        other if k.spec == ADV.id and (k.state, k.time) == (BAD.id, 1) else k for k in data.looks
    ]
    found = replay_tables(Seen(ReplayData(**{**vars(data), "looks": tuple(looks)}))).rules
    assert {r.looks for r in found if r.group is Group.STOPS} == {3}


def test_a_gate_against_itself() -> None:
    rows = {r.config: r for r in replay_tables(Seen(by_hand())).retest}
    g3 = rows["g3"]
    assert (g3.states, g3.times, g3.unlike) == (4, 2, 2)
    assert (g3.agreement.value, g3.agreement.n) == (0.5, 4)
    # Two of eight looks block: chance agrees on 1 − 2·¼·¾ = 0.625 of pairs.
    assert g3.kappa.value == pytest.approx((0.5 - 0.625) / 0.375)
    quiet = rows["g1"]
    assert (quiet.unlike, quiet.agreement.value) == (1, 0.75)


def test_who_blocked_what() -> None:
    pairs = {(p.config, p.against, p.group): p for p in replay_tables(Seen(by_hand())).pairs}
    pair = pairs["g1", "g3", Group.SOLUTIONS]
    assert (pair.passing_both, pair.passing_neither) == (1, 1)
    pair = pairs["g1", "g3", Group.STOPS]
    assert (pair.failing_second, pair.failing_neither, pair.passing_neither) == (1, 0, 1)
    assert {"g1", "g3", "g13adv"} == {name for key in pairs for name in key[:2]}


def test_a_gate_that_failed_has_said_nothing() -> None:
    data = by_hand()
    broken = look(GOLD[1], INDEP, ERROR)
    looks = [
        broken if (k.state, k.spec, k.time) == (GOLD[1].id, INDEP.id, 1) else k for k in data.looks
    ]
    tables = replay_tables(Seen(ReplayData(**{**vars(data), "looks": tuple(looks)})))
    row = next(r for r in tables.rows if (r.config, r.group) == ("g3", Group.SOLUTIONS))
    assert row.labels["gate_fault"] == 1
    assert (row.false_block_rate.count, row.false_block_rate.n) == (1, 1)
    assert next(r for r in tables.retest if r.config == "g3").states == 3


def test_a_state_that_one_config_has_not_seen_is_left_out_for_all() -> None:
    data = by_hand()
    looks = tuple(k for k in data.looks if (k.state, k.spec) != (GOLD[1].id, INDEP.id))
    rows = rows_of(ReplayData(**{**vars(data), "looks": looks}))
    assert {row.states for (_, group), row in rows.items() if group is Group.SOLUTIONS} == {1}


def test_question_four_is_answered_from_right_solutions_where_stops_are_too_few() -> None:
    told = results(with_replay(by_hand())).questions[3].answer
    assert told.startswith("Of the simulated team: wholly passing first stops that were blocked: ")
    assert "gate 3 (review) in g3 0 of 1. Fewer than 5 such stops are too few for a rate" in told
    assert "of right solutions (gold states, looked at in a replay) were blocked: " in told
    assert told.endswith("gate 1 (tests) in g1 1 of 2 and gate 3 (review) in g3 1 of 2.")
    assert "gold" not in results(with_replay(None)).questions[3].answer


def test_a_replay_reaches_every_report_and_reads_back() -> None:
    data = with_replay(by_hand())
    found = results(data)
    assert from_json(to_json(found)) == found
    for text in (to_markdown(found), to_html(found, data)):
        assert "One reviewer, two, or a challenger: right solutions" in text
        assert "The same gate asked again" in text
    assert "## Replay" not in to_markdown(results(with_replay(None)))


def test_the_grid_shows_each_state_and_each_word() -> None:
    found = replay_results("job", by_hand())
    grid = {row.state: row for row in found.grid}
    assert grid["T1/reference"].said["g3"] == ("false_block", "correct_allow")
    assert grid[BAD.id].failing == ("R1",)
    assert '"simulated": true' in replay_json(found)


def test_nothing_at_all_is_no_table() -> None:
    empty = ReplayData(simulated=True, arms=ARMS, states=(), looks=(), writer_usd=None)
    tables = replay_tables(Seen(empty))
    assert (tables.rows, tables.rules, tables.retest, tables.pairs) == ((), (), (), ())
