"""What real models may cost and where they are: flags over the matrix file."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from gatebench.cli import place
from gatebench.cli.asked import PLAYBACK, Asked, listed
from gatebench.errors import UsageError
from gatebench.gateway import (
    ANTHROPIC,
    Cassettes,
    Credential,
    Limits,
    Patience,
    Secret,
    Terms,
    Upstream,
)
from gatebench.matrix.file import MatrixFile
from gatebench.matrix.spent import spent_before
from gatebench.model.matrix import Choice
from gatebench.store.job_dir import JobDir
from gatebench.trial.bench import Upstreams

PAID = ("live", "record")
"""Ways to a model that cost money whatever else was said."""
CASSETTES = "cassettes"
"""In the directory of a recorded job."""
_BEARER = "bearer:"
_KEY_NAMES = (("ANTHROPIC_API_KEY", ""), ("ANTHROPIC_AUTH_TOKEN", _BEARER))


@dataclass(frozen=True)
class Spending:
    """Budgets, keys, patience; ``None`` where nothing was said."""

    max_cost: float | None = None
    max_cost_trial: float | None = None
    max_cost_role: dict[str, float] = field(default_factory=dict)
    patience: float | None = None
    """Minutes."""
    key: str | None = None
    """Names of environment variables or files; never a key."""
    reviewer_key: str | None = None
    writer_key: str | None = None
    expose_login: bool = False
    """Whether the user agreed that the agent may have their login."""
    go_on_live: bool = False
    """At a request that wasn't recorded."""

    def over(self, file: MatrixFile) -> "Spending":
        """The same, with what the file says where no flag does."""
        names = ("max_cost", "max_cost_trial", "patience", "key", "reviewer_key", "writer_key")
        unsaid = {n: getattr(file, n) for n in names if getattr(self, n) is None}
        roles = self.max_cost_role or file.max_cost_role
        return replace(self, **unsaid, max_cost_role=roles)

    @property
    def limits(self) -> Limits:
        """The budgets.

        Raises:
            UsageError: one that lets nothing through, or of no role.
        """
        return Limits(self.max_cost, self.max_cost_trial, self.max_cost_role)


def secrets_of(upstreams: Upstreams, choice: Choice) -> tuple[str, ...]:
    """What must not be found in anything that is stored."""
    named = (upstreams.worker, upstreams.reviewer, upstreams.writer)
    keys = (u.credential.secret.reveal() for u in named if u is not None and u.credential)
    login = place.login().secrets if choice.exposed else ()
    return (*place.secrets(), *keys, *login)


def dollars_by_role(text: str) -> dict[str, float]:
    """``worker=1,writer=0.2``, read.

    Raises:
        UsageError: it can't be.
    """
    pairs = [word.partition("=") for word in listed(text)]
    try:
        return {name.strip(): float(number) for name, _, number in pairs}
    except ValueError:
        raise UsageError(
            f"--max-cost-role '{text}' won't do.", "It looks like worker=1,reviewers=0.5."
        ) from None


def upstreams_of(choice: Choice, spending: Spending) -> Upstreams:
    """Where each role's calls go, each server with its own key.

    Raises:
        UsageError: a URL that won't do, or a key that isn't there.
    """
    url = choice.upstream or ANTHROPIC
    worker = Upstream(url, _credential(spending.key, "--key") or usual_key())
    return Upstreams(
        worker,
        _other(worker, choice.reviewer_upstream, spending.reviewer_key, "--reviewer-key"),
        _other(worker, choice.writer_upstream, spending.writer_key, "--writer-key"),
    )


def _other(worker: Upstream, url: str | None, key: str | None, flag: str) -> Upstream | None:
    """Another role's server; the worker's key goes to the worker's server and nowhere else."""
    credential = _credential(key, flag)
    if url is None and credential is None:
        return None
    there = Upstream(worker.url if url is None else url, credential)
    same = there.base == worker.base and credential is None
    return worker if same else there


def key_named(key: str | None) -> str:
    """Where the worker's key is, for people; empty where there is none."""
    usual = (name for name, _ in _KEY_NAMES if place.variable(name))
    return key or next(usual, "")


def usual_key() -> Credential | None:
    """The worker's key where the environment names it as usual."""
    for name, prefix in _KEY_NAMES:
        if place.variable(name):
            return _credential(prefix + name, "")
    return None


def _credential(where: str | None, flag: str) -> Credential | None:
    """The key in a variable or a file.

    Raises:
        UsageError: neither is there, or what is there is no key.
    """
    if not where:
        return None
    bearer, name = where.startswith(_BEARER), where.removeprefix(_BEARER)
    path = Path(name).expanduser()
    value = path.read_text(errors="replace") if path.is_file() else place.variable(name)
    if not value:
        # Somebody may have put the key itself there; it isn't said again.
        raise UsageError(
            f"what {flag} names is neither an environment variable that is set nor a file.",
            "Name the variable or the file that holds the key, never the key itself.",
        )
    return Credential(Secret(value), bearer=bearer)


def terms_of(asked: Asked, choice: Choice, home: JobDir, spending: Spending) -> Terms:
    """On what terms models are asked: recorded, played back, or neither.

    Raises:
        UsageError: a playback of nothing.
    """
    terms = Terms(
        limits=spending.limits, spent_usd=spent_before(home), patience=_patience(spending.patience)
    )
    if choice.via != PLAYBACK:
        record = Cassettes(home.path / CASSETTES) if choice.via == "record" else None
        return replace(terms, record=record)
    job = asked.words.job
    if job is None or not (job / CASSETTES).is_dir():
        raise UsageError(
            "--via playback needs a job that was recorded.",
            "Name it: gatebench run --via playback JOB.",
        )
    return replace(terms, play=Cassettes(job / CASSETTES), go_on_live=spending.go_on_live)


def recorded_with(asked: Asked) -> str:
    """The agent's version that a job to be played back was recorded with; for people."""
    lock = JobDir(asked.words.job).lock() if asked.words.job is not None else None
    return lock.digests.get("agent", "unknown") if lock else "unknown"


def _patience(minutes: float | None) -> Patience:
    usual = Patience()
    if minutes is None:
        return usual
    seconds = minutes * 60
    return replace(usual, pause_s=min(usual.pause_s, seconds), hold_s=seconds)
