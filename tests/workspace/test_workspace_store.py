"""The store: trees in, trees out, side by side."""

import os
import stat
import subprocess
from pathlib import Path

import anyio
import pytest
from captured import PRISTINE, ground
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatebench.errors import StoreError, SuiteError
from gatebench.workspace import TreeStore, apply_patch, make_repository, make_work_copy
from gatebench.workspace.objects import Objects


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


def test_git_agrees_with_every_object(tmp_path: Path) -> None:
    here = ground(tmp_path)
    here.shell("chmod +x f.py; ln -s f.py link; mkdir lib.d lib-d; echo x > lib.d/x; cp f.py lib-d")
    taken = here.snapshot()
    assert "error" not in git(tmp_path / "store", "fsck", "--strict", "--full")
    # The order of a tree's entries is git's own: it would write the same one.
    here.shell("git add -A -f . && git write-tree > ../written")
    assert (tmp_path / "written").read_text().strip() == taken.tree


def test_many_snapshots_at_once(tmp_path: Path) -> None:
    here = ground(tmp_path)
    here.shell("for i in $(seq 200); do echo $i > n$i; done")
    trees: list[str] = []

    async def one() -> None:
        trees.append((await here.store.snapshot(here.work)).tree)

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(12):
                tasks.start_soon(one)

    anyio.run(main)
    assert len(trees) == 12
    assert len(set(trees)) == 1
    assert "error" not in git(tmp_path / "store", "fsck", "--full")
    assert list((tmp_path / "store" / "objects").glob("tmp_obj_*")) == []


def test_creating_again_changes_nothing(tmp_path: Path) -> None:
    here = ground(tmp_path)
    anyio.run(here.store.create)
    assert here.snapshot() == here.base


def test_files_are_added_replaced_and_deleted(tmp_path: Path) -> None:
    here = ground(tmp_path)
    files = {"f.py": b"new\r\n", "tests/t.py": b"t\n", "crlf.txt": None, "absent": None}
    tree = anyio.run(here.store.add_files, here.base.tree, files)
    assert set(anyio.run(here.store.changed, here.base.tree, tree)) == {
        "f.py",
        "tests/t.py",
        "crlf.txt",
    }
    assert anyio.run(here.store.read, tree, "f.py") == b"new\r\n"
    assert anyio.run(here.store.read, tree, "crlf.txt") is None
    assert anyio.run(here.store.read, tree, "lib") is None


def test_what_stands_in_the_way_of_a_file_goes(tmp_path: Path) -> None:
    here = ground(tmp_path)
    here.shell("ln -s /etc tests; rm f.py; mkdir -p f.py/in; echo x > f.py/in/y")
    taken = here.snapshot()
    files = {"tests/t.py": b"t\n", "f.py": b"f\n"}
    tree = anyio.run(here.store.add_files, taken.tree, files)
    anyio.run(here.store.checkout, tree, tmp_path / "out")
    assert (tmp_path / "out" / "tests" / "t.py").read_bytes() == b"t\n"
    assert (tmp_path / "out" / "f.py").read_bytes() == b"f\n"


@pytest.mark.parametrize(
    "name", ["../x", "/x", "a/../x", ".git/config", "a/.GIT/x", "", "a//b", "./x"]
)
def test_no_path_leaves_the_tree(tmp_path: Path, name: str) -> None:
    here = ground(tmp_path)
    with pytest.raises(StoreError, match="no place"):
        anyio.run(here.store.add_files, None, {name: b"x"})


@pytest.mark.parametrize("name", [b"..", b".git", b"a/b", b"."])
def test_a_forged_tree_is_not_laid_out(tmp_path: Path, name: bytes) -> None:
    here = ground(tmp_path)
    objects = Objects(tmp_path / "store" / "objects")
    blob = bytes.fromhex(objects.put("blob", b"x"))
    tree = objects.put("tree", b"100644 " + name + b"\0" + blob)
    if name == b"a/b":
        tree = objects.put("tree", b"120000 a\0" + blob + b"100644 a/b\0" + blob)
    with pytest.raises((StoreError, FileExistsError)):
        anyio.run(here.store.checkout, tree, tmp_path / "out" / "in")
    assert not (tmp_path / "out" / "x").exists()


def test_checkout_is_exact_whatever_the_umask(tmp_path: Path) -> None:
    here = ground(tmp_path)
    here.shell("chmod +x f.py")
    taken = here.snapshot()
    old = os.umask(0o077)
    try:
        anyio.run(here.store.checkout, taken.tree, tmp_path / "out")
    finally:
        os.umask(old)
    for name, data in PRISTINE.items():
        assert (tmp_path / "out" / name).read_bytes() == data
    modes = [
        stat.S_IMODE((tmp_path / "out" / n).stat().st_mode)
        for n in (".", "lib", "f.py", "crlf.txt")
    ]
    assert modes == [0o755, 0o755, 0o755, 0o644]


