"""Whatever the agent does to its work copy, all of it is captured, and nothing of it is run."""

import time
from pathlib import Path

import anyio
import pytest
from captured import Ground, ground


@pytest.fixture
def here(tmp_path: Path) -> Ground:
    return ground(tmp_path)


def test_a_commit_doesnt_hide_the_edit(here: Ground) -> None:
    here.shell("echo four >> f.py && git commit -qam w && git log --oneline | grep -q w")
    taken = here.snapshot()
    assert b"+four\n" in here.diff(taken)
    assert here.reapplied(taken) == taken.tree


def test_a_new_repository_doesnt_hide_anything(here: Ground) -> None:
    here.shell("rm -rf .git; echo four >> f.py; git init -q")
    taken = here.snapshot()
    assert here.changed(taken) == {"f.py"}
    assert here.reapplied(taken) == taken.tree


def test_nothing_that_the_agent_configured_is_run(here: Ground) -> None:
    evil = "#!/bin/sh\ntouch ../ran\ncat\n"
    here.write("evil.sh", evil.encode())
    here.shell("chmod +x evil.sh")
    for key in (
        *("core.fsmonitor", "diff.external", "core.pager", "filter.x.clean", "filter.x.smudge"),
        *("diff.x.textconv", "diff.x.command", "core.sshCommand", "core.editor"),
    ):
        here.shell(f"git config {key} $PWD/evil.sh")
    here.shell(
        "mkdir -p .git/hooks; for h in post-index-change pre-commit post-checkout; do "
        "cp evil.sh .git/hooks/$h; done"
    )
    here.write(".gitattributes", b"*.py -diff filter=x\n*.txt text eol=lf diff=x\n*.md binary\n")
    here.write("f.py", b"one\nTWO\nthree\n")
    here.write("crlf.txt", b"a\r\nc\r\n")
    taken = here.snapshot()
    assert b"-two\n+TWO\n" in here.diff(taken)
    assert b"-b\r\n+c\r\n" in here.diff(taken)
    assert here.read(taken, "crlf.txt") == b"a\r\nc\r\n"
    assert here.reapplied(taken) == taken.tree
    assert not (here.root / "ran").exists()


def test_attributes_in_both_trees_dont_hide_text(tmp_path: Path) -> None:
    def prepare(files: Path) -> None:
        (files / ".gitattributes").write_bytes(b"*.py -diff\n* -text\n")

    here = ground(tmp_path, prepare)
    here.write("f.py", b"one\nTWO\nthree\n")
    taken = here.snapshot()
    assert b"-two\n+TWO\n" in here.diff(taken)
    assert here.reapplied(taken) == taken.tree


def test_the_callers_configuration_has_no_say(
    here: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config").write_text(
        "[diff]\n\tnoprefix = true\n\texternal = false\n\trenames = copies\n"
        "[core]\n\tautocrlf = true\n\tattributesFile = /nowhere\n[color]\n\tui = always\n"
    )
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, str(tmp_path / "config"))
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    here.write("f.py", b"one\nTWO\nthree\n")
    assert here.diff(here.snapshot()).startswith(b"diff --git a/f.py b/f.py\n")


def test_no_ignore_rule_hides_a_file(here: Ground) -> None:
    here.shell(
        "echo helper.py >> .git/info/exclude; echo '*.py' >> .gitignore; echo x > helper.py; "
        "git update-index --assume-unchanged f.py; git update-index --skip-worktree crlf.txt; "
        "echo four >> f.py; echo c >> crlf.txt; mkdir build; echo x > build/out; echo x > a.log"
    )
    taken = here.snapshot()
    expected = {"helper.py", ".gitignore", "f.py", "crlf.txt", "build/out", "a.log"}
    assert here.changed(taken) == expected
    assert here.reapplied(taken) == taken.tree


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("crlf.txt", b"a\r\nB\r\n"),
        ("crlf.txt", b"a\nb\r\n"),
        ("open.txt", b"no newline at the end, still"),
        ("open.txt", b"now there is one\n"),
        ("f.py", b"one\ntwo\nthree\n   \n"),
        ("f.py", b"one\ntwo\nthree\n\t \r\n\n\n"),
        ("f.py", b"one\ntwo\nthree"),
        ("f.py", b""),
        ("a.bin", b"\xff"),
        ("l.py", b"caf\xe9\n"),
        ("nul.py", b"a\0b\n"),
        ("empty", b""),
        ("form.txt", "a\x0bb\x0c\x1c\u0085\u2028\n".encode()),
        ("bom.py", b"\xef\xbb\xbfx = 1\n"),
    ],
)
def test_every_byte_survives(here: Ground, name: str, data: bytes) -> None:
    here.write(name, data)
    here.write("lib/other.py", b"other\n")
    taken = here.snapshot()
    assert here.read(taken, name) == data
    assert b"+other\n" in here.diff(taken)
    assert here.reapplied(taken) == taken.tree


@pytest.mark.parametrize(
    "name",
    [
        *("naïve é.txt", 'q"uote', "a\ttab", "new\nline", "a b/c.txt", "back\\slash", " ", "-rf"),
        *("a/b -> c", "*", "dev/null", "\x1b[31m", "{x => y}", "…", "caf\udce9.py", "x" * 255),
    ],
)
def test_names_are_exact(here: Ground, name: str) -> None:
    here.write(name, b"x\n")
    taken = here.snapshot()
    assert here.changed(taken) == {name}
    assert here.reapplied(taken) == taken.tree


