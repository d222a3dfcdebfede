"""Edits that live shapes call for: a layer made for other sizes, a tensor brought into another.

Codemods about shapes share these: where a size is written, how the call of a layer is found again,
and what must still be there after a change.
"""

import ast
import math
import operator
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

import libcst as cst

from executor.protocol import SNIPPET, Caught, ErrorSeen, JobResult, Layer
from knowledge.repair.check import Passes, Said, refusing
from knowledge.repair.codemod import Rewrite, Settings
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.flow import parameters
from knowledge.repair.toolkit.sites import (
    argument,
    assignment,
    calls,
    integer,
    made,
    names_in,
    scope_of,
    value_given,
    variables,
    with_argument,
)

Shape = tuple[int, ...]

_LOADED = re.compile(
    r"\b(load_state_dict|from_pretrained|hub\.load|torch\.load|load_from_checkpoint|pretrained\s*=\s*True"
    r"|weights\s*=\s*['\"\w.]*(DEFAULT|IMAGENET))"
)


def sizes(text: str) -> Shape:
    """The whole numbers of a text, in order: of "[2, 3]", of "torch.Size([2, 3])"."""
    return tuple(int(n) for n in re.findall(r"-?\d+", text))


def uses_loaded_weights(program: Program) -> bool:
    """Whether weights come from a file: the sizes of its layers are then not free to change.

    A file that the snippet has written itself comes after the layers, and follows them.
    """
    return bool(_LOADED.search(_without_own_files(program.module.code)))


def loads_its_own_layers(program: Program) -> bool:
    """Whether weights from a file go into layers that the program itself makes.

    A model that a library makes with its weights (`resnet18(weights=…)`,
    `BertModel.from_pretrained`) brings its own layers: the size of one that the program puts
    behind it is free.
    """
    code = _without_own_files(program.module.code)
    classes = {node.name.value for node in program.all(cst.ClassDef)}
    found = {match[1] for match in _LOADED.finditer(code)}
    made_by = set(re.findall(r"\b(\w+)\.from_pretrained\b", code))
    return bool(found & _INTO_LAYERS) or bool(made_by & (classes | {"cls", "self"}))


_INTO_LAYERS = {"load_state_dict", "torch.load", "load_from_checkpoint"}
_SAVED = re.compile(r"torch\.save\([^\n]*,\s*([\w.'\"/]+)\s*\)")


def _without_own_files(code: str) -> str:
    for file in {re.escape(name) for name in _SAVED.findall(code)}:
        load = rf"torch\.load\(\s*{file}[^)\n]*\)"
        for name in re.findall(rf"(\w+)\s*=\s*{load}", code):
            code = re.sub(rf"load_state_dict\({name}\b", "", code)
        code = re.sub(rf"load_state_dict\(\s*{load}", "", code)
        code = re.sub(load, "", code)
    return re.sub(r"load_state_dict\(\w+\.state_dict\(", "", code)


def live_shape(
    program: Program, result: JobResult, expression: cst.BaseExpression | None
) -> Shape | None:
    """The live shape of a variable, or of any part of the statement that failed, if known."""
    if expression is None:
        return None
    try:
        text = ast.unparse(ast.parse(f"({program.text(expression)})", mode="eval"))
    except SyntaxError:  # a starred part, a slice
        return None
    found = result.shapes.get(text)
    return found if found is not None else shape_of(result, expression)


def shape_of(result: JobResult, expression: cst.BaseExpression | None) -> Shape | None:
    """The live shape of a variable where the run failed; None for anything but a plain name."""
    if isinstance(expression, cst.Name):
        found = variables(result).get(expression.value)
        return found.shape if found is not None else None
    return None


# -- a size that was written somewhere -------------------------------------------------------


@dataclass(frozen=True)
class Resized:
    """The snippet with a layer's size changed at the place where it is written."""

    module: cst.Module
    line: int

    def rewrite(self, told: str, intent: str = "", **more: Unpack[Settings]) -> Rewrite:
        """The candidate; its title tells the line, and what was done."""
        return Rewrite(self.module, f"line {self.line}: {told}", intent, **more)


def resized(
    program: Program, layer: Layer, position: int, keyword: str, size: int
) -> Iterator[Resized]:
    """The ways to make a layer with another size, the one nearest to its source first.

    Nothing where one constructor makes several layers, or where weights come from a file.

    Args:
        layer: the layer that the run failed in.
        position, keyword: which argument of its constructor is wrong.
        size: what it should be.
    """
    found = made(program, layer)
    if found is not None and not found.in_loop:
        yield from resized_call(program, found.call, position, keyword, size)


