"""One module a group of errors; `explain.family` finds them by looking in this folder."""
