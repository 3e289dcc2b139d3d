"""``gatebench export``: a job in other tools' formats."""

import importlib
import importlib.util
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from gatebench import __version__
from gatebench.cli.jobs import LATEST, find_job
from gatebench.errors import UnknownName, UsageError
from gatebench.model.job import JobData
from gatebench.report.export_atif import to_atif
from gatebench.report.export_ctrf import to_ctrf
from gatebench.report.export_data import Source, sources
from gatebench.report.export_sarif import to_sarif
from gatebench.report.export_tables import (
    STOP_COLUMNS,
    TRIAL_COLUMNS,
    Row,
    stop_rows,
    to_csv,
    trial_rows,
)
from gatebench.store.atomic import write_text
from gatebench.store.reading import load_job


@dataclass(frozen=True)
class Export:
    """What is exported, and where to."""

    data: JobData
    trials: tuple[Source, ...]
    out: Path

    def write(self, name: str, text: str) -> Path:
        """One file; its folder is made."""
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
        return path

    def tables(self) -> tuple[tuple[str, Sequence[str], Sequence[Row]], ...]:
        """(name, columns, rows)."""
        return (
            ("trials", TRIAL_COLUMNS, trial_rows(self.data)),
            ("stops", STOP_COLUMNS, stop_rows(self.data)),
        )


def main(
    job: Annotated[str, typer.Argument(help="A job by name or path.")] = LATEST,
    formats: Annotated[
        str,
        typer.Option("--format", help="Of csv, parquet, sarif, ctrf, atif; comma-separated."),
    ] = "csv,sarif,ctrf,atif",
    out: Annotated[
        Path | None, typer.Option(help="Where to.  [the job's own export folder]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the files' paths.")] = False,
) -> None:
    """Write stops and trials as tables, findings as SARIF, tests as CTRF, sessions as ATIF.

    Example: gatebench export latest --format csv,sarif
    """
    wanted = _wanted(formats)
    home = find_job(job)
    data = load_job(home)
    export = Export(data, sources(home, data), out or home.path / "export")
    written = [path for name in wanted for path in WRITERS[name](export)]
    if as_json:
        print(json.dumps([str(path) for path in written], indent=2))
        return
    if data.simulated:
        print("SIMULATED: a script played every role.")
    for name in wanted:
        print(f"{name:<8} {_count(name, export)}")
    print(f"Written: {export.out}/")


def _wanted(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(w.strip() for w in text.split(",") if w.strip()))
    for name in names:
        if name not in WRITERS:
            raise UnknownName("format", name, tuple(WRITERS))
    if not names:
        raise UsageError("no format named.", f"Known: {', '.join(WRITERS)}.")
    if "parquet" in names and importlib.util.find_spec("pyarrow") is None:
        raise UsageError(
            "Parquet needs pyarrow, which is not installed.",
            "'pip install pyarrow' adds it; csv holds the same rows.",
        )
    return names


def _count(name: str, export: Export) -> str:
    if name in {"csv", "parquet"}:
        return ", ".join(f"{len(rows)} {table}" for table, _, rows in export.tables())
    return f"{len(export.trials)} trials"


def _csv(export: Export) -> list[Path]:
    return [
        export.write(f"{name}.csv", to_csv(columns, rows))
        for name, columns, rows in export.tables()
    ]


def _parquet(export: Export) -> list[Path]:
    arrow: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    written = []
    for name, columns, rows in export.tables():
        path = export.out / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        table = arrow.table({c: [row.get(c) for row in rows] for c in columns})
        parquet.write_table(table, path)
        written.append(path)
    return written


def _sarif(export: Export) -> list[Path]:
    return [export.write("findings.sarif", _json(to_sarif(export.data, __version__)))]


def _ctrf(export: Export) -> list[Path]:
    return [
        export.write(f"ctrf/{s.name}.json", _json(to_ctrf(s, __version__))) for s in export.trials
    ]


def _atif(export: Export) -> list[Path]:
    return [export.write(f"atif/{s.name}.json", _json(to_atif(s))) for s in export.trials]


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


WRITERS: dict[str, Callable[[Export], list[Path]]] = {
    "csv": _csv,
    "parquet": _parquet,
    "sarif": _sarif,
    "ctrf": _ctrf,
    "atif": _atif,
}
