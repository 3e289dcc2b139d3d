"""The stream of an agent: typed where it can be read, kept where it can't."""

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gatebench.agents import stream
from gatebench.agents.stream import (
    Assistant,
    Broken,
    HookResponse,
    HookStarted,
    Init,
    Notice,
    Result,
    StreamParser,
    User,
    parse_line,
)


def parse(*pieces: bytes) -> list[stream.Event]:
    parser = StreamParser()
    return [e for piece in pieces for e in parser.feed(piece)] + parser.close()


def line(**raw: Any) -> bytes:
    return json.dumps(raw).encode() + b"\n"


def test_each_kind_of_message_is_told_apart() -> None:
    kinds = [
        (line(type="system", subtype="init"), Init),
        (line(type="assistant"), Assistant),
        (line(type="user"), User),
        (line(type="system", subtype="hook_started"), HookStarted),
        (line(type="system", subtype="hook_response"), HookResponse),
        (line(type="system", subtype="informational"), Notice),
        (line(type="system", subtype="notification"), Notice),
        (line(type="result"), Result),
        (line(type="system", subtype="of_tomorrow"), stream.Message),
        (line(kind="what"), stream.Message),
    ]
    events = parse(*(data for data, _ in kinds))
    assert [type(e) for e in events] == [kind for _, kind in kinds]


def test_a_hook_response_gives_its_parts() -> None:
    data = line(
        type="system",
        subtype="hook_response",
        hook_id="h1",
        hook_event="Stop",
        stdout="{}\n",
        exit_code=0,
        outcome="success",
    )
    (event,) = parse(data)
    assert isinstance(event, HookResponse)
    assert (event.hook_id, event.event, event.stdout) == ("h1", "Stop", "{}\n")
    assert (event.exit_code, event.outcome) == (0, "success")


def test_a_hook_response_of_wrong_types_is_read_as_unknown() -> None:
    event = parse_line(
        b'{"type":"system","subtype":"hook_response","stdout":1,"exit_code":"0","hook_id":null}'
    )
    assert isinstance(event, HookResponse)
    assert (event.stdout, event.exit_code, event.hook_id) == ("", None, "")


def test_what_the_user_side_says_is_its_text_without_tool_results() -> None:
    blocks = [{"type": "tool_result", "content": "x"}, {"type": "text", "text": "feedback"}, 3]
    (event,) = parse(line(type="user", message={"content": blocks}))
    assert isinstance(event, User)
    assert event.text == "feedback"
    assert User({"type": "user", "message": {"content": "plain"}}).text == "plain"
    assert User({"type": "user", "message": 7}).text == ""


def test_a_line_that_is_cut_in_the_middle_is_kept() -> None:
    events = parse(line(type="assistant"), b'{"type":"result","sub')
    assert isinstance(events[0], Assistant)
    assert events[1] == Broken(b'{"type":"result","sub')


def test_lines_that_are_no_object_are_kept() -> None:
    lines = [b"hello", b"[1]", b"\xff\xfe", b'{"a":' * 3, b"9" * 5000, b"[" * 100_000]
    assert parse(*(data + b"\n" for data in lines)) == [Broken(data) for data in lines]


def test_empty_lines_are_nothing() -> None:
    assert parse(b"\n\r\n  \n") == []


def test_a_line_separator_inside_a_string_ends_no_line() -> None:
    data = json.dumps(
        {"type": "user", "message": {"content": "a\u2028b\u0085c"}}, ensure_ascii=False
    )
    (event,) = parse(data.encode() + b"\n")
    assert isinstance(event, User)
    assert event.text == "a\u2028b\u0085c"


def test_an_over_long_line_is_cut_and_the_next_one_is_read(monkeypatch: Any) -> None:
    monkeypatch.setattr(stream, "MAX_LINE_BYTES", 100)
    events = parse(b"x" * 150, b"y" * 500, b"z\n" + line(type="result"))
    assert events[0] == Broken(b"x" * 150)
    assert [type(e) for e in events[1:]] == [Result]


@given(st.binary(), st.lists(st.integers(0, 50), max_size=5))
def test_any_bytes_in_any_pieces_come_out_the_same(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(data)]
    pieces = [data[a:b] for a, b in pairwise(edges)]
    assert parse(*pieces) == parse(data)
