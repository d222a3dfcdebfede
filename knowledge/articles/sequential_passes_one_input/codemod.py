"""Call the layers of a Sequential one by one where one of them takes a second input."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.sites import assignment, method_of, seen_error, variables

ERRORS = ("too_many_arguments",)
KEEPS = (computed(allowed=("[",)), layers)
SAYS = {"function": r"Sequential\.forward", "least": "2"}


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`model(x, mask)` → `model[1](model[0](x), mask)`, where the second layer takes the mask."""
    node = program.node
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name):
        return
    if any(a.keyword or a.star for a in node.args):
        return
    found = assignment(program, node.func.value, node)
    made = found.value if found is not None else None
    if not isinstance(made, cst.Call) or not program.text(made.func).endswith("Sequential"):
        return
    if any(a.star or a.keyword or not isinstance(a.value, cst.Call) for a in made.args):
        return
    takes = [_inputs(program, a.value) for a in made.args]
    places = [i for i, n in enumerate(takes) if n == len(node.args)]
    if len(places) != 1 or len(node.args) < 2:
        return
    place, name = places[0], node.func.value
    first, *others = [program.text(a.value) for a in node.args]
    inner = first if place == 0 else f"{name}[{'0' if place == 1 else f':{place}'}]({first})"
    text = f"{name}[{place}]({', '.join([inner, *others])})"
    left = len(takes) - place - 1
    if left:
        text = f"{name}[{place + 1}{':' if left > 1 else ''}]({text})"
    told = f"a Sequential hands one value on; its layer {place} is given the others by hand"
    yield program.edit({node: cst.parse_expression(text)}, told)


def _inputs(program: Failed, made: cst.BaseExpression) -> int:
    """How many inputs the `forward` of a class of the snippet takes; 1 for any other layer."""
    name = program.text(made.func) if isinstance(made, cst.Call) else ""
    forward = method_of(program, name, "forward")
    return len(forward.params.params) - 1 if forward is not None else 1


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every layer is called, each once and in order, with every input."""
    error = seen_error(before, *ERRORS)
    if error is None:
        return []
    name = error.code.partition("(")[0].strip()
    facts = variables(before).get(name)
    made = re.search(rf"\b{re.escape(name)}\s*=\s*[\w.]*Sequential\((.*)\)", proposal.code)
    called = [
        (int(a or 0), b is not None, int(c) if c else None)
        for a, b, c in re.findall(rf"\b{re.escape(name)}\[(\d*)(:)?(\d*)\]\(", proposal.code)
    ]
    starts = sorted(a for a, _, _ in called)
    whole = bool(called) and starts[0] == 0 and (facts is not None or made is not None)
    return [Check.of("every layer", whole, "every layer is called", "a layer is left out")]
