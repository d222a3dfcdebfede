"""What an optimizer that was given no parameters is to train."""

import re

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Program, call, method
from knowledge.repair.toolkit.sites import assigned_above, own_modules


def filled(program: Program, optimizer: cst.Call) -> Rewrites:
    """A generator as a list, which is not used up; the parameters of the only model for `[]`."""
    given, line = optimizer.args[0].value, program.line(optimizer)
    made = assigned_above(program, given.value, line) if isinstance(given, cst.Name) else None
    if made is not None and _is_generator(program, made.value):
        told = "parameters() can be walked through once; a list keeps them"
        yield program.edit({made.value: call("list", cst.Arg(made.value))}, told, at=made)
        return
    listed = made.value if made is not None else given
    models = _models(program, line)
    if isinstance(listed, cst.List) and not listed.elements and len(models) == 1:
        new = method(cst.Name(models[0]), "parameters")
        told = f"the optimizer trains the parameters of `{models[0]}`"
        yield program.edit({given: new}, told, at=optimizer)


def _is_generator(program: Program, value: cst.BaseExpression) -> bool:
    goes = r"\.(named_)?parameters\([^()]*\)$|^(filter|map)\("
    return isinstance(value, cst.GeneratorExp) or bool(re.search(goes, program.text(value)))


def _models(program: Program, before: int) -> list[str]:
    """Variables that hold a module of the snippet's own class, or one made by nn.…"""
    own, found = own_modules(program), []
    for a in program.all(cst.Assign):
        made = program.text(a.value.func) if isinstance(a.value, cst.Call) else ""
        is_one = made in own or made.startswith(("nn.", "torch.nn."))
        if is_one and program.line(a) < before and isinstance(a.targets[0].target, cst.Name):
            found.append(a.targets[0].target.value)
    return list(dict.fromkeys(found))
