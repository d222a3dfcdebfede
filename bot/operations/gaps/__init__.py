"""What went unanswered, in groups, and a draft of the article that each group lacks."""
