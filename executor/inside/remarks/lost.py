"""Find tensors, arguments and batches that are made or given and have no part in what follows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.liveness import unread_stores
from executor.inside.remarks.syntax import (
    LOSS_CALL,
    Found,
    assigned,
    bare,
    callee,
    dotted,
    functions,
    inside,
    is_layer,
    is_model,
    is_read,
    loops,
    method_calls,
    methods_named,
    module_classes,
    origins,
    owner,
    tail,
    walk,
    without_gradients,
    words,
)
from executor.inside.remarks.unread import NEVER_USED

# Functions of torch, numpy and tensors whose result is no tensor, or only looked at.
_NO_TENSOR = re.compile(
    r"^(is_\w+|get_\w+|set_\w+|size|shape|dim|ndim|numel|item|tolist|stride|element_size|device"
    r"|load|loads|save|manual_seed\w*|seed|backward|compile|export|trace|script|Generator|dtype"
    r"|default_rng|RandomState|no_grad|finfo|iinfo|Size|register_\w+|requires_grad_|share_memory_"
    r"|retain_grad|memory_\w+|max_memory_\w+|synchronize|Event|Stream|enable_grad)$"
)
# What is made to be looked at, whether anybody does or not.
_LOOKED_AT = {
    "argmax", "argmin", "topk", "item", "softmax", "sigmoid", "eq", "round", "accuracy", "norm",
    "allclose", "equal", "isnan", "isinf", "sum", "mean", "std", "var", "max", "min", "cpu",
    "detach", "unique", "bincount", "corrcoef", "histc", "histogram", "entropy", "grad",
}  # fmt: skip
_ROUNDS = 4  # names that are made of names that are made of tensors


def value_unread(tree: ast.Module) -> Found:
    """`Xn = (X - mean) / std`, and on with `X`: a tensor that nothing can read."""
    yield from (told for told, is_meant in _unread(tree) if is_meant)


def value_left(tree: ast.Module) -> Found:
    """The same of a value of which nothing says that it was meant for what follows."""
    for told, is_meant in _unread(tree):
        if not is_meant:
            words_ = f"{told.message}: it is left over, unless it is to have a part there"
            yield Told("value_left", told.node, words_)


def _unread(tree: ast.Module) -> Iterator[tuple[Told, bool]]:
    """The tensors that nothing can read, with whether the text shows that one was meant to be."""
    trains = [(c.lineno, c.col_offset) for c in method_calls(tree, "backward")]
    if not trains:
        return
    scopes: list[ast.Module | ast.FunctionDef] = [tree, *functions(tree).values()]
    stores = [
        (scope, *store) for scope in scopes for store in unread_stores(scope)
        if not store[1].startswith("_")
    ]  # fmt: skip
    if not stores:
        return  # as in most programs: what follows takes longer
    known = _Tensors(tree)
    said = {node for rule in NEVER_USED for _, node, *_ in rule(tree)}
    looked_at = {scope: without_gradients(scope) for scope in scopes}
    taken_by = [(s, n.id) for _, s, _, v in stores for n in walk(v) if isinstance(n, ast.Name)]
    for scope, statement, name, value in stores:
        if statement in said or statement in looked_at[scope]:
            continue
        if any(by is not statement and name == of for by, of in taken_by):
            continue  # it is read: by what nothing reads, which is told
        goes_on = known.is_one(value) and is_read(name, value)  # `h = h.detach()`
        adapted = _is_adapted(value, tree)
        if _acts(value, tree) or not (goes_on or adapted or known.is_worked_out(value, scope)):
            continue
        taken = known.first_in(value)
        later = _reads_behind(statement, taken, scope)
        asked = [n for n in later if known.is_asked_of_a_model(n) and not known.answers(value)]
        place = statement.lineno, statement.col_offset
        if isinstance(scope, ast.Module) and place > max(trains) and not asked:
            continue  # what a program ends with is its result
        one = next(iter(asked if len(asked) == 1 else later), None)
        made_of = not isinstance(value, ast.Subscript) and name.lower().startswith(
            taken.lower()
        )  # `Xn` of `X`
        in_function = isinstance(scope, ast.FunctionDef)
        is_meant = in_function or asked or goes_on or adapted or made_of or _MATTERS.search(name)
        on = f": that goes on with `{taken}`" if is_meant and later and not adapted else ""
        on += f", as in line {one.lineno}" if is_meant and one is not None else ""
        told = Told(
            "value_unread",
            statement,
            f"`{name}` is computed here and nothing reads it, so that it changes nothing of "
            f"what follows{on}",
            tuple(_taken_on(statement, name, taken, later, asked)),
        )
        yield told, bool(is_meant)


def _is_adapted(value: ast.expr, tree: ast.Module) -> bool:
    """Whether it is weights after a step by hand: `fast = adapt(x, y)`, or made on the spot."""
    scope: ast.AST = tree
    returned = [value]
    function = functions(tree).get(tail(value)) if isinstance(value, ast.Call) else None
    if function is not None and isinstance(value, ast.Call) and owner(value) in ("", "self"):
        scope = function
        returned = [n.value for n in inside(function) if isinstance(n, ast.Return) and n.value]
    known = {name: given for _, name, given in assigned(scope)}
    grads = {name for name, given in known.items() if tail(given) == "grad"}
    each = (n for r in returned for n in walk(known.get(dotted(r), r)))
    return any(
        isinstance(n, ast.DictComp | ast.ListComp | ast.GeneratorExp)
        and any(isinstance(m, ast.BinOp) and isinstance(m.op, ast.Sub) for m in walk(n))
        and ("grad" in map(tail, _calls(n)) or grads & words(n))
        for n in each
    )


def _calls(node: ast.AST) -> list[ast.Call]:
    return [n for n in walk(node) if isinstance(n, ast.Call)]


def _reads_behind(statement: ast.stmt, name: str, scope: ast.AST) -> list[ast.Name]:
    """Where a variable is read behind a statement of the same scope."""
    end = statement.end_lineno or 0
    found = (n for n in inside(scope) if isinstance(n, ast.Name) and n.id == name)
    behind = [n for n in found if n.lineno > end and isinstance(n.ctx, ast.Load)]
    return sorted(behind, key=lambda n: (n.lineno, n.col_offset))


def _taken_on(
    statement: ast.Assign, name: str, taken: str, later: list[ast.Name], asked: list[ast.Name]
) -> Iterator[dict[str, Any]]:
    """The edits by which what follows goes on with the value: one variable, or the one question."""
    target = statement.targets[0]
    if len(later) == 1 and isinstance(target, ast.Name):
        yield way(f"what follows goes on with this `{taken}`", put(target, taken))
    elif len(asked) == 1:
        yield way(f"the model is asked about `{name}`", put(asked[0], name))


class _Tensors:
    """Which expressions are tensors or arrays, as far as the text shows it."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._own = functions(tree)
        self._models = {n for n, v in _made(tree) if is_model(v, tree) or is_layer(v)}
        self._names = {
            a.arg for f in methods_named(tree, "forward") for a in f.args.args if a.arg != "self"
        }
        self._names |= {n.id for loop in loops(tree) for n in _of_batches(loop)}
        self._gives: set[str] = set()  # functions that return a tensor
        self._asked = {
            n.args[0] for n in walk(tree)
            if isinstance(n, ast.Call) and n.args and dotted(n.func) in self._models
        }  # fmt: skip
        given = origins(tree)
        for _ in range(_ROUNDS):
            self._names |= {n for n, of in given.items() if any(map(self.is_one, of))}
            self._gives |= {
                f.name for f in self._own.values()
                if any(isinstance(n, ast.Return) and n.value is not None and self.is_one(n.value)
                       for n in inside(f))
            }  # fmt: skip

    def is_one(self, node: ast.expr) -> bool:
        """Whether it is a tensor or an array."""
        match node:
            case ast.Name() | ast.Attribute(value=ast.Name(id="self")):
                return dotted(node) in self._names
            case ast.Attribute(value=of, attr="T" | "mT" | "data" | "grad" | "real" | "imag"):
                return self.is_one(of)
            case ast.BinOp(left=left, right=right):
                return self.is_one(left) or self.is_one(right)
            case ast.UnaryOp(operand=of) | ast.Subscript(value=of) | ast.IfExp(body=of):
                return self.is_one(of)
            case ast.Call(func=ast.Call() as made):  # `nn.Softmax(1)(x)`
                return is_layer(made) or dotted(made.func).startswith(("nn.", "torch.nn."))
            case ast.Call(func=called) if not _NO_TENSOR.match(tail(node)):
                root = dotted(called).partition(".")[0]
                if root in ("torch", "F", "np", "numpy"):
                    return tail(node)[:1].islower() and bool(node.args)
                if dotted(called) in self._models or tail(node) in self._gives:
                    return True
                return isinstance(called, ast.Attribute) and self.is_one(called.value)
        return False

    def first_in(self, value: ast.expr) -> str:
        """The first variable in it that is a tensor."""
        found = [n for n in walk(value) if isinstance(n, ast.Name) and self.is_one(n)]
        return min(found, key=lambda n: (n.lineno, n.col_offset)).id if found else ""

    def is_asked_of_a_model(self, node: ast.Name) -> bool:
        """Whether it is the first argument of a model."""
        return node in self._asked

    def answers(self, value: ast.expr) -> bool:
        """Whether a model is asked in it: then it is what the model says."""
        return any(isinstance(n, ast.Call) and dotted(n.func) in self._models for n in walk(value))

    def is_worked_out(self, value: ast.expr, scope: ast.AST) -> bool:
        """Whether it is computed from another tensor to go on, not made up or looked at."""
        if not self.is_one(value) or not any(
            isinstance(n, ast.expr) and self.is_one(n) for n in walk(value) if n is not value
        ):
            return False
        match value:
            case ast.Compare() | ast.Name() | ast.Attribute():
                return False
            case ast.Call():
                shows = isinstance(scope, ast.Module) and (
                    tail(value) in self._gives or dotted(value.func) in self._models
                )  # `model(x)` at the top is a trial
                made = tail(bare(value))  # `y.bincount().float()` is looked at too
                return not (shows or made in _LOOKED_AT or LOSS_CALL.search(tail(value)))
        return True


