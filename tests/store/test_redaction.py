"""Known secrets never reach the disk."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gatebench.model.trial import TrialId
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import Journal
from gatebench.store.redaction import MARK, RedactedStream, Redactor

SECRET = "sk-ant-planted-0123456789"


@given(st.lists(st.integers(min_value=1, max_value=40), max_size=8))
def test_a_stream_is_clean_wherever_it_is_cut(cuts: list[int]) -> None:
    data = f"before {SECRET}{SECRET} after sk-ant-plant {SECRET[:9]}".encode()
    out: list[bytes] = []
    stream = RedactedStream(Redactor((SECRET,)), out.append)
    rest = data
    for cut in cuts:
        stream.feed(rest[:cut])
        rest = rest[cut:]
    stream.feed(rest)
    stream.close()
    assert b"".join(out) == data.replace(SECRET.encode(), MARK)


def test_an_endless_stream_is_cut_and_the_cut_is_told() -> None:
    out: list[bytes] = []
    stream = RedactedStream(Redactor(), out.append, most=10)
    for _ in range(4):
        stream.feed(b"12345\n")
    stream.close()
    assert b"".join(out) == b'12345\n1234\n{"type":"cut","bytes":14}\n'


def test_a_secret_with_quotes_is_found_in_json_too() -> None:
    redactor = Redactor(('pa"ss\\word',))
    assert redactor.words('{"x": "pa\\"ss\\\\word"}') == '{"x": "[redacted]"}'


def test_short_words_are_no_secrets() -> None:
    assert Redactor(("", "local")).words("local") == "local"


def test_nothing_below_a_job_holds_a_secret(tmp_path: Path) -> None:
    job = JobDir(tmp_path / "job", Redactor((SECRET,)))
    home = job.trial(TrialId("T1", "g1", 1))
    home.write("a.txt", f"x{SECRET}y")
    home.write("b.bin", f"x{SECRET}y".encode())
    with home.stream("stream.jsonl") as keep:
        keep(SECRET[:5].encode())
        keep(SECRET[5:].encode())
    with Journal(job.journal, job.redactor) as journal:
        journal.append({"reason": f"told {SECRET}"})
    files = [p for p in job.path.rglob("*") if p.is_file()]
    assert len(files) == 4
    for path in files:
        assert SECRET.encode() not in path.read_bytes(), path
        assert MARK in path.read_bytes(), path
