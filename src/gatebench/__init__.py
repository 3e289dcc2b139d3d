"""gate-bench: what a quality gate catches, misses, blocks wrongly, breaks and costs."""

__version__ = "0.1.0"
