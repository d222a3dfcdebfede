"""Find files that are paired by the chance of a listing, or read and never used."""

from __future__ import annotations

import ast

from executor.inside.remarks.syntax import (
    Found,
    assigned,
    constant,
    dotted,
    inside,
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


_READS_NAMES = {
    "split", "rsplit", "partition", "match", "search", "findall", "fullmatch", "sub",
    "removesuffix", "removeprefix",
}  # fmt: skip


def sorted_as_text(tree: ast.Module) -> Found:
    """`sorted(os.listdir(folder))` of files that are numbered 0, 1, … 10, …: 10 before 2."""
    numbered = _numbered(tree)
    if not numbered or any(map(_reads_name, walk(tree))):
        return  # what a file is may be read from its name
    for _, name, value in assigned(tree):
        match value:
            case ast.Call(func=ast.Name(id="sorted"), args=[over]) if not value.keywords:
                pass
            case _:
                continue
        if not any(isinstance(n, ast.Call) and tail(n) in _LISTS for n in walk(over)):
            continue
        yield (
            "sorted_as_text",
            value,
            f"sorted() compares names letter by letter: `{numbered.format(10)}` comes before "
            f"`{numbered.format(2)}`, so that `{name}` is not in the order of the numbers, and "
            "what is kept by number elsewhere (labels, say) belongs to other files; sort by the "
            "number (`key=lambda f: int(...)`), or write it with leading zeros",
        )
        return


def _reads_name(node: ast.AST) -> bool:
    """`name.split("_")`, `path.stem`, `re.match(r"…", name)`."""
    if isinstance(node, ast.Attribute) and node.attr in ("stem", "splitext"):
        return True
    return (
        isinstance(node, ast.Call)
        and tail(node) in _READS_NAMES
        and any(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in node.args)
    )


def _numbered(tree: ast.Module) -> str:
    """How files are called that the code numbers without leading zeros, up to 10 or more."""
    for loop in (n for n in walk(tree) if isinstance(n, ast.For)):
        match loop:
            case ast.For(
                target=ast.Name(id=at), iter=ast.Call(func=ast.Name(id="range"), args=[*_, end])
            ):
                most = constant(end, tree)
            case _:
                continue
        if not isinstance(most, ast.Constant) or not isinstance(most.value, int):
            continue
        for text in (n for n in inside(loop) if isinstance(n, ast.JoinedStr)):
            match text.values:
                case [
                    *_,
                    ast.FormattedValue(value=ast.Name(id=name), format_spec=None),
                    ast.Constant(value=str() as end_of_name),
                ] if name == at and end_of_name.startswith(".") and most.value > _TEN:
                    before = text.values[0]
                    first = before.value if isinstance(before, ast.Constant) else ""
                    return f"{str(first).replace('{', '').replace('}', '')}{{}}{end_of_name}"
    return ""


_TEN = 10


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
BY_WHAT_IT_READS = (sorted_as_text,)
