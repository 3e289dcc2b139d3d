"""A matrix on two Ray nodes, one of them killed half way, ends like the same matrix run here."""

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from clustered import cluster_of, lose
from front import Front, lines

from gatebench.cli import place
from proof.battery_chaos import compare
from proof.registry import Record, battery

ARGS = ("T1", "T5", "--configs", "bare,g1,g13", "--reps", "2", "--seed", "3", "--jobs", "4")
PATIENCE_S = 600.0


def run_cluster(scratch: Path) -> Record:
    """Run it here and there, and compare."""
    began = time.monotonic()
    front = Front(scratch, place.cache())
    calm = front("run", *ARGS, "--out", scratch / "calm")
    assert calm.returncode == 0, calm.stdout + calm.stderr
    out = scratch / "clustered"
    with cluster_of(nodes=2, cpus=2) as cluster:
        ray = ("--executor", "ray", "--ray-address", cluster.address)
        process = front.start("run", *ARGS, *ray, "--out", out)
        # Three of four with an agent at work: the node that is lost has at least one of them.
        wait_for(process, lambda: count(out, "scored") >= 3 and working(out) >= 3)
        lose(cluster, 0)
        said = "".join(process.communicate(timeout=PATIENCE_S))
    wrong = [*compare(scratch / "calm", out)]
    wrong += [said[-1000:]] if process.returncode else []
    lost = [e for e in lines(out / "journal.jsonl") if e.get("status") == "node_lost"]
    kept = len(list(out.glob("*/attempts/*/score.json")))
    return Record(
        title="A lost node",
        header=("what", "figure"),
        rows=(
            ("trials on two nodes of 2 processors", "12"),
            ("attempts that the lost node took with it", str(len(lost))),
            ("of these kept with what had come back of them", str(kept)),
            ("deviations from the job run without a cluster", str(len(wrong))),
        ),
        ok=not wrong and kept > 0 and len(lost) > 0,
        seconds=time.monotonic() - began,
        notes=tuple(wrong[:10]),
    )


def wait_for(process: "subprocess.Popen[str]", ready: Callable[[], bool]) -> None:
    """Until something shows in the job of a process that still runs."""
    until = time.monotonic() + PATIENCE_S
    while not ready():
        assert process.poll() is None, "".join(process.communicate())
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.1)


def working(job: Path) -> int:
    """Trials that were begun and whose agent hasn't ended, as far as is known here."""
    begun = [path for path in job.glob("T*-r*") if path.is_dir()]
    over = ("session.json", "score.json")
    return sum(not any((path / name).exists() for name in over) for path in begun)


def count(job: Path, event: str) -> int:
    """Events of a kind in a job's journal so far."""
    journal = job / "journal.jsonl"
    return sum(e["event"] == event for e in lines(journal)) if journal.exists() else 0


@battery("cluster", "two Ray nodes, one killed in mid-matrix: the same scores as without a cluster")
def cluster() -> Record:
    """The whole battery."""
    with tempfile.TemporaryDirectory(prefix="cluster-") as scratch:
        return run_cluster(Path(scratch))
