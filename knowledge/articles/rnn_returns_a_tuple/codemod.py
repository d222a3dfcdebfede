"""Take the outputs out of the pair that a recurrent or attention layer returns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import libcst as cst

from executor.errors import read
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.shapes import same_layers, still_computed
from knowledge.repair.toolkit.sites import assignment, failing, scope_of, seen_error, variables

_FAMILIES = ("argument_type", "plain_attribute", "operand_types")
_PAIR = re.compile(r"(^|\.)(RNN|LSTM|GRU|MultiheadAttention)$")


def applies(result: JobResult) -> bool:
    """An operation got a tuple where it wants a tensor."""
    error = seen_error(result, *_FAMILIES)
    seen = read(error, *_FAMILIES) if error is not None else None
    return seen is not None and "tuple" in (
        seen["type"],
        seen["given"],
        seen["left"],
        seen["right"],
    )


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """`outputs, _ = lstm(x)` where the pair was given a name, `lstm(x)[0]` where it was not."""
    error = seen_error(result, *_FAMILIES)
    expression = failing(program, error)
    if expression is None:
        return
    known = variables(result)
    told = result.explanation.text if result.explanation is not None else ""
    if (hooked := _in_a_hook(program, expression)) is not None:
        yield from _of_a_hook(program, expression, hooked, told)
        return
    for call in program.inside(expression, cst.Call):
        if call is not expression and _returns_a_pair(program, call):
            yield from _first_of(program, call)
            return
    for name in program.inside(expression, cst.Name):
        facts = known.get(name.value)
        if facts is None or facts.type != "tuple":
            continue
        made = assignment(program, name.value, expression)
        if made is None or not isinstance(made.value, cst.Call):
            continue
        if _returns_a_pair(program, made.value) and isinstance(made.targets[0].target, cst.Name):
            yield from _unpacked(program, made, made.targets[0].target)
            return


def _in_a_hook(program: Program, expression: cst.BaseExpression) -> str | None:
    """The third parameter of `hook(module, inputs, output)`, if the expression is in one."""
    function = scope_of(program, expression)
    if not isinstance(function, cst.FunctionDef) or len(function.params.params) != 3:
        return None
    hooked = re.search(r"register_forward_hook\((?:[^()]|\([^()]*\))*\)", program.module.code)
    names = [p.name.value for p in function.params.params]
    return names[2] if hooked is not None and names[0] != "self" else None


def _of_a_hook(
    program: Program, expression: cst.BaseExpression, output: str, told: str
) -> Iterator[Rewrite]:
    """What a hook is given is what the layer returns: `output[0]` are the outputs."""
    at = f"line {program.line(expression)}"
    owner = expression.func if isinstance(expression, cst.Call) else expression
    value = owner.value if isinstance(owner, cst.Attribute) else None
    if value is None or "is a tuple of 2: [0] a tensor" not in told:
        return
    text = program.text(value)
    if text == output:
        yield Rewrite(
            program.replace({value: cst.parse_expression(f"{output}[0]")}),
            f"{at}: the layer returns a pair; its first is the outputs",
        )
    elif text == f"{output}[1]":
        for index, state in enumerate(("the hidden state", "the cell state")):
            yield Rewrite(
                program.replace({value: cst.parse_expression(f"{text}[{index}]")}),
                f"{at}: an LSTM's second return is the pair of its states",
                f"{state} is meant",
                said=rf"\b{state.split()[1]} states?\b",
            )


def _returns_a_pair(program: Program, call: cst.Call) -> bool:
    """Whether the callee was made by nn.LSTM(…) or one of its kind."""
    callee = program.text(call.func)
    kinds = {
        bool(isinstance(a.value, cst.Call) and _PAIR.search(program.text(a.value.func)))
        for a in program.all(cst.Assign)
        if any(program.text(t.target) == callee for t in a.targets)
    }
    return kinds == {True}


def _unpacked(program: Program, made: cst.Assign, target: cst.Name) -> Iterator[Rewrite]:
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    pair = cst.Tuple(
        [cst.Element(cst.Name(target.value), comma=comma), cst.Element(cst.Name("_"))],
        lpar=(),
        rpar=(),
    )
    assert isinstance(made.value, cst.Call)
    yield Rewrite(
        program.replace({target: pair}),
        f"line {program.line(made)}: `{program.text(made.value.func)}` returns a pair, and the "
        f"first of it is `{target.value}`",
    )


def _first_of(program: Program, call: cst.Call) -> Iterator[Rewrite]:
    index = cst.SubscriptElement(cst.Index(cst.Integer("0")))
    yield Rewrite(
        program.replace({call: cst.Subscript(call, [index])}),
        f"line {program.line(call)}: `{program.text(call.func)}` returns a pair; its first is the "
        "outputs",
    )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same computation on the outputs, with every layer there."""
    kept = still_computed(seen_error(before, *_FAMILIES), proposal.code, allowed=("[", "_"))
    return [kept, same_layers(before, after)]
