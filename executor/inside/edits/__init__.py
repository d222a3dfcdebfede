"""Try edits of a program that failed: in its dead frame, then whole programs, in forks of one job.

What is learnt here is data from the jail: it says which edits are worth a run of their own, and
decides nothing.
"""
