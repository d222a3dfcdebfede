"""The command line: one module for each command, and the assembly of their parts."""
