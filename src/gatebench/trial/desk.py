"""What is remembered, paid and filed while a gate looks at one stored snapshot."""

import hashlib
from collections import Counter
from dataclasses import dataclass, field

from gatebench.errors import HarnessFault
from gatebench.gateway import RULES, verdict
from gatebench.model.replay import Kept
from gatebench.model.usage import Call
from gatebench.store.replay_dir import Shelf
from gatebench.trial.sites import Ledger


class LostCall(HarnessFault):
    """The way to the model broke: nothing was learned about the gate."""

    status = "lost_call"


@dataclass
class Desk:
    """What a gate has beside the snapshot: where it writes, whom it asked, what is remembered."""

    write_to: Shelf | None
    """``None`` where what it files is there already."""
    memory: "KeptCalls"
    ledger: Ledger

    def write(self, name: str, content: str | bytes) -> None:
        """File one piece of evidence where the gate is now."""
        if self.write_to is not None:
            self.write_to.write(name, content)


@dataclass
class Till:
    """What an onlooker has paid and asked so far; kept answers cost nothing."""

    spent_usd: float = 0.0
    """Known dollars."""
    calls: Counter[str] = field(default_factory=Counter)
    """Requests by role."""


@dataclass
class KeptCalls:
    """The calls about one state at one time, answered from the disk where they were made before."""

    shelf: Shelf
    ledger: Ledger
    till: Till
    team: str
    """Who answers, where a script does: another team's answer is none."""
    used_usd: list[float | None] = field(default_factory=list)
    """Dollars of every call that was asked for, new and kept."""

    def recall(self, key: str) -> Kept | None:
        """The answer that is kept."""
        kept = self.shelf.load(self._name(key), Kept)
        if kept is not None:
            self.used_usd.append(kept.cost_usd)
        return kept

    def keep(self, key: str, call: Kept) -> None:
        """Keep an answer; not where the way to the model broke, for that is no answer."""
        self.used_usd.append(call.cost_usd)
        self.till.spent_usd += call.cost_usd or 0.0
        role = key.rpartition("-")[0]
        if not lost([c for c in self.ledger.calls if c.role.value == role]):
            self.shelf.save(self._name(key), call)

    def _name(self, key: str) -> str:
        digest = hashlib.sha256(f"{key} {self.team}".encode()).hexdigest()[:16]
        return f"{key.rpartition('-')[0]}-{digest}.json"


def lost(calls: list[Call]) -> str:
    """Why a site's calls came to nothing through no fault of the gate; empty where they didn't."""
    by_site: dict[str, list[Call]] = {}
    for call in calls:
        by_site.setdefault(call.site, []).append(call)
    for mine in by_site.values():
        fault = verdict(mine)
        if fault is not None and not RULES[fault].valid:
            return RULES[fault].says
    return ""
