"""The court, once for all tests of this room."""

import anyio
import pytest
from court import Court
from suite_ground import shared_ground

from gatebench.sandbox import open_sandbox
from gatebench.workspace import TreeStore

import os  # TEMP
if os.environ.get("GB_OWN"):  # TEMP
    from gatebench.sandbox.bwrap import BwrapSandbox  # TEMP
    from gatebench.sandbox.program import find_program  # TEMP
    from gatebench.sandbox.identity import OWN  # TEMP
    open_sandbox = lambda kind: BwrapSandbox(find_program(), OWN)  # TEMP


@pytest.fixture(scope="session")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    ground = shared_ground(tmp_path_factory)
    store = TreeStore(tmp_path_factory.mktemp("store") / "git")
    anyio.run(store.create)
    base = anyio.run(store.snapshot, ground.upstream).tree
    return Court(ground, open_sandbox("auto"), store, base)


