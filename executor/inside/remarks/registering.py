"""Make the edits by which a module sees the layers and parameters that are made in it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from executor.inside.remarks.edits import Places, added, moved, put, way
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
_ONCE = "made once, in `__init__`"


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
    known = {n.attr for n in walk(cls) if isinstance(n, ast.Attribute) and is_own(n)}
    held = {v: s for s, of, v in assigned(forward) if of.startswith("self.") and s in forward.body}
    if not all(_is_known(layer, forward, init) for layer in layers):
        return ()
    if all(layer in held for layer in layers):
        return (moved(_ONCE, *(held[v] for v in layers), by=init.body[-1], after=True),)
    places, more = [], []
    for layer in layers:
        kind = callee(layer).lower()
        name = next(f"{kind}{n}" for n in range(1, 99) if f"{kind}{n}" not in known)
        known.add(name)
        places.append(put(layer, f"self.{name}"))
        more.append(added(f"self.{name} = {ast.unparse(layer)}", init.body[-1], after=True))
    made = way(_ONCE, *places)
    return (made | {"add": [one for [one] in reversed(more)]},)


def parameters_in_init(
    tree: ast.AST, forward: ast.FunctionDef, made: list[tuple[ast.Assign, str, ast.expr]]
) -> Ways:
    """The parameters that a `forward` gives these names, made in `__init__`, all in one way."""
    cls = next((c for c in walk(tree) if isinstance(c, ast.ClassDef) and forward in c.body), None)
    init = next(methods_named(cls, "__init__"), None) if cls is not None else None
    if cls is None or init is None or not all(_is_known(v, forward, init) for _, _, v in made):
        return ()
    own = [name.startswith("self.") for _, name, _ in made]
    if all(own):
        return (moved(_ONCE, *(s for s, _, _ in made), by=init.body[-1], after=True),)
    known = {n.attr for n in walk(cls) if isinstance(n, ast.Attribute) and is_own(n)}
    if any(own) or known & {name for _, name, _ in made}:
        return ()
    more = [added(f"self.{n} = {ast.unparse(v)}", init.body[-1], after=True) for _, n, v in made]
    places = [put(value, f"self.{name}") for _, name, value in made]
    return (way(_ONCE, *places) | {"add": [one for [one] in reversed(more)]},)


def _is_known(layer: ast.expr, forward: ast.FunctionDef, init: ast.FunctionDef) -> bool:
    """Whether all that it is made of is known when `__init__` has ended."""
    local = {a.arg for a in forward.args.args} | {name for _, name, _ in assigned(forward)}
    local |= {n.id for n in walk(forward) if isinstance(n, ast.Name) and _is_stored(n)}
    # What `__init__` leaves as it is given, nothing changes before the first call.
    left = {name for s, name, _ in assigned(init) if s in init.body}
    left -= {name for _, name, _ in assigned(forward)}
    read = [n for n in walk(layer) if isinstance(n, ast.Attribute) and is_own(n)]
    selves = sum(isinstance(n, ast.Name) and n.id == "self" for n in walk(layer))
    names = {n.id for n in walk(layer) if isinstance(n, ast.Name)} - {"self"}
    known = all(dotted(n) in left for n in read) and len(read) == selves
    return known and not names & local


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


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
