"""Entry point inside the sandbox: takes its order from stdin, runs pytest, reports on stdout.

Its last argument is the mode. Everything that needs no order is done first, pytest imported too, so
that it can be done before there is one. Stdin holds the channel's key (raw bytes) and then one JSON
object; until it has ended nothing of the tree is touched. Stdout becomes the report channel and
nothing else: what the tests print goes where stderr goes. The process ends by `os._exit` right
after its last record, so that nothing the tree left behind (``atexit``, threads, finalizers) runs
after it.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from .channel import KEY_BYTES, Sender
from .shut import shut_off

Run = Callable[[dict[str, Any], Sender], int]


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
    mode = sys.argv.pop()
    sys.dont_write_bytecode = True
    shut_off()
    run = _each() if mode == "each" else _whole()
    key, order = _take_order()
    sender = Sender(_rearrange(), key)
    sender.send({"kind": "started"})
    code = run(order, sender)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _load_pytest() -> None:
    """Import pytest, and what it imports first thing when it is run."""
    from _pytest.config import default_plugins  # noqa: PLC0415  # before the tree can be imported

    for name in default_plugins:
        importlib.import_module(f"_pytest.{name}")


def _whole() -> Run:
    _load_pytest()
    import pytest  # noqa: PLC0415  # before the tree can be imported

    from .whole import WholeReporter  # noqa: PLC0415  # the same

    def run(order: "dict[str, Any]", sender: Sender) -> int:
        sys.path.extend(order["roots"])
        reporter = WholeReporter(sender, order["mark"])
        code = int(pytest.main(order["args"], plugins=[reporter]))
        sender.send({"kind": "end", "exit_code": code, "changed": reporter.changes()})
        return code

    return run


def _each() -> Run:
    _load_pytest()
    import pytest  # noqa: PLC0415  # before the tree can be imported

    from .each import EachReporter  # noqa: PLC0415  # the same

    def run(order: "dict[str, Any]", sender: Sender) -> int:
        reporter = EachReporter(sender, order)
        code = int(pytest.main(order["args"], plugins=[reporter]))
        sender.send({"kind": "end", "exit_code": code, "changed": []})
        return code

    return run
