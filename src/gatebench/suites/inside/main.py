"""Entry point inside the sandbox: takes its order from stdin, runs pytest, reports on stdout.

Stdin holds the channel's key (raw bytes) and then one JSON object, both consumed before anything
else is imported. Stdout becomes the report channel and nothing else: what the tests print goes
where stderr goes. The process ends by `os._exit` right after its last record, so that nothing the
tree left behind (``atexit``, threads, finalizers) runs after it.
"""

import json
import os
import sys
from typing import Any, NoReturn

from .channel import KEY_BYTES, Sender
from .shut import shut_off


def _take_order() -> "tuple[bytearray, dict[str, Any]]":
    key = bytearray(KEY_BYTES)
    # Read straight into the buffer that `Sender.blind` wipes: no copy of the key is ever made.
    os.readv(0, [key])
    with os.fdopen(os.dup(0), "rb") as stdin:
        return key, json.loads(stdin.read())


def _rearrange() -> int:
    """Keep stdout for the reports, give its number to stderr's target, close stdin."""
    channel = os.dup(1)
    os.dup2(2, 1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return channel


def main() -> NoReturn:
    """Run one order and end the process with pytest's exit code."""
    key, order = _take_order()
    sender = Sender(_rearrange(), key)
    sys.dont_write_bytecode = True
    shut_off()
    sender.send({"kind": "started"})
    code = _each(order, sender) if order["mode"] == "each" else _whole(order, sender)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _whole(order: "dict[str, Any]", sender: Sender) -> int:
    import pytest  # noqa: PLC0415  # before the tree can be imported

    from .whole import WholeReporter  # noqa: PLC0415  # the same

    sys.path.extend(order["roots"])
    reporter = WholeReporter(sender, order["mark"])
    code = int(pytest.main(order["args"], plugins=[reporter]))
    sender.send({"kind": "end", "exit_code": code, "changed": reporter.changes()})
    return code


def _each(order: "dict[str, Any]", sender: Sender) -> int:
    import pytest  # noqa: PLC0415  # before the tree can be imported

    from .each import EachReporter  # noqa: PLC0415  # the same

    reporter = EachReporter(sender, order)
    code = int(pytest.main(order["args"], plugins=[reporter]))
    sender.send({"kind": "end", "exit_code": code, "changed": []})
    return code
