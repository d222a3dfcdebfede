"""One module for each operator, found by looking here: see knowledge/repair/operator.py."""
