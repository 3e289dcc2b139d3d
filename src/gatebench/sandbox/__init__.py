"""Run commands shut in: bubblewrap, deadlines, whole process trees.

`open_sandbox` chooses; `Sandbox.run` takes a `Command` to its end, `Sandbox.start` holds a
long-lived one, `Sandbox.prepare` starts one that waits for its stdin. How it is shut in: `layout`
(what it sees), `identity` (whose id it has on the host, and why), `bwrap` (limits, and why nothing
is left).
"""

from gatebench.sandbox.breaches import Bounds, breach
from gatebench.sandbox.disk import DISK_FULL, DiskBounds, refuse_crowded, watch_disk
from gatebench.sandbox.layout import system_binds
from gatebench.sandbox.opening import Sandbox, open_sandbox, probe
from gatebench.sandbox.prepared import Prepared
from gatebench.sandbox.process import Process
from gatebench.sandbox.spec import HOME, Bind, Command, Completed, Kind, Limits, Probe
from gatebench.sandbox.text import clean_text

__all__ = [
    "DISK_FULL",
    "HOME",
    "Bind",
    "Bounds",
    "Command",
    "Completed",
    "DiskBounds",
    "Kind",
    "Limits",
    "Prepared",
    "Probe",
    "Process",
    "Sandbox",
    "breach",
    "clean_text",
    "open_sandbox",
    "probe",
    "refuse_crowded",
    "system_binds",
    "watch_disk",
]
