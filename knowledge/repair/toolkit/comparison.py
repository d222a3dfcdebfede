"""Compare a snippet with its rewrite: statements that went, came or changed, and what in them.

Only the syntax tree counts: white space, comments and quotes do not. In the jail only.
"""

import ast
import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_ALIKE = 0.5  # from here on two statements are one that was changed


@dataclass(frozen=True, eq=False)
class Replaced:
    """The smallest part of a statement that differs.

    Args:
        old: what stood there; None if it was added.
        new: what stands there now; None if it was taken away.
        within: the parts of the old statement around it, outermost first.
        within_new: the same for the new one.
        keyword: the argument's name, if it is one that was given by name.
    """

    old: ast.expr | None
    new: ast.expr | None
    within: tuple[ast.AST, ...]
    within_new: tuple[ast.AST, ...]
    keyword: str = ""

    @property
    def line(self) -> int:
        """The line of the rewrite that it is told for."""
        nodes = (self.new, *reversed(self.within_new))
        return next((n.lineno for n in nodes if isinstance(n, (ast.expr, ast.stmt))), 0)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A snippet beside its rewrite."""

    old: ast.Module
    new: ast.Module
    gone: list[ast.stmt] = field(default_factory=list)
    come: list[ast.stmt] = field(default_factory=list)
    changed: list[tuple[ast.stmt, ast.stmt]] = field(default_factory=list)
    kept: list[tuple[ast.stmt, ast.stmt]] = field(default_factory=list)  # moved ones too

    @property
    def replaced(self) -> Iterator[Replaced]:
        """The parts that differ, of every statement that was changed."""
        for old, new in self.changed:
            yield from parts_of(old, new)


def parts_of(old: ast.stmt, new: ast.stmt) -> Iterator[Replaced]:
    """The smallest parts in which a statement differs from what it became."""
    yield from _parts(old, new, ((), ()))


def statements(tree: ast.AST) -> list[ast.stmt]:
    """Every statement of some code, in source order, those inside others too."""
    found: list[ast.stmt] = []
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.stmt):
            found.append(child)
        found += statements(child)
    return found


def head(statement: ast.stmt) -> str:
    """A statement without the blocks that it holds, as text to compare."""
    fields = {
        name: [] if name in _BODIES and isinstance(value, list) else value
        for name, value in ast.iter_fields(statement)
    }
    return ast.dump(type(statement)(**fields))


def expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """Every node of a statement, without those of the blocks that it holds."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop(0)
        yield node
        for name, value in ast.iter_fields(node):
            if isinstance(node, ast.stmt) and name in _BODIES:
                continue
            children = value if isinstance(value, list) else [value]
            todo += [c for c in children if isinstance(c, ast.AST)]


def same_code(a: ast.AST | None, b: ast.AST | None) -> bool:
    """Whether two nodes are the same code."""
    if a is None or b is None:
        return a is b
    return ast.dump(a) == ast.dump(b)


def text(node: ast.AST | None) -> str:
    """A node's code in one spelling."""
    return ast.unparse(node) if node is not None else ""


