"""An agent without a model: takes the flags, writes the stream, obeys the Stop hook.

Standard library only; runs as a file of its own. It stops at once and goes on stopping while it
is sent back. Two things make it do more, both by flags that come before the usual ones:

``--overlay DIR``   copied over the working directory first, where it exists
``--script FILE``   Python, where it exists: ``start(cwd)`` is called before the first stop,
                    ``before_stop(n)`` before each, ``after_block(n, reason)`` when it was sent
                    back, ``end()`` after the result; each optional; ``emit(**message)`` writes
                    a message to the stream
"""

import argparse
import json
import os
import runpy
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

VERSION = "stub 1"
SESSION = str(uuid.uuid4())
MODEL = "none"


def emit(**message: Any) -> None:
    """Write one message to the stream."""
    message.update(session_id=SESSION, uuid=str(uuid.uuid4()))
    os.write(1, json.dumps(message).encode() + b"\n")


def say(text: str) -> None:
    """Write one model turn."""
    words = [{"type": "text", "text": text}]
    emit(type="assistant", message={"role": "assistant", "model": MODEL, "content": words})


def hear(text: str) -> None:
    """Write what the user's side says."""
    words = [{"type": "text", "text": text}]
    emit(type="user", message={"role": "user", "content": words}, isSynthetic=True)


def stop_hooks(path: str | None) -> list[tuple[str, float]]:
    """The Stop hooks of a settings file: command and time limit in seconds."""
    if not path:
        return []
    groups = json.loads(Path(path).read_text("utf-8")).get("hooks", {}).get("Stop", [])
    return [(h["command"], h.get("timeout", 600)) for g in groups for h in g["hooks"]]


def run_hook(command: str, limit_s: float, asked: bytes) -> dict[str, Any]:
    """Run one hook through the shell, and tell of it as a `hook_response` does."""
    process = subprocess.Popen(  # noqa: S602  # as the CLI runs hooks
        command,
        shell=True,  # as the CLI runs hooks
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, err = process.communicate(asked, limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        return {"stdout": "", "stderr": "", "exit_code": 1, "outcome": "cancelled"}
    code = process.returncode
    return {
        "stdout": out.decode(errors="replace"),
        "stderr": err.decode(errors="replace"),
        "exit_code": code if code >= 0 else 1,
        "outcome": "success" if code == 0 else "error",
    }


def ask(command: str, limit_s: float, *, again: bool) -> str | None:
    """Ask one hook. Returns its reason where it blocks."""
    same = {"hook_id": str(uuid.uuid4()), "hook_name": "Stop", "hook_event": "Stop"}
    emit(type="system", subtype="hook_started", **same)
    asked = {
        "session_id": SESSION,
        "cwd": str(Path.cwd()),
        "hook_event_name": "Stop",
        "stop_hook_active": again,
        "last_assistant_message": "Done.",
    }
    told = run_hook(command, limit_s, json.dumps(asked).encode())
    emit(type="system", subtype="hook_response", **told, **same)
    return reason_of(told["stdout"]) if told["exit_code"] == 0 else None


def reason_of(answer: str) -> str | None:
    """The reason in a hook's answer, where it blocks."""
    try:
        said = json.loads(answer)
    except ValueError:
        return None
    blocks = isinstance(said, dict) and said.get("decision") == "block"
    return str(said.get("reason", "")) if blocks else None


def close(turns: int, started: float, subtype: str) -> None:
    """Write the closing message."""
    well = subtype == "success"
    emit(
        type="result",
        subtype=subtype,
        is_error=not well,
        num_turns=turns,
        result="Done." if well else None,
        total_cost_usd=0.0,
        usage={"input_tokens": 0, "output_tokens": 0},
        modelUsage={},
        permission_denials=[],
        terminal_reason="completed" if well else "max_turns",
        duration_ms=int((time.monotonic() - started) * 1000),
    )


class Script:
    """What a scripted stub does beyond stopping."""

    def __init__(self, file: str) -> None:
        self._names = runpy.run_path(file, {"emit": emit}) if Path(file).is_file() else {}

    def call(self, name: str, *args: Any) -> None:
        """Call one of its functions, where it has it."""
        function: Callable[..., object] | None = self._names.get(name)
        if function is not None:
            function(*args)


def work(settings: str | None, max_turns: int, script: Script) -> int:
    """Live one session. Returns the exit code."""
    started, hooks = time.monotonic(), stop_hooks(settings)
    emit(type="system", subtype="init", cwd=str(Path.cwd()), model=MODEL, tools=[])
    script.call("start", str(Path.cwd()))
    turns = 0
    while True:
        turns += 1
        say("Done.")
        script.call("before_stop", turns)
        reasons = [r for r in (ask(*hook, again=turns > 1) for hook in hooks) if r is not None]
        if not reasons:
            subtype = "success"
            break
        hear("Stop hook feedback:\n" + "\n".join(reasons))
        if turns >= max_turns:
            subtype = "error_max_turns"
            break
        script.call("after_block", turns, "\n".join(reasons))
    close(turns, started, subtype)
    script.call("end")
    return 0 if subtype == "success" else 1


def main() -> int:
    """Read the flags that matter; the others are taken and ignored."""
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("--version", action="store_true")
    parser.add_argument("--settings")
    parser.add_argument("--max-turns", type=int, default=60)
    parser.add_argument("--overlay", default="")
    parser.add_argument("--script", default="")
    parser.add_argument("-p")
    args, _ = parser.parse_known_args()
    if args.version:
        sys.stdout.write(VERSION + "\n")
        return 0
    if args.overlay and Path(args.overlay).is_dir():
        shutil.copytree(args.overlay, ".", dirs_exist_ok=True, symlinks=True)
    return work(args.settings, args.max_turns, Script(args.script))


if __name__ == "__main__":
    sys.exit(main())
