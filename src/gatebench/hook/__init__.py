"""The Stop hook: a thin client beside the agent, and the trial's own server that decides."""