def called(node: ast.AST) -> str:
    """The last part of the name of what a call calls: `cat` of `torch.cat(…)`; else empty."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def receivers(tree: ast.AST, method: str) -> Iterator[ast.expr]:
    """What a method is called of, wherever it is."""
    for node in ast.walk(tree):
        if called(node) == method and isinstance(node, ast.Call):
            yield from [node.func.value] if isinstance(node.func, ast.Attribute) else []


def names(node: ast.AST | None) -> set[str]:
    """The variables and attributes that an expression is made of: `hidden`, `self.hidden`."""
    if node is None:
        return set()
    if isinstance(node, ast.Attribute) and _is_path(node):
        return {ast.unparse(node)}
    if isinstance(node, ast.Name):
        return {node.id}
    return {n for child in ast.iter_child_nodes(node) for n in names(child)}


def root(node: ast.AST) -> ast.AST:
    """What methods, attributes and indices are taken of: `x` of `x[0].t().shape`."""
    while True:
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return node


def form(code: str) -> str:
    """The code in one spelling: equal for codes that differ in nothing but how they are written."""
    return ast.unparse(_OneSpelling().visit(ast.parse(code)))


@lru_cache(maxsize=4)
def compare(original: str, fixed: str) -> Comparison:
    """Align two codes, statement by statement.

    A statement that stands elsewhere now is kept; one that was changed is found by what it has in
    common with the old one.

    Raises:
        SyntaxError: one of them does not parse.
    """
    found = Comparison(ast.parse(original), ast.parse(fixed))
    old, new = statements(found.old), statements(found.new)
    heads = [head(s) for s in old], [head(s) for s in new]
    matcher = difflib.SequenceMatcher(None, *heads, autojunk=False)
    gone: list[tuple[int, int]] = []  # the block and the statement's number
    come: list[tuple[int, int]] = []
    for block, (tag, i1, i2, j1, j2) in enumerate(matcher.get_opcodes()):
        if tag == "equal":
            found.kept.extend(zip(old[i1:i2], new[j1:j2], strict=True))
        else:
            gone += [(block, i) for i in range(i1, i2)]
            come += [(block, j) for j in range(j1, j2)]
    for where in list(gone):  # that stand elsewhere
        there = next((c for c in come if heads[1][c[1]] == heads[0][where[1]]), None)
        if there is not None:
            gone.remove(where)
            come.remove(there)
            found.kept.append((old[where[1]], new[there[1]]))
    scored = [
        (_likeness(old[i], new[j]) + (block == other) / 4, -abs(i - j), i, j)
        for block, i in gone
        for other, j in come
    ]
    left, right = {i for _, i in gone}, {j for _, j in come}
    for score, _, i, j in sorted(scored, reverse=True):
        if score >= _ALIKE and i in left and j in right:
            left.remove(i)
            right.remove(j)
            found.changed.append((old[i], new[j]))
    found.gone.extend(old[i] for i in sorted(left))
    found.come.extend(new[j] for j in sorted(right))
    return found


def _likeness(a: ast.stmt, b: ast.stmt) -> float:
    """The share of words that two statements have in common."""
    if type(a) is not type(b) and not _both_write(a, b):
        return 0.0
    one, other = _words(a), _words(b)
    common = sum((one & other).values())
    return 2 * common / max(1, one.total() + other.total())


def _both_write(a: ast.stmt, b: ast.stmt) -> bool:
    """`x += 1` and `x.add_(1)` may have become `x = x + 1`."""
    writing = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)
    return isinstance(a, writing) and isinstance(b, writing)


def _words(statement: ast.stmt) -> Counter[str]:
    found: Counter[str] = Counter()
    for node in expressions(statement):
        if isinstance(node, ast.Name):
            found[node.id] += 1
        elif isinstance(node, ast.Attribute):
            found[node.attr] += 1
        elif isinstance(node, ast.Constant):
            found[repr(node.value)] += 1
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[node.name] += 1
        elif isinstance(node, ast.arg):
            found[node.arg] += 1
    return found


def _is_path(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


# -- the parts of two statements -------------------------------------------------------------

# What stands around a part, outermost first: in the old code, and in the new.
_Around = tuple[tuple[ast.AST, ...], tuple[ast.AST, ...]]


def _parts(old: ast.AST, new: ast.AST, around: _Around) -> Iterator[Replaced]:
    if same_code(old, new):
        return
    around = ((*around[0], old), (*around[1], new))
    if type(old) is not type(new):
        if isinstance(old, ast.stmt) and isinstance(new, ast.stmt):
            yield from _values(old, new, around)
        return
    for name, value in ast.iter_fields(old):
        if isinstance(old, ast.stmt) and name in _BODIES:
            continue
        other = getattr(new, name)
        if name == "keywords" and isinstance(old, (ast.Call, ast.ClassDef)):
            yield from _keywords(value, other, around)
        elif isinstance(value, list):
            yield from _lists(value, other, around)
        else:
            yield from _one(value, other, around)


def _one(
    old: object,
    new: object,
    around: _Around,
    keyword: str = "",
) -> Iterator[Replaced]:
    a = old if isinstance(old, ast.AST) else None
    b = new if isinstance(new, ast.AST) else None
    if same_code(a, b):
        return
    if a is not None and b is not None and not _as_a_whole(a, b):
        yield from _parts(a, b, around)
    elif isinstance(a, ast.expr | None) and isinstance(b, ast.expr | None):
        yield Replaced(a, b, *around, keyword)


def _as_a_whole(a: ast.AST, b: ast.AST) -> bool:
    """Whether the one stands for the other, and not only some parts of it do."""
    if type(a) is not type(b) or isinstance(a, (ast.Constant, ast.Name)):
        return True
    if _holds(b, a) or _holds(a, b):  # `x` and `x.t()`, `f(x)` and `f(f(x))`
        return True
    if isinstance(a, ast.Attribute) and isinstance(b, ast.Attribute):
        return a.attr != b.attr
    if isinstance(a, ast.Call) and isinstance(b, ast.Call):
        return not same_code(a.func, b.func) and called(a) != called(b)
    if isinstance(a, ast.BinOp) and isinstance(b, ast.BinOp):
        return type(a.op) is not type(b.op)
    return False


def _holds(outer: ast.AST, inner: ast.AST) -> bool:
    wanted = ast.dump(inner)
    return any(ast.dump(n) == wanted for n in ast.walk(outer) if type(n) is type(inner))


def _values(old: ast.stmt, new: ast.stmt, around: _Around) -> Iterator[Replaced]:
    """`f(x)` that became `y = f(x)`: the values, not the statements."""
    a, b = getattr(old, "value", None), getattr(new, "value", None)
    if isinstance(a, ast.expr) and isinstance(b, ast.expr):
        yield from _one(a, b, around)


def _keywords(
    old: Sequence[ast.keyword],
    new: Sequence[ast.keyword],
    around: _Around,
) -> Iterator[Replaced]:
    before = {k.arg or "": k.value for k in old}
    after = {k.arg or "": k.value for k in new}
    for name in dict.fromkeys((*before, *after)):
        yield from _one(before.get(name), after.get(name), around, name)


def _lists(
    old: Sequence[object],
    new: Sequence[object],
    around: _Around,
) -> Iterator[Replaced]:
    a = [n for n in old if isinstance(n, ast.AST)]
    b = [n for n in new if isinstance(n, ast.AST)]
    if len(a) == len(b):  # one place each
        for one, other in zip(a, b, strict=True):
            yield from _one(one, other, around)
        return
    matcher = difflib.SequenceMatcher(
        None, [ast.dump(n) for n in a], [ast.dump(n) for n in b], autojunk=False
    )
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        for k in range(max(i2 - i1, j2 - j1)):
            yield from _one(
                a[i1 + k] if i1 + k < i2 else None,
                b[j1 + k] if j1 + k < j2 else None,
                around,
            )


class _OneSpelling(ast.NodeTransformer):
    """Writes what has several spellings in one of them."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """`x.T` is `x.t()`."""
        self.generic_visit(node)
        if node.attr == "T" and isinstance(node.ctx, ast.Load):
            return ast.Call(ast.Attribute(node.value, "t", ast.Load()), [], [])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`x.to(torch.float32)` is `x.float()`, `torch.squeeze(x, 1)` is `x.squeeze(1)`."""
        self.generic_visit(node)
        function = node.func
        if not isinstance(function, ast.Attribute):
            return node
        if function.attr in ("to", "type") and len(node.args) == 1 and not node.keywords:
            short = _SHORT.get(text(node.args[0]).removeprefix("torch."))
            if short is not None:
                return ast.Call(ast.Attribute(function.value, short, ast.Load()), [], [])
        if function.attr in _FUNCTION_OR_METHOD and text(function.value) == "torch" and node.args:
            method = ast.Attribute(node.args[0], function.attr, ast.Load())
            return self.visit_Call(ast.Call(method, node.args[1:], node.keywords))
        for keyword in list(node.keywords):
            if keyword.arg in ("dim", "axis") and not node.args and len(node.keywords) == 1:
                node.args, node.keywords = [keyword.value], []
        return node


_SHORT = {
    "float32": "float", "float": "float", "float64": "double", "double": "double",
    "int64": "long", "long": "long", "int32": "int", "int": "int", "bool": "bool",
    "float16": "half", "half": "half",
}  # fmt: skip
_FUNCTION_OR_METHOD = frozenset(
    {"squeeze", "unsqueeze", "transpose", "permute", "reshape", "flatten", "matmul", "mm", "bmm",
     "t", "sum", "mean", "argmax", "clone", "detach", "swapaxes"}
)  # fmt: skip
