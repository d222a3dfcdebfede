"""Make a copy where one was meant: of kept weights, of a model, of each layer of a list."""

from itertools import takewhile

import libcst as cst

from executor.protocol import Finding
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Edits, Program, call
from knowledge.repair.toolkit.imports import with_import
from knowledge.repair.toolkit.sites import calls
from knowledge.repair.toolkit.statements import last_name

_COPIES = ("deepcopy", "clone", "save")


def _of_weights(program: Program, finding: Finding) -> Rewrites:
    """`copy.deepcopy(model.state_dict())` where the weights are put aside."""
    for taken in calls(program, r"\.state_dict$"):
        here = takewhile(lambda n: not isinstance(n, cst.BaseSmallStatement), program.above(taken))
        into = {last_name(program, n.func) for n in here if isinstance(n, cst.Call)}
        if not into & {*_COPIES, "load_state_dict"}:
            yield _copied(
                program,
                taken,
                taken,
                "the weights of this moment are kept: state_dict() alone refers to those that go "
                "on training",
            )


def _of_a_model(program: Program, finding: Finding) -> Rewrites:
    """`copy.deepcopy(model)` for a second name of the model, or a shallow copy of it."""
    for assign in program.all(cst.Assign):
        target = program.text(assign.targets[0].target).rpartition(".")[2]
        if target != finding.name.rpartition(".")[2] or len(assign.targets) != 1:
            continue
        value = assign.value
        told = f"`{finding.name}` has weights of its own"
        if isinstance(value, (cst.Name, cst.Attribute)):
            yield _copied(program, value, value, told)
        elif isinstance(value, cst.Call) and last_name(program, value.func) == "copy":
            given = value.args[0].value if value.args else None
            if given is not None:
                yield _copied(program, value, given, told)


def _copied(
    program: Program, old: cst.BaseExpression, value: cst.BaseExpression, told: str
) -> Rewrite:
    function = program.name_of("copy", "deepcopy")
    return _imported(program, {old: call(function, cst.Arg(value))}, old, told)


def _imported(program: Program, new: Edits, at: cst.CSTNode, told: str) -> Rewrite:
    module = program.replace(new)
    if not program.imported() & {"copy", "deepcopy"}:
        module = with_import(Program(module.code), "import copy")
    return Rewrite(module, f"line {program.line(at)}: {told}", as_one=True)


def _of_each(program: Program, finding: Finding) -> Rewrites:
    """`[Block() for _ in range(4)]` for `[Block()] * 4`; of a variable, a copy for each."""
    statement = program.statement_on(finding.line)
    told = "each of them is made anew, with weights of its own"
    for node in program.inside(statement, cst.BinaryOperation):
        if not isinstance(node.operator, cst.Multiply):
            continue
        sides = (node.left, node.right), (node.right, node.left)
        for one, times in sides:
            if not isinstance(one, cst.List) or len(one.elements) != 1:
                continue
            held, count = one.elements[0].value, program.text(times)
            made = cst.parse_expression(f"[{program.text(held)} for _ in range({count})]")
            if isinstance(held, cst.Name):
                comprehension = cst.ensure_type(made, cst.ListComp)
                copied = call(program.name_of("copy", "deepcopy"), cst.Arg(held))
                yield _imported(program, {node: comprehension.with_changes(elt=copied)}, node, told)
            else:
                yield program.edit({node: made}, told)
    for made_so in program.inside(statement, cst.ListComp):
        if isinstance(made_so.elt, cst.Name):
            yield _copied(program, made_so.elt, made_so.elt, told)


EDITS = {
    "loads_itself": _of_weights,
    "state_not_copied": _of_weights,
    "shared_weights": _of_a_model,
    "one_module_repeated": _of_each,
}
