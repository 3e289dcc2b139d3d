"""One module per command, named as the command."""
