"""One module an operator: what it mends and refuses, and the wrong fixes it invites."""