def test_checkout_refuses_a_directory_with_something_in_it(tmp_path: Path) -> None:
    here = ground(tmp_path)
    with pytest.raises(StoreError, match="not empty"):
        anyio.run(here.store.checkout, here.base.tree, here.work)


def test_an_unknown_tree_is_said(tmp_path: Path) -> None:
    here = ground(tmp_path)
    with pytest.raises(StoreError, match="can't be read"):
        anyio.run(here.store.read, "0" * 40, "f.py")
    with pytest.raises(StoreError, match="diff-tree failed"):
        anyio.run(here.store.diff, "0" * 40, here.base.tree)


NAMES = st.binary(min_size=1, max_size=8).filter(
    lambda n: not set(n) & {0, 47} and n not in {b".", b".."} and n.lower() != b".git"
)
CONTENT = st.binary(max_size=60) | st.text(alphabet="ab \t\r\n", max_size=60).map(str.encode)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(NAMES, CONTENT, max_size=5), st.dictionaries(NAMES, CONTENT, max_size=5))
def test_any_two_trees_differ_by_a_patch_that_applies(
    tmp_path_factory: pytest.TempPathFactory, old: dict[bytes, bytes], new: dict[bytes, bytes]
) -> None:
    root = tmp_path_factory.mktemp("g")
    store = TreeStore(root / "store")

    async def main() -> tuple[str, bytes]:
        await store.create()
        before = await store.add_files(None, {os.fsdecode(n): d for n, d in old.items()})
        after = await store.add_files(None, {os.fsdecode(n): d for n, d in new.items()})
        await store.checkout(before, root / "out")
        return after, await store.diff(before, after)

    after, patch = anyio.run(main)
    if patch:
        command = ["git", "apply", "--whitespace=nowarn", "-"]
        env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(root)}
        subprocess.run(command, cwd=root / "out", input=patch, check=True, env=env)
    assert anyio.run(store.snapshot, root / "out").tree == after


def test_a_prepared_repository_tells_nothing(tmp_path: Path) -> None:
    here = ground(tmp_path)
    assert git(here.work, "status", "--porcelain") == ""
    assert git(here.work, "fsck", "--strict", "--full").strip() == ""
    assert git(here.work, "reflog", "--all") == ""
    assert git(here.work, "remote") == ""
    assert git(here.work, "log", "--all", "--format=%an %ae %cn %ce %aI %cI %s %D").split("\n")[
        0
    ] == (
        "dev dev@example.com dev dev@example.com 2020-01-01T00:00:00+00:00 "
        "2020-01-01T00:00:00+00:00 Initial import HEAD -> main"
    )


def test_its_commit_depends_on_the_files_alone(tmp_path: Path) -> None:
    commits = []
    for name in ("a", "b"):
        ground(tmp_path / name)
        commits.append(git(tmp_path / name / "work", "rev-parse", "HEAD"))
    assert commits[0] == commits[1]


def test_a_work_copy_shares_nothing_and_stays_clean(tmp_path: Path) -> None:
    here = ground(tmp_path)
    for path in here.work.rglob("*"):
        assert not path.is_file() or path.stat().st_nlink == 1
    here.shell("touch f.py; git status --porcelain > ../status")
    assert (tmp_path / "status").read_text() == ""
    here.shell("echo x >> f.py")
    assert (tmp_path / "pristine" / "f.py").read_bytes() == PRISTINE["f.py"]
    with pytest.raises(StoreError, match="not empty"):
        make_work_copy(tmp_path / "pristine", here.work)
    with pytest.raises(StoreError, match="not empty"):
        anyio.run(make_repository, tmp_path / "files", here.work)


def test_a_patch_is_applied_uncommitted_or_refused_whole(tmp_path: Path) -> None:
    here = ground(tmp_path)
    here.write("f.py", b"one\nTWO\nthree\n")
    patch = here.diff(here.snapshot())
    make_work_copy(tmp_path / "pristine", tmp_path / "other")
    anyio.run(apply_patch, tmp_path / "other", patch)
    assert git(tmp_path / "other", "status", "--porcelain") == " M f.py\n"
    with pytest.raises(SuiteError, match=r"f\.py"):
        anyio.run(apply_patch, tmp_path / "other", patch)
