"""Make the edits by which a module sees the layers and parameters that are made in it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from executor.inside.remarks.edits import Places, added, put, way
from executor.inside.remarks.syntax import (
    assigned,
    callee,
    dotted,
    inside,
    is_layer,
    is_own,
    methods_named,
    walk,
)

Ways = tuple[dict[str, Any], ...]
_SEEN = "the module sees what is in it"


def registered(module: ast.AST, value: ast.expr, *, chained: bool) -> Ways:
    """`nn.ModuleList([…])`; `nn.Sequential(*[…])` for what is called as one."""
    if chained:
        return (way("the layers run one after the other", put(value, *_of(module, "Sequential"),
                                                              "(*", value, ")")),)  # fmt: skip
    kind = _holder(value)
    return (way(_SEEN, put(value, *_of(module, kind), "(", value, ")")),) if kind else ()


def appended(module: ast.AST, target: ast.Attribute, value: ast.expr) -> Ways:
    """`nn.ModuleList()` for the empty list that layers are appended to."""
    made = _made_empty(module, target)
    kind = "ParameterList" if _is_parameter(value) else "ModuleList"
    return (way(_SEEN, put(made, *_of(module, kind), "()")),) if made is not None else ()


def keyed(module: ast.AST, target: ast.Attribute, value: ast.expr) -> Ways:
    """`nn.ModuleDict()` for the empty dictionary, whose keys are texts then."""
    made = _made_empty(module, target)
    inner = _holder(value) if isinstance(value, ast.Dict) else ""
    if made is None or (isinstance(value, ast.Dict) and not inner):
        return ()
    uses = [n for n in walk(module) if isinstance(n, ast.Attribute) and dotted(n) == dotted(target)]
    keys = [n.slice for n in walk(module) if isinstance(n, ast.Subscript) and n.value in uses]
    if len(keys) < len(uses) - 1:
        return ()  # it is gone through, perhaps by numbers
    kind = "ParameterDict" if _is_parameter(value) else "ModuleDict"
    places: list[Places] = [put(made, *_of(module, kind), "()")]
    for key in keys:
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            places.append(put(key, "str(", key, ")"))
    if inner:
        places.append(put(value, *_of(module, inner), "(", value, ")"))
    return (way(_SEEN, *places),)


def made_in_init(
    tree: ast.AST, forward: ast.FunctionDef, first: ast.Call, spared: Iterable[ast.AST]
) -> Ways:
    """Each layer that a `forward` makes as an attribute, made in `__init__`."""
    cls = next((c for c in walk(tree) if isinstance(c, ast.ClassDef) and forward in c.body), None)
    init = next(methods_named(cls, "__init__"), None) if cls is not None else None
    own = set(inside(forward))
    layers = [n for n in walk(forward) if isinstance(n, ast.Call) and n in own and n not in spared
              and is_layer(n)]  # fmt: skip
    layers.sort(key=lambda n: (n.lineno, n.col_offset))
    if cls is None or init is None or layers[0] is not first:
        return ()
    local = {a.arg for a in forward.args.args} | {name for _, name, _ in assigned(forward)}
    known = {n.attr for n in walk(cls) if isinstance(n, ast.Attribute) and is_own(n)}
    places, more = [], []
    for layer in layers:
        read = {n.id for n in walk(layer) if isinstance(n, ast.Name)}
        if read & local - {"self"} or "self" in read:
            return ()  # of a size that only a call knows
        kind = callee(layer).lower()
        name = next(f"{kind}{n}" for n in range(1, 99) if f"{kind}{n}" not in known)
        known.add(name)
        places.append(put(layer, f"self.{name}"))
        more.append(added(f"self.{name} = {ast.unparse(layer)}", init.body[-1], after=True))
    made = way("made once, in `__init__`", *places)
    return (made | {"add": [one for [one] in reversed(more)]},)


def _of(module: ast.AST, kind: str) -> tuple[str]:
    """`nn.ModuleList`, as the code writes that module's name."""
    short = any(isinstance(n, ast.Name) and n.id == "nn" for n in walk(module))
    return (f"nn.{kind}" if short else f"torch.nn.{kind}",)


def _holder(value: ast.expr) -> str:
    """What registers the entries of a list or dictionary; empty where they are of several kinds."""
    match value:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            kind = "List"
        case ast.ListComp(elt=part):
            parts, kind = [part], "List"
        case ast.Dict(keys=keys, values=parts):
            if not all(isinstance(k, ast.Constant) and isinstance(k.value, str) for k in keys):
                return ""
            kind = "Dict"
        case _:
            return ""
    of = {_is_parameter(p) for p in parts}
    if len(of) != 1 or not all(isinstance(p, ast.Call) for p in parts):
        return ""
    return f"Parameter{kind}" if of == {True} else f"Module{kind}"


def _is_parameter(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and callee(value) == "Parameter"


def _made_empty(module: ast.AST, target: ast.Attribute) -> ast.expr | None:
    """The one empty list or dictionary that an attribute is set to."""
    made = [v for _, name, v in assigned(module) if name == dotted(target)]
    match made:
        case [ast.List(elts=[])] | [ast.Dict(keys=[])]:
            return made[0]
    return None
