import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from handmade import Stop, Trial, job, six_trials
from handmade_matrix import fifty_trials
from handmade_replay import by_hand, with_replay

from gatebench.model.job import JobData
from gatebench.model.labels import Label
from gatebench.report.counts import OUTCOME, PRICE
from gatebench.report.markdown import to_markdown
from gatebench.report.money_sheets import effect_sheets, money_sheets
from gatebench.report.results import Results, from_json, json_schema, results, to_json
from gatebench.report.sheets import gate_sheets, outcome_sheets

GUIDE = (Path(__file__).parents[2] / "docs" / "reading-results.md").read_text()
JOBS = {
    "fifty": fifty_trials(),
    "six": six_trials(),
    "one": job(Trial("T1-g1-r1", stops=(Stop("pass"),))),
    "nothing": job(configs=("bare", "g1")),
    "replayed": with_replay(by_hand()),
    "filling": job(Trial("T1-g1-r1", done=False), Trial("T1-bare-r1", end="R1")),
}


def estimates(node: object) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if "value" in node:
            yield node
        for child in node.values():
            yield from estimates(child)
    elif isinstance(node, list):
        for child in node:
            yield from estimates(child)


@pytest.fixture(scope="module")
def fifty() -> Results:
    return results(JOBS["fifty"])


def answer(job_data: JobData, n: int) -> str:
    return results(job_data).questions[n - 1].answer


@pytest.mark.parametrize("name", JOBS)
def test_every_estimate_has_its_four_keys_and_a_reason_where_it_needs_one(name: str) -> None:
    found = json.loads(to_json(results(JOBS[name])))
    assert found["schema"] == 1
    for estimate in estimates(found):
        assert {"value", "n", "interval", "method"} <= estimate.keys()
        if estimate["interval"] is None:
            assert estimate["reason"]
        else:
            low, high = estimate["interval"]
            assert low <= estimate["value"] <= high


@pytest.mark.parametrize("name", JOBS)
def test_it_reads_back_and_comes_out_the_same_twice(name: str) -> None:
    text = to_json(results(JOBS[name]))
    assert to_json(from_json(text)) == text == to_json(results(JOBS[name]))
    assert "NaN" not in text
    assert "Infinity" not in text


def test_the_fifty_have_intervals_where_they_may(fifty: Results) -> None:
    assert all(c.pass_rate.interval for c in fifty.configs)
    assert all(c.difference.interval for c in fifty.comparisons)
    planned = [c for c in fifty.comparisons if c.planned]
    assert [(c.config, c.against) for c in planned] == [
        ("g1", "bare"),
        ("g3", "bare"),
        ("g13", "g1"),
        ("g13adv", "g13"),
    ]
    assert all(c.t_test and c.t_test.p_holm is not None for c in planned)


def test_the_schema_describes_the_file() -> None:
    schema = json_schema()
    assert set(schema["properties"]) == set(json.loads(to_json(results(JOBS["one"]))))


def test_simulated_answers_are_of_the_simulated_team_and_others_are_not() -> None:
    real = job(Trial("T1-bare-r1"), simulated=False)
    assert all("simulated" in q.answer for q in results(six_trials()).questions)
    assert not any("simulated" in q.answer for q in results(real).questions)
    assert "SIMULATED" in to_markdown(results(six_trials()))
    assert "SIMULATED" not in to_markdown(results(real))


def test_one_trial_is_told_in_words() -> None:
    text = to_markdown(results(JOBS["one"]))
    assert "One task" in text
    assert "not asked by this job; it has no config bare." in text
    assert "0 of 1" in answer(JOBS["one"], 4)
    for nonsense in ("nan", "inf ", "None", "100 % (1"):
        assert nonsense not in text


def clear_effect() -> JobData:
    trials = []
    for t in range(1, 6):
        end = " ".join(f"R{n}" for n in range(1, 4 + (t == 1)))
        trials += [Trial(f"T{t}-bare-r{r}", end=end) for r in (1, 2)]
        trials += [Trial(f"T{t}-g1-r{r}", stops=(Stop("pass"),)) for r in (1, 2)]
    return job(*trials)


def test_a_clear_effect_is_a_yes_and_an_unclear_one_never_a_no() -> None:
    yes = answer(clear_effect(), 1)
    assert "yes, upwards" in yes
    assert "g1 passes 50 of 50, bare passes 18 of 50 hidden requirements: +64 points" in yes
    unclear = answer(fifty_trials(), 1)
    assert "not shown" in unclear
    assert "would have been seen with 80 % power" in unclear


def test_a_difference_without_spread_leaves_the_permutation_to_speak() -> None:
    trials = [Trial(f"T{t}-bare-r{r}", end="R1 R2") for t in range(1, 6) for r in (1, 2)]
    trials += [Trial(f"T{t}-g1-r{r}", stops=(Stop("pass"),)) for t in range(1, 6) for r in (1, 2)]
    told = answer(job(*trials), 1)
    assert "can't be told for other tasks" in told
    assert "on these very tasks it is more than chance (exact permutation, Holm p < 0.001)" in told


def test_the_challenger_is_asked_about_false_blocks_too() -> None:
    assert "false blocks 4 with the challenger, 4 without" in answer(fifty_trials(), 3)


def test_the_premise_is_never_confirmed(fifty: Results) -> None:
    assert fifty.premise is not None
    assert "No difference seen; one of" in fifty.premise.words
    assert "confirm" not in to_markdown(fifty)


def test_markdown_tables_are_whole(fifty: Results) -> None:
    rows = [line for line in to_markdown(fifty).splitlines() if line.startswith("|")]
    assert len(rows) > 60
    for line in rows:
        assert line.endswith("|")


def test_hostile_names_stay_text() -> None:
    hostile = JOBS["one"].__class__(
        **{**vars(JOBS["one"]), "name": "<script>alert(1)</script> | [x](http://y)"}
    )
    text = to_markdown(results(hostile))
    assert "<script>" not in text
    assert "[x](" not in text


def test_the_guide_explains_every_column_label_and_table(fifty: Results) -> None:
    sheets = (
        *outcome_sheets(fifty),
        *gate_sheets(fifty),
        *effect_sheets(fifty),
        *money_sheets(fifty),
    )
    heads = {head for sheet in sheets for head in sheet.headers} - set(fifty.job.configs)
    heads |= {head.replace("\n", " ").replace("- ", "-") for head, _ in OUTCOME + PRICE}
    words = heads - {"right", "false"} | {label.value for label in Label}
    words |= set(json.loads(to_json(fifty)))
    assert {word for word in words if word not in GUIDE} == set()
