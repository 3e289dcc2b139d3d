"""A process and what it started, seen from /proc."""

from pathlib import Path


def descendants(pid: int) -> set[int]:
    """A process and everything it started."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    found = {pid}
    while new := {child for child, parent in parents.items() if parent in found} - found:
        found |= new
    return found


def birth(pid: int) -> str | None:
    """What tells a process from a later one with its number; ``None`` once it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]


def survivors(family: dict[int, str | None]) -> list[int]:
    """Those of a family that are still there."""
    return [pid for pid, born in family.items() if born and birth(pid) == born]
