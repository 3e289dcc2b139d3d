"""The loopback Messages API that every model call of every role goes through.

`Gateway` serves it, a `SiteSpec` opens one role's door, an `Engine` stands behind the door:
`ScriptedEngine` for the simulated team.
"""

from gatebench.gateway.errors import Refusal
from gatebench.gateway.fingerprint import digest, shown
from gatebench.gateway.scripted import ScriptedEngine
from gatebench.gateway.server import Gateway
from gatebench.gateway.site import Engine, Message, Request, Site, SiteSpec

__all__ = [
    "Engine",
    "Gateway",
    "Message",
    "Refusal",
    "Request",
    "ScriptedEngine",
    "Site",
    "SiteSpec",
    "digest",
    "shown",
]
