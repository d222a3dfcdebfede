"""From pasted text to a Question: its code, its traceback, its words."""
