"""A real trial's blocks, looked into afterwards: the acceptance tests on trees of known truth."""

import shutil
from pathlib import Path

import anyio
import pytest
from front import Front, Job, run_job

from gatebench.model.labels import blocking_gate
from gatebench.model.matrix import Choice
from gatebench.model.reasons import Reason, Triage, reason_of
from gatebench.store.job_dir import JobDir
from gatebench.store.reading import load_job
from gatebench.store.trial_dir import TrialDir
from gatebench.trial.bench import Means, open_bench
from gatebench.trial.triage import Triagist
