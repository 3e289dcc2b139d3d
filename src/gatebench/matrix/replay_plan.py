"""What a replay is to look at: which gates, on which states, how often; no bench is needed."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from gatebench import __version__
from gatebench.errors import JobMismatch, LookError, UnknownName, UsageError
from gatebench.gates.registry import gate_names
from gatebench.matrix.file import MatrixFile, resolve_config
from gatebench.model.matrix import Lock
from gatebench.model.replay import Arm, Kind, ReplayLock, Spec, spec_of
from gatebench.model.trial import READY_CONFIGS, Config, kind_of
from gatebench.store.job_dir import JobDir
from gatebench.store.replay_dir import LOOK, ReplayDir, replay_dir
from gatebench.trial.states import Subject, Wanted, planted_subjects, recorded_subjects

STATES: Mapping[str, Kind] = {"stops": Kind.STOP} | {
    kind.value: kind for kind in (Kind.REFERENCE, Kind.SECOND, Kind.LATTICE)
}
"""The names that ``--states`` takes."""
DECIDES = ("suite", "environment", "profile")
"""Digests that old and new looks must share with each other and with the job."""


@dataclass(frozen=True)
class Asked:
    """What the command line asks for."""

    gates: tuple[str, ...]
    states: tuple[str, ...]
    times: int
    file: MatrixFile | None = None
    """Configs may be named from it."""


@dataclass(frozen=True)
class Visit:
    """One subject at one time: every gate looks at every state of it, in order."""

    subject: Subject
    time: int

    def __hash__(self) -> int:
        return hash((self.subject.id, self.time))


@dataclass(frozen=True)
class Plan:
    """All that is to be looked at, in the order in which it is begun."""

    lock: Lock
    arms: tuple[Arm, ...]
    visits: tuple[Visit, ...]

    @property
    def specs(self) -> tuple[Spec, ...]:
        """Every gate, each once."""
        return tuple({spec.id: spec for arm in self.arms for spec in arm.specs}.values())

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        """Every state, each once."""
        return tuple({w.id: w for v in self.visits for w in v.subject.wanted}.values())

    def looks(self) -> Iterator[tuple[Visit, Spec, Wanted]]:
        """Every look."""
        for visit in self.visits:
            for spec in self.specs:
                for wanted in visit.subject.wanted:
                    yield visit, spec, wanted


def make_plan(job: JobDir, asked: Asked) -> Plan:
    """Look the names up and gather the states.

    Raises:
        UnknownName: a gate, config or kind of state that isn't there.
        UsageError: a config without gates.
        LookError: the job has no such states.
    """
    lock = job.lock()
    if lock is None:
        raise JobMismatch(f"{job.path} has no lock.json.", "Give a job's directory.")
    for name in asked.states:
        if name not in STATES:
            raise UnknownName("kind of state", name, tuple(STATES))
    arms = tuple(_arm(name, lock, asked.file) for name in dict.fromkeys(asked.gates))
    subjects = _subjects(job, lock, {STATES[name] for name in asked.states})
    times = range(1, asked.times + 1)
    return Plan(lock, arms, tuple(Visit(s, time) for time in times for s in subjects))


def _subjects(job: JobDir, lock: Lock, kinds: Collection[Kind]) -> tuple[Subject, ...]:
    recorded: tuple[Subject, ...] = ()
    if Kind.STOP in kinds:
        recorded = recorded_subjects(job, lock)
        others = "Other states need none: --states reference,second,lattice."
        if not recorded:
            raise LookError(f"{job.path} has no finished trial with a snapshot.", others)
        if not (job.trees / "objects").is_dir():
            raise LookError(f"{job.path} has no snapshots: {job.trees.name} is gone.", others)
    return recorded + planted_subjects(lock, kinds)


def _arm(name: str, lock: Lock, file: MatrixFile | None) -> Arm:
    """A config of the file, of the job, a shipped one, or a gate by itself: the first that fits."""
    config = config_named(name, lock, file)
    if not config.gates:
        raise UsageError(f"'{name}' has no gates: there is nothing to ask.", "Leave it out.")
    specs = tuple(spec_of(config, gate, lock.matrix.choice) for gate in config.gates)
    return Arm(name=name, specs=specs, run_all=config.run_all)


def config_named(name: str, lock: Lock, file: MatrixFile | None) -> Config:
    """The config that a name stands for.

    Raises:
        UnknownName: there is none.
    """
    tables = file.configs if file else {}
    known = {
        **{gate: Config(name=_plain(gate), gates=(gate,)) for gate in gate_names()},
        **{config.name: config for config in READY_CONFIGS},
        **{config.name: config for config in lock.matrix.configs},
        **{own: resolve_config(own, table) for own, table in tables.items()},
    }
    if name not in known:
        raise UnknownName("config or gate", name, tuple(known))
    for gate in known[name].gates:
        if kind_of(gate) not in gate_names():
            raise UnknownName("gate", gate, gate_names())
    return known[name]


def _plain(gate: str) -> str:
    """A config's name that may stand in a trial's."""
    return gate.replace("-", "_")


def is_there(home: ReplayDir, visit: Visit, spec: Spec, state: str) -> bool:
    """Whether a look at a state has been made already."""
    return (home.look(state, spec.id, visit.time).path / LOOK).exists()


def missing(job: JobDir, plan: Plan) -> int:
    """Looks that are still to be made."""
    home = replay_dir(job)
    return sum(not is_there(home, visit, spec, w.id) for visit, spec, w in plan.looks())


def extended(old: ReplayLock | None, plan: Plan, digests: Mapping[str, str]) -> ReplayLock:
    """The lock that holds the arms of both.

    Raises:
        JobMismatch: the looks that are there were made by something else.
    """
    identity = {"seed": plan.lock.matrix.choice.seed, **digests}
    if old is None:
        return ReplayLock(product=__version__, identity=identity, arms=plan.arms)
    there = {arm.name: arm for arm in old.arms}
    changed = [
        f"{key}: was {old.identity.get(key)}, is {now}"
        for key, now in identity.items()
        if old.identity.get(key) != now
    ]
    changed += [f"config '{a.name}' was another" for a in plan.arms if there.get(a.name, a) != a]
    if changed:
        raise JobMismatch(
            f"the looks that are there can't stand in one table with new ones: "
            f"{'; '.join(changed)}.",
            "Nothing was changed. Move the job's replay directory away to begin anew.",
        )
    arms = tuple({**there, **{arm.name: arm for arm in plan.arms}}.values())
    return old.model_copy(update={"arms": arms})
