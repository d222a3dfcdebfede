"""Where a value of the wrong kind came from: the call it was passed to, the line that made it."""

import re
from ast import literal_eval
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import libcst as cst

from executor.protocol import JobResult, Variable
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Edits, Program, method, operand
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop
from knowledge.repair.toolkit.sites import (
    argument,
    assignment,
    scope_of,
    value_given,
    with_argument,
    without_argument,
)

_DIGITS = {"float64": 16, "float32": 7, "float16": 3}  # decimal ones
_ASKS = "requires_grad"
INTEGERS = frozenset({"int8", "int16", "int32", "int64", "uint8", "bool"})
_SHORT = {"float32": "float", "float64": "double", "float16": "half", "int64": "long"}
_MAKES = re.compile(
    r"^(torch\.)?((zeros|ones|full|randn?|randint|empty)(_like)?|tensor|as_tensor|arange|linspace"
    r"|logspace|eye|normal)$"
)


@dataclass(frozen=True)
class Passed:
    """A variable in an argument of a call that led to the error."""

    name: cst.Name
    facts: Variable
    statement: cst.SimpleStatementLine


def passed(program: Program, result: JobResult, wrong: Callable[[Variable], bool]) -> Passed | None:
    """The outermost place where the one wrong variable is passed on; None if there are several.

    Outermost, since that is where the data were made: `model(x)`, not `self.fc(h)` inside it.
    """
    for frame in result.frames:
        statement = program.statement_on(frame.line)
        if statement is None:
            continue
        found: dict[str, cst.Name] = {}
        for call in program.inside(statement, cst.Call):
            for given in call.args:
                for name in program.inside(given.value, cst.Name):
                    facts = frame.locals.get(name.value)
                    inner = program.parent(name)
                    if isinstance(inner, cst.Attribute) and inner.attr is name:
                        continue
                    if isinstance(inner, cst.Attribute) and inner.attr.value in {"shape", "size"}:
                        continue
                    if facts is not None and wrong(facts):
                        found.setdefault(name.value, name)
        if len(found) == 1:
            name = next(iter(found.values()))
            return Passed(name, frame.locals[name.value], statement)
        if found:
            return None
    return None


class Unasked(cst.CSTTransformer):
    """Takes every request for a gradient out of an expression: `requires_grad=True` and the like.

    Args:
        wrappers: classes that make what asks, such as Parameter: what they are given is left.
    """

    found = False  # whether there was any
    wrapper = ""  # how the code calls the class that it was in

    def __init__(self, *wrappers: str) -> None:
        super().__init__()
        self._wrappers = wrappers

    def of(self, value: cst.BaseExpression) -> cst.BaseExpression:
        """The expression without any, as an operand of its own."""
        bare = cst.ensure_type(value.visit(self), cst.BaseExpression)  # type: ignore[type-abstract]
        return bare.with_changes(lpar=value.lpar, rpar=value.rpar)

    def leave_Call(  # noqa: N802  (LibCST's name)
        self, original_node: cst.Call, updated_node: cst.Call
    ) -> cst.BaseExpression:
        function, name = updated_node.func, cst.Module(()).code_for_node(updated_node.func)
        if name.rpartition(".")[2] in self._wrappers and updated_node.args:
            self.found, self.wrapper = True, name
            return operand(updated_node.args[0].value)
        if isinstance(function, cst.Attribute) and function.attr.value == "requires_grad_":
            self.found = True
            return function.value
        asks = next((a for a in updated_node.args if a.keyword and a.keyword.value == _ASKS), None)
        self.found |= asks is not None
        return updated_node if asks is None else without_argument(updated_node, asks)


def cast_at_origin(program: Program, given: Passed, dtype: str) -> tuple[Edits, str]:
    """Edits that make a variable of another dtype: where it is made, else where it is passed.

    Returns:
        them, and the place in words.
    """
    name = given.name.value
    made = assignment(program, name, given.name)
    value = value_given(made, name)
    if made is not None and value is not None and not _passed_on(program, made, name):
        line = program.line(made)
        return {value: of_dtype(program, value, dtype)}, f"line {line}: `{name}` is made"
    cast = cast_of(program, given.name, dtype)
    return {given.name: cast}, f"line {program.line(given.name)}: `{name}` is passed"


