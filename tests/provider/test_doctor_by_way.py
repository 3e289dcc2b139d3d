"""``doctor``: each way to a model, with what it needs and without."""

import json
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from front import Front

from provider import KEY
from provider.paid import shop


def found(front: Front, *args: str, **extra: str) -> tuple[int, dict[str, Any], str]:
    asked = replace(front, extra={"CLAUDE_CONFIG_DIR": "/nowhere", **extra})
    done = asked("doctor", "--json", *args)
    ways = json.loads(done.stdout)["ways"]
    return done.returncode, {way["via"]: way for way in ways}, done.stdout


def test_without_a_key_the_simulated_team_and_the_recording_are_left(front: Front) -> None:
    code, ways, _ = found(front)
    assert code == 0
    assert {via: way["ok"] for via, way in ways.items()} == {
        "scripted": True,
        "live": False,
        "record": False,
        "playback": True,
        "direct": False,
    }
    assert "ANTHROPIC_API_KEY" in ways["live"]["remedy"]
    assert ways["playback"]["command"] == "run --via playback example"
    assert "/nowhere" in ways["direct"]["said"]


def test_with_a_key_and_a_provider_that_answers(front: Front, tmp_path: Path) -> None:
    (tmp_path / ".credentials.json").write_text("{}")
    with shop(front) as here:
        args = ("--via", "live", "--upstream", here.provider.url)
        extra = {"ANTHROPIC_API_KEY": KEY, "CLAUDE_CONFIG_DIR": str(tmp_path)}
        code, ways, whole = found(front, *args, **extra)
    assert code == 0
    assert all(way["ok"] for way in ways.values())
    assert "key from ANTHROPIC_API_KEY" in ways["live"]["said"]
    assert f"--upstream {here.provider.url}" in ways["live"]["command"]
    assert KEY not in whole
    assert KEY not in str(here.provider.asides), "a look needs no key"


@pytest.mark.parametrize("via", ["live", "record"])
def test_an_upstream_that_isnt_there_is_said(front: Front, via: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        code, ways, _ = found(front, "--via", via, "--upstream", url)
    assert code == 1
    assert f"{url} can't be reached" in ways[via]["said"]


def test_a_clock_that_differs_is_said(front: Front) -> None:
    with shop(front) as here:
        here.provider.date = "Sun, 01 Nov 2020 00:00:00 GMT"
        args = ("--via", "live", "--upstream", here.provider.url)
        code, ways, _ = found(front, *args, ANTHROPIC_API_KEY=KEY)
    assert code == 1
    assert "clocks differ" in ways["live"]["said"]
    assert ways["live"]["remedy"] == "Set the clock."
