"""Who is the hook, which stop is it, and what became of the answer: the pure rules."""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gatebench.hook.client import FAILED
from gatebench.hook.tracker import Action, Drop, Open, Reply, Response, Settled, Tracker
from gatebench.model.stop import Delivery

BLOCK = b'{"decision":"block","reason":"no"}'


def ended(stdout: bytes = b"", exit_code: int | None = 0, outcome: str = "success") -> Response:
    return Response(stdout.decode(), exit_code, outcome)


def through_one_stop(tracker: Tracker, answer: bytes, hook: str = "h1") -> list[Action]:
    tracker.started(hook, 0)
    tracker.connected(1, b"in", 0)
    tracker.answered(tracker.stops, answer)
    return tracker.responded(hook, ended(answer), 0)


def test_a_stop_is_judged_when_both_are_there_in_either_order() -> None:
    tracker = Tracker()
    assert tracker.started("h1", 0) == []
    assert tracker.connected(1, b"in", 0) == [Open(1, b"in")]
    other = Tracker()
    assert other.connected(1, b"in", 0) == []
    assert other.started("h1", 9) == [Open(1, b"in")]


def test_a_started_hook_of_the_same_id_is_the_same_stop() -> None:
    tracker = Tracker()
    tracker.started("h1", 0)
    assert tracker.started("h1", 1) == []
    assert tracker.stops == 1


def test_an_allow_is_settled_at_once() -> None:
    assert through_one_stop(Tracker(), b"") == [Settled(1, Delivery.DELIVERED, 0)]


def test_a_trailing_newline_changes_no_answer() -> None:
    tracker = Tracker()
    tracker.started("h1", 0)
    tracker.connected(1, b"", 0)
    tracker.answered(1, BLOCK)
    tracker.responded("h1", ended(BLOCK + b"\n"), 0)
    assert tracker.turn() == [Settled(1, Delivery.DELIVERED, 0)]


def test_a_block_is_delivered_once_the_model_goes_on() -> None:
    tracker = Tracker()
    assert through_one_stop(tracker, BLOCK) == []
    assert tracker.turn() == [Settled(1, Delivery.DELIVERED, 0)]
    assert tracker.turn() == []
    assert tracker.delivered_blocks == 1


def test_a_block_after_which_the_session_completes_was_overridden() -> None:
    tracker = Tracker()
    through_one_stop(tracker, BLOCK)
    assert tracker.session_ended(completed=True) == [Settled(1, Delivery.OVERRIDDEN, 0)]


def test_a_block_after_which_the_turns_are_used_up_was_delivered() -> None:
    tracker = Tracker()
    through_one_stop(tracker, BLOCK)
    assert tracker.session_ended(completed=False) == [Settled(1, Delivery.DELIVERED, 0)]


def test_an_unanswered_connection_is_dropped_after_ten_seconds() -> None:
    tracker = Tracker()
    tracker.connected(7, b"", 0)
    assert tracker.tick(9.9) == []
    assert tracker.tick(10.0) == [Drop(7)]
    assert (tracker.forged, tracker.stops) == (1, 0)


def test_six_stops_of_its_own_make_no_stop_and_are_told_with_the_next() -> None:
    tracker = Tracker()
    for peer in range(6):
        tracker.connected(peer, b"", 0)
    tracker.tick(11)
    tracker.started("h1", 12)
    tracker.connected(10, b"in", 12)
    tracker.answered(1, b"")
    assert tracker.responded("h1", ended(), 12) == [Settled(1, Delivery.DELIVERED, 6)]


def test_everyone_who_connects_during_a_stop_gets_its_one_answer() -> None:
    tracker = Tracker()
    tracker.connected(1, b"forged", 0)
    assert tracker.started("h1", 1) == [Open(1, b"forged")]
    assert tracker.connected(2, b"real", 1) == []
    assert tracker.answered(1, BLOCK) == [Reply(1, BLOCK), Reply(2, BLOCK)]
    assert tracker.connected(3, b"late", 2) == [Reply(3, BLOCK)]
    tracker.responded("h1", ended(BLOCK), 2)
    assert tracker.turn() == [Settled(1, Delivery.DELIVERED, 2)]


def test_a_killed_client_leaves_a_stop_that_is_judged_and_undelivered() -> None:
    tracker = Tracker()
    tracker.started("h1", 0)
    opened_and_settled = tracker.responded("h1", ended(exit_code=1, outcome="error"), 1)
    assert opened_and_settled == [Open(1, None), Settled(1, Delivery.UNDELIVERED, 0)]
    assert tracker.answered(1, BLOCK) == []
    assert tracker.delivered_blocks == 0


def test_a_client_killed_while_it_waits_is_undelivered() -> None:
    tracker = Tracker()
    tracker.started("h1", 0)
    tracker.connected(1, b"in", 0)
    said = tracker.responded("h1", ended(exit_code=137, outcome="error"), 1)
    assert said == [Settled(1, Delivery.UNDELIVERED, 0)]


