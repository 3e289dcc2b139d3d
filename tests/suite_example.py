"""The example suite of docs/suites.md, written out as it stands there."""

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs" / "suites.md"
_FILE = re.compile(r"^`([^`\n]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def example_suite(root: Path) -> Path:
    """Write the example's files below ``root``."""
    for name, text in _FILE.findall(DOCS.read_text()):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root