def _made(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    return ((name, value) for _, name, value in assigned(tree) if isinstance(value, ast.Call))


def _of_batches(loop: ast.For | ast.While) -> Iterator[ast.Name]:
    """What a loop takes out of a loader, one by one."""
    match loop:
        case ast.For(target=ast.Tuple(elts=[_, ast.Tuple(elts=parts)]), iter=ast.Call() as of) if (
            tail(of) == "enumerate" and of.args and _LOADER.search(ast.unparse(of.args[0]))
        ):
            pass
        case ast.For(target=ast.Tuple(elts=parts), iter=of) if _LOADER.search(
            ast.unparse(of)
        ) and tail(of) not in ("enumerate", "zip"):
            pass
        case _:
            return
    yield from (p for p in parts if isinstance(p, ast.Name))


_LOADER = re.compile(r"(?i)(^|[_.])(\w*loader|dl|batches)\b")


_ACTS = re.compile(
    r"(backward|step|append|pop|update|extend|write|print|save|add|next|register\w*|load\w*|\w+_"
    r"|set_\w+|init\w*|train\w*|fit\w*|eval\w*|warm\w*|run\w*|main)$"
)


def _acts(value: ast.expr, tree: ast.Module) -> bool:
    """Whether computing it may do something else too, as a function that trains does."""
    own = functions(tree)
    for name in (tail(n) for n in walk(value) if isinstance(n, ast.Call)):
        if _ACTS.match(name):
            return True
        if name in own and any(
            isinstance(n, ast.Call) and (_ACTS.match(tail(n)) or tail(n) == "print")
            for n in walk(own[name])
        ):
            return True
    return False


def argument_unread(tree: ast.Module) -> Found:
    """`def __init__(self, width, p)`, called with `p=0.3`, and a body that never says `p`."""
    for function, called, is_method in _own_callables(tree):
        given = function.args
        if given.vararg or given.kwarg or _only_ends(function):
            continue
        names = [a.arg for a in (*given.posonlyargs, *given.args)][is_method:]
        for name in [*names, *(a.arg for a in given.kwonlyargs)]:
            if not _MATTERS.search(name) or is_read(name, function):
                continue
            for call in (n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == called):
                told = _given(call, name, names)
                if told is not None and ast.unparse(told) not in ("None", "False"):
                    yield (
                        "argument_unread",
                        told,
                        f"`{name}` is given to `{called}` here, and `{function.name}` (line "
                        f"{function.lineno}) never reads it: whatever it is, it changes nothing",
                    )
                    break


# What is given to make a difference to the training. A size that nothing reads is often left over.
_MATTERS = re.compile(
    r"(?i)(^|_)(p|drop(out)?(_?(rate|p|prob))?|lr|alpha|beta|gamma|lam(bda)?|lambd|tau|temp"
    r"(erature)?|margin|smooth(ing)?|mask|lengths?|weights?|momentum|decay|noise|sigma|labels?"
    r"|targets?)(_|\d|$)"
)


def _own_callables(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, str, int]]:
    """Each function with the name that it is called by, and how many arguments Python gives it."""
    inherits = {
        c.name for c in walk(tree) if isinstance(c, ast.ClassDef)
        and any(b in {k.name for k in walk(tree) if isinstance(k, ast.ClassDef)}
                for b in map(tail, c.bases))
    }  # fmt: skip
    for node in walk(tree):
        if isinstance(node, ast.ClassDef) and node.name not in inherits:
            for method in (n for n in node.body if isinstance(n, ast.FunctionDef)):
                if method.name == "__init__":
                    yield method, node.name, 1
                elif method.name == "forward":
                    yield from ((method, name, 1) for name, made in _made(tree)
                                if callee(made) == node.name and "." not in name)  # fmt: skip
    methods = {m for c in walk(tree) if isinstance(c, ast.ClassDef) for m in c.body}
    yield from ((f, f.name, 0) for f in functions(tree).values() if f not in methods)


