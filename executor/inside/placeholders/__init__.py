"""Complete a fragment: supply missing imports and undefined names, and list each as an assumption.

imports.py     the imports that everyone leaves out
decide.py      what stands for an undefined name, decided from how the name is used
               (numbers.py, configs.py, losses.py, models.py, tensors.py, data.py: one kind each)
program.py     what the syntax tree says of names; shapes.py: of tensors
plans.py       what was decided; build.py makes it
blame.py       whether an error comes from a placeholder and not from the snippet
modules.py     imports of what is not installed; not_installed.py: what they bind
absence.py     whether an error comes of that
evidence.py    what an error shows: values, frames, conditions
places.py      whether an error is about a path, a program or a variable of this machine
holes.py       bodies that were left out (`...`, `pass`)
fresh.py       what passes only because this interpreter has more imported than a fresh one
run_placeholders.py   all of it, for one run
"""
