"""The worker at its keyboard: from the transcript so far to the next reply.

Nothing is remembered between requests. Each phase (from one piece of feedback to the next) has a
plan, a list of steps; replies already given are matched against it, so a request sent twice gets
the same reply. A change that fails is looked into once per phase, then the worker says so and
stops: it never goes round in circles.
"""

from dataclasses import dataclass, field

from gatebench.team import edits, words, worker
from gatebench.team.seat import Seat
from gatebench.team.view import Block, Exchange, Phase, Text, ToolResult, ToolUse, View
from gatebench.team.worker import Outcome

_UPSTREAM = Outcome(frozenset(), started=False, acted=False)
_CHANGING = frozenset({"Edit", "Write"})


@dataclass(frozen=True)
class Step:
    """One reply to come."""

    text: str
    uses: tuple[ToolUse, ...] = ()
    retries: tuple[ToolUse, ...] = ()
    """The failed changes that this step looks into."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """As a reply holds them."""
        return (Text(self.text), *self.uses)


@dataclass
class _Queue:
    """The steps ahead in one phase."""

    steps: list[Step]
    recovered: bool = False
    last: Step = field(default_factory=lambda: Step(words.NOTHING_MORE))

    def take(self) -> Step:
        return self.steps.pop(0) if self.steps else self.last


def speak(seat: Seat, view: View) -> tuple[Block, ...]:
    """The worker's next reply."""
    phases = view.phases()
    before, after = _UPSTREAM, worker.first(seat)
    for k, phase in enumerate(phases[1:], start=1):
        before, after = after, _answer(seat, k, after, phase)
    plan = _usable(_plan(seat, view, before, after), view.tools)
    return _ahead(seat, _Queue(plan), phases[-1].exchanges).blocks


def _answer(seat: Seat, k: int, before: Outcome, phase: Phase) -> Outcome:
    named = worker.named_in(seat.material, phase.feedback or "")
    return worker.fix(seat, k, before, named)


def _plan(seat: Seat, view: View, before: Outcome, after: Outcome) -> list[Step]:
    """The steps of the current phase."""
    k = len(view.phases()) - 1
    hunt = [Step(words.HUNT, words.hunting(view.cwd))] if worker.hunts(seat, k) else []
    if not after.acted:
        return [*hunt, Step(worker.pick(seat, words.REFUSALS if k else words.IDLE, k))]
    changes = edits.changes(seat.material.blueprint, before, after, view.cwd)
    test_run = [Step(words.TESTING, (words.TEST_RUN,))] if worker.runs_tests(seat, k) else []
    last = Step(_closing(seat, k, changed=bool(changes)))
    work = [*_work(seat, view, before, changes), *_own(seat, k, view, after)]
    return [*hunt, *work, *test_run, last]


def _work(seat: Seat, view: View, before: Outcome, changes: tuple[ToolUse, ...]) -> list[Step]:
    """Read what wasn't read yet, then change it."""
    if not changes:
        return []
    seen = {u.given("file_path") for p in view.phases()[:-1] for u in _uses(p)}
    paths = dict.fromkeys(u.given("file_path") for u in changes if u.name == "Edit")
    reads = tuple(ToolUse("Read", {"file_path": p}) for p in paths if p not in seen)
    opening = Step(words.READING if not before.started else words.READING_ON, reads)
    text = worker.pick(seat, words.CHANGING, len(view.phases()))
    return [*([opening] if reads else []), Step(text, changes)]


def _uses(phase: Phase) -> tuple[ToolUse, ...]:
    return tuple(use for exchange in phase.exchanges for use in exchange.said.uses)


def _own(seat: Seat, k: int, view: View, after: Outcome) -> list[Step]:
    """The worker's own test file, once, about what it believes to have done."""
    if k or not after.subset or not worker.writes_tests(seat):
        return []
    path = f"{view.cwd}/{words.own_test_path(seat.material)}"
    content = words.own_test_module(seat.material, after.subset)
    return [Step(words.OWN_TESTS, (ToolUse("Write", {"file_path": path, "content": content}),))]


def _closing(seat: Seat, k: int, *, changed: bool) -> str:
    if k and not changed:
        return worker.pick(seat, words.UNCHANGED, k)
    return worker.pick(seat, seat.material.summaries, k) or words.NOTHING_MORE


def _usable(plan: list[Step], tools: frozenset[str]) -> list[Step]:
    """The plan without tools that aren't there, and without steps that lost all of theirs."""
    kept = [(s, tuple(u for u in s.uses if u.name in tools)) for s in plan]
    return [Step(s.text, uses) for s, uses in kept if uses or not s.uses]


def _ahead(seat: Seat, queue: _Queue, done: tuple[Exchange, ...]) -> Step:
    """The next step after those that were done."""
    for exchange in done:
        step = queue.take()
        if step.retries:
            _second_try(seat, queue, step, exchange)
        elif failed := _failed_changes(exchange):
            _recover(queue, failed)
    return queue.take()


def _failed_changes(exchange: Exchange) -> tuple[ToolUse, ...]:
    """What went wrong but for the shell, whose exit code tells of tests, not of tools."""
    return tuple(u for u in exchange.failed() if u.name in _CHANGING)


def _recover(queue: _Queue, failed: tuple[ToolUse, ...]) -> None:
    if queue.recovered:
        queue.steps[:] = [Step(words.GIVEN_UP)]
        return
    queue.recovered = True
    queue.steps.insert(0, Step(words.LOOKING_AGAIN, edits.look_again(failed), failed))


def _second_try(seat: Seat, queue: _Queue, step: Step, exchange: Exchange) -> None:
    """After looking again: the failed changes on what is really there, as far as it is known."""
    shown = {u.given("file_path"): _shown(exchange, u) for u in exchange.said.uses}
    blueprint = seat.material.blueprint
    again = [edits.rebuild(blueprint, u, shown.get(u.given("file_path"), "")) for u in step.retries]
    uses = tuple(use for found in again for use in found or ())
    if any(found is None for found in again):
        queue.steps[:] = [Step(words.GIVEN_UP)]
    if uses:
        queue.steps.insert(0, Step(words.TRYING_AGAIN, uses))


def _shown(exchange: Exchange, use: ToolUse) -> str:
    result: ToolResult | None = exchange.results.get(use.id)
    return result.text if result else ""
