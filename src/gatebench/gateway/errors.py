"""Errors in the provider's own form, so that a client treats them as the provider's."""

import json
from typing import Any

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


class Refusal(Exception):  # noqa: N818  # it is an answer, given to the client, not a fault
    """A request that isn't answered with a message.

    Args:
        status: the HTTP status.
        message: for the client; names nothing of the host.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

    def body(self) -> dict[str, Any]:
        """The JSON that the client gets."""
        return error_body(self.status, self.message)

    def text(self) -> bytes:
        """The same, as it is sent."""
        return json.dumps(self.body()).encode()


def error_body(status: int, message: str) -> dict[str, Any]:
    """The provider's error object for an HTTP status."""
    kind = _TYPES.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}
