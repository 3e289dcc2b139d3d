"""One trial: a tuple of named steps."""
