"""Runs batteries by name, all by default, and writes their figures into docs/proof.md."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from proof.page import PAGE, ROOT, origin, renew, section
from proof.registry import Battery, Record, find_all

USAGE = 2


def main(names: list[str]) -> int:
    """Exit code: 0 where everything came out as it must."""
    known = find_all()
    wrong = [name for name in names if name not in known]
    if wrong or "--help" in names:
        sys.stdout.write("python -m tests.proof [NAME…]\n\n")
        for one in known.values():
            sys.stdout.write(f"  {one.name:<12} {one.about}\n")
        return USAGE if wrong and wrong != ["--help"] else 0
    results = [_run(known[name]) for name in names or known]
    sys.stdout.write(f"Figures: {PAGE.relative_to(ROOT)}\n")
    return 0 if all(record.ok for record in results) else 1


def _run(one: Battery) -> Record:
    """Run one and put it on the page at once: a later one that breaks takes nothing with it."""
    sys.stdout.write(f"== {one.name}: {one.about}\n")
    sys.stdout.flush()
    made = origin()
    record = one.run()
    renew({one.name: section(one.name, record, made)})
    sys.stdout.write(f"{'ok' if record.ok else 'FAIL'}: {record.title}, {record.seconds:.0f} s\n")
    return record


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
