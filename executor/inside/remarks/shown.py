"""Say whether a mask is True where something may be looked at, or where it is hidden.

The text decides it by what the mask is made of where it is used: a comparison of tokens with the
padding, of places with lengths, a triangle of ones, zeros that are filled row by row, a tokenizer's
`attention_mask`; and by each time that it is turned round on the way.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from executor.inside.remarks.at_place import held_at, made_at
from executor.inside.remarks.syntax import argument, dotted, says, tail, walk, words
from executor.inside.walking import kept_by_node


class Mark(NamedTuple):
    """What a mask says: whether True is what may be seen, and of which type it is."""

    shows: bool
    type: str  # "bool", "float", "int"; "" where the text does not say
    of: ast.expr  # what decides it

    @property
    def is_causal(self) -> bool:
        """Whether it is about what comes behind, not about padding."""
        return bool({"tril", "triu"} & words(self.of))


_LAID_OUT = {
    "unsqueeze", "view", "reshape", "expand", "expand_as", "repeat", "cuda", "contiguous", "clone",
    "detach", "cpu", "squeeze", "expand_dims", "broadcast_to",
}  # fmt: skip
_CASTS = {"bool": "bool", "long": "int", "int": "int", "float": "float", "byte": "int"}
_TOKENS = re.compile(r"(?i)pad")
_LENGTHS = re.compile(r"(?i)(^|_)(len|lens|lengths?)(_|$)|len(gth)?s?$|^(n|l)$")
_BEFORE = re.compile(r"(?i)pad|start|prefix|prompt|offset|left|skip|off(_|$)|begin")
_EDGES = re.compile(r"(?i)(^|_)adj(acency)?(_|$)|(^|_)edges?$")
_IDS = re.compile(
    r"(?i)(^|_)(ids?|tok(en)?s?|src|source|tgt|trg|seqs?|sequences?|x|xb|x_?batch|xs|inp(ut)?s?"
    r"|words?|sent(ence)?s?|texts?|chars?|batch|docs?|captions?|codes?)(_|$)"
)
_NO_IDS = re.compile(r"(?i)mask|pad_|_pad$|^pad$|hid|valid|keep|drop|score|weight|logit|attn|dist")
_DEEP = 12


def mark(node: ast.expr, tree: ast.AST, deep: int = _DEEP) -> Mark | None:
    """What a mask says, where everything that it may be says the same."""
    if deep == 0:
        return None
    match node:
        case ast.UnaryOp(op=ast.Invert() | ast.Not(), operand=of):
            return _turned(mark(of, tree, deep - 1))
        case ast.BinOp(left=ast.Constant(value=1 | 1.0), op=ast.Sub(), right=of):
            return _turned(mark(of, tree, deep - 1))
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() | ast.Mult(), right=right):
            return _both(left, right, tree, deep)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(node, left, op, right, tree, deep)
        case ast.Subscript(value=of, slice=at):
            if _is_tokenizers(node, tree):
                return Mark(True, "int", node)
            if held_at(node, tree):
                return _of_held(node, tree, deep)
            is_key = isinstance(at, ast.Constant) and isinstance(at.value, str)
            return None if is_key else mark(of, tree, deep - 1)
        case ast.Call():
            return _called(node, tree, deep)
        case ast.Name() | ast.Attribute():
            filled = _filled(node, tree)
            return filled or _of_held(node, tree, deep)
    return None


def _of_held(node: ast.expr, tree: ast.AST, deep: int) -> Mark | None:
    given = held_at(node, tree)
    if all(isinstance(v, ast.Name) for v in made_at(node, tree)) and _is_tokenizers(node, tree):
        return Mark(True, "int", node)
    if not given:
        return None
    return _one([mark(v, tree, deep - 1) for v in given if not _is_none(v)])


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _one(found: list[Mark | None]) -> Mark | None:
    """What all of them say."""
    known = [m for m in found if m is not None]
    if not known or len(known) < len(found) or len({m.shows for m in known}) > 1:
        return None
    return known[0] if len({m.type for m in known}) == 1 else known[0]._replace(type="")


def _turned(found: Mark | None) -> Mark | None:
    return found._replace(shows=not found.shows) if found is not None else None


def _both(left: ast.expr, right: ast.expr, tree: ast.AST, deep: int) -> Mark | None:
    return _one([mark(left, tree, deep - 1), mark(right, tree, deep - 1)])


def _compared(
    node: ast.Compare,
    left: ast.expr,
    op: ast.cmpop,
    right: ast.expr,
    tree: ast.AST,
    deep: int,
) -> Mark | None:
    if isinstance(right, ast.Constant) and right.value in (0, 1, False, True):
        inner = mark(left, tree, deep - 1)
        if inner is not None:
            keeps = isinstance(op, ast.Eq) == (right.value in (1, True))
            if isinstance(op, ast.Eq | ast.NotEq):
                return Mark(inner.shows == keeps, "bool", inner.of)
            return Mark(inner.shows, "bool", inner.of) if isinstance(op, ast.Gt) else None
    if isinstance(op, ast.Eq | ast.NotEq) and is_padding(right) and _is_of_ids(left):
        return Mark(isinstance(op, ast.NotEq), "bool", node)
    if is_zero(right) and says(left, _EDGES) and isinstance(op, ast.Eq | ast.NotEq | ast.Gt):
        return Mark(not isinstance(op, ast.Eq), "bool", node)
    for first, second, shows in ((left, right, True), (right, left, False)):
        if _is_places(first, tree) and is_length(second, tree):
            if isinstance(op, ast.Lt | ast.GtE):
                return Mark(isinstance(op, ast.Lt) == shows, "bool", node) if shows else None
            if isinstance(op, ast.Gt | ast.LtE) and not shows:
                return Mark(isinstance(op, ast.Gt), "bool", node)
    return None


def _is_of_ids(node: ast.expr) -> bool:
    """Whether it is called like tokens: of flags and of values, 0 says nothing about padding."""
    named = _unlaid(node)
    name = dotted(named).rpartition(".")[2]
    if isinstance(named, ast.Subscript) and isinstance(named.slice, ast.Constant):
        name = str(named.slice.value)
    return _IDS.search(name) is not None and _NO_IDS.search(name) is None


def is_length(node: ast.expr, tree: ast.AST) -> bool:
    """Whether it is how long a sequence is, by its name or by what the loop goes over; what comes
    before it, and what is left of a length, is none."""
    named = _unlaid(node)
    if isinstance(named, ast.Call) and tail(named) == "len":
        return True
    if not dotted(named) or says(named, _BEFORE):
        return False
    made = [m for m in made_at(named, tree) if m is not named]
    if any(isinstance(m, ast.BinOp) or says(m, _BEFORE) for m in made):
        return False
    if _LENGTHS.search(dotted(named).rpartition(".")[2]) or any(tail(m) == "len" for m in made):
        return True
    over = [
        n.iter for n in walk(tree)
        if isinstance(n, ast.For) and dotted(named) in map(dotted, walk(n.target))
    ]  # fmt: skip
    return bool(over) and all(says(o, _LENGTHS) for o in over)


def _unlaid(node: ast.expr) -> ast.expr:
    """`y` of `y[:, None].to(device)`."""
    while True:
        match node:
            case ast.Subscript(value=of, slice=at) if not (
                isinstance(at, ast.Constant) and isinstance(at.value, str)
            ):
                node = of
            case ast.Call(func=ast.Attribute(value=of, attr=attr)) if attr in {*_LAID_OUT, "to"}:
                node = of
            case _:
                return node


def is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def is_padding(node: ast.expr) -> bool:
    """The number of the padding: 0, or a name like `pad_id`."""
    return is_zero(node) or any(map(_TOKENS.search, words(node)))


def _is_places(node: ast.expr, tree: ast.AST) -> bool:
    """Whether it is an `arange`, also by a variable and laid out."""
    node = _unlaid(node)
    made = made_at(node, tree) if dotted(node) else [node]
    return bool(made) and all(
        tail(m) == "arange" or (m is not node and _is_places(m, tree)) for m in made
    )


def _called(node: ast.Call, tree: ast.AST, deep: int) -> Mark | None:
    name = tail(node)
    of = node.func.value if isinstance(node.func, ast.Attribute) else None
    of_module = dotted(of) in ("torch", "np", "numpy", "F") if of is not None else True
    inner = argument(node, 0, "input") if of_module else of
    if name in ("tril", "triu"):
        return _triangle(node, inner, tree, of_module)
    if inner is not None:
        if name in ("ne", "eq") and (other := argument(node, int(of_module), "other")):
            op: ast.cmpop = ast.NotEq() if name == "ne" else ast.Eq()
            found = _compared(ast.Compare(inner, [op], [other]), inner, op, other, tree, deep)
            return found._replace(of=node) if found and isinstance(found.of, ast.Compare) else found
        if name == "logical_not":
            return _turned(mark(inner, tree, deep - 1))
        if name in ("logical_and", "logical_or"):
            other = argument(node, int(of_module), "other")
            return _both(inner, other, tree, deep) if other is not None else None
        if name in ("transpose", "t", "T"):
            return None
        if name in _CASTS or (name == "to" and not of_module):
            cast = _CASTS.get(name) or _type_of(node)
            found = mark(inner, tree, deep - 1)
            return found._replace(type=cast) if found is not None and cast else found
        if name in _LAID_OUT or name in ("from_numpy", "as_tensor"):
            return mark(inner, tree, deep - 1)
    if name in ("tensor", "BoolTensor", "stack", "FloatTensor") and node.args:
        return _by_lists(node, tree)
    if _has_dtype(node):
        return None
    return _of_held(node, tree, deep)


def _has_dtype(node: ast.Call) -> bool:
    return any(k.arg == "dtype" for k in node.keywords)


def _type_of(node: ast.Call) -> str:
    """The type that a call is told: `dtype=torch.bool`, `.to(torch.float32)`."""
    for given in (*node.args, *(k.value for k in node.keywords if k.arg in ("dtype", None))):
        name = dotted(given).rpartition(".")[2]
        for short in ("bool", "float", "half", "int", "long"):
            if name.startswith(short):
                return {"half": "float", "long": "int"}.get(short, short)
    return ""


def _triangle(
    node: ast.Call, inner: ast.expr | None, tree: ast.AST, of_module: bool
) -> Mark | None:
    """`tril(ones)` is what may be seen, `triu(ones, diagonal=1)` what comes behind.

    With the diagonal left out, or taken in, it is the same but for the position itself.
    """
    if inner is None:
        return None
    made = made_at(inner, tree)
    ones = [_ones(m) for m in made]
    if not ones or None in ones:
        return None
    at = argument(node, 1 if of_module else 0, "diagonal", "k")
    if tail(node) == "tril":
        far = isinstance(at, ast.UnaryOp) and ast.unparse(at) != "-1"
        return None if far else Mark(True, ones[0] or "float", node)
    behind = at is None or (isinstance(at, ast.Constant) and at.value in (0, 1))
    return Mark(False, ones[0] or "float", node) if behind else None


def other_triangle(node: ast.expr) -> str:
    """What stands for `tril(ones, -1)` if it is the wrong one, `triu(ones, 1)`, and the reverse;
    empty of a triangle that only has to be turned round, and of anything else."""
    if not isinstance(node, ast.Call) or tail(node) not in ("tril", "triu"):
        return ""
    of_module = dotted(node.func).startswith(("torch.", "np.", "numpy."))
    at = argument(node, int(of_module), "diagonal", "k")
    whole = at is None or ast.unparse(at) == "0"
    if whole == (tail(node) == "tril") or not isinstance(node.func, ast.Attribute):
        return ""
    given = node.args[:1] if of_module else []
    other = ast.Attribute(node.func.value, "triu" if tail(node) == "tril" else "tril", ast.Load())
    behind = [ast.keyword("diagonal", ast.Constant(1))] if tail(node) == "tril" else []
    return ast.unparse(ast.Call(other, given, behind))


def _ones(node: ast.expr) -> str | None:
    """The type of a tensor of ones, as far as it is told; None where it is none."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr, value=of)) if attr in _CASTS:
            return _CASTS[attr] if _ones(of) is not None else None
        case ast.Call() if tail(node) in ("ones", "ones_like"):
            return _type_of(node)
        case ast.Call(args=[_, ast.Constant(value=True | 1 | 1.0 as one), *_]) if (
            tail(node) == "full"
        ):
            return "bool" if one is True else ""
    return None


