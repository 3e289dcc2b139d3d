"""Names inside the sandbox, and how the agent's side finds them where there is none."""

from collections.abc import Iterable

from gatebench.sandbox import Bind, Sandbox

HOME = "/home/dev"
CONFIG = "/home/dev/.claude"
WORK = "/home/dev/project"
AGENT = "/opt/agent/agent"
SCRIPT = "/opt/agent/script.py"
OVERLAY = "/opt/overlay"
PYTHON = "/opt/python/bin/python"
SETTINGS = "/run/settings.json"
MODEL_SOCKET = "/run/model.sock"
STOP = "/run/stop"


def locate(sandbox: Sandbox, binds: Iterable[Bind], path: str) -> str:
    """Where a path below one of the binds is for the command that gets these binds.

    The longest matching bind counts; a path below none stays as it is.
    """
    below = [b for b in binds if path == b.target or path.startswith(b.target + "/")]
    if not below:
        return path
    bind = max(below, key=lambda b: len(b.target))
    return sandbox.inside(bind) + path[len(bind.target) :]
