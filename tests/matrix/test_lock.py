"""A job directory is tied to one matrix: it extends, it never mixes."""

from typing import Any

import pytest

from gatebench.errors import JobMismatch
from gatebench.matrix.lock import reconcile
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


def test_a_new_job_takes_the_lock_as_it_is() -> None:
    assert reconcile(None, lock(), "job") == lock()


def test_the_same_command_changes_nothing() -> None:
    assert reconcile(lock(), lock(), "job") == lock()


def test_more_tasks_configs_and_reps_extend() -> None:
    both = reconcile(lock(), lock(tasks=("T2",), configs=SHIPPED_CONFIGS[1:3], reps=3), "job")

    assert both.matrix.tasks == ("T1", "T2")
    assert [c.name for c in both.matrix.configs] == ["bare", "g1", "g3"]
    assert both.matrix.reps == 3
    assert set(both.requirements) == {"T1", "T2"}


def test_less_than_was_there_takes_nothing_away() -> None:
    assert reconcile(lock(reps=3), lock(reps=1), "job").matrix.reps == 3


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
        reconcile(lock(), changed, "jobs/x")
    assert words in caught.value.message
    assert "jobs/x" in caught.value.message
    assert "--out" in caught.value.hint


def test_another_version_of_the_product_still_extends() -> None:
    assert reconcile(lock(), lock().model_copy(update={"product": "9.9"}), "job").product == "0"