def _filled(node: ast.expr, tree: ast.AST) -> Mark | None:
    """`m = zeros(…)`, filled by `m[i, :n] = True`: the beginning of each row is what there is."""
    made = [v for v in made_at(node, tree) if not _is_none(v)]
    starts = {_start(v) for v in made}
    if len(starts) != 1 or None in starts:
        return None
    start, kind = starts.pop() or (False, "")
    names = {dotted(node)} | {dotted(v) for v in _names_on_the_way(node, tree)}
    said: set[bool] = set()
    for one in walk(tree):
        match one:
            case ast.Assign(
                targets=[
                    ast.Subscript(
                        value=filled,
                        slice=ast.Tuple(elts=[ast.Name() | ast.Slice(), ast.Slice() as part]),
                    )
                    | ast.Subscript(
                        value=ast.Subscript(value=filled, slice=ast.Name()),
                        slice=ast.Slice() as part,
                    )
                ],
                value=ast.Constant(value=True | False | 1 | 0 | 1.0 | 0.0 as to),
            ) if dotted(filled) in names:
                begins = _is_beginning(part, tree)
                if begins is None or bool(to) == start:
                    return None
                said.add(begins == bool(to))
            case ast.Assign(targets=[ast.Subscript(value=filled)]) if dotted(filled) in names:
                return None
    return Mark(said.pop(), kind, made[0]) if len(said) == 1 else None


