"""What the rules ask of a syntax tree: names, calls, modules, layers."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator

from executor.inside.remarks.edits import Told
from executor.inside.walking import kept_by_node
from executor.inside.walking import walk as walk

# Kind, the node that it is about, message; as Told also with what would mend it.
Found = Iterator[tuple[str, ast.AST, str] | Told]
LOSS_CALL = re.compile(r"(?i)loss|criterion|crit$|mse|^ce$|^bce|^l1|cross_entropy")

LAYERS = frozenset(
    [
        "Linear",
        "Bilinear",
        "LazyLinear",
        "Conv1d",
        "Conv2d",
        "Conv3d",
        "ConvTranspose1d",
        "ConvTranspose2d",
        "ConvTranspose3d",
        "RNN",
        "LSTM",
        "GRU",
        "RNNCell",
        "LSTMCell",
        "GRUCell",
        "Embedding",
        "EmbeddingBag",
        "BatchNorm1d",
        "BatchNorm2d",
        "BatchNorm3d",
        "LayerNorm",
        "GroupNorm",
        "MultiheadAttention",
        "TransformerEncoder",
        "TransformerEncoderLayer",
        "PReLU",
        "Parameter",
    ]
)
STATELESS = frozenset(
    [
        "LogSoftmax",
        "Softmax",
        "ReLU",
        "LeakyReLU",
        "ELU",
        "GELU",
        "SiLU",
        "Sigmoid",
        "Tanh",
        "Softplus",
        "Flatten",
    ]
)
MAKERS = frozenset(
    [
        "randn",
        "zeros",
        "ones",
        "rand",
        "tensor",
        "arange",
        "eye",
        "full",
        "linspace",
        "empty",
        "normal",
        "FloatTensor",
        "LongTensor",
        "from_numpy",
        "Tensor",
    ]
)
METHODS = frozenset(
    ["modules", "children", "parameters", "buffers", "named_modules", "apply", "float", "half"]
)


@kept_by_node
def module_classes(tree: ast.AST) -> tuple[ast.ClassDef, ...]:
    """The classes that are modules by the names of their bases."""
    return tuple(
        node
        for node in walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(dotted(base).rpartition(".")[2].endswith("Module") for base in node.bases)
    )


def methods_named(tree: ast.AST, name: str) -> Iterator[ast.FunctionDef]:
    """The methods of that name of the modules."""
    classes = (tree,) if isinstance(tree, ast.ClassDef) else module_classes(tree)
    for module in classes:
        yield from (n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == name)


def method_calls(tree: ast.AST, method: str) -> list[ast.Call]:
    """The calls of a method of that name, such as `step` of an optimizer."""
    return [
        call
        for call in _by_method(tree).get(method, ())
        if method != "step" or "sched" not in owner(call).lower()
    ]


@kept_by_node
def _by_method(tree: ast.AST) -> dict[str, list[ast.Call]]:
    found: dict[str, list[ast.Call]] = {}
    for node in walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found.setdefault(node.func.attr, []).append(node)
    return found


def dotted(node: ast.AST) -> str:
    """A name with its dots; empty for whatever is none."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def callee(call: ast.Call) -> str:
    """The last part of what is called."""
    return dotted(call.func).rpartition(".")[2]


def is_own(target: ast.Attribute) -> bool:
    return isinstance(target.value, ast.Name) and target.value.id == "self"


def is_torch(call: ast.Call) -> bool:
    return dotted(call.func).startswith("torch.")


def is_layer(value: ast.AST) -> bool:
    if not isinstance(value, ast.Call) or callee(value) not in LAYERS:
        return False
    return dotted(value.func).startswith(("nn.", "torch.nn.")) or "." not in dotted(value.func)


def is_made(value: ast.AST) -> bool:
    """Whether it is an object of a class that is called like a part of a model."""
    name = callee(value) if isinstance(value, ast.Call) else ""
    return name.endswith(("Layer", "Block", "Embedding", "Encoder", "Decoder", "Net", "Module"))


def is_linear(value: ast.AST) -> bool:
    return isinstance(value, ast.Call) and callee(value) == "Linear"


def is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def last_value(forward: ast.FunctionDef) -> ast.expr | None:
    """What forward returns, always; of a name what it was given last, whatever the values are."""
    returned = [n for n in inside(forward) if isinstance(n, ast.Return)]
    if len(returned) != 1 or returned[0] is not forward.body[-1]:
        return None
    value = returned[0].value
    if not isinstance(value, ast.Name):
        return value
    stores = [
        n for n in inside(forward)
        if isinstance(n, ast.Name) and n.id == value.id and isinstance(n.ctx, ast.Store)
    ]  # fmt: skip
    last = max(stores, key=lambda n: n.lineno, default=None)
    for statement in forward.body:
        match statement:
            case ast.Assign(targets=[target]) | ast.AnnAssign(target=target) if target is last:
                return statement.value
    return None


