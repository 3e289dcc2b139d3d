"""Diffs of the small task's trees, as git shows them."""

import difflib

from push_pull import BLUEPRINT, FILE, PRISTINE


def diff(*satisfied: str) -> str:
    """From upstream to the tree of a subset."""
    after = BLUEPRINT.apply(PRISTINE, satisfied)[FILE]
    lines = difflib.unified_diff(
        PRISTINE[FILE].splitlines(keepends=True),
        after.splitlines(keepends=True),
        f"a/{FILE}",
        f"b/{FILE}",
    )
    return f"diff --git a/{FILE} b/{FILE}\n" + "".join(lines)
