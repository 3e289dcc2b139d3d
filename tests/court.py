"""A court for the tests: the shipped suite's oracle, and trees made to order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest
from suite_ground import Ground, shared_ground

from gatebench.model.verdict import Outcome, SuiteRun
from gatebench.oracle import Judgement, Oracle, OracleSetup
from gatebench.sandbox import Sandbox, open_sandbox
from gatebench.workspace import TreeStore

CODE = "tinydb/operations.py"


@dataclass
class Court:
    """Makes trees of the shipped library and has them judged."""

    ground: Ground
    sandbox: Sandbox
    store: TreeStore
    base: str
    oracle: Oracle = field(init=False)

    def __post_init__(self) -> None:
        self.oracle = self.open(each_limit_s=2.0)

    def open(self, *, each_limit_s: float = 10.0, hidden_limit_s: float = 120.0) -> Oracle:
        ground = self.ground
        return Oracle(
            OracleSetup(
                hidden=ground.hidden,
                upstream=ground.upstream,
                environment=ground.environment,
                sandbox=self.sandbox,
                store=self.store,
                cache=ground.cache,
                each_limit_s=each_limit_s,
                hidden_limit_s=hidden_limit_s,
            )
        )

    def solution(self, satisfied: Iterable[str], task: str = "T1") -> dict[str, str]:
        return anyio.run(self.ground.hidden.solution_files, task, tuple(satisfied))

    def tree(self, files: Mapping[str, str | None]) -> str:
        data = {name: None if text is None else text.encode() for name, text in files.items()}
        return anyio.run(self.store.add_files, self.base, data)

    def planted(self, satisfied: Iterable[str], code: str) -> str:
        """A partial solution of T1 with hostile code at the end of the changed module."""
        files = self.solution(satisfied)
        return self.tree({**files, CODE: files[CODE] + "\n\n" + code})

    def judge(self, tree: str, task: str = "T1") -> Judgement:
        return anyio.run(self.oracle.judge, tree, task)

    def passing(self, tree: str, task: str = "T1") -> set[str]:
        return passing(self.judge(tree, task))

    def run_suite(self, tree: str) -> SuiteRun:
        return anyio.run(self.oracle.run_suite, tree)


def passing(judgement: Judgement) -> set[str]:
    found = judgement.verdict.requirements.items()
    return {requirement for requirement, outcome in found if outcome is Outcome.PASS}


_COURTS: dict[Path, Court] = {}


def shared_court(factory: pytest.TempPathFactory) -> Court:
    """One court for all tests of a session."""
    place = factory.getbasetemp() / "court"
    if place not in _COURTS:
        ground = shared_ground(factory)
        store = TreeStore(place / "git")
        place.mkdir()
        anyio.run(store.create)
        base = anyio.run(store.snapshot, ground.upstream).tree
        _COURTS[place] = Court(ground, open_sandbox("auto"), store, base)
    return _COURTS[place]
