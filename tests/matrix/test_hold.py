"""Waiting for a usage limit between trials: counted down, within patience, or not at all."""

import time

import anyio

from gatebench.matrix.hold import Hold
from gatebench.matrix.schedule import Drain

WHY = "the limit is reached"


def test_it_waits_until_it_lifts_and_counts_down() -> None:
    told: list[float] = []
    hold, drain = Hold(10.0, lambda left_s, _why: told.append(left_s)), Drain()
    hold.ask(1.2, WHY, drain)
    began = time.monotonic()
    assert anyio.run(hold.over, drain)
    assert time.monotonic() - began >= 1.2
    assert told == sorted(told, reverse=True)
    assert len(told) == 2
    assert not drain.wanted


def test_without_anything_to_wait_for_it_goes_on_at_once() -> None:
    assert anyio.run(Hold(10.0).over, Drain())


def test_more_than_patience_has_left_drains_the_job() -> None:
    hold, drain = Hold(10.0), Drain()
    hold.ask(6.0, WHY, drain)
    hold.ask(5.0, WHY, drain)  # another trial at the same limit: nothing new
    assert not drain.wanted
    hold.ask(11.0, WHY, drain)
    assert drain.why == WHY
    assert not anyio.run(hold.over, drain)
    assert hold.times == 3


def test_a_trial_that_went_well_makes_patience_whole() -> None:
    hold, drain = Hold(1.0), Drain()
    hold.ask(0.9, WHY, drain)
    assert anyio.run(hold.over, drain)
    hold.went_well()
    hold.ask(0.9, WHY, drain)
    assert not drain.wanted
