"""Group the unanswered questions, and draft the article that each group lacks."""
