"""The simulated team as a provider sees it: nothing but requests, whoever they come from.

Role and task are recognised from the request, so that a whole matrix can be run against it. The two
reviewers send the same request and so get the same answer.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gatebench.gateway import ScriptedEngine, Site, SiteSpec
from gatebench.model.seeds import derive
from gatebench.model.task import PromptVariant, Task
from gatebench.model.usage import Role
from gatebench.suites import Suite
from gatebench.suites.hidden import Hidden, load_hidden
from gatebench.team import Profile, Seat, load_profile


@dataclass(frozen=True)
class Team:
    """Answers for a suite's tasks; called with a request."""

    suite: Suite
    upstream: Path
    """The suite's library, as `fetch_upstream` gives it."""
    seed: int = 1
    profile_name: str = "mixed"

    async def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        engine = ScriptedEngine(self._seat(request))
        role = engine.seat.role
        return await engine.answer(Site(SiteSpec(role.value, role, engine), "t"), request)

    @cached_property
    def hidden(self) -> Hidden:
        return load_hidden(self.suite, self.upstream)

    @cached_property
    def profile(self) -> Profile:
        return load_profile(self.profile_name)

    def _seat(self, request: dict[str, Any]) -> Seat:
        shown = json.dumps(request.get("messages"), ensure_ascii=False)
        task, variant = self._task(shown)
        role = role_of(request)
        material = self.hidden.material(task.id)
        if material is None:
            raise LookupError(task.id)
        return Seat(
            role=role,
            seed=derive(self.seed, task.id),
            profile=self.profile,
            material=material,
            stated=task.stated(variant),
            guards=task.guards,
            covered=task.covered,
            stop=None if role in {Role.WORKER, Role.WRITER} else 1,
        )

    def _task(self, shown: str) -> tuple[Task, PromptVariant]:
        """The task whose words a request has; the first one for a request without any."""
        pairs = [(task, variant) for task in self.suite.tasks for variant in task.prompts]
        for task, variant in pairs:
            words = json.dumps(task.prompts[variant].strip(), ensure_ascii=False)[1:-1]
            if words in shown:
                return task, variant
        return pairs[0]


def role_of(request: dict[str, Any]) -> Role:
    """The role that a request's tools give away."""
    tools = {t.get("name"): t for t in request.get("tools") or []}
    schema = tools.get("StructuredOutput", {}).get("input_schema", {})
    wanted = set(schema.get("properties", {}))
    if "file" in wanted:
        return Role.WRITER
    if "rulings" in wanted:
        return Role.CHALLENGER
    return Role.REVIEWER_A if "approve" in wanted else Role.WORKER
