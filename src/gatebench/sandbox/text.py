"""Any bytes as text that can be shown, stored and sent."""

import re

_OSC = re.compile(r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?")
_CSI = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?")
_ESC = re.compile(r"\x1b[ -/]*[0-~]?")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


def clean_text(data: bytes, limit: int | None = None) -> str:
    """Decode anything into text without control characters; never raises.

    Invalid UTF-8 is replaced; ANSI sequences, control characters (but newline and tab) and
    characters that turn the direction of writing are removed; CR LF and a lone CR become a
    newline.

    Args:
        data: any bytes.
        limit: most characters of the result, mark included; head and tail are kept.
    """
    text = data.decode("utf-8", "replace")
    for pattern in (_OSC, _CSI, _ESC):
        text = pattern.sub("", text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _cap(_CONTROL.sub("", text), limit)


def _cap(text: str, limit: int | None) -> str:
    """Keep head and tail, with a mark between them that says how much is gone."""
    if limit is None or len(text) <= limit:
        return text
    mark = f"\n[... {len(text) - limit} characters and more cut ...]\n"
    room = limit - len(mark)
    if room <= 0:
        return text[: max(limit, 0)]
    head = room // 2
    return text[:head] + mark + text[len(text) - (room - head) :]
