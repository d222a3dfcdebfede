"""The probes: one module each, all of them run inside the jail, none edits the snippet."""
