"""A trial's session as a trajectory: ATIF-v1.8, Harbor's Agent Trajectory Interchange Format.

The prompt is the first step; each of the model's messages is an ``agent`` step with its tool calls
and what they gave; each stop is a ``system`` step that says what was decided, and what was true.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gatebench.model.labels import label
from gatebench.model.stop import StopRecord
from gatebench.report.export_data import Source

VERSION = "ATIF-v1.8"
Json = dict[str, Any]


def to_atif(source: Source) -> Json:
    """The trajectory of one trial."""
    steps = list(_numbered(source))
    score = source.data.score
    return {
        "schema_version": VERSION,
        "session_id": source.name,
        "trajectory_id": source.name,
        "agent": {
            "name": score.agent if score else "unknown",
            "version": (score.agent_version if score else None) or "unknown",
            **({"model_name": score.model} if score and score.model else {}),
        },
        "steps": steps,
        "final_metrics": _final(source, len(steps)),
        "extra": {
            "simulated": score.simulated if score else None,
            "status": score.status if score else None,
            "hidden_pass": score.hidden_pass if score else None,
            "hidden_fail": score.hidden_fail if score else None,
        },
    }


def _numbered(source: Source) -> Iterator[Json]:
    for number, step in enumerate(_Steps(source).all(), start=1):
        yield {"step_id": number, **step}


class _Steps:
    """Reads a stream event by event."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._stops = list(source.data.stops)
        self._steps: list[Json] = [{"source": "user", "message": source.text("prompt.txt")}]
        self._by_message: dict[str, Json] = {}
        self._by_call: dict[str, Json] = {}

    def all(self) -> list[Json]:
        """The steps in order."""
        readers = {"assistant": self._assistant, "user": self._user, "system": self._system}
        for event in self._source.stream():
            reader = readers.get(str(event.get("type")))
            if reader:
                reader(event)
        return self._steps

    def _assistant(self, event: Mapping[str, Any]) -> None:
        """One content block of a message; all blocks of one message are one step."""
        message = _mapping(event.get("message"))
        step = self._by_message.get(str(message.get("id")))
        if step is None:
            step = {"source": "agent", "message": "", **_when(event), **_metrics(message)}
            self._by_message[str(message.get("id"))] = step
            self._steps.append(step)
        for block in _blocks(message):
            self._block(step, block)

    def _block(self, step: Json, block: Mapping[str, Any]) -> None:
        kind = block.get("type")
        if kind == "text":
            step["message"] = _joined(step["message"], str(block.get("text", "")))
        elif kind == "thinking":
            told = _joined(step.get("reasoning_content", ""), str(block.get("thinking", "")))
            step["reasoning_content"] = told
        elif kind == "tool_use":
            call: Json = {
                "tool_call_id": str(block.get("id")),
                "function_name": str(block.get("name")),
                "arguments": dict(_mapping(block.get("input"))),
            }
            step.setdefault("tool_calls", []).append(call)
            self._by_call[call["tool_call_id"]] = step

    def _user(self, event: Mapping[str, Any]) -> None:
        """Results of tools; the hook's feedback stands in the stop's own step."""
        for block in _blocks(_mapping(event.get("message"))):
            step = self._by_call.get(str(block.get("tool_use_id")))
            if block.get("type") == "tool_result" and step is not None:
                result: Json = {
                    "source_call_id": str(block.get("tool_use_id")),
                    "content": _text(block.get("content")),
                }
                if block.get("is_error"):
                    result["extra"] = {"is_error": True}
                step.setdefault("observation", {"results": []})["results"].append(result)

    def _system(self, event: Mapping[str, Any]) -> None:
        is_stop = event.get("subtype") == "hook_started" and event.get("hook_event") == "Stop"
        if is_stop and self._stops:
            self._steps.append(_stop(self._stops.pop(0)))


def _stop(stop: StopRecord) -> Json:
    kind, hidden = label(stop), stop.hidden
    decision = stop.decision.value if stop.decision else "undecided"
    return {
        "source": "system",
        "message": _joined(f"Stop {stop.n}: {decision}.", stop.reason or ""),
        "extra": {
            "stop": stop.n,
            "gates": {g.name: g.status.value for g in stop.gates},
            "label": kind.value if kind else None,
            "failed_reqs": list(hidden.failed_reqs) if hidden else None,
        },
    }


def _metrics(message: Mapping[str, Any]) -> Json:
    """Tokens in; the stream tells none of those out until the session's end."""
    usage = _mapping(message.get("usage"))
    parts = [
        usage.get(k)
        for k in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    ]
    known = [part for part in parts if isinstance(part, int)]
    if not known:
        return {}
    cached = usage.get("cache_read_input_tokens")
    told = {"cached_tokens": cached} if isinstance(cached, int) else {}
    return {"metrics": {"prompt_tokens": sum(known), **told}}


def _final(source: Source, steps: int) -> Json:
    worker = source.data.score.cost_worker_usd if source.data.score else None
    last = next((e for e in source.stream() if e.get("type") == "result"), {})
    usage = _mapping(last.get("usage"))
    names = {
        "total_completion_tokens": "output_tokens",
        "total_cached_tokens": "cache_read_input_tokens",
    }
    told = {key: usage[name] for key, name in names.items() if isinstance(usage.get(name), int)}
    cost = {} if worker is None else {"total_cost_usd": worker}
    return {**told, **cost, "total_steps": steps}


def _when(event: Mapping[str, Any]) -> Json:
    stamp = event.get("timestamp")
    return {"timestamp": stamp} if isinstance(stamp, str) else {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content")
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(p.get("text", "")) for p in parts if isinstance(p, dict))


def _joined(one: str, two: str) -> str:
    return "\n".join(part for part in (one, two) if part)