def _only_ends(function: ast.FunctionDef) -> bool:
    """Whether it is a stub: a docstring, `pass`, `raise`."""
    return all(
        isinstance(s, ast.Pass | ast.Raise | ast.Expr) and not isinstance(s, ast.Call)
        for s in function.body
    )


def _given(call: ast.Call, name: str, names: list[str]) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    at = names.index(name) if name in names else len(call.args)
    if any(isinstance(a, ast.Starred) for a in call.args) or at >= len(call.args):
        return None
    return call.args[at]


def batch_unread(tree: ast.Module) -> Found:
    """`for xb, yb in loader:` whose rounds train on `X[:32]`: each batch's inputs go unread."""
    for loop in loops(tree):
        batch = [*_of_batches(loop)]
        if len(batch) < 2 or not method_calls(loop, "backward"):
            continue
        inputs, *others = batch
        if inputs.id.startswith("_") or is_read(inputs.id, loop):
            continue
        if any(is_read(n.id, loop) for n in others):
            yield (
                "batch_unread",
                inputs,
                f"`{inputs.id}`, the first part of each batch, is read nowhere in this loop, while "
                f"`{next(n.id for n in others if is_read(n.id, loop))}` of the same batch is: what "
                "the model is given belongs to other samples",
            )


def head_unread(tree: ast.Module) -> Found:
    """`kind, sign = model(x)`, and two losses of `kind`: one of the answers is read nowhere."""
    for scope in (tree, *functions(tree).values()):
        statements = [n for n in inside(scope) if isinstance(n, ast.stmt)]
        for node in statements:
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Call()):
                    names = [p.id for p in parts if isinstance(p, ast.Name)]
                case _:
                    continue
            unread = [n for n in names if not n.startswith("_") and not is_read(n, scope)]
            for name in names:
                losses = [
                    (call, said) for said in statements for call in _losses(said)
                    if dotted(call.args[0]) == name
                ]  # fmt: skip
                against = {ast.unparse(call.args[1]) for call, _ in losses}
                if len(unread) != 1 or len(against) < 2 or len(losses) != len(against):
                    continue
                call, _ = max(reversed(losses), key=lambda loss: _alike(unread[0], loss[1]))
                yield Told(
                    "head_unread",
                    call,
                    f"`{unread[0]}`, which `{ast.unparse(node.value)}` gives too, is read "
                    f"nowhere, and `{name}` is compared with {len(losses)} targets: one of them "
                    f"belongs to `{unread[0]}`",
                    (way(f"`{unread[0]}` is compared", put(call.args[0], unread[0])),),
                )


