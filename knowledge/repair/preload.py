"""Import what nearly every codemod and operator imports, in the executor, before it forks its runs.

A proposal's run then imports only the codemods that apply. Importing all of them here would add
0.27 s to every start of the executor and 3 MiB to its warm server, and make no proposal quicker
that could be measured.
"""

import importlib
import pkgutil

import libcst.metadata  # noqa: F401

import knowledge.repair.codemod
import knowledge.repair.computed
import knowledge.repair.proposing  # noqa: F401
from knowledge.repair import by_finding, operators, toolkit  # noqa: F401
from knowledge.repair.checks import code

for _package in (toolkit, code, operators):
    for _module in pkgutil.iter_modules(_package.__path__, f"{_package.__name__}."):
        importlib.import_module(_module.name)
