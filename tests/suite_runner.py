"""Run one test file against many trees; runs under the suite's own Python, not the product's.

Reads ``{"file": …, "trees": […]}`` on stdin and prints, for each tree, the outcome of every
test by node id. One fork for each tree, so that pytest is imported once; two at a time.
"""

import json
import os
import sys
from pathlib import Path

import pytest

AT_ONCE = 2


class Results:
    """Collects what became of each test in its call phase."""

    def __init__(self) -> None:
        self.passed: dict[str, bool] = {}
        self.marks: dict[str, list[str]] = {}

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "requirement(id): the promise a test is about")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self.passed[item.nodeid] = False
            self.marks[item.nodeid] = [m.args[0] for m in item.iter_markers("requirement")]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.passed[report.nodeid] = report.passed


def run(file: Path, tree: Path) -> None:
    """In the child: run, and write the results."""
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    results = Results()
    options = ["-q", "--tb=no", "-p", "no:cacheprovider", "-c", "/dev/null", "--noconftest"]
    # No package above the file is collected, or even imported.
    options += ["--confcutdir", str(file.parent), "--rootdir", str(file.parent)]
    pytest.main([*options, f"--basetemp={tree}/.tmp", str(file)], plugins=[results])
    (tree / "results.json").write_text(json.dumps(vars(results)))


def main() -> None:
    """Fork for each tree."""
    asked = json.load(sys.stdin)
    running: set[int] = set()
    for tree in asked["trees"]:
        while len(running) >= AT_ONCE:
            running.discard(os.wait()[0])
        pid = os.fork()
        if not pid:
            run(Path(asked["file"]), Path(tree))
            os._exit(0)
        running.add(pid)
    for pid in running:
        os.waitpid(pid, 0)


main()
