"""`nop` and `reference`: the two ends of what an agent can leave."""

from front import Job


def test_doing_nothing_passes_nothing(nop: Job) -> None:
    for trial in nop.trials:
        assert trial.score["hidden_pass"] == 0
        assert trial.score["status"] == "ok"
        assert (trial.path / "post.diff").read_bytes() == b""


def test_doing_nothing_is_blocked_until_the_gate_gives_up(nop: Job) -> None:
    trial = nop.trial("T1-g1-r1")
    assert trial.decisions == ["block"] * 6 + ["give_up"]
    assert trial.score["right_blocks"] == 6


def test_the_reference_passes_everything_and_is_let_go_at_once(reference: Job) -> None:
    for trial in reference.trials:
        assert (trial.score["hidden_pass"], trial.score["hidden_fail"]) == (5, 0)
        assert trial.score["suite_fail"] == 0
    assert reference.trial("T1-g1-r1").decisions == ["allow"]
    assert reference.trial("T1-g1-r1").score["misses"] == 0


def test_the_library_is_untouched_by_nothing(nop: Job) -> None:
    assert nop.trial("T1-bare-r1").score["suite_fail"] == 0
    assert nop.trial("T1-bare-r1").score["suite_pass"] > 100
