"""What a trial left, as far as ``validate`` asks for it."""

import json

from gatebench.model.stop import StopRecord
from gatebench.store.trial_dir import TrialDir


def _stream(home: TrialDir) -> list[dict[str, object]]:
    lines = (home.path / "stream.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines if line.startswith(b"{")]


def feedbacks(home: TrialDir) -> int:
    """User messages in the stream that carry the hook's feedback."""
    said = [json.dumps(e) for e in _stream(home) if e.get("type") == "user"]
    return sum("Stop hook feedback:" in text for text in said)


def reason(stop: StopRecord | None) -> str:
    """What the agent was told at a stop; empty where there was none."""
    return (stop.reason or "") if stop else ""


def answers(home: TrialDir) -> list[object]:
    """What the hook printed, stop by stop."""
    return [
        e.get("stdout")
        for e in _stream(home)
        if e.get("subtype") == "hook_response" and e.get("hook_event") == "Stop"
    ]