def tail(node: ast.AST) -> str:
    """The last part of a name or of what is called: `backward` of `f(x).backward()`."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


@kept_by_node
def words(tree: ast.AST) -> set[str]:
    """Every name and attribute that is written there, those of imports too."""
    written = [w for n in walk(tree) if isinstance(n, (ast.Name, ast.Attribute)) and (w := tail(n))]
    imported = [n.name.rpartition(".")[2] for n in walk(tree) if isinstance(n, ast.alias)]
    return set(written + imported)


def says(node: ast.AST, pattern: re.Pattern[str]) -> bool:
    """Whether a name that is written there is one of those."""
    return any(map(pattern.search, words(node)))


@kept_by_node
def blocks(tree: ast.AST) -> tuple[list[ast.stmt], ...]:
    """Every run of statements of one indentation."""
    parts = ("body", "orelse", "finalbody")
    found = (getattr(node, part, None) for node in walk(tree) for part in parts)
    return tuple(run for run in found if isinstance(run, list) and run)


@kept_by_node
def loops(tree: ast.AST) -> tuple[ast.For | ast.While, ...]:
    """Every loop in it, itself too."""
    return tuple(n for n in walk(tree) if isinstance(n, (ast.For, ast.While)))


@kept_by_node
def inside(node: ast.AST) -> tuple[ast.AST, ...]:
    """All below a node that runs where it does: not what functions and classes define there."""
    found: list[ast.AST] = []
    todo = list(ast.iter_child_nodes(node))
    while todo:
        one = todo.pop()
        found.append(one)
        if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            todo += ast.iter_child_nodes(one)
    return tuple(found)


def calls_in(nodes: Iterator[ast.AST] | list[ast.AST], method: str) -> list[ast.Call]:
    """The calls of a method of that name among some nodes."""
    return [
        n
        for n in nodes
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == method
    ]


def owner(call: ast.Call) -> str:
    """`model` of `model.eval()`; empty where it is no name."""
    return dotted(call.func.value) if isinstance(call.func, ast.Attribute) else ""


@kept_by_node
def assigned(tree: ast.AST) -> tuple[tuple[ast.Assign, str, ast.expr], ...]:
    """Each `name = value`, those of `a, b = x, y` one by one."""
    return tuple(_assigned(tree))


def _assigned(tree: ast.AST) -> Iterator[tuple[ast.Assign, str, ast.expr]]:
    for node in walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            yield from ((node, dotted(t), v) for t, v in pairs if dotted(t))


def last_along_one(node: ast.AST) -> tuple[str, list[ast.expr]]:
    """`out` of `out[:, -1, …]`, and what stands behind the -1; "" where it is none."""
    match node:
        case ast.Subscript(
            value=ast.Name(id=name),
            slice=ast.Tuple(
                elts=[
                    ast.Slice(lower=None, upper=None),
                    ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)),
                    *rest,
                ]
            ),
        ):
            return name, rest
    return "", []


def bound(tree: ast.AST) -> set[str]:
    """Every name that the code binds somewhere, arguments and imports included."""
    found: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.arg(arg=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name.partition(".")[0])
    return found


_OPTIMIZERS = frozenset(
    ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD"]
)


def is_optimizer(value: ast.AST) -> bool:
    """Whether it is a call that makes an optimizer."""
    if not isinstance(value, ast.Call):
        return False
    name = dotted(value.func)
    return callee(value) in _OPTIMIZERS and (
        "." not in name or name.rpartition(".")[0].endswith("optim")
    )


def optimizers(tree: ast.AST) -> dict[str, ast.Call]:
    """The variables that hold optimizers which the code makes."""
    found = {}
    for _, name, value in assigned(tree):
        if is_optimizer(value) and isinstance(value, ast.Call):
            found[name] = value
    return found


def trained(optimizer: ast.Call, tree: ast.AST) -> set[str]:
    """The modules whose `parameters()` an optimizer is given, by a variable too."""
    given = argument(optimizer, 0, "params")
    held = made_of(given, tree) if given is not None and dotted(given) else []
    return {owner(c) for n in (optimizer, *held) for c in method_calls(n, "parameters") if owner(c)}


def is_model(value: ast.Call, tree: ast.Module) -> bool:
    """Whether it makes a model: of a class of the snippet's, or an nn.Sequential."""
    return callee(value) == "Sequential" or callee(value) in {c.name for c in module_classes(tree)}


