"""The program: finds the command's module, and turns what went wrong into an exit code."""

import datetime as dt
import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import typer

from gatebench import __version__
from gatebench.cli import place
from gatebench.errors import DiskFull, GateBenchError, UsageError
from gatebench.model.room import raise_if_full

COMMANDS = (
    "run",
    "show",
    "ls",
    "validate",
    "review",
    "writer",
    "rescore",
    "triage",
    "replay",
    "analyze",
    "simulate",
    "plan",
    "export",
    "doctor",
    "clean",
)
"""Each is a module of this room, whose ``main`` is the command."""

OK, LOOK, USAGE, BUG, INTERRUPTED = 0, 1, 2, 3, 130


def build(wanted: Sequence[str]) -> typer.Typer:
    """The program with the commands wanted; only their modules are imported.

    ``run`` must not wait for the libraries of ``analyze``.
    """
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_about)
    for name in wanted:
        app.command(name)(import_module(f"gatebench.cli.{name}").main)
    return app


def _about(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    """What does a quality gate before a coding agent catch, miss, block wrongly, break and cost?

    Start with 'gatebench run': the shipped experiment, simulated, no key needed.
    """
    if version:
        print(f"gate-bench {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the program; the exit code says who must act (docs/commands.md)."""
    first = sys.argv[1] if len(sys.argv) > 1 else ""
    if first == "--version":
        print(f"gate-bench {__version__}")
        return
    app = build([first] if first in COMMANDS else COMMANDS)
    try:
        app()
    except UsageError as error:
        _complain(error)
        sys.exit(USAGE)
    except GateBenchError as error:
        _complain(error)
        sys.exit(LOOK)
    except BrokenPipeError:
        sys.stdout = None  # the reader has gone: nothing more to say
        sys.exit(LOOK)
    except Exception as error:  # noqa: BLE001  # the outermost boundary
        _complain_if_full(error)
        print(f"gatebench: a bug of ours: {error!r}.", file=sys.stderr)
        print(f"Please report it with {_crash_log()}.", file=sys.stderr)
        sys.exit(BUG)


def _complain(error: GateBenchError) -> None:
    print(f"gatebench: {error.message}", file=sys.stderr)
    if error.hint:
        print(error.hint, file=sys.stderr)


def _complain_if_full(error: Exception) -> None:
    """No room is no bug of ours, wherever it is met."""
    try:
        raise_if_full(error)
    except DiskFull as full:
        _complain(full)
        sys.exit(LOOK)


def _crash_log() -> Path:
    """Write what a maintainer needs to know."""
    now = dt.datetime.now(dt.UTC)
    path = _crashes() / f"{now:%Y%m%dT%H%M%SZ}.log"
    path.write_text(
        f"gate-bench {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"{' '.join(sys.argv[1:])}\n\n{traceback.format_exc()}",
        encoding="utf-8",
    )
    return path


def _crashes() -> Path:
    """Where crash logs go; a place that can't be made must not hide the crash."""
    path = place.cache() / "crashes"
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="gatebench-crash-"))
    return path
