"""What runs behind the walls: the warm server, the runner, and what they find out."""
