"""Find files that are paired by the chance of a listing, or read and never used."""

from __future__ import annotations

import ast

from executor.inside.remarks.syntax import (
    Found,
    assigned,
    dotted,
    is_read,
    method_calls,
    owner,
    tail,
    walk,
    words,
)

_LISTS = ("glob", "iglob", "listdir", "scandir", "iterdir", "rglob")
_SORTS = {"sorted", "sort", "natsorted", "argsort", "lexsort"}


def listed_apart(tree: ast.Module) -> Found:
    """Two listings of files, neither of them sorted, whose entries are taken for pairs."""
    if words(tree) & _SORTS:
        return
    listings = {
        name: call for _, name, value in assigned(tree) if (call := _listing(value)) is not None
    }
    for node in walk(tree):
        pair = _zipped(node) or _at_one_index(node)
        told = [name for name in dict.fromkeys(pair) if name in listings]
        folders = {ast.unparse(listings[name]) for name in told}
        if len(told) < 2 or len(folders) < 2:
            continue
        first, other = told[:2]
        yield (
            "listed_apart",
            node,
            f"`{first}` and `{other}` are listings of two folders, and `{tail(listings[first])}` "
            "gives files in no set order, in each folder in another one: nothing makes the two "
            "belong together, and a model that learns from wrong pairs ends at the most frequent "
            "answer. Sort both (`sorted(…)`), or make the one name from the other, and print a few "
            "pairs",
        )
        return


def _listing(value: ast.expr) -> ast.Call | None:
    """The listing that a value is: `glob.glob(…)`, `list(root.iterdir())`, each of them joined."""
    match value:
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner]):
            return _listing(inner)
        case ast.ListComp(generators=[ast.comprehension(iter=inner, ifs=[])]):
            return _listing(inner)
        case ast.Call() if tail(value) in _LISTS:
            return value
    return None


def _zipped(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Call) and dotted(node.func) == "zip":
        return [dotted(a) for a in node.args if dotted(a)]
    return []


def _at_one_index(node: ast.AST) -> list[str]:
    """The attributes that a `__getitem__` reads at its own index."""
    if not (isinstance(node, ast.FunctionDef) and node.name == "__getitem__"):
        return []
    index = node.args.args[-1].arg
    return [
        dotted(n.value)
        for n in walk(node)
        if isinstance(n, ast.Subscript) and dotted(n.slice) == index and dotted(n.value)
    ]


def loaded_unread(tree: ast.Module) -> Found:
    """A checkpoint that is read into a variable that nothing reads, before a model is used."""
    said = words(tree)
    if said & {"load_state_dict", "load_from_checkpoint", "set_state_dict", "load_model", "vars"}:
        return
    for node, name, value in assigned(tree):
        part: ast.AST = value
        while isinstance(part, ast.Subscript):
            part = part.value
        if not (isinstance(part, ast.Call) and dotted(part.func) == "torch.load"):
            continue
        if not name or "." in name or is_read(name, tree):
            continue
        later = [
            call for call in method_calls(tree, "eval") if call.lineno > node.lineno and owner(call)
        ]
        if later:
            model = owner(later[0])
            yield (
                "loaded_unread",
                node,
                f"`{name}` is read from the file and goes nowhere: `{model}` keeps the weights "
                "that it was made with, random ones at each start (a seed would only make them "
                f"the same each time). Put them in: `{model}.load_state_dict({name})`, before "
                "`eval()`; `module.` before the keys comes of DataParallel: take it off first",
            )
            return


RULES = (listed_apart, loaded_unread)
