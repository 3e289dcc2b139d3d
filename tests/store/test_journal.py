"""The journal survives what broke others (rows F1, F2, F7 of the cases)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebench.errors import StoreError
from gatebench.store.journal import Journal, read_lines


def test_an_append_after_a_torn_line_stands_on_its_own(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"n":1}\n{"n":2,"te')

    with Journal(path) as journal:
        journal.append({"n": 3})

    content = read_lines(path)
    assert [entry["n"] for entry in content.entries] == [1, 3]
    assert content.torn == (2,)


@pytest.mark.parametrize("separator", ["\x85", "\u2028", "\u2029", "\x0b", "\x0c", "\x1e", "\r"])
def test_a_record_with_a_line_separator_stays_one_record(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "journal.jsonl"

    with Journal(path) as journal:
        journal.append({"text": f"a{separator}b"})

    assert read_lines(path).entries == ({"text": f"a{separator}b"},)
    assert path.read_bytes().count(b"\n") == 1


@given(texts=st.lists(st.text(max_size=20), max_size=5), cut=st.integers(0, 40))
def test_whatever_is_cut_off_the_whole_records_before_it_are_read(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], cut: int
) -> None:
    path = tmp_path_factory.mktemp("j") / "journal.jsonl"
    with Journal(path) as journal:
        for text in texts:
            journal.append({"text": text})
    whole = path.read_bytes()
    left = whole[: max(0, len(whole) - cut)]
    path.write_bytes(left)

    with Journal(path) as journal:
        journal.append({"text": "after"})

    found = [entry["text"] for entry in read_lines(path).entries]
    survivors = left.count(b"\n")
    assert found[:survivors] == texts[:survivors]
    assert found[-1] == "after"


def test_lines_that_are_no_objects_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_text('[1]\n"x"\n{"n":1}\n')

    assert read_lines(path).torn == (1, 2)
    assert read_lines(path).entries == ({"n": 1},)


def test_a_missing_journal_is_empty(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "none").entries == ()


def test_a_full_disk_is_said_and_leaves_no_part_of_a_line(tmp_path: Path) -> None:
    """A file size limit stands for the full disk: the write fails half-way."""
    program = f"""
import resource, signal
from pathlib import Path
from gatebench.errors import StoreError
from gatebench.store.journal import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = Path({str(tmp_path / "j")!r})
path.write_bytes(b'{{"n":-1')
journal = Journal(path)
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, hard))
n = 0
for _ in range(3):
    try:
        while True:
            journal.append({{"n": n, "pad": "x" * 50}})
            n += 1
    except StoreError as error:
        print(error)
print(path.stat().st_size)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
journal.append({{"n": n}})
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    *said, size = run.stdout.splitlines()
    assert len(said) == 3
    assert all("can't be written" in line and "resumes" in line for line in said)
    assert 4900 < int(size) < 5000
    content = read_lines(tmp_path / "j")
    # What an earlier process left torn stays, as evidence; nothing else is torn.
    assert content.torn == (1,)
    assert [entry["n"] for entry in content.entries] == list(range(len(content.entries)))
    assert len(content.entries) > 50
    assert "pad" not in content.entries[-1]


def test_not_a_number_never_reaches_the_disk(tmp_path: Path) -> None:
    with Journal(tmp_path / "j") as journal, pytest.raises(ValueError, match="JSON compliant"):
        journal.append({"x": float("nan")})

    assert json.dumps(read_lines(tmp_path / "j").entries) == "[]"


def test_errors_of_the_store_name_file_and_next_step(tmp_path: Path) -> None:
    from gatebench.store.atomic import write_text  # noqa: PLC0415  # the one test of it here

    with pytest.raises(StoreError, match="resumes"):
        write_text(tmp_path / "absent" / "file", "x")
