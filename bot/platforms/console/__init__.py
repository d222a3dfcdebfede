"""The console: cards on a terminal, and a conversation."""
