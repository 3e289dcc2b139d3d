"""Flags of ``run``: what each takes, and what its help says."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

_KEY = "an environment variable's name or a file; after 'bearer:' it goes as a bearer token."


class OnMismatch(StrEnum):
    """What to do when a request isn't the recorded one."""

    STOP = "stop"
    LIVE = "live"


class SandboxKind(StrEnum):
    """What the agent is shut in with."""

    AUTO = "auto"
    BWRAP = "bwrap"
    NONE = "none"


class ExecutorKind(StrEnum):
    """What runs the trials."""

    LOCAL = "local"
    RAY = "ray"


Target = Annotated[
    list[str] | None,
    typer.Argument(help="A suite, a matrix.toml, tasks (T1 T2 …), or a job to go on with."),
]
Tasks = Annotated[str, typer.Option(help="Tasks, comma-separated.")]
Configs = Annotated[str, typer.Option(help="Configs, comma-separated: bare,g1,g3,…")]
Reps = Annotated[int | None, typer.Option(min=1, help="Repetitions 1…N.  [2]")]
Lanes = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Trials at once.")]
Via = Annotated[str | None, typer.Option(help="Way to the model.  [scripted]")]
Model = Annotated[str | None, typer.Option(help="The worker's model; implies live.")]
ReviewerModel = Annotated[str | None, typer.Option(help="The reviewers' model.")]
WriterModel = Annotated[str | None, typer.Option(help="The test writer's model.")]
Agent = Annotated[str | None, typer.Option(help="claude-code, nop or reference.  [claude-code]")]
AgentBin = Annotated[Path | None, typer.Option(help="An executable that takes the CLI's flags.")]
Profile = Annotated[
    str | None,
    typer.Option(help="The simulated team's: mixed, perfect, refuser, hunter or a file."),
]
Seed = Annotated[int | None, typer.Option(help="Of the simulated team.  [1]")]
Prompt = Annotated[str | None, typer.Option(help="terse or explicit.  [terse]")]
Inject = Annotated[str | None, typer.Option(help="An injection of the suite, or a patch file.")]
GiveUp = Annotated[int | None, typer.Option(min=0, help="Blocks before a gate gives up.  [6]")]
Tag = Annotated[str, typer.Option(help="Marks the trials; they stay out of analysis.")]
Sandbox = Annotated[SandboxKind, typer.Option(help="auto is bwrap; none is no protection at all.")]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Judge and test every tree anew, equal ones too.")
]
Reuse = Annotated[
    str | None,
    typer.Option(help="Share results of equal trees across jobs: 'shared', or a directory."),
]
MaxWall = Annotated[
    float | None, typer.Option(min=0, help="Seconds; passed, no more trials are started.")
]
Executor = Annotated[
    ExecutorKind, typer.Option(help="ray runs trials on a cluster (docs/scaling.md).")
]
RayAddress = Annotated[
    str | None, typer.Option(help="The cluster's; without it Ray's own settings tell.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask before paying.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan, run nothing.")]
New = Annotated[bool, typer.Option("--new", help="A new job beside the old ones.")]
KeepOld = Annotated[
    bool,
    typer.Option("--keep-old", help="Go on under a changed lock; old trials stay, marked."),
]
Out = Annotated[Path | None, typer.Option(help="The job's directory.")]
UpstreamUrl = Annotated[
    str | None,
    typer.Option(help="A server that speaks the Messages API.  [https://api.anthropic.com]"),
]
ReviewerUpstream = Annotated[
    str | None, typer.Option(help="The reviewers' server.  [the worker's]")
]
WriterUpstream = Annotated[
    str | None, typer.Option(help="The test writer's server.  [the worker's]")
]
Key = Annotated[str | None, typer.Option(help=f"The key: {_KEY}  [ANTHROPIC_API_KEY]")]
ReviewerKey = Annotated[str | None, typer.Option(help=f"For the reviewers' server: {_KEY}")]
WriterKey = Annotated[str | None, typer.Option(help=f"For the test writer's server: {_KEY}")]
MaxCost = Annotated[
    float | None,
    typer.Option(min=0, help="Dollars for the job; reached, no more trials are started."),
]
MaxCostTrial = Annotated[float | None, typer.Option(min=0, help="Dollars for each trial.")]
MaxCostRole = Annotated[
    str, typer.Option(help="Dollars in each trial by role: worker=1,reviewers=0.5,writer=0.2.")
]
PatienceMinutes = Annotated[
    float | None,
    typer.Option(
        "--patience",
        min=0,
        help="Minutes to wait for a usage limit to lift, or for a full disk; else stop.  [9]",
    ),
]
Mismatch = Annotated[
    OnMismatch,
    typer.Option(help="Playback: at a request that wasn't recorded, stop or go on live."),
]
ExposeLogin = Annotated[
    bool,
    typer.Option("--expose-login", help="With --via direct: yes, the agent may have my login."),
]
Rehearsal = Annotated[
    bool,
    typer.Option("--rehearsal", help="The upstream is a script: mark everything simulated."),
]
