"""The console: one card on a terminal, and the conversation around it."""
