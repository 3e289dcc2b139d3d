"""However much the agent leaves lying about, its work on what was there is captured."""

import anyio
import pytest
from captured import Ground, ground


@pytest.fixture
def here(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return ground(tmp_path_factory.mktemp("crowded"))


@pytest.mark.parametrize("place", ["0", "."])
def test_new_files_cannot_crowd_out_a_file_that_was_there(here: Ground, place: str) -> None:
    here.shell(f"mkdir -p {place}; for i in $(seq 6000); do : > {place}/0$i; done")
    here.write("f.py", b"the work\n")
    taken = here.snapshot()
    assert here.read(taken, "f.py") == b"the work\n"
    assert "5000 files" in taken.cut[0].reason
    assert len(taken.cut) == 1


def test_new_files_beside_what_was_there_come_before_new_directories(here: Ground) -> None:
    here.write("lib/was.py", b"was\n")
    start = anyio.run(here.store.snapshot, here.work).tree
    here.shell("mkdir 0; for i in $(seq 6000); do : > 0/$i; done")
    here.write("lib/new.py", b"new\n")
    taken = anyio.run(here.store.snapshot, here.work, start)
    assert here.read(taken, "lib/new.py") == b"new\n"


def test_what_comes_first_changes_no_tree_that_is_whole(here: Ground) -> None:
    here.shell("rm f.py; mkdir f.py; echo 1 > f.py/g; echo 2 > new; mkfifo pipe")
    plain = anyio.run(here.store.snapshot, here.work)
    assert here.snapshot() == plain


def test_a_file_that_was_there_and_is_too_large_now_is_cut_once(here: Ground) -> None:
    with (here.work / "f.py").open("wb") as file:
        file.truncate(50_000_000)
    assert [cut.path for cut in here.snapshot().cut] == ["f.py"]
