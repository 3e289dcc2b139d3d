"""A gate's own settings, read from its config."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from gatebench.errors import UsageError
from gatebench.model.base import Record

S = TypeVar("S", bound=Record)


def read_settings(kind: type[S], gate: str, given: Mapping[str, Any]) -> S:
    """The settings as a record.

    Raises:
        UsageError: a setting the gate doesn't know, or a value it can't take.
    """
    try:
        return kind.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"gate '{gate}': setting '{where}': {first['msg']}.",
            f"Known settings: {', '.join(kind.model_fields)}.",
        ) from None
