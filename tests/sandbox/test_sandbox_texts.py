"""Output as bytes, capped, and as text that can be shown."""

from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebench.sandbox import DiskBounds, clean_text, watch_disk
from gatebench.sandbox.capture import Capture


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain\n\ttext", "plain\n\ttext"),
        (b"\x1b[1;31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07shown", "shown"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1b(Bx\x1b=y\x1bcz", "xyz"),
        (b"a\0b\x08c\x7fd", "abcd"),
        (b"caf\xe9", "caf\N{REPLACEMENT CHARACTER}"),
        (b"a\r\nb\rc", "a\nb\nc"),
        ("ab\N{RIGHT-TO-LEFT OVERRIDE}cd\N{POP DIRECTIONAL ISOLATE}".encode(), "abcd"),
        ("naïve ☃ é".encode(), "naïve ☃ é"),
        ("\x9b31mred\x85".encode(), "red"),
        (b"\x1b", ""),
        (b"\x1b[31", ""),
        (b"", ""),
    ],
)
def test_text_is_cleaned(data: bytes, text: str) -> None:
    assert clean_text(data) == text


def test_long_text_keeps_head_and_tail() -> None:
    text = clean_text(b"begin" + b"x" * 5000 + b"end", 100)
    assert len(text) == 100
    assert text.startswith("begin")
    assert text.endswith("end")
    assert "cut" in text


@given(st.binary(), st.none() | st.integers(0, 200))
def test_any_bytes_become_clean_text_within_the_limit(data: bytes, limit: int | None) -> None:
    text = clean_text(data, limit)
    assert limit is None or len(text) <= limit
    assert all(c in "\n\t" or c >= " " for c in text)
    text.encode()


@given(st.lists(st.binary(max_size=50)), st.integers(0, 60))
def test_a_capture_keeps_both_ends(parts: list[bytes], limit: int) -> None:
    capture = Capture(limit)
    for part in parts:
        capture.add(part)
    whole = b"".join(parts)
    kept = capture.value()
    if len(whole) <= limit:
        assert (kept, capture.cut) == (whole, False)
    else:
        half = limit // 2
        mark = b"\n[... %d bytes cut ...]\n" % (len(whole) - limit)
        head, tail = whole[: limit - half], whole[len(whole) - half :]
        assert (kept, capture.cut) == (head + mark + tail, True)


@pytest.mark.parametrize(
    ("bounds", "breach"),
    [(DiskBounds(bytes=50_000), "disk_bytes"), (DiskBounds(inodes=5), "disk_inodes")],
)
def test_a_full_disk_is_noticed(tmp_path: Path, bounds: DiskBounds, breach: str) -> None:
    async def main() -> str:
        with anyio.move_on_after(0.1):
            return await watch_disk((tmp_path,), bounds, 0.02)
        for name in range(10):
            (tmp_path / str(name)).write_bytes(b"x" * 10_000)
        with anyio.fail_after(5):
            return await watch_disk((tmp_path,), bounds, 0.02)

    assert anyio.run(main) == breach
