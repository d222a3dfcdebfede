"""The question service: keeps questions, works on them in turn, answers each exactly once."""
