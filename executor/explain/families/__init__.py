"""One module a group of errors; `executor.explain.family` finds them by looking in this folder."""
