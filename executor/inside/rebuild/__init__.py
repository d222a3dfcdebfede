"""Search for what is missing until a snippet raises the error that was posted with it.

search.py     the search, best first: one job of the jail, a forked process for each trial
candidate.py  what one trial adds: a value for each name, and calls of what is only defined
values.py     the kinds of values, as data that becomes a Python expression
propose.py    what a name stands for, from its use
mutate.py     what to change next, one property of one value at a time
dictated.py   … and what the posted message says of it
steps.py      a change, and how likely it is
grounds.py    whether what was rebuilt rests on something made up
reasons.py    why nothing was rebuilt, by kind
repair.py     what is no Python, left out
source.py     the programs that a post may mean
layers.py     the layer that a name stands for
solve.py      sizes that make a message's numbers come true
drive.py      how what is only defined is called
trial.py      one trial in a process of its own
judge.py      how near a trial comes to the posted error
evidence.py   what the posted error says: its line, the names in it, its shapes and dtypes
printed.py    the tensors that a message shows printed
glue.py       names that are bound at their first read, in a trial and in the final run
stubs.py      classes and modules that are not there
"""
