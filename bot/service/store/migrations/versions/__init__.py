"""The schema, one change a file, in the order of their numbers."""
