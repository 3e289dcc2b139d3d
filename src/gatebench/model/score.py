"""``score.json``: what one trial came to, and the records that it is derived from."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from gatebench.model.base import Filed, Record
from gatebench.model.faults import fault
from gatebench.model.stop import StopRecord
from gatebench.model.task import PromptVariant
from gatebench.model.verdict import SuiteRun, Verdict

GATE_KEYS = {"tests": "g1", "review": "g3"}
"""The names under which the score counts blocks of the two first gates; others keep their own."""


class Score(Filed):
    """What one trial came to. Missing is ``None``, never 0; times end in ``wall_s``."""

    task: str
    cfg: str
    rep: int
    attempt: int
    agent: str
    agent_version: str | None
    model: str | None
    prompt: PromptVariant
    profile: str | None
    seed: int | None
    hidden_pass: int | None
    hidden_fail: int | None
    hidden_unscorable: int | None
    failed_reqs: tuple[str, ...] | None
    hidden_first_stop: int | None
    """Requirements passing at the first stop."""
    suite_pass: int | None
    suite_fail: int | None
    hook_calls: int | None
    blocks_total: int | None
    blocks_by_gate: dict[str, int] | None
    right_blocks: int | None
    false_blocks: int | None
    regression_blocks: int | None
    right_blocks_by_gate: dict[str, int] | None
    false_blocks_by_gate: dict[str, int] | None
    misses: int | None
    give_up: bool | None
    ended_blocked: bool | None
    """The session ended right after a block (turns or patience ran out)."""
    tampered: tuple[str, ...]
    cost_worker_usd: float | None
    cost_reviewers_usd: float | None
    cost_testwriter_usd: float | None
    cost_total_usd: float | None
    """Of the worker and of what the config's gates ask; shadow gates are not in it."""
    cost_shadow_usd: float | None = None
    """What shadow gates asked for; ``None`` without any, or where a part is unknown."""
    testwriter_ok: bool | None
    gate_tests_total: int | None
    gate_tests_fail_final: int | None
    turns: int | None
    wall_s: float | None
    """The whole session, hooks included."""
    hook_wall_s: float | None
    reviewer_findings_total: int | None
    reviewer_errors: int | None
    gate_crashes: int | None
    permission_denials: int | None
    api_errors: int | None = None
    model_ok: bool | None
    hook_events_in_stream: int | None
    simulated: bool
    unsandboxed: bool = False
    credential_exposed: bool = False
    """The agent had the user's own login, and the network."""
    injected: str | None = None
    budgets: dict[str, float] | None = None
    """Dollars the trial and its roles had, where a budget of its own ended it."""
    status: str
    """``ok``, or the class of what broke."""
    why: str = Field(default="", description="One sentence where the status isn't ok.")

    @property
    def valid(self) -> bool:
        """Whether the trial counts: nothing of ours broke, and it isn't to be run again."""
        return fault(self.status).valid

    @property
    def passed(self) -> bool | None:
        """Whether every hidden requirement passes at the end; ``None`` when unknown."""
        if self.hidden_fail is None or self.hidden_unscorable:
            return None
        return self.hidden_fail == 0


@dataclass(frozen=True)
class Identity:
    """Who and what a trial was."""

    task: str
    cfg: str
    rep: int
    attempt: int
    agent: str
    agent_version: str | None
    model: str | None
    prompt: PromptVariant
    profile: str | None
    seed: int | None
    simulated: bool
    unsandboxed: bool
    credential_exposed: bool
    injected: str | None


class Session(Record):
    """What the worker's session left, as far as known."""

    status: str
    why: str = ""
    turns: int | None = None
    wall_s: float | None = None
    hook_wall_s: float | None = None
    cost_usd: float | None = None
    permission_denials: int | None = None
    hook_events: int | None = None
    model_ok: bool | None = None
    api_errors: int | None = None
    budgets: dict[str, float] | None = None
    costs_usd: dict[str, float | None] | None = None
    """By the gateway's ledger: ``worker``, ``reviewers``, ``writer``; ``None`` without one."""


class SessionRecord(Filed):
    """``session.json``: all that the score needs of a session that has ended.

    It is filed before the last look, so that a trial that was interrupted after its worker had
    ended is finished from its snapshots and not run again.
    """

    session: Session
    start_tree: str
    final_tree: str
    tampered: tuple[str, ...]
    gate_crashes: int


@dataclass(frozen=True)
class WriterOutcome:
    """What the test writer left; absent where the config has no gate 1."""

    ok: bool
    cost_usd: float | None
    tests_total: int | None
    fail_final: int | None
    """Acceptance tests failing at the end; ``None`` where they did not run."""


@dataclass(frozen=True)
class Evidence:
    """Everything a score is derived from."""

    identity: Identity
    session: Session
    stops: Sequence[StopRecord]
    final: Verdict | None
    suite: SuiteRun | None
    writer: WriterOutcome | None
    gated: bool
    tampered: tuple[str, ...] = ()
    gate_crashes: int = 0
    shadow_usd: float | None = None
    """What shadow gates cost; ``None`` without any, or where a part is unknown."""
