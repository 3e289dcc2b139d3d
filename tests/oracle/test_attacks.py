"""Code under test that tries to gain a requirement. It holds R1 and R3; it may never get more."""

import time
from dataclasses import dataclass

import pytest
from court import CODE, Court, passing, shared_court

from gatebench.model.verdict import Outcome

HELD = {"R1", "R3"}
WALK = """
def _frames():
    try:
        raise RuntimeError
    except RuntimeError as error:
        frame = error.__traceback__.tb_frame
    while frame is not None:
        yield frame
        frame = frame.f_back
"""


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return shared_court(tmp_path_factory)


@dataclass(frozen=True)
class Attack:
    """Code at the end of the module under test, and what must come of it."""

    name: str
    code: str
    keeps: bool = True
    """Whether what the code really does still counts."""
    seen: str = ""
    """What ``tampered`` must speak of."""


ATTACKS = (
    Attack("exit-0-at-import", "import os\nos._exit(0)", keeps=False),
    Attack("exit-0-at-exit", "import atexit, os\natexit.register(os._exit, 0)"),
    Attack("pytest-exit", "import pytest\npytest.exit('x', returncode=0)", keeps=False),
    Attack("sys-exit", "import sys\nsys.exit(0)", keeps=False),
    Attack(
        "skip-at-import", "import pytest\npytest.skip('x', allow_module_level=True)", keeps=False
    ),
    Attack("kill-the-parent", "import os\nos.kill(os.getppid(), 9)", keeps=False),
    Attack(
        "patched-reports",
        """
import _pytest.reports
real = _pytest.reports.TestReport.from_item_and_call.__func__
def forged(cls, item, call):
    report = real(cls, item, call)
    report.outcome, report.longrepr = "passed", None
    return report
_pytest.reports.TestReport.from_item_and_call = classmethod(forged)
""",
        keeps=False,
        seen="TestReport.from_item_and_call",
    ),
    Attack(
        "patched-makereport-code",
        """
import _pytest.runner
def from_call(cls, func, when, reraise=None):
    try:
        func()
    except BaseException:
        pass
    return cls(None, None, start=0, stop=0, duration=0, when=when, _ispytest=True)
_pytest.runner.CallInfo.from_call.__func__.__code__ = from_call.__code__
""",
        keeps=False,
        seen="CallInfo.from_call",
    ),
    Attack(
        "patched-raises",
        """
import pytest
class Anything:
    def __enter__(self): return self
    def __exit__(self, *_): return True
pytest.raises = lambda *a, **k: Anything()
""",
        keeps=False,
        seen="pytest.raises",
    ),
    Attack(
        "patched-protocol",
        """
import sys, _pytest.runner, pytest
def forged(item, log=True, nextitem=None):
    rep = lambda when: pytest.TestReport(item.nodeid, item.location, {}, "passed", None, when)
    return [rep("setup"), rep("call"), rep("teardown")]
_pytest.runner.runtestprotocol = forged
sys.modules["inside.child"].runtestprotocol = forged
""",
        keeps=False,
        seen="runtestprotocol",
    ),
    Attack(
        "patched-json",
        "import json\njson.dumps = lambda *a, **k: '1'",
        keeps=False,
        seen="json.dumps",
    ),
    Attack(
        "swapped-json-module",
        """
import sys, types
fake = types.ModuleType("json")
fake.dumps = lambda *a, **k: '1'
sys.modules["json"] = fake
for module in list(sys.modules.values()):
    if hasattr(module, "as_json"):
        module.json = fake
""",
        keeps=False,
        seen="json",
    ),
    Attack(
        "patched-builtins",
        "import builtins\nbuiltins.sorted = lambda *a, **k: []",
        keeps=False,
        seen="builtins.sorted",
    ),
    Attack(
        "emptied-test-functions",
        """
import sys
for module in list(sys.modules.values()):
    for name, value in list(vars(module).items()):
        if name.startswith("test_") and callable(value):
            value.__code__ = (lambda *a, **k: None).__code__
""",
        keeps=False,
        seen="test_feature",
    ),
    Attack(
        "patched-helpers",
        """
import sys
for module in list(sys.modules.values()):
    if hasattr(module, "as_json"):
        module.as_json = module.contents = lambda *a: "x"
""",
        keeps=False,
        seen="as_json",
    ),
    Attack(
        "planted-plugin",
        WALK
        + """
import pytest
class Evil:
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        report.outcome, report.longrepr = "passed", None
        return report
done = False
for frame in _frames():
    item = frame.f_locals.get("item")
    if not done and hasattr(item, "config"):
        item.config.pluginmanager.register(Evil())
        done = True
""",
        keeps=False,
        seen="pytest's hooks",
    ),
    Attack(
        "frame-walk-to-the-observer",
        WALK
        + """
for frame in _frames():
    observer = frame.f_locals.get("self")
    if hasattr(observer, "_functions"):
        for item in observer._functions:
            observer._functions[item] = lambda **_: None
        observer._ask = lambda: False
""",
        keeps=False,
        seen="control",
    ),
    Attack(
        "collector",
        """
import gc
for thing in gc.get_objects():
    if type(thing).__name__ == "Observer":
        thing._ask = lambda: False
""",
        keeps=False,
        seen="gc.get_objects",
    ),
    Attack(
        "forged-records",
        r"""
import json, os
line = json.dumps([0, {"kind": "ended", "phases": dict.fromkeys(["setup", "call", "teardown"],
    "passed"), "texts": {}, "changed": [], "reach": []}]).encode()
for fd in range(3, 64):
    try:
        os.write(fd, b"0" * 64 + b" " + line + b"\n")
        os.write(fd, line + b"\n")
    except OSError:
        pass
""",
        seen="forged lines",
    ),
    Attack(
        "descriptors-of-the-parent",
        r"""
import os
for pid in (os.getppid(), 1):
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            with open(f"/proc/{pid}/fd/{fd}", "wb") as file:
                file.write(b"x" * 100 + b"\n")
        open(f"/proc/{pid}/mem", "r+b")
    except OSError:
        pass
""",
    ),
    Attack("input", "try:\n    input()\nexcept EOFError:\n    pass"),
    Attack(
        "deleted-test-file",
        """
import os, sys
for module in list(sys.modules.values()):
    name = getattr(module, "__file__", None) or ""
    if "test_" in name:
        try:
            os.remove(name)
        except OSError:
            pass
""",
    ),
    Attack(
        "noise",
        r"import os" + "\n" + r"os.write(1, b'\x1b[31m\x00\xff')" + "\nprint('y' * 40_000_000)",
    ),
    Attack(
        "daemon-holding-stdout",
        """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
""",
    ),
)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_no_attack_gains_a_requirement(court: Court, attack: Attack) -> None:
    judgement = court.judge(court.planted(HELD, attack.code))
    verdict = judgement.verdict
    assert verdict.unscorable_reason is None
    assert passing(judgement) == (HELD if attack.keeps else set())
    assert attack.seen in " ".join(verdict.tampered)
    assert len(judgement.log) <= 60_000


