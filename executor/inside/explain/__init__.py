"""Explain an error from live values: what clashed, of which size, and which line made it."""
