"""The families of errors, one module for each group; each module has a tuple FAMILIES."""