def _start(node: ast.expr) -> tuple[bool, str] | None:
    """Of which values a mask is full at first, and of which type."""
    match node:
        case ast.Call(args=[_, ast.Constant(value=True | False | 0 | 1 as value), *_]) if (
            tail(node) == "full"
        ):
            return bool(value), "bool" if isinstance(value, bool) else _type_of(node)
        case ast.Call() if tail(node) in ("zeros", "zeros_like", "ones", "ones_like"):
            kind = _type_of(node) or ("" if tail(node).endswith("like") else "float")
            return tail(node).startswith("ones"), kind
    return None


def _is_beginning(part: ast.Slice, tree: ast.AST) -> bool | None:
    """Whether it is all that a row has, or all behind it; None where that is open."""
    match part:
        case (
            ast.Slice(lower=None, upper=ast.expr() as end, step=None)
            | ast.Slice(lower=ast.expr() as end, upper=None, step=None)
        ) if is_length(end, tree):
            return part.lower is None
    return None


def _names_on_the_way(node: ast.expr, tree: ast.AST) -> list[ast.expr]:
    """The names that a mask had before, in the functions that made it too."""
    found, todo = list[ast.expr](), [node]
    while todo and len(found) < _DEEP:
        given = held_at(todo.pop(), tree)
        found += [v for v in given if dotted(v)]
        todo += given
    return found


