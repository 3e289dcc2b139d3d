"""A server that speaks the Messages API, and how requests to it and answers from it are dressed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from gatebench.errors import UsageError
from gatebench.gateway.patience import Patience
from gatebench.gateway.secret import Credential, Hider
from gatebench.gateway.site import Headers, Inbound
from gatebench.gateway.transport import Outgoing, Peer, Transport

ANTHROPIC = "https://api.anthropic.com"
"""Where requests go when nothing else is said."""

_NEVER_SENT = frozenset(
    (
        *("x-api-key", "authorization", "proxy-authorization", "cookie"),
        *("host", "content-length", "accept-encoding", "expect", "trailer"),
        *("connection", "keep-alive", "te", "transfer-encoding", "upgrade", "proxy-connection"),
    )
)
"""The agent's own credentials, and what belongs to its connection with us."""
_PASSED_BACK = frozenset(
    (
        *("content-type", "content-encoding", "content-length", "cache-control", "request-id"),
        *("retry-after", "retry-after-ms", "x-should-retry", "anthropic-version"),
    )
)
_PASSED_BACK_TOO = "anthropic-ratelimit-"


@dataclass(frozen=True)
class Upstream:
    """Where calls go.

    Raises:
        UsageError: the URL is none, or carries a user name, a password or a query.
    """

    url: str = ANTHROPIC
    """May have a path, which is kept: ``http://localhost:4000/anthropic``."""
    credential: Credential | None = None
    """``None`` for a server that asks for none."""
    peer: Peer = field(default_factory=Peer)
    """How it is reached."""

    def __post_init__(self) -> None:
        """Refuse what isn't a plain URL; never say what a user name or password was."""
        parts = urlsplit(self.url)
        if parts.username or parts.password or parts.query or parts.fragment:
            raise UsageError(
                "the upstream's URL carries more than a host and a path.",
                "Give the key in ANTHROPIC_API_KEY, and the URL like https://host/path.",
            )
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise UsageError(
                f"'{self.url}' is no URL of an upstream.", "It looks like https://host/path."
            )

    @property
    def base(self) -> str:
        """The URL without a slash at its end; also its name in records."""
        return self.url.rstrip("/")

    @property
    def hider(self) -> Hider:
        """Takes the credential out of what comes back."""
        return Hider(() if self.credential is None else (self.credential.secret,))

    def transport(self, patience: Patience) -> Transport:
        """A pool of connections; to be made in the event loop."""
        return Transport(self.peer, patience)

    def request(self, inbound: Inbound) -> Outgoing:
        """The request upstream: the agent's, with our credential in place of its own."""
        headers = [(k, v) for k, v in inbound.headers if k not in _NEVER_SENT]
        # Compressed bytes could neither be metered nor looked through for a key as they pass.
        headers.append(("accept-encoding", "identity"))
        if self.credential is not None and inbound.method == "POST":
            headers.append(self.credential.header())
        query = f"?{inbound.query}" if inbound.query else ""
        url = f"{self.base}{inbound.path}{query}"
        return Outgoing(inbound.method, url, tuple(headers), inbound.body)


def passed_back(headers: Mapping[str, str], hider: Hider) -> Headers:
    """The headers of an answer that the agent gets: none that names the account or its network."""
    return tuple(
        (name.lower(), hider.clean_text(value))
        for name, value in headers.items()
        if name.lower() in _PASSED_BACK or name.lower().startswith(_PASSED_BACK_TOO)
    )