def is_step(step: ast.Call, held: dict[str, ast.Call]) -> bool:
    """Whether a call of `step` is that of an optimizer."""
    return stepped(step) in held or is_named(stepped(step))


def is_named(name: str) -> bool:
    """Whether a variable is called like an optimizer."""
    return _IS_OPTIMIZER.search(name) is not None


_IS_OPTIMIZER = re.compile(r"(?i)optim|(^|[._])opt(_|\d|$)")


def is_without(node: ast.expr) -> bool:
    """Whether a block or function with this has no gradients."""
    off = isinstance(node, ast.Call) and [ast.unparse(a) for a in node.args] == ["False"]
    return tail(node) in ("no_grad", "inference_mode") or (off and tail(node) == "set_grad_enabled")


def without_gradients(scope: ast.AST) -> set[ast.AST]:
    """What runs in blocks, or in a function, in which nothing goes back."""
    if isinstance(scope, ast.FunctionDef) and any(map(is_without, scope.decorator_list)):
        return set(inside(scope))
    withs = (n for n in inside(scope) if isinstance(n, ast.With))
    off = (b for b in withs if any(is_without(i.context_expr) for i in b.items))
    return {n for block in off for n in inside(block)}


def stepped(step: ast.Call) -> str:
    """The optimizer that is stepped, also by `scaler.step(optimizer)`."""
    given = dotted(step.args[0]) if step.args else ""
    return given if given and "scaler" in owner(step).lower() else owner(step)


def values(tree: ast.AST) -> dict[str, ast.expr]:
    """Variable → what it was given last, by the text."""
    return {name: value for _, name, value in assigned(tree)}


@kept_by_node
def functions(tree: ast.AST) -> dict[str, ast.FunctionDef]:
    """The functions and methods by their names."""
    return {n.name: n for n in walk(tree) if isinstance(n, ast.FunctionDef)}


def argument(call: ast.Call, at: int, *names: str) -> ast.expr | None:
    """What a call is given in that place, or by one of those names."""
    named = [k.value for k in call.keywords if k.arg in names]
    if named or any(isinstance(a, ast.Starred) for a in call.args[: at + 1]):
        return named[0] if named else None
    return call.args[at] if at < len(call.args) else None