def test_another_output_than_the_answer_is_undelivered() -> None:
    tracker = Tracker()
    tracker.started("h1", 0)
    tracker.connected(1, b"in", 0)
    tracker.answered(1, BLOCK)
    assert tracker.responded("h1", ended(b""), 1) == [Settled(1, Delivery.UNDELIVERED, 0)]


def test_a_client_that_fails_of_itself_errored_unless_it_was_crowded_out() -> None:
    for code in (FAILED, 126, 127):
        tracker = Tracker()
        tracker.started("h1", 0)
        assert tracker.responded("h1", ended(exit_code=code), 0)[-1] == Settled(
            1, Delivery.ERRORED, 0
        )
    tracker = Tracker()
    tracker.started("h1", 0)
    tracker.refused(5)
    said = tracker.responded("h1", ended(exit_code=FAILED), 0)
    assert said[-1] == Settled(1, Delivery.UNDELIVERED, 1)


def test_cancelled_after_the_limit_is_timed_out_and_before_it_undelivered() -> None:
    for at, delivery in ((1800, Delivery.TIMED_OUT), (3, Delivery.UNDELIVERED)):
        tracker = Tracker()
        tracker.started("h1", 0)
        said = tracker.responded("h1", ended(exit_code=1, outcome="cancelled"), at)
        assert said[-1] == Settled(1, delivery, 0)


def test_a_hook_that_does_not_connect_is_judged_after_a_while() -> None:
    tracker = Tracker()
    tracker.started("h1", 0)
    assert tracker.tick(29) == []
    assert tracker.tick(30) == [Open(1, None)]
    tracker.answered(1, BLOCK)
    assert tracker.connected(1, b"in", 31) == [Reply(1, BLOCK)]


def test_a_session_that_ends_in_a_stop_leaves_it_judged_and_undelivered() -> None:
    tracker = Tracker()
    tracker.connected(1, b"", 0)
    tracker.started("h1", 0)
    tracker.started("h2", 0)
    actions = tracker.session_ended(completed=False)
    assert Open(2, None) in actions
    assert {a.n for a in actions if isinstance(a, Settled)} == {1, 2}


def test_a_response_without_its_start_is_a_stop() -> None:
    tracker = Tracker()
    assert tracker.responded("h1", ended(), 0)[0] == Open(1, None)
    assert tracker.responded("h1", ended(), 0) == []


@dataclass
class Played:
    """A random session, and all that came out of it."""

    tracker: Tracker = field(default_factory=Tracker)
    actions: list[Action] = field(default_factory=list)
    answered: set[int] = field(default_factory=set)
    peers: int = 0

    def play(self, step: tuple[str, int]) -> None:
        word, k = step
        now = float(len(self.actions))
        self.actions += getattr(self, word)(k, now)

    def start(self, k: int, now: float) -> list[Action]:
        return self.tracker.started(f"h{k}", now)

    def connect(self, _k: int, now: float) -> list[Action]:
        self.peers += 1
        return self.tracker.connected(self.peers, b"", now)

    def answer(self, k: int, _now: float) -> list[Action]:
        open_ = [a.n for a in self.actions if isinstance(a, Open) and a.n not in self.answered]
        if not open_:
            return []
        n = open_[k % len(open_)]
        self.answered.add(n)
        return self.tracker.answered(n, BLOCK if k % 2 else b"")

    def respond(self, k: int, now: float) -> list[Action]:
        response = [ended(BLOCK), ended(), ended(exit_code=1)][k % 3]
        return self.tracker.responded(f"h{k}", response, now)

    def turn(self, _k: int, _now: float) -> list[Action]:
        return self.tracker.turn()

    def tick(self, k: int, now: float) -> list[Action]:
        return self.tracker.tick(now + 10 * k)

    def of(self, kind: type) -> list[Any]:
        return [a for a in self.actions if isinstance(a, kind)]


STEPS = st.tuples(
    st.sampled_from(["start", "connect", "answer", "respond", "turn", "tick"]), st.integers(0, 5)
)


@settings(max_examples=400, deadline=None)
@given(st.lists(STEPS, max_size=40), st.booleans())
def test_whatever_the_order_no_stop_is_lost_and_none_is_answered_twice(
    steps: list[tuple[str, int]],
    completed: bool,  # noqa: FBT001  # hypothesis's argument
) -> None:
    played = Played()
    for step in steps:
        played.play(step)
    played.actions += played.tracker.session_ended(completed=completed)
    for k in range(10):
        played.play(("answer", k))
    stops = list(range(1, played.tracker.stops + 1))
    hooks = {f"h{k}" for word, k in steps if word in {"start", "respond"}}
    assert played.tracker.stops == len(hooks), "connections alone make no stop"
    assert sorted(a.n for a in played.of(Open)) == stops, "each is judged once"
    assert sorted(a.n for a in played.of(Settled)) == stops, "each is settled once"
    told = [a.peer for a in played.actions if isinstance(a, Reply | Drop)]
    assert sorted(told) == list(range(1, played.peers + 1)), "each connection is told once"
    delivered = [a for a in played.of(Settled) if a.delivery is Delivery.DELIVERED]
    assert played.tracker.delivered_blocks <= len(delivered) + (completed and 6)
    assert played.tracker.forged >= played.peers - len(stops)