def resized_call(
    program: Program, call: cst.Call, position: int, keyword: str, size: int
) -> Iterator[Resized]:
    """The same for a constructor's call that is known already."""
    given = argument(call, position, keyword)
    if given is None or loads_its_own_layers(program) or size < 1:
        return
    source = _source(program, given.value)
    alone = source is not None and source is not given.value and _used_once(program, given.value)
    if source is not None and alone:
        yield Resized(program.replace({source: integer(size)}), program.line(source))
    if source is None and _is_shared(program, given.value):
        name = parameter_worth(program, given.value, size)
        if name is not None:  # the same in every call of the class: one name suits them all
            new = with_argument(call, position, keyword, cst.Name(name))
            yield Resized(program.replace({call: new}), program.line(given))
        return
    value = (None if alone else named(program, given.value, size)) or integer(size)
    new = with_argument(call, position, keyword, value)
    yield Resized(program.replace({call: new}), program.line(given))


def refitted(program: Program, call: cst.Call, position: int, size: int) -> Resized | None:
    """A tensor made with another size: by a name that has it, else by a number for a number."""
    given = argument(call, position, "")
    if given is None:
        return None
    value = named(program, given.value, size)
    if value is None and isinstance(given.value, cst.Integer):
        value = integer(size)
    if value is None:
        return None
    return Resized(program.replace({given.value: value}), program.line(given))


def parameter_worth(program: Program, value: cst.BaseExpression, size: int) -> str | None:
    """The one parameter of the function around that has this value in every call of it."""
    function = scope_of(program, value)
    if not isinstance(function, cst.FunctionDef):
        return None
    around = scope_of(program, function)
    is_init = function.name.value == "__init__" and isinstance(around, cst.ClassDef)
    called = around.name.value if is_init and isinstance(around, cst.ClassDef) else None
    called = called or function.name.value
    calls_of = [c for c in program.all(cst.Call) if program.text(c.func) == called]
    found = []
    for index, parameter in enumerate(function.params.params):
        values = set()
        for call in calls_of:
            values.add(size_given(program, call, index - is_init, parameter.name.value))
        if calls_of and values == {size}:
            found.append(parameter.name.value)
    return found[0] if len(found) == 1 else None


def resized_instance(
    program: Program, result: JobResult, layer: Layer, position: int, keyword: str, size: int
) -> Iterator[Resized]:
    """Where one class makes several models: another size for the one that the run was in.

    Its own call says the size, as in `model = Net(10, 5)`.
    """
    found = made(program, layer)
    given = argument(found.call, position, keyword) if found is not None else None
    outer = result.frames[0] if result.frames else None
    statement = program.statement_on(outer.line) if outer is not None else None
    if given is None or not isinstance(given.value, cst.Name) or statement is None:
        return
    function = scope_of(program, given.value)
    around = scope_of(program, function)
    if not isinstance(function, cst.FunctionDef) or not isinstance(around, cst.ClassDef):
        return
    names = [p.name.value for p in function.params.params]
    if function.name.value != "__init__" or given.value.value not in names:
        return
    for call in program.inside(statement, cst.Call):
        made_by = (
            assignment(program, call.func.value, call) if isinstance(call.func, cst.Name) else None
        )
        if made_by is None or not isinstance(made_by.value, cst.Call):
            continue
        if program.text(made_by.value.func) == around.name.value:
            index = names.index(given.value.value) - 1
            yield from resized_call(program, made_by.value, index, given.value.value, size)
            return


def size_given(program: Program, call: cst.Call, position: int, keyword: str) -> int | None:
    """The number that an argument stands for, if one literal says it."""
    given = argument(call, position, keyword)
    return _number(program, given.value) if given is not None else None


def worth(program: Program, given: cst.Arg | None) -> int | None:
    """The number that an argument stands for, if its names and numbers are each said once."""
    if given is None:
        return None
    known = _named_sizes(program, given.value)
    try:
        tree = ast.parse(program.text(given.value), mode="eval").body
    except SyntaxError:
        return None
    number = _number(program, given.value)
    return number if number is not None else _computed(tree, known)


