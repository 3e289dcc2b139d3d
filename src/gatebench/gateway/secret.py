"""The credential, in the one shape that can't be shown by accident."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from gatebench.errors import UsageError

_LEAST = 8
"""Characters that anything secret has; shorter ones would be found in every text."""


class Secret:
    """A key or token. Printing, formatting, comparing and pickling never give it away.

    Args:
        value: the text itself; surrounding space doesn't belong to it.

    Raises:
        UsageError: it is empty, too short to be one, or has characters that no header can carry.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        value = value.strip()
        if len(value) < _LEAST or not value.isascii() or not value.isprintable():
            raise UsageError(
                "the credential given is no key.",
                "Set ANTHROPIC_API_KEY to a whole key, or name a file that holds nothing else.",
            )
        self._value = value

    def reveal(self) -> str:
        """The text itself, for the one header that carries it."""
        return self._value

    def hide(self, text: str) -> str:
        """A text without the secret."""
        return text.replace(self._value, self.stars)

    @property
    def stars(self) -> str:
        """What stands in its place, as long as it."""
        return "*" * len(self._value)

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __reduce__(self) -> NoReturn:
        """Nothing that holds a secret is pickled."""
        raise TypeError("a secret can't be pickled")


@dataclass(frozen=True)
class Credential:
    """A secret and the header that it travels in."""

    secret: Secret
    bearer: bool = False
    """``authorization: Bearer …`` instead of ``x-api-key: …``."""

    def header(self) -> tuple[str, str]:
        """The header, secret included: for the request upstream and nothing else."""
        if self.bearer:
            return "authorization", f"Bearer {self.secret.reveal()}"
        return "x-api-key", self.secret.reveal()


class Hider:
    """Takes secrets out of whole texts."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        self._pairs = tuple((s.reveal().encode(), s.stars.encode()) for s in secrets)

    def clean(self, data: bytes) -> bytes:
        """The same bytes, as many of them, with stars where a secret was."""
        for value, stars in self._pairs:
            if value in data:
                data = data.replace(value, stars)
        return data

    def clean_text(self, text: str) -> str:
        """The same for text."""
        return self.clean(text.encode(errors="surrogateescape")).decode(errors="surrogateescape")

    @property
    def values(self) -> tuple[bytes, ...]:
        """The secrets, for one that has to find pieces of them."""
        return tuple(value for value, _ in self._pairs)
