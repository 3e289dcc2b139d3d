"""Run one test file against many trees; runs under the suite's own Python, not the product's.

Reads ``{"file": …, "trees": […]}`` on stdin and prints, for each tree, the outcome of every
test by node id. One fork for each tree, so that pytest is imported once; two at a time.
"""

import json
import os
import sys

import pytest


class Results:
    """Collects what became of each test in its call phase."""

    def __init__(self):
        self.passed = {}
        self.marks = {}

    def pytest_configure(self, config):
        config.addinivalue_line("markers", "requirement(id): the promise a test is about")

    def pytest_collection_finish(self, session):
        for item in session.items:
            self.passed[item.nodeid] = False
            self.marks[item.nodeid] = [m.args[0] for m in item.iter_markers("requirement")]

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            self.passed[report.nodeid] = report.passed


def run(file, tree, out):
    """In the child: run, and write the results."""
    os.chdir(tree)
    sys.path.insert(0, tree)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    results = Results()
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--noconftest"]
    folder = os.path.dirname(file)
    base = f"--basetemp={tree}/.tmp"
    pytest.main([*options, base, "--rootdir", folder, file], plugins=[results])
    with open(out, "w") as stream:
        json.dump({"passed": results.passed, "marks": results.marks}, stream)


def main():
    """Fork for each tree."""
    asked = json.load(sys.stdin)
    running = set()
    for tree in asked["trees"]:
        while len(running) >= 2:
            running.discard(os.wait()[0])
        pid = os.fork()
        if not pid:
            run(asked["file"], tree, f"{tree}/results.json")
            os._exit(0)
        running.add(pid)
    for pid in running:
        os.waitpid(pid, 0)


main()