_OF_SIZES = {ast.Mult: operator.mul, ast.Add: operator.add, ast.Sub: operator.sub,
             ast.FloorDiv: operator.floordiv}  # fmt: skip


def _computed(node: ast.AST, known: dict[str, int]) -> int | None:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return known.get(name)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OF_SIZES:
            a, b = _computed(left, known), _computed(right, known)
            return None if a is None or not b else int(_OF_SIZES[type(op)](a, b))
    return None


def _source(program: Program, value: cst.BaseExpression) -> cst.Integer | None:
    """The number that a size comes from: a literal, a variable's, or what a class was called with.

    None if it is computed, or if more than one place decides it.
    """
    found = origin(program, value)
    return found if isinstance(found, cst.Integer) else None


def origin(program: Program, value: cst.BaseExpression) -> cst.BaseExpression | None:
    """What a name stands for, followed to where it is no name; None if several places decide it."""
    for _ in range(4):
        if not isinstance(value, cst.Name) or (following := _given(program, value)) is None:
            break
        value = following
    return None if isinstance(value, cst.Name) else value


def _given(program: Program, name: cst.Name) -> cst.BaseExpression | None:
    """What a name stands for: its one assignment, or the argument of the one call."""
    scope = scope_of(program, name)
    if isinstance(scope, cst.FunctionDef):
        parameters = [*scope.params.params, *scope.params.kwonly_params]
        index = next((i for i, p in enumerate(parameters) if p.name.value == name.value), None)
        if index is not None:
            return _passed(program, scope, parameters[index], index)
    found = assignment(program, name.value, name) or _once_at_the_top(program, name.value)
    return value_given(found, name.value)


def _passed(
    program: Program, function: cst.FunctionDef, parameter: cst.Param, index: int
) -> cst.BaseExpression | None:
    """What a parameter gets: from the only call of the function or class, else its default."""
    called = function.name.value
    if called == "__init__":
        around = scope_of(program, function)
        if not isinstance(around, cst.ClassDef):
            return None
        called, index = around.name.value, index - 1
    found = [c for c in program.all(cst.Call) if program.text(c.func) == called]
    if len(found) != 1:
        return None
    given = argument(found[0], index, parameter.name.value)
    return given.value if given is not None else parameter.default


_DRAWS = ("randn", "rand", "randint", "zeros", "ones")


def _used_once(program: Program, value: cst.BaseExpression) -> bool:
    """Whether a name says the size of this layer alone: changing it changes no other one."""
    text = program.text(value)
    made_with = [
        name
        for name in program.inside(scope_of(program, value), cst.Name)
        if name.value == text
        and (call := program.up(name, cst.Call)) is not None
        and ((last := program.text(call.func).rpartition(".")[2])[:1].isupper() or last in _DRAWS)
    ]
    return len(made_with) <= 1


def _is_shared(program: Program, value: cst.BaseExpression) -> bool:
    """Whether a size depends on a parameter that several calls set: a number would suit only one.

    In `Block(3, 8)` and `Block(8, 16)` the constructor's line is one, and its sizes are many.
    """
    function = scope_of(program, value)
    if not isinstance(function, cst.FunctionDef):
        return False
    given = parameters(program, value) - {"self"}
    if not any(n.value in given for n in program.inside(value, cst.Name)):
        return False
    around = scope_of(program, function)
    called = around.name.value if isinstance(around, cst.ClassDef) else function.name.value
    return sum(program.text(c.func) == called for c in program.all(cst.Call)) > 1


def _once_at_the_top(program: Program, name: str) -> cst.Assign | None:
    found = [
        a
        for a in program.all(cst.Assign)
        if scope_of(program, a) is program.module
        and len(a.targets) == 1
        and name in names_in(a.targets[0].target)
    ]
    return found[0] if len(found) == 1 else None


