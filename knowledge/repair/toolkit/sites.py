"""Where in a snippet to edit: the failing expression, the call that made a layer, a value's origin.

A codemod starts from what the run pointed at and walks to the place a person would edit. Each of
these answers None where the place is not certain: a codemod then offers nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from executor.errors import SeenError, is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult, Layer, Variable
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.edits import keyword as named

# What makes an optimizer, by its end.
OPTIMIZERS = r"(^|\.)(SGD|Adam\w*|Ada(?:grad|delta)|RMSprop|[RN]Adam|SparseAdam|Rprop|ASGD|LBFGS)$"
Scope = cst.FunctionDef | cst.ClassDef | cst.Module


def seen_error(result: JobResult, *families: str) -> ErrorSeen | Caught | None:
    """The error that ended the run, else one it caught, that is of one of the families.

    Without families, of any.
    """
    for error in (result.error, *result.caught):
        if error is not None and (not families or is_a(error, *families)):
            return error
    return None


def seen_as(result: JobResult, *families: str) -> SeenError | None:
    """What an error of the run says as one of the families; None where none is of them."""
    error = seen_error(result, *families)
    return read(error, *families) if error is not None else None


def failing(program: Program, error: ErrorSeen | Caught | None) -> cst.BaseExpression | None:
    """The expression that raised it; None where there was no error."""
    if error is None:
        return None
    if isinstance(error, ErrorSeen) and error.col is not None:
        node = program.at(error.line, error.col, error.line, error.end_col)
        if isinstance(node, cst.BaseExpression):
            return node
        if isinstance(node, cst.Expr):
            return node.value
    wanted, statement = error.code.split(), program.statement_on(error.line)
    alike = (n for n in program.expressions(statement) if program.text(n).split() == wanted)
    return next(alike, None) if wanted else None


def failing_statement(
    program: Program, error: ErrorSeen | Caught | None
) -> cst.SimpleStatementLine | None:
    """The statement in which it was raised; None where there was no error."""
    return program.statement_on(error.line) if error is not None else None


def variables(result: JobResult) -> dict[str, Variable]:
    """What the failing frame could see: its own variables over those of the module's level."""
    found: dict[str, Variable] = {}
    for frame in (*result.frames[:1], *result.frames[-1:]):
        found |= frame.locals
    return found


def scope_of(program: Program, node: cst.CSTNode) -> Scope:
    """The function, class or module whose names a node sees first."""
    around = program.above(node)
    kinds = (cst.FunctionDef, cst.ClassDef)
    return next((n for n in around if isinstance(n, kinds)), program.module)


def assignment(program: Program, name: str, before: cst.CSTNode) -> cst.Assign | None:
    """The last plain `name = …` above a node in its own scope; None if another kind comes after.

    A loop, an augmented assignment or a second target in between would make the answer a guess.
    """
    scope = scope_of(program, before)
    line = program.line(before)
    binding: list[cst.CSTNode] = []
    for node in program.all(cst.Name):
        if node.value != name or program.line(node) >= line:
            continue
        if scope_of(program, node) is not scope:
            continue
        small: cst.CSTNode | None = program.small_statement(node)
        target = small or program.up(node, cst.For)
        if target is not None and _binds(target, name):
            binding.append(target)
    if not binding:
        return None
    last = max(binding, key=program.line)
    return last if isinstance(last, cst.Assign) and len(last.targets) == 1 else None


def assigned_above(program: Program, name: str, before: int) -> cst.Assign | None:
    """The last `name = …` above a line, in whatever scope."""
    found = [
        a
        for a in program.all(cst.Assign)
        if program.line(a) < before and [program.text(t.target) for t in a.targets] == [name]
    ]
    return max(found, key=program.line, default=None)


def given_to(program: Program, name: cst.CSTNode | None) -> cst.Assign | None:
    """The assignment above a variable that made it; None for anything but a variable."""
    return assignment(program, name.value, name) if isinstance(name, cst.Name) else None


