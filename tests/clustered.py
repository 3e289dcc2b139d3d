"""Ray clusters of several nodes on this machine, for tests; a node can be lost at will."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


def needs_ray() -> Any:
    """Ray's module of clusters; skips the test where the extra isn't installed."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "120")  # a busy machine takes its time
    return pytest.importorskip(
        "ray.cluster_utils", reason="the extra 'ray' isn't installed: pip install 'gate-bench[ray]'"
    )


@contextmanager
def cluster_of(nodes: int, cpus: int) -> Iterator[Any]:
    """A head that runs nothing, and so many nodes of so many processors each."""
    cluster = needs_ray().Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0},
    )
    try:
        for _ in range(nodes):
            cluster.add_node(num_cpus=cpus)
        cluster.wait_for_nodes()
        yield cluster
    finally:
        cluster.shutdown()


def lose(cluster: Any, number: int) -> None:
    """Kill a node, as a machine dies: no goodbye, nothing sent."""
    node = sorted(cluster.worker_nodes, key=lambda n: str(n.unique_id))[number]
    cluster.remove_node(node, allow_graceful=False)
