"""The command line: one module a command, and what puts their parts together."""
