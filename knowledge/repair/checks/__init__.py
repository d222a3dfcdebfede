"""Checks that every fix has to pass, whatever made it: one module each, found by looking here.

`runs/` holds those that compare two runs, `code/` those that compare two codes. The latter read a
stranger's code, so they are asked in the jail, where the fix was proposed. How a user is told of
them is in docs/fixes.md.
"""
