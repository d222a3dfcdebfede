"""Decide what of a snippet a run exercised not at all: what is only defined, or only made."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# What a module is asked for without a forward.
_LOOKS = frozenset(
    {"to", "cuda", "cpu", "half", "float", "double", "train", "eval", "requires_grad_"}
    | {"parameters", "named_parameters", "state_dict", "load_state_dict", "children", "modules"}
    | {"named_children", "named_modules", "zero_grad", "training"}
)
# Of these those that give the module itself, which may then be called by whoever gets it.
_ITSELF = frozenset(
    {"to", "cuda", "cpu", "half", "float", "double", "train", "eval", "requires_grad_"}
)
# With these a name can be used that stands nowhere.
_BY_NAME = frozenset({"globals", "locals", "vars", "eval", "exec", "getattr", "__import__", "dir"})


def are_all(tree: ast.Module, supplied: Iterable[str] = ()) -> bool:
    """Whether there are definitions, and nothing beside them that uses one or computes anything.

    Imports, constants, settings (`torch.manual_seed(0)`) and strings may stand beside them. The
    tree is read, and nothing is watched: a run costs nothing for it. A definition that nothing
    outside of functions mentions can have been called by nobody.

    Args:
        tree: the snippet's.
        supplied: names of the imports that it leaves out.
    """
    if not any(isinstance(s, _DEFINITIONS) for s in _statements(tree.body)):
        return False
    own = {s.name for s in _statements(tree.body) if isinstance(s, _DEFINITIONS)}
    fixed = _fixed_names(tree).union(supplied)
    return all(_does_nothing(s, own, fixed) for s in tree.body)


def only_made(tree: ast.Module) -> tuple[str, ...]:
    """Names of modules that are made and never called, so that no line of their forward ran.

    Of the snippet's own classes with a `forward`. Whatever else is done with a name (it is handed
    on, or asked for anything but its parts) may call it, and so it is none.
    """
    classes = {
        s.name
        for s in _statements(tree.body)
        if isinstance(s, ast.ClassDef)
        and any(isinstance(d, ast.FunctionDef) and d.name == "forward" for d in s.body)
    }
    made = [
        s.targets[0].id
        for s in _statements(tree.body)
        if isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and any(name in classes for name in _called(s.value))
    ]
    if not made:
        return ()
    harmless = set(_harmless_reads(tree))
    read = [
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in harmless
    ]
    return tuple(name for name in dict.fromkeys(made) if name not in read)


def _called(value: ast.expr) -> Iterator[str]:
    """The class that a value is an object of: `Net(…)`, `Net(…).to(device)`."""
    while isinstance(value, ast.Call):
        match value.func:
            case ast.Name(id=name):
                yield name
                return
            case ast.Attribute(value=inner, attr=attribute) if attribute in _LOOKS:
                value = inner
            case _:
                return


def _harmless_reads(tree: ast.Module) -> Iterator[ast.Name]:
    """Where a name is read and what it names is not called: shown, moved, asked for its parts."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name() as name, attr=attribute) if (
                attribute in _LOOKS - _ITSELF
            ):
                yield name
            case ast.Expr(value=value):
                yield from _itself(value)
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                yield from (name for name in _itself(value) if name.id == target)
            case ast.Call(func=ast.Name(id="print"), args=args):
                yield from (arg for arg in args if isinstance(arg, ast.Name))


def _itself(value: ast.expr) -> Iterator[ast.Name]:
    """The name whose module this gives: `net`, `net.to(device).eval()`."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in _ITSELF:
            return
        value = value.func.value
    if isinstance(value, ast.Name):
        yield value


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements at the top level, those under `if` and `try` too."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.Try)):
            for part in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(statement, part, []))
            for handler in getattr(statement, "handlers", []):
                yield from _statements(handler.body)


def _fixed_names(tree: ast.Module) -> set[str]:
    """Names of modules and of what is imported, and of constants made without a call."""
    found = {"__name__", "__file__", "print", "str", "int", "float", "len", "bool"}
    for statement in _statements(tree.body):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            found |= {(a.asname or a.name).partition(".")[0] for a in statement.names}
            continue
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
            continue
        if not any(isinstance(n, ast.Call) for n in ast.walk(statement.value)):
            several = statement.targets if isinstance(statement, ast.Assign) else ()
            one = (statement.target,) if isinstance(statement, ast.AnnAssign) else ()
            found |= {t.id for t in (*several, *one) if isinstance(t, ast.Name)}
    return found


def _does_nothing(statement: ast.stmt, own: set[str], fixed: set[str]) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
        case ast.ClassDef(body=body, decorator_list=marks):
            return _all_fixed(marks, own, None) and all(
                _does_nothing(s, own, fixed | own | _all_names(s)) for s in body
            )
        case (
            ast.FunctionDef(args=args, decorator_list=marks)
            | ast.AsyncFunctionDef(args=args, decorator_list=marks)
        ):
            defaults = [d for d in (*args.defaults, *args.kw_defaults) if d is not None]
            return _all_fixed([*marks, *defaults], own, None)
        case ast.If(test=test, body=body, orelse=orelse):
            inner = [*body, *orelse]
            return _all_fixed([test], own, fixed) and all(
                _does_nothing(s, own, fixed) for s in inner
            )
        case ast.Try(body=body, orelse=orelse, finalbody=last, handlers=handlers):
            inner = [*body, *orelse, *last, *(s for h in handlers for s in h.body)]
            return all(_does_nothing(s, own, fixed) for s in inner)
        case (
            ast.Assign(value=value)
            | ast.Expr(value=value)
            | ast.AnnAssign(value=ast.expr() as value)
        ):
            return _all_fixed([value], own, fixed)
        case ast.AnnAssign():
            return True
    return False


def _all_fixed(expressions: list[ast.expr], own: set[str], fixed: set[str] | None) -> bool:
    """Whether they mention no definition, and (with `fixed`) no name that is not fixed."""
    read = [
        node.id
        for expression in expressions
        for node in _outside_functions(expression)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]
    if fixed is not None and not fixed.issuperset(read):
        return False
    return not any(name in own or name in _BY_NAME for name in read)


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, _FUNCTIONS):
        for child in ast.iter_child_nodes(node):
            yield from _outside_functions(child)


def _all_names(statement: ast.stmt) -> set[str]:
    """The names in a class body, which are mostly its own."""
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