def value_given(made: cst.Assign | None, name: str) -> cst.BaseExpression | None:
    """What an assignment gives a name: of `a, b = f(x), f(y)` its own part; None if it has none."""
    if made is None:
        return None
    target, value = made.targets[0].target, made.value
    if isinstance(target, (cst.Tuple, cst.List)):
        if not isinstance(value, (cst.Tuple, cst.List)):
            return None
        pairs = zip(target.elements, value.elements, strict=False)
        same = len(target.elements) == len(value.elements)
        return next((v.value for t, v in pairs if same and names_in(t.value) == {name}), None)
    return value


def _binds(node: cst.CSTNode, name: str) -> bool:
    if isinstance(node, cst.Assign):
        return any(name in names_in(t.target) for t in node.targets)
    if isinstance(node, (cst.AugAssign, cst.AnnAssign, cst.For)):
        return name in names_in(node.target)
    return False


def names_in(target: cst.BaseExpression) -> set[str]:
    """The names that an assignment's target binds."""
    if isinstance(target, cst.Name):
        return {target.value}
    if isinstance(target, (cst.Tuple, cst.List)):
        return {n for e in target.elements for n in names_in(e.value)}
    return set()


@dataclass(frozen=True)
class Made:
    """A layer's constructor call, and how often the snippet would run it."""

    call: cst.Call
    in_loop: bool  # one call makes several layers


def made(program: Program, layer: Layer) -> Made | None:
    """The call that made a layer: `self.fc = nn.Linear(…)`, or its place in a Sequential."""
    if not layer.name:
        return None
    path = layer.name.split(".")
    assign = _layer_assign(program, layer, path[0])
    if assign is None:
        return None
    value: cst.BaseExpression = assign.value
    attribute = _attribute(assign)
    if attribute not in path:
        return None
    for index in path[len(path) - path[::-1].index(attribute) :]:
        inner = _child(value, index)
        if inner is None:
            return None
        value = inner
    if not isinstance(value, cst.Call):
        return None
    if program.text(value.func).rpartition(".")[2] != layer.type:
        return None
    loops = (cst.For, cst.While, cst.ListComp, cst.GeneratorExp, cst.DictComp)
    return Made(value, any(program.up(value, kind) is not None for kind in loops))


def _layer_assign(program: Program, layer: Layer, variable: str) -> cst.Assign | None:
    """The assignment on the layer's line; for a plain variable the only one that there is."""
    if layer.line is not None:
        statement = program.statement_on(layer.line)
        body = statement.body if statement is not None else ()
        return next((s for s in body if isinstance(s, cst.Assign)), None)
    found = [
        node
        for kind in (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.For)
        for node in program.all(kind)
        if _binds(node, variable)
    ]
    only = found[0] if len(found) == 1 else None
    return only if isinstance(only, cst.Assign) and len(only.targets) == 1 else None


def _attribute(assign: cst.Assign) -> str:
    target = assign.targets[0].target
    if isinstance(target, cst.Attribute):
        return target.attr.value
    return target.value if isinstance(target, cst.Name) else ""


def _child(value: cst.BaseExpression, index: str) -> cst.BaseExpression | None:
    """The child of a container's constructor: `nn.Sequential(a, b)`, `nn.ModuleList([a, b])`."""
    if not isinstance(value, cst.Call) or not index.isdigit():
        return None
    arguments: list[cst.BaseExpression] = [a.value for a in value.args if not a.star]
    if len(arguments) != len(value.args):
        return None
    if len(arguments) == 1 and isinstance(arguments[0], (cst.List, cst.Tuple)):
        arguments = [e.value for e in arguments[0].elements if isinstance(e, cst.Element)]
    return arguments[int(index)] if int(index) < len(arguments) else None


