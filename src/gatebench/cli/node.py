"""What a node of a cluster finds out about itself, from its own environment."""

from gatebench.cli import place
from gatebench.cli.spending import usual_key
from gatebench.matrix.executors import Here


def here() -> Here:
    """Where things lie on this machine, and its key; a node is sent this function by name."""
    return Here(place.cache(), place.search_path(), usual_key(), place.secrets())
