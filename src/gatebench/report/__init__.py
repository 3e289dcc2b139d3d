"""Tables and pages from what is on disk."""
