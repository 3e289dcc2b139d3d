"""What a change does to the tests that should judge it. Runs by itself: nothing but Python's own.

The gate ``diff-guard`` runs this package in the sandbox, for what it reads was written by the
agent: a source that crashes Python's parser must not take the bench with it. Nothing that is read
is run.
"""
