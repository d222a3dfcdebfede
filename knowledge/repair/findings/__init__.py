"""One module for each kind of edit for findings: see knowledge/repair/by_finding.py."""
