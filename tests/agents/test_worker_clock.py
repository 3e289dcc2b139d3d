"""The worker's own time."""

import anyio
import pytest

from gatebench.agents.clock import Stopwatch


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_pauses_do_not_count_however_they_overlap() -> None:
    time = Time()
    watch = Stopwatch(time)
    time.now += 1
    watch.pause()
    time.now += 10
    watch.pause()
    watch.resume()
    time.now += 10
    assert watch.elapsed_s == 1
    watch.resume()
    time.now += 2
    assert watch.elapsed_s == 3


def test_a_resume_too_many_does_nothing() -> None:
    time = Time()
    watch = Stopwatch(time)
    watch.resume()
    time.now += 1
    assert watch.elapsed_s == 1


def test_it_starts_again_from_nought_and_stays_paused() -> None:
    time = Time()
    watch = Stopwatch(time)
    time.now += 5
    watch.pause()
    watch.restart()
    time.now += 5
    assert watch.elapsed_s == 0
    watch.resume()
    time.now += 1
    assert watch.elapsed_s == 1


@pytest.mark.anyio
async def test_a_wait_is_put_off_by_a_pause() -> None:
    watch = Stopwatch()

    async def hold() -> None:
        with watch.paused():
            await anyio.sleep(0.3)

    started = anyio.current_time()
    async with anyio.create_task_group() as group:
        group.start_soon(hold)
        await watch.wait_until(0.1)
    assert 0.38 <= anyio.current_time() - started < 2
