"""The agents: executables that take the CLI's flags and write the CLI's stream."""
