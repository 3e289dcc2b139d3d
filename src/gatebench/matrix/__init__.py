"""Plan, lock, schedule and resume a job of trials."""