def method_of(program: Program, cls: str, name: str) -> cst.FunctionDef | None:
    """A method of the class of that name; None where there are several, or none."""
    found = [
        method
        for own in program.all(cst.ClassDef)
        for method in (own.body.body if own.name.value == cls else ())
        if isinstance(method, cst.FunctionDef) and method.name.value == name
    ]
    return found[0] if len(found) == 1 else None


def own_modules(program: Program) -> set[str]:
    """The names of the program's own classes that are modules, by what they are made from."""
    return {
        c.name.value
        for c in program.all(cst.ClassDef)
        if any("Module" in program.text(base.value) for base in c.bases)
    }


def argument(call: cst.Call, position: int, keyword: str) -> cst.Arg | None:
    """A call's argument by its keyword, else by its place."""
    for given in call.args:
        if given.keyword is not None and given.keyword.value == keyword:
            return given
    plain = [a for a in call.args if a.keyword is None]
    if any(a.star for a in plain):
        return None
    return plain[position] if position < len(plain) else None


def with_argument(
    call: cst.Call, position: int, keyword: str, value: cst.BaseExpression
) -> cst.Call:
    """The call with one argument replaced, or added by its keyword."""
    old = argument(call, position, keyword)
    if old is not None:
        return call.with_deep_changes(old, value=value)
    return with_appended(call, named(keyword, value))


def with_appended(call: cst.Call, added: cst.Arg) -> cst.Call:
    """The call with one argument more, laid out as the others are."""
    if not call.args:
        return call.with_changes(args=[added])
    *others, last = call.args
    # Where each argument has a line of its own, so has this one; a comma at the end stays there.
    between = cst.Comma(whitespace_after=call.whitespace_before_args)
    if others and isinstance(others[-1].comma, cst.Comma):
        between = others[-1].comma
    ends = (last.comma, last.whitespace_after_arg)
    if not any(isinstance(e, cst.Comma) or "\n" in _space(e) for e in ends):
        between = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    added = added.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    last = last.with_changes(comma=between, whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*others, last, added])


def _space(node: cst.CSTNode | cst.MaybeSentinel) -> str:
    return "" if isinstance(node, cst.MaybeSentinel) else cst.Module(()).code_for_node(node)


def without_argument(call: cst.Call, gone: cst.Arg) -> cst.Call:
    """The call without one argument; no comma is left behind."""
    kept = [a for a in call.args if a is not gone]
    if kept and kept[-1].comma != cst.MaybeSentinel.DEFAULT and gone is call.args[-1]:
        kept[-1] = kept[-1].with_changes(comma=gone.comma)
    return call.with_changes(args=kept)


def setting(layer: Layer, name: str) -> int | None:
    """A number from the layer's repr: in_features of "Linear(in_features=512, …)".

    Convolutions print theirs without names: in_channels, out_channels come first.
    """
    if m := re.search(rf"\b{name}=(-?\d+)", layer.repr):
        return int(m[1])
    unnamed = re.match(r"\w+\((\d+), (\d+)", layer.repr)
    places = {
        "in_channels": 1,
        "input_size": 1,
        "num_embeddings": 1,
        "num_features": 1,
        "out_channels": 2,
        "hidden_size": 2,
        "embedding_dim": 2,
    }
    if name == "num_features" and (m := re.match(r"\w+\((\d+)", layer.repr)):
        return int(m[1])
    return int(unnamed[places[name]]) if unnamed and name in places else None


def calls(program: Program, pattern: str, inside: cst.CSTNode | None = None) -> Iterator[cst.Call]:
    """Calls whose function's text matches a pattern, in source order; of all, or inside a node."""
    wanted = re.compile(pattern)
    every = program.all(cst.Call) if inside is None else program.inside(inside, cst.Call)
    found = [c for c in every if wanted.search(program.text(c.func))]
    yield from sorted(found, key=program.line)


def integer(value: int) -> cst.BaseExpression:
    """A number as an expression."""
    return cst.parse_expression(str(value))
