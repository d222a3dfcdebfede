"""Turn pasted text into a Question: its code, its traceback, its prose."""
