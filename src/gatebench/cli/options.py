"""Flags of ``run`` that concern real models."""

from enum import StrEnum
from typing import Annotated

import typer

_KEY = "an environment variable's name or a file; after 'bearer:' it goes as a bearer token."


class OnMismatch(StrEnum):
    """What to do when a request isn't the recorded one."""

    STOP = "stop"
    LIVE = "live"


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
        "--patience", min=0, help="Minutes to wait for a usage limit to lift; else stop.  [9]"
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
