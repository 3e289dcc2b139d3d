"""One trial, from an empty directory to its score: the steps in order.

Each step takes the `Run` and leaves in it what the next ones need; what a step finds broken becomes
the trial's status, and the steps after it that still make sense are run all the same: evidence is
kept whatever happens.
"""

import time
import traceback
from collections.abc import Awaitable, Callable

from gatebench.agents.alone import alone
from gatebench.errors import GateBenchError, HarnessFault
from gatebench.model.room import raise_if_full
from gatebench.model.score import Score
from gatebench.model.trial import Config, TrialId
from gatebench.trial.capture import capture, recall
from gatebench.trial.gates import ready_gates
from gatebench.trial.last_look import last_look
from gatebench.trial.prepare import prepare
from gatebench.trial.run import Job, Run, surroundings
from gatebench.trial.scoring import file_score
from gatebench.trial.work import work

Step = Callable[[Run], Awaitable[None]]

STEPS: tuple[Step, ...] = (prepare, ready_gates, work, capture, last_look)
"""What a trial does, in order; `file_score` comes after, whatever happened."""

STEPS_AGAIN: tuple[Step, ...] = (recall, last_look)
"""What is left of a trial that was interrupted after its session had been captured."""

__all__ = ["STEPS", "Job", "run_trial"]


async def run_trial(job: Job, trial: TrialId, config: Config) -> Score:
    """Run one trial and file its score.

    A fault of ours becomes the score's status; it is never raised and never the agent's.

    Raises:
        DiskFull: no room for what it leaves; after the agent's session was filed, the trial can be
            taken up again from there.
        LookError: something else that concerns every trial, a broken suite.
    """
    try:
        return await _run(job, trial, config)
    except Exception as error:
        raise_if_full(error)
        raise


async def _run(job: Job, trial: TrialId, config: Config) -> Score:
    home = job.home.trial(trial)
    steps = STEPS_AGAIN
    if home.session() is None:
        steps = STEPS
        home.begin_attempt()
    with alone():
        async with surroundings(job.bench) as around:
            run = Run.begin(job, home, config, around)
            for step in steps:
                if not await _took(step, run):
                    break
    return file_score(run)


async def _took(step: Step, run: Run) -> bool:
    """Take one step and note how long it took; a fault of ours ends the trial."""
    began = time.time()
    try:
        await step(run)
        run.log.raise_broken()
    except HarnessFault as fault:
        raise_if_full(fault)
        run.broke(fault.status, str(fault))
    except GateBenchError as error:
        raise_if_full(error)
        raise
    except Exception as error:  # noqa: BLE001  # the boundary: one trial's bug costs one trial
        raise_if_full(error)
        run.home.write("harness-error.txt", traceback.format_exc())
        run.broke("harness_error", f"a bug of ours: {error!r}; see harness-error.txt.")
    else:
        return True
    finally:
        run.spans[step.__name__] = (began, time.time())
    return False
