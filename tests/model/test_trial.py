"""Names of trials, the order of a matrix, seeds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebench.errors import UsageError
from gatebench.model.matrix import Matrix
from gatebench.model.seeds import derive, trial_seed
from gatebench.model.trial import TrialId

WORD = st.text("abcXYZ019", min_size=1, max_size=6)


@given(task=WORD, config=WORD, rep=st.integers(1, 999), tag=WORD | st.just(""))
def test_a_name_reads_back(task: str, config: str, rep: int, tag: str) -> None:
    trial = TrialId(task, config, rep, tag)
    assert TrialId.parse(str(trial)) == trial


@pytest.mark.parametrize("name", ["", "T1", "T1-g1", "T1-g1-1", "T1-g1-rX", "T1-g1-r1-"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="T1-g13-r1"):
        TrialId.parse(name)


@pytest.mark.parametrize("tag", ["a/b", "..", "a b", "é", "-"])
def test_a_tag_that_is_no_part_of_a_name_is_refused(tag: str) -> None:
    if tag == "..":
        assert str(TrialId("T1", "g1", 1, tag)) == "T1-g1-r1-.."
        return
    with pytest.raises(UsageError, match="tag"):
        TrialId("T1", "g1", 1, tag)


def test_the_shipped_order_is_blocks_of_configs_with_rotating_tasks() -> None:
    order = [str(t) for t in Matrix(tasks=("T1", "T2", "T3", "T4", "T5")).trials()]

    assert len(order) == len(set(order)) == 50
    assert order[:5] == [f"T{k}-bare-r1" for k in (1, 2, 3, 4, 5)]
    assert order[5:10] == [f"T{k}-g1-r1" for k in (2, 3, 4, 5, 1)]
    assert order[25:30] == [f"T{k}-g13adv-r2" for k in (1, 2, 3, 4, 5)]
    assert order[-5:] == [f"T{k}-bare-r2" for k in (5, 1, 2, 3, 4)]


def test_seeds_depend_on_the_trial_and_on_nothing_else() -> None:
    assert derive(1, "a", "b") == derive(1, "a", "b")
    assert derive(1, "a", "b") != derive(1, "ab")
    assert trial_seed(1, TrialId("T1", "g1", 1)) == trial_seed(1, TrialId("T1", "g1", 1, "tag"))
    assert trial_seed(1, TrialId("T1", "g1", 1)) != trial_seed(2, TrialId("T1", "g1", 1))
