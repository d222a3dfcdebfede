"""What a configured language model proposes, and how a run decides what becomes of it.

Off unless `proposer.url` is set: then nothing here is imported (`docs/model.md`).
"""
