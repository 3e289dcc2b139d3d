"""Contrasts with placebos, and what shadow gates would have been worth, worked out by hand."""

from dataclasses import replace
from typing import Any

import pytest
from handmade import Stop, Trial, job, stop_record

from gatebench.model.job import JobData
from gatebench.model.labels import Label, label, said_no, shadow_label
from gatebench.model.stop import GateResult, GateStatus, StopRecord
from gatebench.stats.analysis import analyze
from gatebench.stats.cells import Cells
from gatebench.stats.compare import against_placebos

RED, PASS, ERROR = (
    GateResult(name="review", status=s) for s in (GateStatus.RED, GateStatus.PASS, GateStatus.ERROR)
)


def controlled() -> JobData:
    """Two tasks; nudge gains one requirement in five over bare, g1 two, linted none."""
    once = (Stop("red", "R1 R2 R3"),)
    trials = [Trial(f"{task}-bare-r1", end="R1 R2 R3") for task in ("T1", "T2")]
    for task in ("T1", "T2"):
        trials += [
            Trial(f"{task}-g1-r1", end="R1", stops=(*once, Stop("pass", "R1")), worker=2.0),
            Trial(
                f"{task}-nudge-r1", end="R1 R2", stops=(*once, Stop("pass", "R1 R2")), worker=1.5
            ),
            Trial(f"{task}-linted-r1", end="R1 R2 R3", stops=(Stop("pass pass", "R1 R2 R3"),)),
        ]
    return job(*trials)


def test_each_gate_is_held_against_each_placebo_beside_the_plan() -> None:
    found = {(c.config, c.against): c for c in analyze(controlled()).comparisons}
    assert list(found) == [
        ("g1", "bare"),
        ("nudge", "bare"),
        ("linted", "bare"),
        ("g1", "nudge"),
        ("linted", "nudge"),
    ]
    assert [pair for pair, c in found.items() if c.planned] == [("g1", "bare")]
    worth = found["g1", "nudge"]
    assert worth.difference.value == pytest.approx(0.2)
    assert worth.cost_difference.value == pytest.approx(0.5)
    assert worth.net_benefit.value == pytest.approx(1.0 - 0.5)
    assert worth.t_test is None or worth.t_test.p_holm is None
    assert found["linted", "nudge"].difference.value == pytest.approx(-0.2)


def test_a_config_of_placebos_alone_is_one_and_no_other() -> None:
    two = job(
        Trial("T1-nudge-r1", stops=(Stop("pass"),)),
        Trial("T1-retry-r1", stops=(Stop("pass"),)),
        Trial("T1-linted-r1", stops=(Stop("pass pass"),)),
    )
    assert against_placebos(Cells(two)) == [("linted", "nudge"), ("linted", "retry")]
    assert against_placebos(Cells(job(Trial("T1-bare-r1")))) == []


def at(gate: GateResult, stop: Stop, **changes: Any) -> Label | None:
    record = stop_record("g1", 1, stop).model_copy(update={"shadow": (gate,), **changes})
    return shadow_label(record, gate)


def test_a_shadows_word_gets_the_label_it_would_have_earned() -> None:
    assert at(RED, Stop("pass", "R1")) is Label.RIGHT_BLOCK
    assert at(PASS, Stop("red", "R1")) is Label.MISS
    assert at(RED, Stop("pass")) is Label.FALSE_BLOCK
    assert at(RED, Stop("pass", suite_green=False)) is Label.REGRESSION_BLOCK
    assert at(PASS, Stop("red")) is Label.CORRECT_ALLOW
    assert at(ERROR, Stop("red", "R1")) is Label.GATE_FAULT
    assert at(RED, Stop("pass", "?")) is Label.UNSCORABLE
    assert at(RED, Stop("pass", suite_green=None)) is Label.UNSCORABLE


def test_what_became_of_the_stop_does_not_matter_to_a_shadow() -> None:
    assert at(RED, Stop("red", "R1", give_up=True)) is Label.RIGHT_BLOCK
    assert at(PASS, Stop("red", "R1", delivery=None)) is Label.MISS
    assert at(RED, Stop("pass", "R1"), closed=False) is Label.UNDELIVERED
    assert at(RED, Stop("pass", "R1"), decision=None) is None


def test_a_stop_where_nobody_could_block_has_no_label() -> None:
    watched = stop_record("bare", 1, Stop("", "R1"))
    assert label(watched) is None
    assert not said_no(watched)
    assert said_no(watched.model_copy(update={"shadow": (RED,)}))


def with_shadows(stops: tuple[StopRecord, ...], *words: GateResult) -> tuple[StopRecord, ...]:
    pairs = zip(stops, words, strict=True)
    return tuple(stop.model_copy(update={"shadow": (word,)}) for stop, word in pairs)


def test_shadows_have_their_own_table_and_are_in_no_other() -> None:
    plain = controlled()
    trials = tuple(
        replace(t, stops=with_shadows(t.stops, RED, PASS)) if t.id.config == "g1" else t
        for t in plain.trials
    )
    before, after = analyze(plain), analyze(replace(plain, trials=trials))
    assert before.shadows == ()
    (table,) = after.shadows
    assert (table.config, table.gate) == ("g1", "review")
    counted = {name: n for name, n in table.labels.items() if n}
    # Two trials: red at the first stop (R1–R3 fail), pass at the second (R1 fails).
    assert counted == {"right_block": 2, "miss": 2}
    assert table.labels_first["right_block"] == 2
    assert after.model_copy(update={"shadows": ()}) == before
