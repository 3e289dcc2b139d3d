"""Gates for tests: a real tree, a real sandbox, and roles played by a small program."""

import json
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import Any

from court import Court

from gatebench.agents.paths import AGENT, MODEL_SOCKET, PYTHON, SCRIPT
from gatebench.agents.program import AgentProgram
from gatebench.gates.base import Ground, StopView
from gatebench.model.task import PromptVariant
from gatebench.model.usage import Role
from gatebench.sandbox import Bind

ROLE_PLAYER = """\
import json, os, sys, time
prompt = sys.stdin.read()
name = os.environ["ANTHROPIC_BASE_URL"].rsplit("/", 1)[1]
script = json.load(open(sys.argv[1]))
do = script.get(name) or script.get(name.rsplit("-", 1)[0]) or {}
time.sleep(do.get("sleep", 0))
if "raw" in do:
    sys.stdout.write(do["raw"])
elif "echo" in do:
    sys.stdout.write(json.dumps({"prompt": prompt}))
else:
    if do.get("touch"):
        open(do["touch"], "w").write("touched")
    print(json.dumps({
        "type": "result", "subtype": "success", "is_error": False, "result": "done",
        "structured_output": do.get("answer"), "total_cost_usd": 0.25, "num_turns": 2,
        "modelUsage": {"m": {}},
    }))
sys.exit(do.get("exit", 0))
"""


@dataclass
class FakeDoor:
    base_url: str
    login: None = None
    clock: None = None


@dataclass
class FakeDoors:
    """Doors whose token says who is calling: ``<role>-<stop>-<retry>``."""

    opened: list[str] = field(default_factory=list)

    @contextmanager
    def open(self, role: Role, stop: int | None = None, retry: int = 0) -> Iterator[FakeDoor]:
        name = f"{role.value}-{stop or 0}-{retry}"
        self.opened.append(name)
        yield FakeDoor(f"http://localhost/{name}")

    def model(self, role: Role) -> str:
        return f"model-of-{role.value}"


@dataclass
class Stage:
    """A ground for one gate, and what the gate filed."""

    court: Court
    script: Mapping[str, Any] = field(default_factory=dict)
    """What each role does, by ``<role>-<stop>`` or ``<role>-<stop>-<retry>``."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    filed: dict[str, str] = field(default_factory=dict)
    doors: FakeDoors = field(default_factory=FakeDoors)

    def __post_init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="x"))
        self.place.chmod(0o755)
        weakref.finalize(self, rmtree, self.place, ignore_errors=True)
        (self.place / "player.py").write_text(ROLE_PLAYER)
        (self.place / "script.json").write_text(json.dumps(self.script))
        (self.place / "socket").touch()

    @property
    def ground(self) -> Ground:
        ground = self.court.ground
        task = ground.suite.task("T1")
        return Ground(
            suite=ground.suite,
            task=task,
            prompt=task.prompts[PromptVariant.TERSE],
            upstream=ground.upstream,
            start_tree=self.court.base,
            sandbox=self.court.sandbox,
            environment=ground.environment,
            trees=self.court.store,
            program=AgentProgram(
                name="player",
                binds=(
                    Bind(self.place / "player.py", AGENT),
                    Bind(self.place / "script.json", SCRIPT),
                ),
                argv=(PYTHON, "-I", AGENT, SCRIPT),
                version="1",
            ),
            doors=self.doors,
            model_socket=Bind(self.place / "socket", MODEL_SOCKET),
            write=self._write,
            settings=self.settings,
        )

    def _write(self, name: str, data: str | bytes) -> None:
        self.filed[name] = data if isinstance(data, str) else data.decode()


def stop(tree: str, n: int = 1, limit_s: float = 300.0) -> StopView:
    return StopView(n, tree, (), limit_s)
