"""What every record that reaches disk has in common."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict

SCHEMA = 1
"""Version of the records' shape; raised whenever a reader of the old one would misread."""


class Record(BaseModel):
    """A frozen record that reaches disk as JSON. Unknown is ``None``, never 0."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")


class Filed(Record):
    """A record that is a file, or a line of one, by itself: it names its schema."""

    schema_version: int = SCHEMA
    """Version of this record's shape, written as ``schema``."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        extra="forbid",
        serialize_by_alias=True,
        validate_by_name=True,
        alias_generator=lambda name: "schema" if name == "schema_version" else name,
    )
