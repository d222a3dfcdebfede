"""Knows: articles, documents, search over both, and the codemods that repair snippets."""
