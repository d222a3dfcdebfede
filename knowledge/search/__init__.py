"""Find the passage that answers a question, and know when none does."""
