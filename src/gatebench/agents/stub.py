#!/usr/bin/env python3
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

VERSION = "stub 1"
SESSION = str(uuid.uuid4())
MODEL = "none"


def emit(**message):
    """Write one message to the stream."""
    message.update(session_id=SESSION, uuid=str(uuid.uuid4()))
    os.write(1, json.dumps(message).encode() + b"\n")


def say(text):
    """Write one model turn."""
    block = {"type": "text", "text": text}
    emit(
        type="assistant",
        message={"role": "assistant", "model": MODEL, "content": [block]},
        parent_tool_use_id=None,
    )


def hear(text):
    """Write what the user's side says."""
    block = {"type": "text", "text": text}
    emit(type="user", message={"role": "user", "content": [block]}, isSynthetic=True)


def stop_hooks(path):
    """The Stop hooks of a settings file: (command, timeout in seconds) each."""
    if not path:
        return []
    with open(path, encoding="utf-8") as file:
        groups = json.load(file).get("hooks", {}).get("Stop", [])
    return [(h["command"], h.get("timeout", 600)) for g in groups for h in g["hooks"]]


def run_hook(command, timeout, asked):
    """Run one hook through the shell. Returns stdout, stderr, exit code and outcome."""
    process = subprocess.Popen(
        command,
        shell=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, err = process.communicate(json.dumps(asked).encode(), timeout)
        code, outcome = process.returncode, "success" if process.returncode == 0 else "error"
    except subprocess.TimeoutExpired:
        process.kill()
        out, err, code, outcome = b"", b"", 1, "cancelled"
    return out.decode(errors="replace"), err.decode(errors="replace"), code, outcome


def blocked_by(command, timeout, active):
    """Ask one hook. Returns its reason where it blocks, else None."""
    same = {"hook_id": str(uuid.uuid4()), "hook_name": "Stop", "hook_event": "Stop"}
    emit(type="system", subtype="hook_started", **same)
    asked = {
        "session_id": SESSION,
        "cwd": os.getcwd(),
        "hook_event_name": "Stop",
        "stop_hook_active": active,
        "last_assistant_message": "Done.",
    }
    out, err, code, outcome = run_hook(command, timeout, asked)
    told = {"stdout": out, "stderr": err, "exit_code": code if code >= 0 else 1}
    emit(type="system", subtype="hook_response", output=out, outcome=outcome, **told, **same)
    try:
        answer = json.loads(out) if code == 0 and out.strip() else {}
    except ValueError:
        answer = {}
    return answer.get("reason", "") if answer.get("decision") == "block" else None


def stop(hooks, active):
    """Try to stop. Returns the reasons for which it may not."""
    reasons = [blocked_by(command, timeout, active) for command, timeout in hooks]
    return "\n".join(r for r in reasons if r is not None) if any(
        r is not None for r in reasons
    ) else None


def result(turns, started, subtype):
    """Write the closing message."""
    bad = subtype != "success"
    emit(
        type="result",
        subtype=subtype,
        is_error=bad,
        num_turns=turns,
        result=None if bad else "Done.",
        total_cost_usd=0.0,
        usage={"input_tokens": 0, "output_tokens": 0},
        modelUsage={},
        permission_denials=[],
        terminal_reason="max_turns" if bad else "completed",
        duration_ms=int((time.monotonic() - started) * 1000),
    )


def work(args, script):
    """Live one session. Returns the exit code."""
    started = time.monotonic()
    hooks = stop_hooks(args.settings)
    emit(type="system", subtype="init", cwd=os.getcwd(), model=MODEL, tools=[])
    script.get("start", lambda cwd: None)(os.getcwd())
    n = 0
    while True:
        n += 1
        say("Done.")
        script.get("before_stop", lambda n: None)(n)
        reason = stop(hooks, n > 1)
        if reason is None:
            subtype = "success"
            break
        hear("Stop hook feedback:\n" + reason)
        if n >= args.max_turns:
            subtype = "error_max_turns"
            break
        script.get("after_block", lambda n, reason: None)(n, reason)
    result(n, started, subtype)
    script.get("end", lambda: None)()
    return 0 if subtype == "success" else 1


def main():
    """Read the flags that matter; the rest is taken and ignored."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--version", action="store_true")
    parser.add_argument("--settings")
    parser.add_argument("--max-turns", type=int, default=60)
    parser.add_argument("--overlay", default="")
    parser.add_argument("--script", default="")
    args, _ = parser.parse_known_args()
    if args.version:
        sys.stdout.write(VERSION + "\n")
        return 0
    if os.path.isdir(args.overlay):
        shutil.copytree(args.overlay, ".", dirs_exist_ok=True, symlinks=True)
    script = {}
    if os.path.isfile(args.script):
        script = runpy.run_path(args.script, init_globals={"emit": emit})
    return work(args, script)


if __name__ == "__main__":
    sys.exit(main())
