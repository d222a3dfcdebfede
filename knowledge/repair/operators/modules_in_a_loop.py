"""Go through a list of modules where TorchScript cannot index it: `for conv in self.convs`.

The live model shows that a loop counts its modules; a number that is used otherwise stays.
"""

from __future__ import annotations

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.flow import free_name
from knowledge.repair.toolkit.keeps import asked

ERRORS = ("script_of_an_index",)
KEEPS = (asked,)


def edits(failure: Failure) -> Rewrites:
    """Every such loop of the classes that the scripted model is made of."""
    changes: Edits = {}
    for loop in failure.all(cst.For):
        number = failure.text(loop.target)
        taken = [s for s in failure.inside(loop.body, cst.Subscript)
                 if failure.text(s) == f"{failure.text(s.value)}[{number}]"
                 and _is_counted(failure, loop, failure.text(s.value))]  # fmt: skip
        uses = [n for n in failure.inside(loop.body, cst.Name) if n.value == number]
        if len({failure.text(s) for s in taken}) == 1:
            owner = failure.text(taken[0].value)
            name = free_name(failure, owner.rpartition(".")[2].removesuffix("s"))
            counted = len(uses) > len(taken)
            head = f"{number}, {name} in enumerate({owner})" if counted else f"{name} in {owner}"
            new = cst.ensure_type(cst.parse_statement(f"for {head}: pass"), cst.For)
            changes.update({loop.target: new.target, loop.iter: new.iter})
            changes.update({s: cst.Name(name) for s in taken})
    if changes:
        yield failure.edit(changes, "the loop goes through the modules, which TorchScript unrolls")


def _is_counted(failure: Failure, loop: cst.For, owner: str) -> bool:
    """Whether what a loop goes through counts a list's modules, in each object of its class."""
    call, cls = failure.node, failure.up(loop, cst.ClassDef)
    if not isinstance(call, cst.Call) or not call.args or cls is None:
        return False
    each = f"{failure.text(call.args[0].value)}.modules()"
    kinds = f"type({owner}).__name__ == 'ModuleList' and range(len({owner}))"
    of_it = f"for self in {each} if type(self).__name__ == {cls.name.value!r}"
    text = f"{{{kinds} == {failure.text(loop.iter)} {of_it}}}"
    try:
        return bool(failure.live.value(text) == {True})
    except Exception:
        return False
