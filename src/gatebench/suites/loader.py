"""Reading a suite directory. Every complaint names file, field and remedy."""

import re
from pathlib import Path

from gatebench.errors import SuiteError, UnknownName
from gatebench.model.task import PromptVariant, Task
from gatebench.suites.files import digest_files, files_below, read_text, read_toml, validate
from gatebench.suites.format import (
    EnvironmentTable,
    InjectionTable,
    SuiteFile,
    TaskFile,
    UpstreamTable,
)
from gatebench.suites.suite import EnvironmentSpec, LibrarySpec, Suite, Upstream

SHIPPED = Path(__file__).parent
HIDDEN_PARTS = frozenset({"hidden", "solutions"})
RECORDS = frozenset({"strength"})
"""What is known about the hidden tests: decides no result, so it is in no digest."""
_LOCK_LINE = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*==[^\s;]+)(.*)$", re.MULTILINE)


def shipped_suites() -> tuple[str, ...]:
    """Names of the suites that come with the product."""
    return tuple(sorted(path.parent.name for path in SHIPPED.glob("*/suite.toml")))


def load_suite(name_or_path: str) -> Suite:
    """Read a suite: a shipped one by name, any other by the path of its directory.

    Raises:
        UnknownName: neither a shipped suite nor a directory.
        SuiteError: the suite is broken.
    """
    root = _find(name_or_path)
    path = root / "suite.toml"
    data = read_toml(path, "A suite directory holds a suite.toml; see docs/suites.md.")
    file = validate(path, SuiteFile, data)
    return Suite(
        name=file.name,
        version=file.version,
        root=root,
        tasks=_tasks(root),
        upstream=_upstream(root, file.upstream),
        environment=_environment(root, file.environment),
        library=LibrarySpec(file.library.package, file.library.tests, file.library.command),
        injections=_injections(root, file.injections),
        injection_titles={entry.name: entry.title for entry in file.injections},
        digest=digest_files(root, _public_files(root)),
    )


def _find(name_or_path: str) -> Path:
    """The suite's directory; a shipped name goes before a directory of the same name."""
    if name_or_path in shipped_suites():
        return SHIPPED / name_or_path
    root = Path(name_or_path)
    if not root.is_dir():
        raise UnknownName("suite", name_or_path, (*shipped_suites(), "a path to a suite directory"))
    return root.resolve()


def _public_files(root: Path) -> list[Path]:
    """Everything but hidden tests, solutions and what is recorded about them."""
    left_out = HIDDEN_PARTS | RECORDS
    return [p for p in files_below(root) if p.relative_to(root).parts[0] not in left_out]


def _tasks(root: Path) -> tuple[Task, ...]:
    """All tasks, in the order of their numbers."""
    paths = sorted((root / "tasks").glob("*.toml"), key=lambda p: (len(p.stem), p.stem))
    if not paths:
        raise SuiteError(f"{root / 'tasks'}: no task file.", "Add tasks/T1.toml.")
    return tuple(_task(root, path) for path in paths)


def _task(root: Path, path: Path) -> Task:
    """One task; the files of its hidden half must be there too."""
    file = validate(path, TaskFile, read_toml(path, "Add it."))
    if file.id != path.stem:
        raise SuiteError(
            f"{path}: field 'id': '{file.id}' isn't the file's name.",
            f'Rename the file to {file.id}.toml or set id = "{path.stem}".',
        )
    for needed in (f"hidden/test_{file.id}.py", f"solutions/{file.id}.toml"):
        if not (root / needed).is_file():
            raise SuiteError(
                f"{root / needed}: missing, though {path.name} defines task {file.id}.",
                "Add it; docs/suites.md says what it holds.",
            )
    return Task(
        id=file.id,
        title=file.title,
        prompts={
            PromptVariant.TERSE: file.terse.strip(),
            PromptVariant.EXPLICIT: file.explicit.strip(),
        },
        requirements=tuple(table.record() for table in file.requirements),
        spare=file.spare,
    )


def _upstream(root: Path, table: UpstreamTable) -> Upstream:
    """The library's source; a directory is digested, so that its cache follows its contents."""
    if table.path is None:
        return Upstream(table.package, table.version, table.sha256 or "")
    path = root / table.path
    if not path.is_dir():
        raise SuiteError(
            f"{root / 'suite.toml'}: field 'upstream.path': {path} is no directory.",
            "Put the library's files there.",
        )
    return Upstream(None, None, digest_files(path, files_below(path)), path)


def _environment(root: Path, table: EnvironmentTable) -> EnvironmentSpec:
    """The pins, from the list or the lock file."""
    if table.lock is None:
        text = "".join(f"{pin}\n" for pin in table.packages)
        return EnvironmentSpec(table.python, table.packages, text, hashed=False)
    path = root / table.lock
    text = read_text(path, "Make it with 'uv pip compile --generate-hashes'; see docs/suites.md.")
    entries = _LOCK_LINE.findall(text.replace("\\\n", " "))
    loose = [pin for pin, rest in entries if "--hash=sha256:" not in rest]
    if not entries or loose:
        raise SuiteError(
            f"{path}: {loose[0] if loose else 'no package'} has no pin with hashes.",
            "Make it with 'uv pip compile --generate-hashes'; see docs/suites.md.",
        )
    return EnvironmentSpec(table.python, tuple(pin for pin, _ in entries), text, hashed=True)


def _injections(root: Path, tables: tuple[InjectionTable, ...]) -> dict[str, Path]:
    """Patch files by name."""
    found: dict[str, Path] = {}
    for table in tables:
        path = root / table.patch
        where = f"{root / 'suite.toml'}: field 'injections.{table.name}"
        if table.name in found:
            raise SuiteError(f"{where}': defined twice.", "Give each injection its own name.")
        if not path.is_file():
            raise SuiteError(f"{where}.patch': {path} is missing.", "Add the patch or remove it.")
        found[table.name] = path
    return found
