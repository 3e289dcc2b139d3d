"""Every error that gate-bench raises on purpose.

The tree::

    GateBenchError               base; carries the sentence, and what to do next
    ├── UsageError               the user asked for something that isn't there (exit 2)
    │   ├── UnknownName          no such task, config, profile, agent, gate, …
    │   └── MatrixError          a matrix.toml that can't be read as one
    ├── LookError                something the user must look at (exit 1)
    │   ├── SuiteError           a suite that is broken: names file, field and remedy
    │   ├── JobMismatch          a job directory that belongs to another matrix
    │   ├── JobBusy              a job directory another invocation is using
    │   ├── AgentMissing         no usable agent executable
    │   ├── SandboxUnavailable   the kernel refuses what the sandbox needs
    │   ├── FetchError           upstream or its test environment can't be had
    │   └── StoreError           a record on disk that can't be read or written
    │       └── DiskFull         no room is left; `run` waits for it
    └── HarnessFault             a fault of ours during a trial; never scored as the agent's
        ├── SpawnFailed          a command could not be started
        ├── GateFault            a gate's own machinery failed
        └── OracleFault          the oracle's own machinery failed

The command line maps each branch to one exit code; a trial maps each leaf of
`HarnessFault` to one status. Anything else that escapes is a bug (exit 3).
"""


class GateBenchError(Exception):
    """Base of the tree.

    Args:
        message: what happened and where, one sentence.
        hint: what to do next, one sentence; empty where nothing sensible can be said.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(GateBenchError):
    """The user asked for something that isn't there, or in words we don't know."""


class UnknownName(UsageError):
    """No such task, config, profile, agent or gate.

    Args:
        kind: what was looked up, e.g. ``"task"``.
        name: the name that isn't there.
        known: the names that are.
    """

    def __init__(self, kind: str, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"unknown {kind} '{name}'.", f"Known: {', '.join(known) or 'none'}.")


class MatrixError(UsageError):
    """A matrix file that can't be read as one."""


class LookError(GateBenchError):
    """Something the user must look at before going on."""


class SuiteError(LookError):
    """A suite that is broken; the message names file and field, the hint the remedy."""


class JobMismatch(LookError):
    """A job directory that belongs to another matrix."""


class JobBusy(LookError):
    """A job directory that another invocation is using."""


class AgentMissing(LookError):
    """No usable agent executable."""


class SandboxUnavailable(LookError):
    """The kernel refuses what the sandbox needs."""


class FetchError(LookError):
    """Upstream, or its test environment, can't be had."""


class StoreError(LookError):
    """A record on disk that can't be read or written."""


class DiskFull(StoreError):
    """No room is left on a disk that we write to; it may come back."""


class HarnessFault(GateBenchError):
    """A fault of ours during a trial; never the agent's."""

    status = "harness_error"


class SpawnFailed(HarnessFault):
    """A command could not be started."""

    status = "spawn_failed"


class GateFault(HarnessFault):
    """A gate's own machinery failed."""

    status = "gate_error"


class OracleFault(HarnessFault):
    """The oracle's own machinery failed."""

    status = "oracle_error"
