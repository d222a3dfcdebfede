"""Programs of the edits for findings, one module for each of knowledge/repair/findings."""