def _losses(statement: ast.stmt) -> Iterator[ast.Call]:
    """The losses of two arguments that a statement computes itself."""
    if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr | ast.Return):
        yield from (
            n for n in inside(statement)
            if isinstance(n, ast.Call) and len(n.args) > 1 and LOSS_CALL.search(tail(n))
        )  # fmt: skip


def _alike(name: str, statement: ast.stmt) -> int:
    """How many words of a name a statement has in its own names."""
    said = set(re.split(r"[\W_\d]+", ast.unparse(statement).lower()))
    return len({w for w in re.split(r"[_\d]+", name.lower()) if w} & said)


def layer_unused(tree: ast.Module) -> Found:
    """`self.drop(x)` as a statement: what the layer gives is thrown away."""
    for module in module_classes(tree):
        layers = {
            name for _, name, value in assigned(module)
            if isinstance(value, ast.Call) and name.startswith("self.")
            and dotted(value.func).startswith(("nn.", "torch.nn."))
        }  # fmt: skip
        for forward in methods_named(module, "forward"):
            for node in inside(forward):
                match node:
                    case ast.Expr(value=ast.Call(func=called, args=[given, *_]) as call) if dotted(
                        called
                    ) in layers and not words(given) & {"no_grad"}:
                        name = dotted(given)
                    case _:
                        continue
                ways = (way("what it gives goes on", put(node, f"{name} = ", call)),)
                yield Told(
                    "layer_unused",
                    node,
                    f"what `{ast.unparse(call)}` gives is thrown away: a layer returns a new "
                    "tensor and leaves the one that it is given as it was"
                    + (f"; write `{name} = {ast.unparse(call)}`" if name else ""),
                    ways if name and "." not in name else (),
                )


RULES = (value_unread, value_left, argument_unread, batch_unread, head_unread, layer_unused)
