"""Find what is written over without a word: a shortcut, the row of the padding, a learning rate."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    callee,
    constant,
    dotted,
    inside,
    is_optimizer,
    is_true,
    method_calls,
    methods_named,
    module_classes,
    owner,
    tail,
    walk,
    words,
)

_FILLS = re.compile(
    r"(?:uniform|normal|xavier\w*|kaiming\w*|trunc_normal|orthogonal|ones|constant)_$"
)


def shortcut_overwritten(tree: ast.Module) -> Found:
    """`out = self.act(x)` with an activation in place, and `out + x` further down."""
    for module in module_classes(tree):
        in_place = {
            dotted(node.targets[0]): value
            for node, _, value in assigned(module)
            if isinstance(value, ast.Call) and any(k.arg == "inplace" and is_true(k.value)
                                                   for k in value.keywords)
        }  # fmt: skip
        for forward in methods_named(module, "forward"):
            given = {a.arg for a in forward.args.args[1:]}
            for call in (n for n in inside(forward) if isinstance(n, ast.Call)):
                layer = in_place.get(dotted(call.func))
                name = dotted(call.args[0]) if call.args else ""
                if layer is None or name not in given or _is_bound_before(forward, name, call):
                    continue
                for later in _added_later(forward, name, call):
                    option = next(k for k in layer.keywords if k.arg == "inplace")
                    yield Told(
                        "shortcut_overwritten",
                        call,
                        f"`{dotted(call.func)}` works in place, so that `{name}` holds what comes "
                        f"out of it: what line {later.lineno} adds is no longer what came in; "
                        f"leave `inplace=True` out, or keep `{name}.clone()`",
                        (way("the shortcut adds what came in", put(option.value, "False")),),
                    )
                    return


def _is_bound_before(forward: ast.FunctionDef, name: str, call: ast.Call) -> bool:
    """Whether the argument is another tensor by then, `x = self.conv(x)`."""
    return any(n == name and node.lineno < call.lineno for node, n, _ in assigned(forward))


def _added_later(forward: ast.FunctionDef, name: str, call: ast.Call) -> Iterator[ast.BinOp]:
    bound = [node.lineno for node, n, _ in assigned(forward) if n == name]
    for node in inside(forward):
        match node:
            case ast.BinOp(left=left, op=ast.Add(), right=right) if name in map(
                dotted, (left, right)
            ):
                until = [n for n in bound if call.lineno <= n < node.lineno]
                if node.lineno > call.lineno and not until:
                    yield node


def padding_overwritten(tree: ast.Module) -> Found:
    """`nn.init.uniform_(emb.weight)` of an embedding whose row for the padding was zeros."""
    padded = {
        dotted(node.targets[0]): index
        for node, _, value in assigned(tree)
        if isinstance(value, ast.Call) and callee(value) == "Embedding"
        and (index := argument(value, 2, "padding_idx")) is not None
    }  # fmt: skip
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        name = tail(call)
        if not _FILLS.match(name):
            continue
        of = dotted(call.args[0]) if name != tail(call.func) or call.args else ""
        if not of.endswith(".weight"):
            of = owner(call).removesuffix(".data")
        held = of.removesuffix(".weight")
        if held not in padded or _sets_row_again(tree, held, call):
            continue
        row = ast.unparse(padded[held])
        yield (
            "padding_overwritten",
            call,
            f"`{held}` has `padding_idx={row}`, which only sets that row to zeros when it is made "
            "and gives it no gradient; this fills the row too, so that each padding adds a vector "
            "that never changes; set it back behind this line: "
            f"`{held}.weight.data[{row}].zero_()`",
        )
        return


def _sets_row_again(tree: ast.Module, held: str, by: ast.Call) -> bool:
    """Whether a row of it, or of its weight, is set further down."""
    weights = (f"{held}.weight", f"{held}.weight.data")
    later = (n for n in walk(tree) if isinstance(n, ast.Subscript) and n.lineno > by.lineno)
    if any(dotted(n.value) in weights for n in later):
        return True
    return "_fill_padding_idx_with_zero" in words(tree)


def rate_restored(tree: ast.Module) -> Found:
    """`opt = Adam(ps, lr=1e-4); opt.load_state_dict(saved)`: the rate of the state comes back."""
    made = [(node, name, value) for node, name, value in assigned(tree) if is_optimizer(value)]
    for call in method_calls(tree, "load_state_dict"):
        own = [(n, v) for n, name, v in made if name == owner(call) and n.lineno < call.lineno]
        if not own or _sets_rate(tree, call):
            continue
        node, value = own[-1]
        rate = _rate(value, tree)
        others = {_rate(v, tree) for n, _, v in made if n is not node} - {""}
        if rate and others and rate not in others:
            other = min(others)
            yield (
                "rate_restored",
                call,
                f"the state of an optimizer holds its learning rate: behind this line it is that "
                f"of the optimizer which was saved (`{other}`), not the `{rate}` of line "
                f"{node.lineno}; set it again: `for group in {owner(call)}.param_groups: "
                f"group['lr'] = {rate}`",
            )
            return


def _rate(value: ast.expr, tree: ast.Module) -> str:
    given = argument(value, 1, "lr") if isinstance(value, ast.Call) else None
    return ast.unparse(constant(given, tree)) if given is not None else ""


def _sets_rate(tree: ast.Module, call: ast.Call) -> bool:
    for node in walk(tree):
        match node:
            case ast.Subscript(slice=ast.Constant(value="lr"), ctx=ast.Store()):
                if node.lineno > call.lineno:
                    return True
    return "scheduler" in ast.unparse(tree).lower()


def groups_left(tree: ast.Module) -> Found:
    """`opt.param_groups[0]["lr"] = lr` of an optimizer with several groups of one rate."""
    several = {
        name for _, name, value in assigned(tree)
        if is_optimizer(value) and isinstance(value, ast.Call) and _groups(value) > 1
    }  # fmt: skip
    set_: dict[str, list[ast.Subscript]] = {}
    for node in walk(tree):
        match node:
            case ast.Subscript(
                value=ast.Subscript(value=ast.Attribute(value=held, attr="param_groups"),
                                    slice=ast.Constant(value=int())),
                slice=ast.Constant(value="lr"), ctx=ast.Store(),
            ):  # fmt: skip
                set_.setdefault(dotted(held), []).append(node)
            case ast.For(iter=ast.Attribute(attr="param_groups")):
                return
    for name, places in set_.items():
        if name in several and len({ast.unparse(p) for p in places}) == 1:
            yield (
                "groups_left",
                places[0],
                f"`{name}` has several groups of parameters, and this sets the rate of one: the "
                "others keep theirs for the whole training; go through them: `for group in "
                f"{name}.param_groups: group['lr'] = …`",
            )
            return


def _groups(call: ast.Call) -> int:
    """How many groups there are without a rate of their own, which may be meant to stay."""
    given = argument(call, 0, "params")
    if not isinstance(given, ast.List):
        return 0
    groups = [e for e in given.elts if isinstance(e, ast.Dict)]
    own = [
        g for g in groups if any(isinstance(k, ast.Constant) and k.value == "lr" for k in g.keys)
    ]
    return len(groups) - len(own) if len(groups) == len(given.elts) else 0


RULES = (shortcut_overwritten, padding_overwritten, rate_restored, groups_left)
