"""Complete a fragment: supply missing imports and undefined names, and list each as an assumption.

imports.py     the imports that everyone leaves out
names.py       find the undefined names
decide.py      plan a placeholder for each of them, from how the name is used
               (decider.py: the base class; numbers, losses, models, tensors, data: one kind each)
program.py     what the syntax tree says about names; shapes.py: about tensors
plans.py       the plans; build.py makes the values from them
blame.py       whether an error comes from a placeholder and not from the snippet
holes.py       functions and classes whose body was left out (`...`, `pass`)
fresh.py       submodules that this process has imported and a fresh interpreter would not have
completion.py  all of it, for one run
"""
