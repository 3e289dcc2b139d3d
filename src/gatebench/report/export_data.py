"""What an export reads of a trial, beyond what an analysis needs."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from gatebench.errors import StoreError
from gatebench.model.job import JobData, TrialData
from gatebench.model.verdict import Verdict
from gatebench.store.job_dir import JobDir
from gatebench.store.trial_dir import TrialDir


@dataclass(frozen=True)
class Source:
    """A trial and the files it left. Files that aren't there give nothing."""

    data: TrialData
    home: TrialDir

    @property
    def name(self) -> str:
        """``T1-g13-r1``."""
        return str(self.data.id)

    @cached_property
    def meta(self) -> Mapping[str, Any]:
        """``meta.json``."""
        return _object(self.text("meta.json"))

    @cached_property
    def result(self) -> Mapping[str, Any]:
        """``result.json``."""
        return _object(self.text("result.json"))

    def text(self, name: str) -> str:
        """A file's text; empty where there is none."""
        path = self.home.path / name
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""

    def stream(self) -> Iterator[Mapping[str, Any]]:
        """The events of ``stream.jsonl``; lines that aren't objects are left out."""
        for line in self.text("stream.jsonl").splitlines():
            event = _object(line)
            if event:
                yield event

    def verdicts(self) -> Iterator[tuple[str, Verdict]]:
        """(look, verdict): ``stop 1`` …, then ``end``.

        Raises:
            StoreError: a verdict that can't be read.
        """
        looks = [(f"stop {s.n}", f"hidden-{s.n}.json") for s in self.data.stops]
        for look, name in (*looks, ("end", "hidden-final.json")):
            text = self.text(name)
            if text:
                yield look, _verdict(text, f"{self.home.path}/{name}")


def _object(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _verdict(text: str, where: str) -> Verdict:
    try:
        return Verdict.model_validate_json(text)
    except ValidationError as error:
        raise StoreError(
            f"{where} can't be read as a verdict.", "'gatebench rescore' makes it again."
        ) from error


def sources(home: JobDir, data: JobData) -> tuple[Source, ...]:
    """The trials that have a score, in the matrix's order."""
    done = (t for t in data.trials if t.score is not None)
    return tuple(Source(t, home.trial(t.id)) for t in done)
