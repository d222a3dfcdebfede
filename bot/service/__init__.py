"""Questions are kept, worked on in turn, and answered exactly once."""
