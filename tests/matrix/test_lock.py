"""A job directory is tied to one matrix: it extends, it never mixes."""

from typing import Any

import pytest

from gatebench.errors import JobMismatch
from gatebench.matrix.lock import Past, reconcile
from gatebench.model.matrix import Choice, Lock, Matrix
from gatebench.model.trial import SHIPPED_CONFIGS

DIGESTS = {"suite": "a", "hidden": "b"}


def lock(digests: dict[str, str] | None = None, **matrix: Any) -> Lock:
    fields: dict[str, Any] = {"tasks": ("T1",), "configs": SHIPPED_CONFIGS[:2], "reps": 1, **matrix}
    return Lock(
        product="0",
        matrix=Matrix(**fields),
        digests=digests or DIGESTS,
        requirements=dict.fromkeys(fields["tasks"], ("R1",)),
    )


def past(old: Lock | None = None, *finished: str, keep: bool = False) -> Past:
    return Past(old or lock(), "jobs/x", finished, keep)


def test_a_new_job_takes_the_lock_as_it_is() -> None:
    assert reconcile(None, lock()) == lock()


def test_the_same_command_changes_nothing() -> None:
    assert reconcile(past(), lock()) == lock()


def test_more_tasks_configs_and_reps_extend() -> None:
    both = reconcile(past(), lock(tasks=("T2",), configs=SHIPPED_CONFIGS[1:3], reps=3))

    assert both.matrix.tasks == ("T1", "T2")
    assert [c.name for c in both.matrix.configs] == ["bare", "g1", "g3"]
    assert both.matrix.reps == 3
    assert set(both.requirements) == {"T1", "T2"}


def test_less_than_was_there_takes_nothing_away() -> None:
    assert reconcile(past(lock(reps=3)), lock(reps=1)).matrix.reps == 3


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (lock(digests={"suite": "a", "hidden": "EDITED"}), "digest.hidden: was b, is EDITED"),
        (lock(digests={"suite": "a"}), "digest.hidden: on one side only"),
        (lock(choice=Choice(seed=2)), "choice.seed: was 1, is 2"),
        (lock(choice=Choice(profile="perfect")), "choice.profile: was mixed, is perfect"),
        (
            lock(configs=(SHIPPED_CONFIGS[1].model_copy(update={"give_up": 20}),)),
            "config.g1: was",
        ),
        (lock().model_copy(update={"protocol": 99}), "protocol: was"),
    ],
)
def test_whatever_else_changed_is_shown_and_refused(changed: Lock, words: str) -> None:
    with pytest.raises(JobMismatch) as caught:
        reconcile(past(), changed)
    assert words in caught.value.message
    assert "jobs/x" in caught.value.message
    assert "--out" in caught.value.hint


def test_another_version_of_the_product_still_extends() -> None:
    assert reconcile(past(), lock().model_copy(update={"product": "9.9"})).product == "0"


EDITED = {"suite": "a", "hidden": "EDITED"}


def test_on_request_old_trials_stay_and_are_marked() -> None:
    new = lock(digests=EDITED, tasks=("T2",))
    both = reconcile(past(lock(reps=2), "T1-bare-r1", "T1-g1-r1", keep=True), new)
    assert both.digests == EDITED
    assert (both.matrix.tasks, both.matrix.reps) == (("T1", "T2"), 2)
    (kept,) = both.kept
    assert kept.lock == "lock-1.json"
    assert kept.differences == ("digest.hidden: was b, is EDITED",)
    assert kept.trials == ("T1-bare-r1", "T1-g1-r1")


def test_a_lock_that_keeps_old_trials_is_a_lock_like_any_other() -> None:
    once = reconcile(past(lock(), "T1-bare-r1", keep=True), lock(digests=EDITED))
    again = reconcile(past(once, "T1-bare-r1", "T1-g1-r1"), lock(digests=EDITED))
    assert again == once
    twice = reconcile(past(once, "T1-bare-r1", "T1-g1-r1", keep=True), lock())
    assert [(k.lock, k.trials) for k in twice.kept] == [
        ("lock-1.json", ("T1-bare-r1",)),
        ("lock-2.json", ("T1-g1-r1",)),
    ]


def test_nothing_is_marked_where_nothing_differs() -> None:
    assert reconcile(past(lock(), "T1-bare-r1", keep=True), lock()) == lock()


def test_a_config_of_the_same_name_is_the_new_one() -> None:
    hasty = SHIPPED_CONFIGS[1].model_copy(update={"give_up": 20})
    both = reconcile(past(keep=True), lock(configs=(hasty,)))
    assert [(c.name, c.give_up) for c in both.matrix.configs] == [("bare", 6), ("g1", 20)]
