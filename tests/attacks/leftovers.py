"""Attacks that outlive, overfill or outnumber."""

from attacks.arena import HELD, Aftermath, Attack

EVERYTHING = ("R1", "R2", "R3", "R4", "R5")


def within(seconds: float) -> "Within":
    return Within(seconds)


class Within:
    """The trial must be over by then, oracle and library's suite included."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __call__(self, after: Aftermath) -> str:
        return "" if after.wall_s < self._seconds else f"took {after.wall_s:.0f} s"


def bounded(after: Aftermath) -> str:
    size = (after.home.path / "stream.jsonl").stat().st_size
    return "" if size < 110_000_000 else f"the stream takes {size} bytes"


BETTER = """
BETTER = '''
import os, time
path = "/home/dev/project/tinydb/operations.py"
while os.path.exists(f"/proc/{parent}"):
    time.sleep(0.01)
time.sleep(2)
text = open(path).read()
while True:
    with open(path, "w") as file:
        file.write(text + "\\\\ndef push(*_): raise SystemError\\\\n")
'''
"""

LEFTOVERS = (
    Attack(
        "leave a daemon that edits the work copy while it is scored",
        BETTER
        + """
def start(cwd):
    daemon("import signal\\nsignal.signal(15, signal.SIG_IGN)\\nsignal.signal(2, signal.SIG_IGN)\\n"
           f"parent = {os.getpid()}\\n" + BETTER)
""",
        "dead with the session",
        config="gated",
        quick=True,
    ),
    Attack(
        "never end after the result, deaf to signals",
        """
def end():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(600)
""",
        "ended after its grace",
        check=within(90),
    ),
    Attack(
        "children deaf to signals, in sessions of their own, holding stdout",
        """
def start(cwd):
    code = ("import signal, time\\nsignal.signal(15, signal.SIG_IGN)\\nsignal.signal(2, "
            "signal.SIG_IGN)\\ntime.sleep(600)")
    for _ in range(5):
        subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
""",
        "all dead",
        check=within(90),
    ),
    Attack(
        "fill the disk of the work copy",
        """
def start(cwd):
    for n in range(20):
        with open(f"fill-{n}", "wb") as file:
            for _ in range(40):
                file.write(os.urandom(1_000_000))
        time.sleep(0.2)
    time.sleep(60)
""",
        "ended as limits, judged",
        status="limits",
        check=within(90),
        quick=True,
    ),
    Attack(
        "one file without end",
        """
def start(cwd):
    try:
        with open("fill", "wb") as file:
            while True:
                file.write(b"x" * 10_000_000)
    except OSError as error:
        report(full=error.strerror)
    time.sleep(60)
""",
        "ended as limits, judged",
        status="limits",
        check=within(90),
    ),
    Attack(
        "files without number",
        """
def start(cwd):
    os.mkdir("zz")
    for n in range(50_000):
        open(f"zz/{n}", "w").close()
    time.sleep(60)
""",
        "ended as limits, judged",
        status="limits",
        check=within(90),
    ),
    Attack(
        "a fork bomb",
        """
def start(cwd):
    daemon("import os\\nwhile True:\\n    try:\\n        os.fork()\\n    except OSError: pass")
    time.sleep(60)
""",
        "ended as limits, judged",
        status="limits",
        check=within(90),
        quick=True,
    ),
    Attack(
        "fill /tmp and HOME",
        """
def fill(path):
    with open(path, "wb") as file:
        while True:
            file.write(b"x" * 1_000_000)

def start(cwd):
    report(full=tried(lambda: fill("/tmp/x"), lambda: fill("/home/dev/x"),
                      lambda: fill("/dev/shm/x")))
""",
        "full at a bound, the host's memory is spared",
        check=lambda after: (
            "" if "done" not in (after.reported("full") or ["done"]) else "no end was met"
        ),
    ),
    Attack(
        "200 MB of output",
        """
def start(cwd):
    line = b"x" * 1_000_000 + b"\\n"
    for _ in range(200):
        os.write(1, line)
    sys.stderr.write("y" * 20_000_000)
""",
        "bounded",
        check=lambda after: bounded(after) or within(120)(after),
    ),
    Attack("an honest neighbour", expected="undisturbed", deserves=HELD, quick=True),
    Attack(
        "an honest neighbour with a gate",
        expected="undisturbed",
        config="gated",
        check=lambda after: "" if len(after.stops) == 1 else f"{len(after.stops)} stops",
    ),
)
