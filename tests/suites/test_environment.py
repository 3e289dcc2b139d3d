"""The test environment: built by the real uv, used outside and inside a real sandbox."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from suite_ground import Ground, shared_ground

from gatebench.errors import FetchError, SuiteError
from gatebench.sandbox import Bind, Command, Completed, Limits, open_sandbox
from gatebench.suites import EnvironmentSpec, build_environment

ASK = (
    "import json, sys, importlib.metadata as m, pytest, yaml, ssl, sqlite3;"
    "print(json.dumps([sys.executable, sys.prefix, sys.base_prefix, sys.path,"
    "sorted(d.name for d in m.distributions()), pytest.__cached__]))"
)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return shared_ground(tmp_path_factory)


def inside(ground: Ground, *argv: str) -> Completed:
    """Run a command of the environment in a real sandbox, the library as its directory."""
    command = Command(
        argv=argv,
        limits=Limits(wall_s=60),
        binds=(*ground.environment.binds, Bind(ground.upstream, "/home/dev/project")),
        env={"PATH": "/opt/python/bin:/usr/bin:/bin"},
        cwd="/home/dev/project",
    )
    return anyio.run(open_sandbox("bwrap").run, command)


def test_it_holds_the_pins_and_nothing_else(ground: Ground) -> None:
    done = subprocess.run(
        (str(ground.python), "-I", "-c", ASK), capture_output=True, check=True, env={}
    )
    executable, prefix, base, path, names, _ = json.loads(done.stdout)
    assert executable == str(ground.python)
    assert prefix == str(ground.environment.root)
    assert base != prefix
    pins = {pin.partition("==")[0] for pin in ground.suite.environment.packages}
    assert {name.lower() for name in names} == pins
    assert path[-1].startswith(prefix)


def test_it_works_in_the_sandbox_under_neutral_names(ground: Ground) -> None:
    done = inside(ground, str(ground.environment.python), "-I", "-c", ASK)
    assert done.exit_code == 0, done.stderr
    executable, prefix, base, path, names, cached = json.loads(done.stdout)
    assert (executable, prefix) == ("/opt/python/bin/python", "/opt/python")
    assert base in {"/opt/base", "/usr"}
    assert all(entry.startswith((prefix, base)) for entry in path)
    assert len(names) == len(ground.suite.environment.packages)
    assert cached.startswith("/opt/python/")


def test_the_librarys_tests_run_in_the_sandbox(ground: Ground) -> None:
    done = inside(ground, str(ground.environment.python), "-B", *ground.suite.library.command)
    assert done.exit_code == 0, done.stdout


def test_scripts_work_where_they_are_bound(ground: Ground) -> None:
    done = inside(ground, "pytest", "--version")
    assert (done.exit_code, done.stdout) == (0, b"pytest 9.2.0\n")


def test_the_base_interpreters_own_packages_are_covered(ground: Ground) -> None:
    code = (
        "import sys, pathlib, json; base = pathlib.Path(sys.base_prefix);"
        "print(json.dumps([str(p) for d in ('site-packages', 'dist-packages')"
        " for p in base.rglob(d + '/*') if sys.prefix not in str(p)][:3]))"
    )
    done = inside(ground, str(ground.environment.python), "-I", "-c", code)
    assert json.loads(done.stdout) == []


def test_byte_code_is_there_and_tells_no_path_of_the_host(ground: Ground) -> None:
    root = ground.environment.root
    compiled = list((root / "lib").rglob("*.pyc"))
    assert len(compiled) > 100
    place = str(ground.cache).encode()
    shown = [path for path in root.rglob("*") if path.is_file() and path.name != "pyvenv.cfg"]
    assert [path for path in shown if place in path.read_bytes()] == []


def test_a_base_under_usr_needs_no_bind(ground: Ground, tmp_path: Path) -> None:
    system = Path("/usr/bin/python3").resolve()
    check = (str(system), "-c", "import sys; sys.exit(sys.version_info < (3, 11))")
    if not system.exists() or subprocess.run(check, check=False).returncode:
        pytest.skip("no Python 3.11 or newer under /usr")
    environment = anyio.run(build_environment, ground.suite, tmp_path, system)
    assert "/opt/base" not in {bind.target for bind in environment.binds}
    done = inside(replace(ground, environment=environment), "python", "-I", "-c", ASK)
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)[2] == "/usr"


def test_it_is_built_once_and_known_by_its_pins(ground: Ground) -> None:
    assert anyio.run(build_environment, ground.suite, ground.cache) == ground.environment
    text = ground.suite.environment.requirements + "# other\n"
    spec = replace(ground.suite.environment, requirements=text)
    other = anyio.run(build_environment, replace(ground.suite, environment=spec), ground.cache)
    assert other.digest != ground.environment.digest
    assert other.root != ground.environment.root


def test_a_strict_umask_leaves_it_readable(ground: Ground, tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        environment = anyio.run(build_environment, ground.suite, tmp_path)
    finally:
        os.umask(old)
    modes = {path.stat().st_mode & 0o444 for path in environment.root.rglob("*")}
    assert modes == {0o444}


@pytest.mark.parametrize(
    ("pins", "error", "word"),
    [
        (("pytest==9.2.0",), SuiteError, "pins aren't whole"),
        (("pytest==0.0.999",), FetchError, "pytest"),
    ],
)
def test_bad_pins_are_said(
    ground: Ground, tmp_path: Path, pins: tuple[str, ...], error: type[Exception], word: str
) -> None:
    spec = EnvironmentSpec("3.11", pins, "\n".join(pins), hashed=False)
    with pytest.raises(error, match=word):
        anyio.run(build_environment, replace(ground.suite, environment=spec), tmp_path)
    assert not list((tmp_path / "environments").glob("*/"))


def test_a_python_too_old_is_said(ground: Ground, tmp_path: Path) -> None:
    spec = replace(ground.suite.environment, python="3.99")
    with pytest.raises(SuiteError, match=r"environment\.python.*3\.99"):
        anyio.run(build_environment, replace(ground.suite, environment=spec), tmp_path)
