"""What a run reveals: one module a probe, all of them inside the jail, none editing the snippet."""