def origins(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """Variable or argument → all that the text gives it, its default too; kept like `walk`."""
    kept: dict[str, list[ast.expr]] | None = getattr(tree, _ORIGINS, None)
    if kept is None:
        kept = {}
        own = {
            n.name: n for n in walk(tree) if isinstance(n, ast.FunctionDef) and n.name[:2] != "__"
        }
        own |= {
            c.name: m for c in walk(tree) if isinstance(c, ast.ClassDef)
            for m in c.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"
        }  # fmt: skip
        called = {
            c.name: m for c in walk(tree) if isinstance(c, ast.ClassDef)
            for m in c.body if isinstance(m, ast.FunctionDef) and m.name == "__call__"
        }  # fmt: skip
        for _, name, value in assigned(tree):
            kept.setdefault(name, []).append(value)
            if isinstance(value, ast.Call) and tail(value) in called:  # `stop = Stopper()`
                own.setdefault(name.rpartition(".")[2], called[tail(value)])
        for node in walk(tree):
            match node:
                case ast.Call() if (function := own.get(tail(node))) is not None:
                    for name, value in handed(node, function):
                        kept.setdefault(name, []).append(value)
                case ast.Call(args=[ast.Constant(value=str() as name), value]) if (
                    tail(node) == "register_buffer"
                ):
                    kept.setdefault(f"self.{name}", []).append(value)
                case ast.AnnAssign(target=target, value=ast.expr() as value) if dotted(target):
                    kept.setdefault(dotted(target), []).append(value)
        for function in own.values():
            for name, value in defaults(function):
                kept.setdefault(name, []).append(value)
        setattr(tree, _ORIGINS, kept)
    return kept


_ORIGINS = "_torchmedic_origins"


def handed(call: ast.Call, function: ast.FunctionDef) -> list[tuple[str, ast.expr]]:
    """The arguments that a call gives a function, with their names there."""
    names = [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
    given = [*zip(names, call.args, strict=False)]
    given = [] if any(isinstance(a, ast.Starred) for a in call.args) else given
    names += [a.arg for a in function.args.kwonlyargs]
    return given + [(k.arg, k.value) for k in call.keywords if k.arg in names]


def defaults(function: ast.FunctionDef) -> list[tuple[str, ast.expr]]:
    """What a function's arguments are where a call gives none."""
    given = function.args
    names = [*given.posonlyargs, *given.args]
    with_default = names[len(names) - len(given.defaults) :]
    found = [*zip(with_default, given.defaults, strict=True)]
    found += [(a, d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d]
    return [(a.arg, d) for a, d in found]


def made_of(node: ast.expr, tree: ast.AST) -> list[ast.expr]:
    """What an expression may be by the text: itself, or all that its variable is given."""
    given = origins(tree)
    found: list[ast.expr] = []
    todo, seen = [node], set[str]()
    while todo:
        one = todo.pop()
        name = dotted(one)
        if name not in given:
            found.append(one)
        elif name not in seen:
            todo += given[name]
        seen.add(name)
    return found


def reached(node: ast.AST, own: dict[str, ast.FunctionDef]) -> list[ast.AST]:
    """All that runs where a node does, in the functions of the code that it calls too."""
    found = list(inside(node))
    called: set[str] = set()
    for one in found:  # it grows as it is gone through
        if not isinstance(one, ast.Call):
            continue
        name = tail(one)
        if name in own and name not in called and _is_ones_own(one, own[name]):
            called.add(name)
            found += inside(own[name])
    return found


def _is_ones_own(call: ast.Call, function: ast.FunctionDef) -> bool:
    """Whether it calls a function, or a method of its own: `noise.sample()` may be another one."""
    is_method = [a.arg for a in function.args.args[:1]] in (["self"], ["cls"])
    return owner(call) in ("self", "cls") if is_method else not isinstance(call.func, ast.Attribute)


def is_read(name: str, node: ast.AST) -> bool:
    """Whether a variable of that name is read there."""
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load | ast.Del)
        for n in walk(node)
    )


def trained_losses(tree: ast.AST) -> list[tuple[ast.stmt, str, ast.expr]]:
    """What is assigned to the variables that backward() is called of, or returned to them."""
    back, returned = _trained_names(tree)
    found: list[tuple[ast.stmt, str, ast.expr]]
    found = [(node, name, value) for node, name, value in assigned(tree) if name in back]
    return found + [(n, "", v) for n, v in returned if not dotted(v)]


def trained_names(tree: ast.AST) -> set[str]:
    """The variables that backward() is called of.

    So `loss` of `loss.backward()`, `(loss / 8).backward()`, `scaler.scale(loss).backward()` and
    `accelerator.backward(loss)`, and what a `training_step` returns.
    """
    return _trained_names(tree)[0]


@kept_by_node
def _trained_names(tree: ast.AST) -> tuple[set[str], list[tuple[ast.stmt, ast.expr]]]:
    back: set[str] = set()
    for call in (*method_calls(tree, "backward"), *method_calls(tree, "manual_backward")):
        back |= set(map(dotted, call.args[:1]))
        match call.func:
            case ast.Attribute(value=ast.Call(func=ast.Attribute(attr="scale"), args=[of, *_])):
                back.add(dotted(of))
            case ast.Attribute(value=ast.BinOp(op=ast.Div(), left=of) | of):
                back.add(dotted(of))
    own = functions(tree)
    returned: list[tuple[ast.stmt, ast.expr]] = []
    called = {tail(v) for _, name, v in assigned(tree) if name in back and isinstance(v, ast.Call)}
    for function in (own[n] for n in (called & own.keys()) | ({"training_step"} & own.keys())):
        returned += [
            (n, n.value) for n in inside(function) if isinstance(n, ast.Return) and n.value
        ]
    back |= {dotted(v) for _, v in returned}
    return back - {"", "self", "inputs"}, returned


def terms(value: ast.expr, sign: int = 1) -> Iterator[tuple[int, ast.expr]]:
    """The terms of a sum with their signs: `a`, `b` and `-c` of `a + (b - c)`."""
    match value:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield from terms(operand, -sign)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            yield from terms(left, sign)
            yield from terms(right, sign if isinstance(op, ast.Add) else -sign)
        case _:
            yield sign, value


def factors(node: ast.expr) -> list[ast.expr]:
    """The factors of a product: `a`, `b` and `c` of `a * b * c`."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return [*factors(left), *factors(right)]
    return [node]


def products(tree: ast.AST) -> Iterator[tuple[ast.BinOp, list[ast.expr]]]:
    """Each whole product, with its factors."""
    parts: set[ast.AST] = set()
    for node in walk(tree):
        match node:
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                parts |= {left, right}
                if node not in parts:
                    yield node, factors(node)


def has_minus(value: ast.AST) -> bool:
    """Whether a minus stands in it."""
    return any(isinstance(n, ast.USub | ast.Sub) for n in walk(value))


def turned_round(tree: ast.AST) -> set[str]:
    """The names and keys that are turned round somewhere: `1 - done`, `~done`, `not done`."""
    found: set[str] = set()
    for _, part in turns(tree):
        found |= words(part) | {n.value for n in walk(part) if _is_key(n)}  # type: ignore[attr-defined]
    return found


def _is_key(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def turns(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Each place where something is turned round, or asked for one of two values, and what."""
    for node in walk(tree):
        match node:
            case (
                ast.BinOp(left=ast.Constant(value=1), op=ast.Sub(), right=part)
                | ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=part)
                | ast.IfExp(test=part)
            ):
                yield node, part
            case ast.Call() if tail(node) == "logical_not":
                yield node, node


