"""The documentation of the libraries that run snippets, read from their docstrings."""