def _passed_on(program: Program, made: cst.Assign, name: str) -> bool:
    """Whether the value is made of something that the snippet's function was given."""
    return in_loop(program, made) and scope_of(program, made) is not program.module


def is_factory(program: Program, value: cst.BaseExpression | None) -> bool:
    """Whether it is a call that makes a tensor of numbers that it is given, or draws."""
    return isinstance(value, cst.Call) and _MAKES.match(program.text(value.func)) is not None


def asking(program: Program, value: cst.BaseExpression) -> cst.BaseExpression:
    """The same tensor, asking for a gradient."""
    plain = is_factory(program, value) and "as_tensor" not in program.text(value)
    if isinstance(value, cst.Call) and plain:
        return with_argument(value, 99, _ASKS, cst.Name("True"))
    return method(value, f"{_ASKS}_")


def of_dtype(program: Program, value: cst.BaseExpression, dtype: str) -> cst.BaseExpression:
    """The same value in another dtype, said where it is made if that is a factory's call."""
    if isinstance(value, cst.Call):
        # Random numbers of another dtype are other numbers.
        random = "rand" in program.text(value.func) and says_dtype(value) is None
        if is_factory(program, value) and not random:
            new = cst.parse_expression(program.name_of("torch", dtype))
            return with_argument(value, 99, "dtype", new)
        casts = {"double", "long", "int", "half", "float"}
        function = value.func
        if isinstance(function, cst.Attribute) and function.attr.value in casts and not value.args:
            return cast_of(program, function.value, dtype)
    return cast_of(program, value, dtype)


def digits_lost(old: str, new: str) -> str:
    """What a cast loses of each number, in words; empty where it loses nothing."""
    if _DIGITS.get(old, 0) > _DIGITS.get(new, 0) > 0:
        return f"; of the {_DIGITS[old]} digits {_DIGITS[new]} are kept"
    return ""


def cast_of(program: Program, value: cst.BaseExpression, dtype: str) -> cst.BaseExpression:
    """`value.float()`, or `value.to(torch.int32)` where there is no short word."""
    if dtype in _SHORT:
        return method(value, _SHORT[dtype])
    return method(value, "to", cst.Arg(cst.parse_expression(program.name_of("torch", dtype))))


def says_dtype(call: cst.Call) -> cst.Arg | None:
    """The `dtype=` of a call."""
    return argument(call, 99, "dtype")


def values_of(facts: Variable | None) -> list[float] | None:
    """A small tensor's values, flat; None where the run did not keep them."""
    if facts is None or facts.repr is None or facts.shape is None:
        return None
    try:
        flat = [literal_eval(facts.repr)]
        for _ in facts.shape:
            flat = [x for row in flat for x in row]
        return [float(x) for x in flat]
    except (ValueError, SyntaxError, TypeError):
        return None


def rectangle(value: Any) -> tuple[int, ...] | None:
    """The shape of nested lists of numbers; None if they have none."""
    if isinstance(value, (int, float)):
        return ()
    if not isinstance(value, list) or not value:
        return None
    shapes = {rectangle(v) for v in value}
    only = shapes.pop() if len(shapes) == 1 else None
    return (len(value), *only) if only is not None else None


def is_whole(facts: Variable | None) -> bool:
    """Whether every value is known to be a whole number."""
    if facts is not None and facts.dtype in INTEGERS:
        return True
    values = values_of(facts)
    return bool(values) and all(v == int(v) for v in values or ())


def registered(program: Failed, small: cst.BaseSmallStatement | None) -> Rewrites:
    """`register_parameter("weight", nn.Parameter(w))` for a tensor that is not learned yet."""
    node = small.value if isinstance(small, cst.Expr) else None
    given = argument(node, 1, "param") if isinstance(node, cst.Call) else None
    if given is None or ".register_parameter(" not in program.text(small or given):
        return
    names = {n.value for n in program.inside(given, cst.Name)}
    learned = {n for n in names if n in program.seen and program.seen[n].requires_grad}
    if "self" not in names and not learned and re.search("Float|Double", program.said["given"]):
        made = cst.parse_expression(program.name_of("torch.nn", "Parameter"))
        new = cst.Call(made, [cst.Arg(given.value)])
        yield program.edit({given.value: new}, "a parameter is made of the tensor", at=given)
