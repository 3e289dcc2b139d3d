"""The loopback provider by itself, for a run of the product against it.

::

    PYTHONPATH=tests python -m provider --port 8600 --faults 0.05
    ANTHROPIC_API_KEY=<the key it prints> gatebench run --model claude-sonnet-5-5 \
        --upstream http://127.0.0.1:8600
"""

import argparse
import sys
from pathlib import Path

import anyio

from gatebench.suites import fetch_upstream, load_suite
from provider import KEY, Fault, Provider, serve, sometimes
from provider.team import Team

PASSING = (
    Fault.TOO_MANY,
    Fault.TOO_MANY_LATER,
    Fault.OVERLOADED,
    Fault.BROKEN,
    Fault.RESET,
    Fault.OVERLOADED_EVENT,
    Fault.CUT_EARLY,
    Fault.CUT,
)
"""What a session survives."""


async def main(port: int, rate: float, cache: Path) -> None:
    suite = load_suite("tinydb")
    upstream = await fetch_upstream(suite, cache)
    provider = Provider(Team(suite, upstream), sometimes(1, rate, PASSING))
    async with serve(provider, port=port) as url:
        sys.stdout.write(f"{url}\n{KEY}\n")
        sys.stdout.flush()
        await anyio.sleep_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--faults", type=float, default=0.0)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "provider")
    given = parser.parse_args()
    anyio.run(main, given.port, given.faults, given.cache)
