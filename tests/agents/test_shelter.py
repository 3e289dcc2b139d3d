"""Copies of an agent's program: neutral in name, closed where the program allows it."""

import shutil
from pathlib import Path

import pytest
from gated import python_binds

from gatebench.agents.paths import AGENT
from gatebench.agents.program import AgentProgram, stub_program, version_of
from gatebench.agents.shelter import shelter
from gatebench.sandbox import Bind, open_sandbox

pytestmark = pytest.mark.anyio


async def sheltered(file: Path, version: str, tmp_path: Path) -> AgentProgram:
    program = AgentProgram("claude-code", (Bind(file, AGENT),), (AGENT,), version)
    return await shelter(program, open_sandbox("bwrap"), tmp_path / "cache")


def compiled(tmp_path: Path) -> Path:
    """Some compiled program that answers --version: bash."""
    found = shutil.which("bash")
    assert found
    return Path(shutil.copy(found, tmp_path / "gatebench-agent"))


async def test_a_compiled_program_can_be_run_and_not_read(tmp_path: Path) -> None:
    file = compiled(tmp_path)
    sandbox = open_sandbox("bwrap")
    version = await version_of(file, sandbox, (Bind(file, AGENT),))
    program = await sheltered(file, version, tmp_path)
    source = program.binds[0].source
    assert program.closed
    assert source.stat().st_mode & 0o777 == 0o111
    assert "gatebench" not in str(source.relative_to(tmp_path))
    assert file.stat().st_mode & 0o400, "the original stays as it was"


async def test_one_that_works_only_when_read_can_be_read(tmp_path: Path) -> None:
    program = await sheltered(compiled(tmp_path), "another version", tmp_path)
    assert not program.closed
    assert program.binds[0].source.stat().st_mode & 0o777 == 0o555


async def test_a_script_can_be_read_by_its_interpreter(tmp_path: Path) -> None:
    file = tmp_path / "agent"
    file.write_text("#!/bin/sh\necho 1.0\n")
    file.chmod(0o700)
    program = await sheltered(file, "1.0", tmp_path)
    assert not program.closed
    assert program.binds[0].source.read_text() == file.read_text()


async def test_a_changed_file_gets_a_copy_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "agent"
    file.write_text("#!/bin/sh\necho 1.0\n")
    first = await sheltered(file, "1.0", tmp_path)
    file.write_text("#!/bin/sh\necho 1.0 \n")
    second = await sheltered(file, "1.0", tmp_path)
    assert first.binds[0].source != second.binds[0].source


async def test_the_stub_does_not_show_where_it_comes_from(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("")
    environment = python_binds(tmp_path)
    stub = stub_program("evil", script)
    program = await shelter(stub, open_sandbox("bwrap"), tmp_path / "cache", environment)
    assert all(b.source.is_relative_to(tmp_path / "cache") for b in program.binds)
    assert [b.target for b in program.binds] == [b.target for b in stub.binds]


async def test_without_a_sandbox_nothing_is_copied(tmp_path: Path) -> None:
    stub = stub_program("nop")
    assert await shelter(stub, open_sandbox("none"), tmp_path / "cache") is stub
