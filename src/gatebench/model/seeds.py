"""Random numbers that depend on nothing but what a trial is."""

import hashlib
import random

from gatebench.model.trial import TrialId


def derive(seed: int, *parts: object) -> int:
    """A 64-bit seed from the job's seed and the names of what it is for.

    The same on every machine and Python version (sha256 of the joined text).
    """
    text = "\x1f".join([str(seed), *map(str, parts)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def trial_seed(seed: int, trial: TrialId) -> int:
    """The seed of one trial; a tag doesn't change it."""
    return derive(seed, trial.task, trial.config, trial.rep)


def rng(seed: int, *parts: object) -> random.Random:
    """A generator for one decision, independent of all others."""
    return random.Random(derive(seed, *parts))  # noqa: S311  # simulation, not secrets
