"""The pages say what is there: every path, every command line, every command."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from gatebench.cli.main import COMMANDS, build

ROOT = Path(__file__).parent.parent.parent
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
NAMED = re.compile(r"(?<![\w/<>.-])((?:docs|src|tests|bench)/[\w./-]*\w|[A-Z]{4,}\.md)")
LINE = re.compile(
    r"(?:^|`)(?:\./dev )?gatebench ([^`\n]*)|(?:^|`)\./dev (run[^`\n]*)", re.MULTILINE
)
OF_THE_EXAMPLE = ("tests/test_total.py", "docs/proof.md")
"""A file of the example suite; a file that ``./dev proof`` writes."""


def page_names(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=page_names)
def test_every_path_named_is_there(page: Path) -> None:
    named = set(NAMED.findall(page.read_text())) - set(OF_THE_EXAMPLE)
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


@pytest.mark.parametrize("page", PAGES, ids=page_names)
def test_every_command_line_shown_can_be_parsed(page: Path) -> None:
    assert [words for words in _shown(page.read_text()) if not _parsed(words)] == []


def _shown(text: str) -> list[list[str]]:
    found = ["".join(groups).split("  #")[0] for groups in LINE.findall(text)]
    return [_concrete(line) for line in found if line.strip()]


def _concrete(line: str) -> list[str]:
    """A usage line with its choices made: `[TRIAL]` is given, `A|B` is A, a value is 1."""
    line = re.sub(r"(--[\w-]+) (?:…|[A-Z]+\b)", r"\1 1", line)
    line = re.sub(r"[\[\]…]", "", line.replace("\\|", "|"))
    return [word.split("|")[0] for word in shlex.split(line)]


def _parsed(words: list[str]) -> bool:
    """Whether there is such a command; raises where its flags aren't the command's."""
    program = get_command(build(COMMANDS))
    name, *rest = words
    if name.startswith("-"):
        return True
    if name not in COMMANDS:
        return False
    command = program.commands[name]  # type: ignore[attr-defined]
    return "--help" in rest or command.make_context(name, list(rest)) is not None


def test_the_pages_show_command_lines() -> None:
    shown = [line for page in PAGES for line in _shown(page.read_text())]
    assert len(shown) >= 12


def test_a_wrong_command_line_would_be_noticed() -> None:
    assert not _parsed(["frobnicate"])
    with pytest.raises(Exception, match="frob"):
        _parsed(["run", "--frob"])


def test_the_page_of_commands_names_each() -> None:
    page = (ROOT / "docs" / "commands.md").read_text()
    named = re.findall(r"^\| `gatebench (\w+)", page, re.MULTILINE)
    assert sorted(named) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_commands_help_has_an_example(name: str) -> None:
    command = get_command(build(COMMANDS)).commands[name]  # type: ignore[attr-defined]
    assert f"gatebench {name}" in (command.help or "")