def test_links_are_recorded_and_never_followed(here: Ground) -> None:
    here.shell("ln -s /etc ldir; ln -s nowhere dangling; ln -s f.py lib/in; ln -s .. lib/up")
    taken = here.snapshot()
    assert here.changed(taken) == {"ldir", "dangling", "lib/in", "lib/up"}
    assert here.reapplied(taken) == taken.tree
    anyio.run(here.store.checkout, taken.tree, here.root / "out")
    assert (here.root / "out" / "ldir").readlink() == Path("/etc")
    assert (here.root / "out" / "dangling").readlink() == Path("nowhere")


def test_what_replaces_what(here: Ground) -> None:
    here.shell(
        "rm f.py && ln -s crlf.txt f.py; rm -r lib && echo file > lib; "
        "rm open.txt && mkdir open.txt && echo x > open.txt/in"
    )
    taken = here.snapshot()
    assert here.changed(taken) == {"f.py", "lib", "lib/deep/g.py", "open.txt", "open.txt/in"}
    assert here.reapplied(taken) == taken.tree


def test_a_nested_repository_is_plain_files(here: Ground) -> None:
    here.shell("git init -q sub && cd sub && echo x > y && git add y && git commit -qm x")
    taken = here.snapshot()
    assert here.changed(taken) == {"sub/y"}
    assert here.reapplied(taken) == taken.tree


def test_git_entries_and_byte_code_are_left_out_at_any_depth(here: Ground) -> None:
    here.shell(
        "mkdir -p a/.git a/__pycache__ a/.pytest_cache b; echo x > a/.git/config; "
        "echo x > a/__pycache__/m.pyc; echo x > a/.pytest_cache/y; echo x > b/.git; "
        "mkdir c; echo x > c/.GIT"
    )
    assert here.snapshot() == here.base


def test_an_environment_of_twenty_thousand_files_is_cut(here: Ground) -> None:
    for folder in range(20):
        place = here.work / ".venv" / "lib" / str(folder)
        place.mkdir(parents=True)
        for name in range(1000):
            (place / str(name)).touch()
    here.write("z.py", b"z\n")
    begun = time.monotonic()
    taken = here.snapshot()
    assert time.monotonic() - begun < 2
    assert [(cut.path, cut.size) for cut in taken.cut] == [(".venv", None)]
    assert here.changed(taken) == {"z.py"}


def test_a_large_file_is_cut_and_the_others_are_not(here: Ground) -> None:
    with (here.work / "big").open("wb") as file:
        file.truncate(50_000_000)
    here.write("z.py", b"z\n")
    taken = here.snapshot()
    assert [(cut.path, cut.size) for cut in taken.cut] == [("big", 50_000_000)]
    assert here.changed(taken) == {"z.py"}


def test_too_many_files_are_cut_with_one_mark(here: Ground) -> None:
    (here.work / "many").mkdir()
    for name in range(6000):
        (here.work / "many" / f"{name:04}").touch()
    taken = here.snapshot()
    assert len(taken.cut) == 1
    assert "5000 files" in taken.cut[0].reason
    assert len(here.changed(taken)) < 5000


def test_too_many_bytes_are_cut_with_one_mark(here: Ground) -> None:
    for name in range(11):
        here.write(f"m/{name:02}", bytes([name]) * 5_000_000)
    taken = here.snapshot()
    assert [cut.path for cut in taken.cut] == ["m/09"]


def test_what_is_no_file_is_cut(here: Ground) -> None:
    here.shell("mkfifo pipe; mkdir locked")
    taken = here.snapshot()
    assert [(cut.path, cut.reason) for cut in taken.cut] == [("pipe", "no file, directory or link")]


def test_depth_is_bounded(here: Ground) -> None:
    place = here.work
    for _ in range(300):
        place = place / "d"
        place.mkdir()
    taken = here.snapshot()
    assert [cut.reason for cut in taken.cut] == ["nested too deep"]


def test_modes_renames_and_deletions(here: Ground) -> None:
    here.shell("chmod +x f.py; git mv crlf.txt lib/moved.txt; rm open.txt")
    taken = here.snapshot()
    diff = here.diff(taken)
    assert b"old mode 100644\nnew mode 100755\n" in diff
    assert b"rename" not in diff
    assert here.changed(taken) == {"f.py", "crlf.txt", "lib/moved.txt", "open.txt"}
    assert here.reapplied(taken) == taken.tree
    numbers = anyio.run(here.store.numstat, here.base.tree, taken.tree)
    assert sorted(numbers.splitlines()) == [
        *(b"0\t0\tf.py", b"0\t1\topen.txt", b"0\t2\tcrlf.txt", b"2\t0\tlib/moved.txt")
    ]


def test_the_agents_repository_is_left_as_it_was(here: Ground) -> None:
    here.shell("echo four >> f.py; git add f.py; echo x > new")
    before = (here.work / ".git" / "index").read_bytes()
    here.snapshot()
    assert (here.work / ".git" / "index").read_bytes() == before


def test_a_snapshot_is_quick(here: Ground) -> None:
    for name in range(100):
        here.write(f"lib/{name}.py", b"x = 1\n" * 300)
    here.snapshot()
    begun = time.process_time()
    here.snapshot()
    assert time.process_time() - begun < 0.1
