"""Find the passage that answers a question, or abstain if none does."""
