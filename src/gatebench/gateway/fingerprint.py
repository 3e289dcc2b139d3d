"""Comparing model requests: what the model is shown, without what only names the session."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from gatebench.gateway.site import Request

_BILLING = "x-anthropic-billing-header:"


def shown(request: Request) -> dict[str, Any]:
    """A request without its metadata (session and device ids, the billing line)."""
    kept = {name: value for name, value in request.items() if name != "metadata"}
    system = kept.get("system")
    if isinstance(system, list):
        kept["system"] = [block for block in system if not _is_billing(block)]
    return kept


def digest(request: Request) -> str:
    """A digest (sha256, hex) of what a request shows the model."""
    return hashlib.sha256(json.dumps(shown(request), sort_keys=True).encode()).hexdigest()


def _is_billing(block: Any) -> bool:
    return isinstance(block, Mapping) and str(block.get("text", "")).startswith(_BILLING)
