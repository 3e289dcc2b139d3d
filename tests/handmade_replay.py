"""A replay made by hand, for the tests of the statistics and of the report."""

from typing import Any

from handmade import Stop, Trial, hidden, job

from gatebench.model.job import JobData
from gatebench.model.replay import Arm, Kind, Look, ReplayData, Spec, State
from gatebench.model.stop import GateResult, GateStatus

TESTS = Spec(gate="tests", profile="mixed")
INDEP = Spec(gate="review", settings={"variant": "indep"}, profile="mixed")
ADV = Spec(gate="review", settings={"variant": "adv"}, profile="mixed")
ARMS = (
    Arm(name="g1", specs=(TESTS,)),
    Arm(name="g3", specs=(INDEP,)),
    Arm(name="g13adv", specs=(TESTS, ADV)),
)
RED, PASS, ERROR = GateStatus.RED, GateStatus.PASS, GateStatus.ERROR


def state(name: str, kind: Kind, failed: str = "", *, first: bool = True) -> State:
    return State(
        id=name,
        kind=kind,
        task=name[:2],
        trial=None,
        n=1,
        first=first,
        tree=f"tree of {name}",
        start_tree="start",
        prompt=None,
        hidden=hidden(failed.split()),
        judged_by="these",
        suite_green=None if failed else True,
    )


def look(where: State, spec: Spec, status: GateStatus, time: int = 1, **detail: Any) -> Look:
    result = GateResult(name=spec.gate, status=status, cost_usd=detail.pop("cost", None))
    return Look(
        state=where.id,
        spec=spec.id,
        time=time,
        tree=where.tree,
        result=result.model_copy(update={"detail": detail}),
        simulated=True,
    )


def call(name: str, *, approve: bool | None, cost: float = 1.0) -> dict[str, Any]:
    return {"id": name, "approve": approve, "findings": [], "rulings": [], "cost_usd": cost}


def review(where: State, a: bool, b: bool, time: int = 1) -> Look:  # noqa: FBT001  # approvals
    calls = [call("A", approve=a), call("B", approve=b)]
    status = PASS if a and b else RED
    return look(where, INDEP, status, time, cost=2.0, variant="indep", reviewers=calls)


def challenge(where: State, a: bool, upheld: bool, time: int = 1) -> Look:  # noqa: FBT001
    calls = [call("A", approve=a), call("B", approve=not upheld, cost=3.0)]
    status = RED if upheld else PASS
    blocking = [{"text": "x"}] if upheld else []
    detail = {"variant": "adv", "reviewers": calls, "blocking_findings": blocking}
    return look(where, ADV, status, time, cost=4.0, **detail)


BAD, LATER = state("T1-g1-r1/1", Kind.STOP, "R1"), state("T1-g1-r1/2", Kind.STOP, first=False)
GOLD = (state("T1/reference", Kind.REFERENCE), state("T1/second", Kind.SECOND))


def by_hand() -> ReplayData:
    """Two stops and two right solutions, twice.

    | state, time | tests | A | B | challenger |
    | bad 1 | pass | blocks | allows | upholds |
    | bad 2 | pass | allows | allows | nothing |
    | later 1 | pass | allows | allows | nothing |
    | later 2 | pass | allows | allows | nothing |
    | reference 1 | red | allows | blocks | nothing |
    | reference 2 | pass | allows | allows | nothing |
    | second 1 | pass | allows | allows | nothing |
    | second 2 | pass | allows | allows | nothing |
    """
    ref, second = GOLD
    looks = [
        look(where, TESTS, RED if (where, time) == (ref, 1) else PASS, time)
        for where in (BAD, LATER, *GOLD)
        for time in (1, 2)
    ]
    said = {(BAD.id, 1): (False, True, True), (ref.id, 1): (True, False, False)}
    for where in (BAD, LATER, ref, second):
        for time in (1, 2):
            a, b, upheld = said.get((where.id, time), (True, True, False))
            looks += [review(where, a, b, time), challenge(where, a, upheld, time)]
    asked = {"g1": {"tests": TESTS.id}, "g3": {"review": INDEP.id}}
    return ReplayData(
        simulated=True,
        arms=ARMS,
        states=(BAD, LATER, *GOLD),
        looks=tuple(looks),
        writer_usd=None,
        asked_in=asked,
    )


def with_replay(data: ReplayData | None) -> JobData:
    plain = job(
        Trial("T1-g1-r1", stops=(Stop("red", "R1"), Stop("pass"))),
        Trial("T1-g3-r1", stops=(Stop("pass"),)),
    )
    return JobData(**{**vars(plain), "replay": data})