def equalities(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, ast.expr]]:
    """Each `a == b` and `a.eq(b)`, and again with its sides exchanged; both bare."""
    for node in walk(tree):
        match node:
            case (
                ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])
                | ast.Call(
                    func=ast.Attribute(value=ast.Name(id="torch"), attr="eq"), args=[left, right]
                )
                | ast.Call(func=ast.Attribute(value=left, attr="eq"), args=[right])
            ):
                yield node, bare(left), bare(right)
                yield node, bare(right), bare(left)


_LAID_OUT = {
    "view", "view_as", "reshape", "squeeze", "unsqueeze", "flatten", "cpu", "cuda", "to",
    "numpy", "detach", "long", "int", "float", "contiguous",
}  # fmt: skip


def bare(node: ast.expr) -> ast.expr:
    """A tensor without the methods that lay it out, cast or move it: `y` of `y.view(-1).cpu()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in _LAID_OUT:
            break
        node = node.func.value
    return node


def grown(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr, ast.stmt]]:
    """Each `name += value` and `name = name + value`: the name, the value, the statement."""
    for node in nodes:
        match node:
            case ast.AugAssign(target=target, op=ast.Add(), value=value):
                yield dotted(target), value, node
            case ast.Assign(
                targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=value)
            ):
                if dotted(target) == dotted(left) != "":
                    yield dotted(target), value, node


def number(node: ast.expr, tree: ast.AST) -> float | None:
    """The only decimal number that an expression may be by the text, settings included."""
    told = made_of(node, tree)
    told = [s for v in told for s in (_settings(tree).get(tail(v), []) if dotted(v) else [v])]
    found = {v.value for v in told if isinstance(v, ast.Constant) and isinstance(v.value, float)}
    calls = [v for v in told if not isinstance(v, ast.Constant)]  # `min(decay, …)` of itself
    own = all(dotted(node) and dotted(node) in words(c) for c in calls)
    return found.pop() if len(found) == 1 and own else None


def constant(node: ast.expr, tree: ast.AST) -> ast.expr:
    """The only constant that an expression is by the text, settings included; else itself."""
    told = made_of(node, tree)
    told = [s for v in told for s in (_settings(tree).get(tail(v), []) if dotted(v) else [v])]
    alike = {ast.unparse(v) for v in told}
    return told[0] if len(alike) == 1 and isinstance(told[0], ast.Constant) else node


def _settings(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """What classes, dictionaries, calls and a command line say of a setting of that name."""
    found: dict[str, list[ast.expr]] = {}
    for node in walk(tree):
        match node:
            case (
                ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                | ast.keyword(arg=str() as name, value=value)
            ):
                found.setdefault(name, []).append(value)
            case ast.Call(args=[ast.Constant(value=str() as name), *_]) if (
                tail(node) == "add_argument"
            ):
                value = argument(node, 9, "default") or node
                found.setdefault(name.strip("-").replace("-", "_"), []).append(value)
    return found


def outermost(tree: ast.AST) -> Iterator[ast.For | ast.While]:
    """The loops that are in no other one of the same function."""
    within: set[ast.AST] = set()
    for loop in loops(tree):  # outer ones come first
        if loop not in within:
            yield loop
        within.update(inside(loop))


def is_no_tensor(name: str, tree: ast.AST) -> bool:
    """Whether something is read of it that no tensor has; nothing is known where torch is not."""
    tensor = getattr(sys.modules.get("torch"), "Tensor", None)
    return tensor is not None and any(
        isinstance(n, ast.Attribute) and dotted(n.value) == name and not hasattr(tensor, n.attr)
        for n in walk(tree)
    )


def rebound(node: ast.AST) -> set[str]:
    """The variables that are bound anew there."""
    return {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def behind(names: set[str], flows: dict[str, set[str]]) -> set[str]:
    """The names, and all that they are made from."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += flows.get(name, ())
    return found
