"""Lanes are slowed by what the machine refuses, and brought back by what goes well."""

import time

import anyio

from gatebench.matrix.schedule import Drain, Pace, run_lanes


def test_halved_once_for_what_was_refused_together_and_brought_back_one_by_one() -> None:
    pace, began = Pace(8), time.monotonic()
    pace.slower(began)
    pace.slower(began)
    assert pace.lanes == 4
    pace.slower(time.monotonic())
    pace.slower(time.monotonic())
    pace.slower(time.monotonic())
    pace.slower(time.monotonic())
    assert pace.lanes == 1
    seen = []
    for _ in range(40):
        pace.faster()
        seen.append(pace.lanes)
    assert seen == sorted(seen)
    assert set(seen) == set(range(2, 9))


def test_a_wish_counts_at_once() -> None:
    pace = Pace(4)
    pace.slower(time.monotonic())
    pace.want(3)
    assert (pace.lanes, pace.wanted) == (3, 3)
    pace.faster()
    assert pace.lanes == 3


async def _most_at_once(waiting: frozenset[int]) -> tuple[int, list[int]]:
    """At a pace of one, where some wait aside until the others are through."""
    done: list[int] = []
    others = anyio.Event()
    pace, now, most = Pace(1), 0, 0

    async def one(number: int) -> None:
        nonlocal now, most
        if number in waiting:
            async with pace.aside(number):
                await others.wait()
        now += 1
        most = max(most, now)
        await anyio.sleep(0.02)
        now -= 1
        done.append(number)
        if len(done) + len(waiting) == 4:
            others.set()

    await run_lanes(range(4), pace, one, Drain())
    return most, done


def test_what_waits_holds_no_lane_and_has_one_again_before_it_goes_on() -> None:
    assert anyio.run(_most_at_once, frozenset[int]()) == (1, [0, 1, 2, 3])
    assert anyio.run(_most_at_once, frozenset({0, 1})) == (1, [2, 3, 0, 1])