def _by_lists(node: ast.Call, tree: ast.AST) -> Mark | None:
    """`tensor([[1] * n + [0] * (longest - n) for …])`: what is left of a length is the padding."""
    sums = [
        (n.left, n.right) for n in walk(node)
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add)
    ]  # fmt: skip
    match sums:
        case [
            (
                ast.BinOp(left=ast.List(elts=[ast.Constant(value=first)]), right=there),
                ast.BinOp(left=ast.List(elts=[ast.Constant(value=then)]), right=rest),
            )
        ] if {bool(first), bool(then)} == {True, False} and is_length(there, tree):
            if not isinstance(rest, ast.BinOp) or not isinstance(rest.op, ast.Sub):
                return None
            kind = "bool" if isinstance(first, bool) or tail(node) == "BoolTensor" else "int"
            return Mark(bool(first), _type_of(node) or kind, node)
    return None


def _is_tokenizers(node: ast.expr, tree: ast.AST) -> bool:
    """A tokenizer's `attention_mask`, beside its `input_ids`: 1 where there is a token.

    One that the program makes itself under that name may say anything.
    """
    if _makes_its_own(tree):
        return False
    match node:
        case ast.Subscript(slice=ast.Constant(value="attention_mask")):
            return True
        case ast.Attribute(attr="attention_mask") | ast.Name(id="attention_mask"):
            return "input_ids" in _said(tree)
    return False


@kept_by_node
def _makes_its_own(tree: ast.AST) -> bool:
    """Whether the program gives something the name `attention_mask` that is not one already."""
    given: list[ast.expr] = []
    for node in walk(tree):
        match node:
            case ast.Dict(keys=keys, values=values):
                given += [v for k, v in zip(keys, values, strict=True) if _names_it(k)]
            case ast.Assign(targets=[target], value=value):
                key = target.slice if isinstance(target, ast.Subscript) else None
                if _names_it(key) or dotted(target).rpartition(".")[2] == "attention_mask":
                    given.append(value)
    return any(not any(_names_it(n) for n in walk(v)) for v in given)


def _names_it(node: ast.AST | None) -> bool:
    match node:
        case (
            ast.Constant(value="attention_mask")
            | ast.Name(id="attention_mask")
            | ast.Attribute(attr="attention_mask")
        ):
            return True
    return False


def _said(tree: ast.AST) -> set[str]:
    strings = {n.value for n in walk(tree) if isinstance(n, ast.Constant)
               and isinstance(n.value, str)}  # fmt: skip
    arguments = {n.arg for n in walk(tree) if isinstance(n, ast.arg)}
    return words(tree) | strings | arguments
