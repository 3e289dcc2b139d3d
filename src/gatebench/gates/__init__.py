"""Gates: checks run when the agent wants to stop.

`base` says what a gate is; `registry` knows which there are; `runner` takes one stop through them.
"""