PLANTED = {
    "conftest.py": """
import pytest
@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    report.outcome = "passed"
    return report
def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.xfail(run=False))
        item.add_marker(pytest.mark.skip)
""",
    "pytest.py": "import os; os._exit(0)",
    "_pytest/__init__.py": "import os; os._exit(0)",
    "sitecustomize.py": "import os; os._exit(0)",
    "usercustomize.py": "import os; os._exit(0)",
    "json.py": "dumps = lambda *a, **k: '1'",
    "pytest.ini": "[pytest]\naddopts = --collect-only\n",
    "tox.ini": "[pytest]\naddopts = --collect-only\n",
    "setup.cfg": "[tool:pytest]\naddopts = --collect-only\n",
    "inside/__init__.py": "import os; os._exit(0)",
    "evil-1.0.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
    "evil-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
    "evil.py": "import os; os._exit(0)",
    "test_feature.py": "def test_push_appends_at_the_end(): pass",
    "tests/conftest.py": "import os; os._exit(0)",
}


@pytest.mark.parametrize(
    "name", ["all", *(pytest.param(name, marks=pytest.mark.proof) for name in PLANTED)]
)
def test_files_planted_in_the_tree_are_not_loaded(court: Court, name: str) -> None:
    planted = PLANTED if name == "all" else {name: PLANTED[name]}
    judgement = court.judge(court.tree({**court.solution(HELD), **planted}))
    assert passing(judgement) == HELD
    assert judgement.verdict.tampered == ()


def test_planted_files_do_not_sway_the_pristine_suite(court: Court) -> None:
    planted = {k: v for k, v in PLANTED.items() if k != "json.py"}
    run = court.run_suite(court.tree({**court.solution(HELD), **planted}))
    assert (run.green, run.passed) == (True, 219)


def test_an_always_equal_object_passes_nothing(court: Court) -> None:
    code = """
class Equal(dict):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = None
def push(field, value):
    def transform(doc): doc[field] = Equal()
    return transform
pull = push
"""
    files = court.solution(set())
    passed = court.passing(court.tree({**files, CODE: files[CODE] + code}))
    assert passed == set()


def test_an_import_that_hangs_fails_in_bounded_time(court: Court) -> None:
    began = time.monotonic()
    verdict = court.judge(court.planted(HELD, "while True: pass")).verdict
    assert set(verdict.requirements.values()) == {Outcome.FAIL}
    assert time.monotonic() - began < 40


def test_one_hanging_requirement_costs_only_itself(court: Court) -> None:
    files = court.solution({"R1", "R2", "R3", "R4", "R5"})
    marker = "doc[field] = [item for item in items if item != value]"
    hang = files[CODE]
    assert marker in hang
    hang = hang.replace(marker, f"import time; time.sleep(600 * (value == 'a')); {marker}")
    passed = court.passing(court.tree({**files, CODE: hang}))
    assert "R3" not in passed
    assert {"R1", "R2"} <= passed


def test_the_deadline_of_the_whole_run_holds(court: Court) -> None:
    slow = Court(court.ground, court.sandbox, court.store, court.base)
    slow.oracle = slow.open(each_limit_s=30.0, hidden_limit_s=8.0)
    began = time.monotonic()
    verdict = slow.judge(court.planted(HELD, "while True: pass # slow")).verdict
    assert set(verdict.requirements.values()) == {Outcome.FAIL}
    assert time.monotonic() - began < 20
