"""Trees that the suite's own solutions are planted in, whose truth is known beforehand."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations

from gatebench.trial.bench import Bench


async def plant(bench: Bench, base: str, files: Mapping[str, str]) -> str:
    """The tree of a base with some files replaced."""
    return await bench.trees.add_files(base, {k: v.encode() for k, v in files.items()})


def subsets(ids: Sequence[str]) -> Iterable[frozenset[str]]:
    """All 2ⁿ subsets, small ones first."""
    sizes = range(len(ids) + 1)
    return map(frozenset, chain.from_iterable(combinations(ids, size) for size in sizes))
