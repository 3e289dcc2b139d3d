"""Profiles: the shipped ones, a file of one's own, and what is wrong with it."""

from pathlib import Path

import pytest

from gatebench.errors import UnknownName, UsageError
from gatebench.team import SHIPPED, load_profile, parse_profile
from gatebench.team.profile import ReviewerChances, WorkerChances, WriterChances


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_profiles_load_and_say_what_they_are(name: str) -> None:
    assert load_profile(name).title


def test_every_chance_of_mixed_is_between_never_and_always() -> None:
    profile = load_profile("mixed")
    groups = (profile.worker, profile.reviewer, profile.challenger, profile.writer)
    values = [v for group in groups for v in group.model_dump().values()]
    assert all(0 < value < 1 for value in values)


def test_a_key_left_out_is_that_of_a_perfect_team() -> None:
    profile = parse_profile("[worker]\nrefuse = 0.5\n", "mine")
    assert profile.worker == WorkerChances(refuse=0.5)
    assert profile.reviewer == ReviewerChances()
    assert profile.writer == WriterChances()
    perfect = load_profile("perfect")
    assert parse_profile("", "mine") == perfect.model_copy(update={"title": ""})


def test_a_profile_is_read_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("[requirements.T2.R4]\nfirst_unstated = 0.1\n[requirements.T2.'*']\nfind = 0\n")
    profile = load_profile(str(path))
    assert profile.override("T2", "R4", "first_unstated") == 0.1
    assert profile.override("T2", "R1", "find") == 0
    assert profile.override("T1", "R4", "first_unstated") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[worker]\nlazy = 1\n", ("'worker.lazy'", "first_stated", "refuse")),
        ("speed = 1\n", ("'speed'", "worker", "reviewer")),
        ("[requirements.T1.R1]\nidle = 1\n", ("'requirements.T1.R1.idle'", "first_unstated")),
        ("[worker]\nrefuse = 1.5\n", ("'worker.refuse'", "1.5", "less than or equal to 1")),
        ("[worker]\nrefuse = 'often'\n", ("'worker.refuse'", "often")),
        ("[worker\n", ("no TOML",)),
    ],
)
def test_what_is_wrong_is_named_with_what_would_be_right(text: str, says: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        parse_profile(text, "mine.toml")
    assert all(word in str(caught.value) for word in ("mine.toml", *says))


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="mixed, perfect, refuser, hunter"):
        load_profile("genius")


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be read"):
        load_profile(str(tmp_path / "none.toml"))
