"""A stand-in for the command-line agent: runs the team's tool uses on files held in a dict."""

import itertools
from dataclasses import dataclass, field

from gatebench.team import Feedback, Reply, Said, Seat, ToolResult, ToolUse, View, reply
from gatebench.team.view import Block, Turn

CWD = "/home/dev/project"
TOOLS = frozenset({"Bash", "Edit", "Write", "Read", "Grep", "Glob"})
LIMIT = 30


@dataclass
class TypingAgent:
    """One session."""

    seat: Seat
    files: dict[str, str]
    tools: frozenset[str] = TOOLS
    turns: list[Turn] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    ids: "itertools.count[int]" = field(default_factory=itertools.count)

    def view(self) -> View:
        return View("please", tuple(self.turns), self.tools, CWD)

    def work(self) -> str:
        """Until the worker stops; its last words."""
        for _ in range(LIMIT):
            said = reply(self.seat, self.view())
            assert reply(self.seat, self.view()) == said, "a request sent twice, two answers"
            if not self.take(said):
                return str(getattr(said.blocks[-1], "text", ""))
        raise AssertionError("the worker goes round in circles")

    def take(self, said: Reply) -> bool:
        """Run what a reply asks for; whether it asked for anything."""
        self.replies.append(said)
        blocks = tuple(self._with_id(b) for b in said.blocks)
        self.turns.append(Said(blocks))
        uses = [b for b in blocks if isinstance(b, ToolUse)]
        self.turns.extend(self._result(use) for use in uses)
        return bool(uses)

    def block(self, reason: str) -> None:
        self.turns.append(Feedback(reason))

    def uses(self) -> list[str]:
        return [u.name for r in self.replies for u in r.blocks if isinstance(u, ToolUse)]

    def _with_id(self, block: Block) -> Block:
        if isinstance(block, ToolUse):
            return ToolUse(block.name, block.input, f"toolu_{next(self.ids)}")
        return block

    def _result(self, use: ToolUse) -> ToolResult:
        text, failed = self._run(use)
        return ToolResult(use.id, text, failed)

    def _run(self, use: ToolUse) -> tuple[str, bool]:
        path = str(use.input.get("file_path", "")).removeprefix(f"{CWD}/")
        if use.name == "Write":
            self.files[path] = use.input["content"]
        if use.name == "Read":
            lines = self.files.get(path, "").splitlines()
            return "\n".join(f"{n:6}\t{line}" for n, line in enumerate(lines, 1)), False
        return self._edit(path, use) if use.name == "Edit" else ("ok", False)

    def _edit(self, path: str, use: ToolUse) -> tuple[str, bool]:
        old = use.input["old_string"]
        if self.files.get(path, "").count(old) != 1:
            return "String to replace not found in file.", True
        self.files[path] = self.files[path].replace(old, use.input["new_string"])
        return "edited", False