def named(program: Program, value: cst.BaseExpression, size: int) -> cst.BaseExpression | None:
    """The size in the terms of the old one: `hidden` for `hidden * 2`, `64 * 6 * 6` for 5 * 5.

    One more or less than what stood there is that with a 1: `n_fft // 2 + 1`.
    """
    if m := re.fullmatch(r"(\w+)( ?)\* ?(\d+) ?\* ?\3", program.text(value)):
        first = next((n for n in program.expressions(value) if program.text(n) == m[1]), None)
        channels = _number(program, first)
        side = math.isqrt(size // channels) if channels else 0
        if channels and channels * side * side == size:
            return cst.parse_expression(f"{m[1]}{m[2]}*{m[2]}{side}{m[2]}*{m[2]}{side}")
    for name in program.inside(value, cst.Name):
        number = _number(program, name) if name is not value else None
        if number == size:
            return cst.Name(name.value)
        if number is not None and number > 1 and number * 2 == size:
            return cst.parse_expression(f"{name.value} * 2")
    own = {n.value for n in program.inside(value, cst.Name)}
    if not own:
        return None
    known = _named_sizes(program, value)
    twice = [name for name in own if known.get(name, 0) * 2 == size]
    if len(twice) == 1 and _BOTH_WAYS.search(program.module.code):
        return cst.parse_expression(f"{twice[0]} * 2")
    found = _in_names(known, own, size)
    was = worth(program, cst.Arg(value)) if found is None else None
    if (
        was is None
        or abs(size - was) != 1
        or not isinstance(value, (cst.Name, cst.BinaryOperation))
    ):
        return found
    return cst.parse_expression(f"{program.text(value)} {'+' if size > was else '-'} 1")


_BOTH_WAYS = re.compile(r"\bbidirectional\s*=\s*(?!False)")
_NO_SIZE = re.compile(r"(?i)batch|epoch|seed|step|sample|iter|worker|rate|^(lr|bs)$")


def _in_names(known: dict[str, int], own: set[str], size: int) -> cst.BaseExpression | None:
    """The one name that has this value, else the one way to make it of a name that stood there.

    Args:
        known: the sizes that have a name.
        own: the names that the old size was made of.
        size: the value.
    """
    equal = [name for name, number in known.items() if number == size]
    mine = {name: known[name] for name in known if name in own and known[name] > 1}
    made = [
        *(f"{a} * 2" for a, n in mine.items() if n * 2 == size),
        *(f"{a} * {b}" for a, n in mine.items() for b, m in known.items() if n * m == size),
        *(
            f"{a} + {b}"
            for a, n in mine.items()
            for b, m in known.items()
            if b != a and n + m == size
        ),
    ]
    sides = [(a, math.isqrt(size // n)) for a, n in mine.items() if size % n == 0]
    made += [f"{a} * {k} * {k}" for a, k in sides if k > 1 and mine[a] * k * k == size]
    for way in (equal, sorted({" + ".join(sorted(m.split(" + "))) for m in made})):
        if way:
            return cst.parse_expression(way[0]) if len(way) == 1 else None
    return None


def _named_sizes(program: Program, at: cst.CSTNode) -> dict[str, int]:
    """The names that can be used at a place and stand for a number that one literal says."""
    found: dict[str, cst.BaseExpression | None] = {}
    for assign in program.all(cst.Assign):
        if scope_of(program, assign) is program.module:
            for name in names_in(assign.targets[0].target):
                found[name] = value_given(_once_at_the_top(program, name), name)
    scope = scope_of(program, at)
    if isinstance(scope, cst.FunctionDef):
        for index, parameter in enumerate(scope.params.params):
            if parameter.name.value != "self":
                found[parameter.name.value] = _passed(program, scope, parameter, index)
    numbers = {n: _number(program, v) for n, v in found.items() if not _NO_SIZE.search(n)}
    return {name: number for name, number in numbers.items() if number is not None}


def _number(program: Program, value: cst.BaseExpression | None) -> int | None:
    """The number that an expression stands for, if one literal says it."""
    source = _source(program, value) if value is not None else None
    return int(ast.literal_eval(source.value)) if source is not None else None


# -- the call of a layer ---------------------------------------------------------------------


@dataclass(frozen=True)
class LayerCall:
    """The snippet's call that led into a layer, and the layer's place behind it.

    `inside` is empty if the layer itself is called, else its path in the container that is.
    """

    call: cst.Call
    inside: tuple[str, ...]

    @property
    def first(self) -> cst.BaseExpression | None:
        """What goes in: the first argument."""
        return self.call.args[0].value if self.call.args and not self.call.args[0].star else None


def layer_call(
    program: Program, expression: cst.BaseExpression | None, layer: Layer
) -> LayerCall | None:
    """The failing call, if it is one of the layer or of a container that holds it."""
    if not isinstance(expression, cst.Call) or not layer.name:
        return None
    called = re.sub(r"\[(\d+)\]", r".\1", program.text(expression.func))
    if called == layer.name:
        return LayerCall(expression, ())
    if layer.name.startswith(called + "."):
        return LayerCall(expression, tuple(layer.name[len(called) + 1 :].split(".")))
    return None


def with_layer_before(program: Program, layer: Layer, constructor: str) -> cst.Module | None:
    """The snippet with one more layer right before this one, in the Sequential that holds it.

    It is made there, or above and named there; or it is the last one of `model.children()`.
    """
    call, owner = made(program, layer), layer.name.rpartition(".")[0]
    if loads_its_own_layers(program) or (call is not None and call.in_loop):
        return None
    added = cst.Arg(cst.parse_expression(constructor))
    found: list[dict[cst.CSTNode, cst.CSTNode]] = []
    for outer in calls(program, r"(?:^|\.)Sequential$"):
        for n, given in enumerate(outer.args):
            front, behind = outer.args[:n], outer.args[n + 1 :]
            text, first = program.text(given.value), origin(program, given.value)
            is_it = text == layer.name or (call is not None and given.value is call.call)
            if call is None and (any(a.star for a in front) or layer.name.endswith(f".{n}")):
                wanted = rf"(\w+\.)*{layer.type}\("
                is_it = re.match(wanted, program.text(first or given)) is not None
            if is_it and front and not given.star:
                new = [added.with_changes(comma=front[-1].comma), given]
            elif given.star and (model := re.fullmatch(r"(?:list\()?(\S+)\.children\(\)\)?", text)):
                most = cst.parse_expression(f"list({model[1]}.children())[:-1]")
                name = layer.name if model[1] == owner else f"list({model[1]}.children())[-1]"
                comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
                last = cst.Arg(cst.parse_expression(name), comma=given.comma)
                new = [given.with_changes(value=most, comma=comma),
                       added.with_changes(comma=comma), last]  # fmt: skip
            else:
                continue
            found.append({outer: outer.with_changes(args=[*front, *new, *behind])})
    return program.replace(found[0]) if len(found) == 1 else None


def swapped(
    program: Program, value: cst.BaseExpression, first: int, second: int
) -> cst.BaseExpression:
    """`value.transpose(first, second)`; where it was just transposed so, what it was before."""
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
        given = {program.text(a.value) for a in value.args}
        if value.func.attr.value in ("transpose", "swapaxes") and given == {
            str(first),
            str(second),
        }:
            return value.func.value
    return method(value, "transpose", cst.Arg(integer(first)), cst.Arg(integer(second)))


# -- what must still be there ----------------------------------------------------------------

_WORD = re.compile(r"[A-Za-z_]\w*|@|\[")
_CHEATS = frozenset(
    ("[", "detach", "data", "item", "numpy", "tolist", "view", "reshape", "resize", "resize_",
     "zeros", "zeros_like", "new_zeros", "ones", "ones_like", "rand", "rand_like", "randn",
     "randn_like", "randint", "narrow", "repeat", "expand", "nan_to_num")
)  # fmt: skip


@refusing("still computed", "what failed is still computed")
def still_computed(
    error: ErrorSeen | Caught | None,
    code: str,
    *,
    allowed: Collection[str] = (),
    may_go: Collection[str] = (),
) -> Said:
    """The expression that failed is still in the code, around the same operands.

    They may be wrapped; but not in what cuts the gradient, invents values, or takes numbers from
    one sample for another, as `reshape` does where a dimension had to move.

    Args:
        error: the original error.
        code: the rewritten snippet.
        allowed: words that this codemod needs and that would count as such a trick.
        may_go: words of the expression that may be left out, such as a transposition.
    """
    written = error.code if error is not None else ""
    found = _WORD.findall("\n".join(line.partition("#")[0] for line in written.splitlines()))
    wanted = [word for word in found if word not in may_go]
    # What the person wrote on that line is no trick: `f(x).item()`.
    line = _WORD.findall(quoted_line(error.traceback if error is not None else ""))
    own: list[list[str]] = []  # tricks around the expression, in statements that begin as its does
    others: list[list[str]] = []
    for words in _statements(code):
        for i, word in enumerate(words):
            added = _between(wanted, words[i:]) if wanted and word == wanted[0] else None
            if added is not None:
                tricks = [
                    w
                    for w in sorted(_CHEATS.intersection(added) - set(allowed))
                    if words.count(w) > line.count(w)
                ]
                (own if words[:1] == line[:1] else others).append(tricks)
    found_tricks = own or others
    if all(found_tricks):
        if not wanted:
            yield Passes("nothing to look for")
        cheat = found_tricks[0][0] if found_tricks else ""
        yield f"what failed now goes through {cheat}()" if cheat else "what failed is gone"


def quoted_line(traceback: str) -> str:
    """The snippet's line that failed, from a traceback's text; comments are left out."""
    found = re.findall(rf'File "{re.escape(SNIPPET)}", line \d+.*\n    (.*)', traceback)
    return str(found[-1]).partition("#")[0] if found else ""


def failing_lines(error: ErrorSeen | Caught | None, code: str) -> tuple[str, str]:
    """The expression that raised an error, and what stands on its line now, without a comment."""
    line = error.line if error is not None and error.line is not None else 0
    now = dict(enumerate(code.splitlines(), start=1)).get(line, "")
    return error.code if error is not None else "", now.partition("#")[0]


def _statements(code: str) -> Iterator[list[str]]:
    """The words of each statement; a line whose brackets are open goes on in the next."""
    words: list[str] = []
    depth = 0
    for line in code.splitlines():
        text = line.partition("#")[0]
        words += _WORD.findall(text)
        depth += sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")
        if depth <= 0:
            yield words
            words, depth = [], 0
    yield words


def _between(wanted: Sequence[str], words: Sequence[str]) -> list[str] | None:
    """The words around the wanted ones, if these come in their order; else None."""
    rest = list(wanted)
    added: list[str] = []
    for word in words:
        if rest and word == rest[0]:
            rest.pop(0)
        elif rest:
            added.append(word)
        elif word in _CHEATS:
            added.append(word)  # `f(x).detach()`: right behind the last one
            break
        else:
            break
    return None if rest else added


@refusing("same layers", "every layer is still there")
def same_layers(before: JobResult, after: JobResult) -> Said:
    """The model has as many parameters as before; at most one layer's changed, in one size."""
    if after.values is None:  # it was killed, and wrote no report
        yield Passes("its run left no report", tried=False)
    old, new = _parameters(before), _parameters(after)
    gone, come = list((old - new).elements()), list((new - old).elements())
    if len(gone) > len(come) or sum(old.values()) > sum(new.values()):
        yield "a layer of the model is gone"
    for shape in gone:
        like = [s for s in come if len(s) == len(shape) and _is_resized(shape, s)]
        if not like:
            yield f"a parameter {list(shape)} is gone"
        come.remove(like[0])


def _parameters(result: JobResult) -> Counter[Shape]:
    tensors = result.values.tensors if result.values is not None else {}
    return Counter(f.shape for name, f in tensors.items() if "." in name)


def _is_resized(old: Shape, new: Shape) -> bool:
    """One size changed; or both of a matrix of states, such as [4h, h], with one hidden size."""
    if sum(x != y for x, y in zip(old, new, strict=True)) == 1:
        return True
    return len(old) == 2 and old[0] * new[1] == new[0] * old[1] and old[0] % old[1] == 0


@refusing("same numbers", "no tensor lost or gained elements")
def same_numbers(before: JobResult, after: JobResult, code: str = "") -> Said:
    """No tensor of the snippet is left with fewer or more elements than it had at the error.

    What the code binds in a `for` may be another round's, and what the failing line assigns had
    another value before it.
    The first dimension may differ: a loop's variable holds the last batch at the end, and its
    labels go with it.
    """
    old = before.values.tensors if before.values is not None else {}
    new = after.values.tensors if after.values is not None else {}
    loops = " ".join(re.findall(r"\bfor\b(.*?)\bin\b", code))
    if code and before.error is not None and (line := quoted_line(before.error.traceback)):
        loops += " " + line.partition("=")[0]  # what the failing line makes anew
    both = [
        (name, was, new[name])
        for name, was in old.items()
        if name in new and "." not in name and not re.search(rf"\b{name}\b", loops)
    ]
    batches = {(a.shape[0], b.shape[0]) for _, a, b in both if a.shape[1:] == b.shape[1:] != ()}
    for name, was, now in both:
        if now.shape[1:] == was.shape[1:] and (
            was.shape[1:] or (*was.shape, *now.shape) in batches
        ):
            continue
        if math.prod(now.shape) != math.prod(was.shape):
            yield f"`{name}` was {list(was.shape)} and is {list(now.shape)} now"
