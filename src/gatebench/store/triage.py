"""``triage-<n>.json``: what a stop's complaints are about, filed after the trial."""

from pydantic import ValidationError

from gatebench.errors import StoreError
from gatebench.model.reasons import Triage
from gatebench.store.trial_dir import TrialDir


def triage_name(n: int) -> str:
    """The file of the n-th stop."""
    return f"triage-{n}.json"


def read_triage(home: TrialDir) -> tuple[Triage, ...]:
    """Every triage of a trial, by stop; empty where none was made.

    Raises:
        StoreError: a file that isn't one.
    """
    found = []
    for path in home.path.glob("triage-*.json"):
        try:
            found.append(Triage.model_validate_json(path.read_bytes()))
        except (OSError, ValidationError) as error:
            raise StoreError(
                f"{path} can't be read as a triage ({type(error).__name__}).",
                "Delete it; it is made again by running the job's command again.",
            ) from error
    return tuple(sorted(found, key=lambda t: t.n))
