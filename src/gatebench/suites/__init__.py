"""Suites: read and checked, their upstream fetched, their test environment built.

Nothing here leads to hidden tests or solutions; `gatebench.suites.hidden` is the only door
to those.
"""

from gatebench.suites.environment import TestEnvironment, build_environment
from gatebench.suites.loader import load_suite, shipped_suites
from gatebench.suites.suite import EnvironmentSpec, LibrarySpec, Suite, Upstream
from gatebench.suites.upstream import fetch_upstream

__all__ = [
    "EnvironmentSpec",
    "LibrarySpec",
    "Suite",
    "TestEnvironment",
    "Upstream",
    "build_environment",
    "fetch_upstream",
    "load_suite",
    "shipped_suites",
]
