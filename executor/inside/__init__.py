"""What runs behind the walls: the warm server, the runner and its probes."""
