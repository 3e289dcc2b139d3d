"""The loopback Messages API that every model call of every role goes through.

`Gateway` serves it, a `SiteSpec` opens one role's door, and behind the door stands an `Engine` that
makes whole messages (`ScriptedEngine`, the simulated team) or a `Relay` that passes bytes on:
`Live.engine` (a provider), `Recording` (that, recorded), `Playback` (the recording).
"""

from gatebench.gateway.budget import Limits, Wallet
from gatebench.gateway.cassette import Cassettes
from gatebench.gateway.errors import Refusal
from gatebench.gateway.faults import RULES, Fault, verdict
from gatebench.gateway.fingerprint import digest, shown
from gatebench.gateway.ledger import Accounts, account, cost_usd, spent_usd
from gatebench.gateway.live import Live, LiveEngine
from gatebench.gateway.patience import Patience
from gatebench.gateway.playback import Choice, Playback
from gatebench.gateway.prices import is_priced, same_model
from gatebench.gateway.recording import Recording
from gatebench.gateway.routes import Hooks, Route, routes
from gatebench.gateway.scripted import ScriptedEngine
from gatebench.gateway.secret import Credential, Secret
from gatebench.gateway.server import Gateway
from gatebench.gateway.site import Engine, Message, Relay, Request, Site, SiteSpec
from gatebench.gateway.upstream import ANTHROPIC, Upstream
from gatebench.gateway.ways import Terms, Ways, open_ways

__all__ = [
    "ANTHROPIC",
    "RULES",
    "Accounts",
    "Cassettes",
    "Choice",
    "Credential",
    "Engine",
    "Fault",
    "Gateway",
    "Hooks",
    "Limits",
    "Live",
    "LiveEngine",
    "Message",
    "Patience",
    "Playback",
    "Recording",
    "Refusal",
    "Relay",
    "Request",
    "Route",
    "ScriptedEngine",
    "Secret",
    "Site",
    "SiteSpec",
    "Terms",
    "Upstream",
    "Wallet",
    "Ways",
    "account",
    "cost_usd",
    "digest",
    "is_priced",
    "open_ways",
    "routes",
    "same_model",
    "shown",
    "spent_usd",
    "verdict",
]
