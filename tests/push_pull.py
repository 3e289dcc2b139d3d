"""A small task of our own: push and pull on lists, with the team's material about it."""

from gatebench.model.blueprint import Blueprint, Edit
from gatebench.model.material import AcceptanceTest, RequirementMaterial, TaskMaterial
from gatebench.model.usage import Role
from gatebench.team import Profile, Seat

FILE = "tinydb/operations.py"
PRISTINE = {
    FILE: '''"""Update operations."""


def delete(field):
    """Delete a field."""
    def transform(doc):
        del doc[field]

    return transform
'''
}
ANCHOR = "def delete(field):"
TEXT = '''\
def push(field, value):
    """Append a value to a list."""
    def transform(doc):
#if R2
        doc.setdefault(field, [])
#end
#if R1
        doc[field].append(value)
#else
        doc[field].insert(0, value)
#end

    return transform


def pull(field, value):
    """Remove a value from a list."""
    def transform(doc):
#if R3
        doc[field] = [item for item in doc[field] if item != value]
#else
        doc[field].remove(value)
#end

    return transform


{anchor}
'''
BLUEPRINT = Blueprint(edits=(Edit(file=FILE, anchor=ANCHOR, text=TEXT),))
IDS = ("R1", "R2", "R3")


def _test(name: str, *lines: str) -> AcceptanceTest:
    body = "\n".join(f"    {line}" for line in lines)
    return AcceptanceTest(name=name, code=f"def {name}():\n{body}\n")


def _about(name: str, lines: tuple[str, ...], finding: str, hunk: str) -> RequirementMaterial:
    return RequirementMaterial(
        visible=_test(f"test_{name}", *lines),
        hedged=_test(f"test_{name}_somehow", "assert operations"),
        strict=_test(f"test_{name}_at_once", *lines, "assert False, 'wants more'"),
        findings=(finding,),
        file=FILE,
        hunk=hunk,
    )


MATERIAL = TaskMaterial(
    task="T1",
    blueprint=BLUEPRINT,
    imports="from tinydb import operations",
    requirements={
        "R1": _about(
            "push_keeps_order",
            ("doc = {'a': [1]}", "operations.push('a', 2)(doc)", "assert doc == {'a': [1, 2]}"),
            "push puts the value in front; the order of the list is lost.",
            "doc[field].append(value)",
        ),
        "R2": _about(
            "push_makes_the_list",
            ("doc = {}", "operations.push('a', 2)(doc)", "assert doc == {'a': [2]}"),
            "push raises KeyError where the field is missing.",
            "doc.setdefault(field, [])",
        ),
        "R3": _about(
            "pull_removes_all",
            ("doc = {'a': [1, 1]}", "operations.pull('a', 1)(doc)", "assert doc == {'a': []}"),
            "pull removes only the first occurrence.",
            "if item != value",
        ),
    },
    false_findings=((FILE, "push shares the list with the caller."),),
    minor_findings=((FILE, "The docstring could say more."),),
    summaries=("push and pull are in place.",),
)


def seat(role: Role = Role.WORKER, **changes: object) -> Seat:
    """A seat of a team that does everything right, but for what a test changes.

    Keys like ``worker={"refuse": 1.0}`` change the profile; others the seat.
    """
    groups = {"worker", "reviewer", "challenger", "writer", "tokens", "requirements"}
    profile = Profile.model_validate({k: v for k, v in changes.items() if k in groups})
    fields = {"seed": 1, "stated": frozenset(IDS), "guards": frozenset()}
    fields |= {k: v for k, v in changes.items() if k not in groups}
    return Seat(role=role, profile=profile, material=MATERIAL, **fields)  # type: ignore[arg-type]  # a test's words
