"""Discord: its events, forms, cards and messages."""
