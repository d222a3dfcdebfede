"""Talks: understands a question, has it run, composes one Answer, draws it."""
