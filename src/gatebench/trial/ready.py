"""Look at everything that can be wrong with the words of a matrix, before anything is written."""

from collections.abc import Iterable
from dataclasses import replace

from gatebench.errors import UnknownName, UsageError
from gatebench.gates.files import files_digest, files_in
from gatebench.gates.registry import make_gate
from gatebench.model.task import Task
from gatebench.model.trial import Config, TrialId
from gatebench.trial.bench import Bench, material_missing
from gatebench.trial.gates import ground_of
from gatebench.trial.sites import Ledger, Sites


def check_ready(bench: Bench, tasks: Iterable[str], configs: Iterable[Config]) -> None:
    """Read every profile, make every gate once, look for every task's material.

    Raises:
        UsageError: a profile or a gate's settings that won't do.
        SuiteError: the simulated team knows nothing about a task.
    """
    wanted = [bench.suite.task(name) for name in tasks]
    for task in wanted:
        if bench.choice.scripted and bench.hidden.material(task.id) is None:
            raise material_missing(task.id)
    for config in configs:
        bench.profile(config.profile)
        _check_gates(bench, wanted[0], config)


def config_digests(bench: Bench, configs: Iterable[Config]) -> dict[str, str]:
    """Digests of the profiles and files that single configs name."""
    found = {}
    for config in configs:
        if config.profile is not None:
            found[f"config.{config.name}.profile"] = bench.profile_digest(config.profile)
        for gate, settings in config.settings.items():
            files = files_in(settings)
            if files:
                found[f"config.{config.name}.files.{gate}"] = files_digest(files)
    return found


def _check_twice(config: Config) -> None:
    """Results of a trial are told apart by the gates' names.

    Raises:
        UsageError: two have the same.
    """
    names = config.all_gates
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(
            f"the config '{config.name}' has the gate '{twice}' twice.",
            f"Give one of them a name of its own: '{twice}:second'.",
        )


def _check_gates(bench: Bench, task: Task, config: Config) -> None:
    for name in config.settings:
        if name not in config.all_gates:
            raise UnknownName(f"gate in the settings of '{config.name}'", name, config.all_gates)
    _check_twice(config)
    sites = Sites(bench, TrialId(task.id, config.name, 1), config, Ledger(lambda _call: None))
    ground = ground_of(bench, task, sites)
    for name in config.all_gates:
        make_gate(name, replace(ground, settings=config.settings.get(name, {})))
