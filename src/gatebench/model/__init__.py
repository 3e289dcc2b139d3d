"""Frozen records that reach disk, and pure rules on them. No I/O."""
