"""Mend a snippet: codemods propose, runs and checks decide."""
