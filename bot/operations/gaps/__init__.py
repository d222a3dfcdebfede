"""What went unanswered, in groups, and a draft of the article that each group lacks.

unanswered.py  the questions that the store keeps and nobody answered
groups.py      which of them are about one thing, and what that is called
drafts.py      the skeleton of the article that would answer a group
display.py     the groups as a table and as JSON
"""
