"""Attacks by an agent that really does them, inside the sandbox, within a real trial."""
