"""Find class numbers that are changed on the way: blended, hidden, numbered anew, reordered."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.parts import HELD
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    dotted,
    functions,
    inside,
    loops,
    tail,
    walk,
    words,
)

_MAP = re.compile(r"(?i)mask|label|target|^seg|_seg|^gt$")
_BLENDS = {"bilinear", "bicubic", "linear", "trilinear", "area"}
_LABELS = re.compile(r"(?i)(ys?|lab(el)?s?|targets?|classes|tags?)(_?(b|batch))?")


def labels_blended(tree: ast.Module) -> Found:
    """A map of class numbers that is resized bilinearly and made whole numbers again."""
    for scope in (tree, *functions(tree).values()):
        whole = {
            dotted(_laid_out(c.func.value)) for c in inside(scope)
            if isinstance(c, ast.Call) and isinstance(c.func, ast.Attribute)
            and c.func.attr in ("long", "int")
        }  # fmt: skip
        chained = {
            n for c in inside(scope) if isinstance(c, ast.Call) and tail(c) == "long"
            for n in walk(c.func)
        }  # fmt: skip
        named = {n for _, name, v in assigned(scope) if name in whole for n in walk(v)}
        for call in (n for n in inside(scope) if isinstance(n, ast.Call)):
            mode = argument(call, 3, "mode")
            of = argument(call, 0, "input")
            if tail(call) != "interpolate" or of is None or not isinstance(mode, ast.Constant):
                continue
            if mode.value not in _BLENDS or call not in chained | named:
                continue
            if not any(map(_MAP.search, words(of))):
                continue
            corners = any(k.arg == "align_corners" for k in call.keywords)
            yield Told(
                "labels_blended",
                call,
                f'mode="{mode.value}" takes averages of class numbers, and `.long()` cuts what '
                "comes out: between classes 0 and 4 it makes classes 1, 2 and 3, which are not "
                'there; write mode="nearest"',
                () if corners else (way("only classes that are there", put(mode, '"nearest"')),),
            )


def _laid_out(node: ast.expr) -> ast.expr:
    """`m` of `m.squeeze(1).round()`."""
    while isinstance(node, ast.Call) and tail(node) in ("round", "squeeze", "unsqueeze", "to"):
        if not isinstance(node.func, ast.Attribute):
            break
        node = node.func.value
    return node


def hidden_left_out(tree: ast.Module) -> Found:
    """`labels[hidden] = -100`, where `hidden` are the places that the model is to fill in."""
    hides = set()
    for node in walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="masked_fill" | "masked_fill_"), args=[by, value]
            ):
                if _is_token(value):
                    hides.add(dotted(by))
            case ast.Call(args=[by, value, _]) if tail(node) == "where" and _is_token(value):
                hides.add(dotted(by))
            case ast.Assign(targets=[ast.Subscript(slice=by)], value=value) if _is_token(value):
                hides.add(dotted(by))
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=name), slice=ast.Name() as index)],
                value=label,
            ) if index.id in hides and ast.unparse(label) == "-100":
                by_name = index.id
            case _:
                continue
        yield Told(
            "hidden_left_out",
            node,
            f"`{by_name}` are the places that are hidden from the model, and -100 takes them out "
            "of the loss: it is asked only for what stands in its input; write "
            f"`{name}[~{by_name}] = -100`",
            (way("the loss is of what is hidden", put(index, "~", index)),),
        )


def _is_token(value: ast.expr) -> bool:
    """`MASK`, `tokenizer.mask_token_id`."""
    return "mask" in dotted(value).rpartition(".")[2].lower()


def ordered_alone(tree: ast.Module) -> Found:
    """`return x[order], lengths, y` behind a sort by length: the labels keep their old order."""
    for function in functions(tree).values():
        orders = _orders(function)
        last = function.body[-1]
        if not orders or not isinstance(last, ast.Return) or not isinstance(last.value, ast.Tuple):
            continue
        indexed = {dotted(n.value): dotted(n.slice) for n in inside(function)
                   if isinstance(n, ast.Subscript) and dotted(n.slice) in orders}  # fmt: skip
        moved = [dotted(e.value) for e in last.value.elts if isinstance(e, ast.Subscript)
                 and dotted(e.slice) in orders]  # fmt: skip
        moved += [n for n, by in indexed.items() if n in {dotted(e) for e in last.value.elts}]
        for part in last.value.elts:
            name = dotted(part)
            if not moved or not _LABELS.fullmatch(name) or name in indexed:
                continue
            given = {dotted(e) for e in last.value.elts}
            if given & set(orders):
                continue  # the order is handed on
            by = indexed[moved[0]]
            yield Told(
                "ordered_alone",
                part,
                f"`{moved[0]}` is put into the order `{by}`, and `{name}`, which is returned with "
                f"it, keeps the old one: each row stands beside another one's label; write "
                f"`{name}[{by}]`",
                (way("each label stays with its row", put(part, part, f"[{by}]")),),
            )


def _orders(function: ast.FunctionDef) -> list[str]:
    """`order` of `lengths, order = lengths.sort()`, `order = torch.argsort(lengths)`."""
    found = []
    for node in inside(function):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[_, ast.Name(id=name)])], value=ast.Call() as call
            ) if tail(call) == "sort":
                found.append(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if (
                tail(call) == "argsort"
            ):
                found.append(name)
    return found


def numbered_apart(tree: ast.Module) -> Found:
    """A function that numbers the names it is given, called for training and for held-out data."""
    for function in functions(tree).values():
        place = next((n for n in inside(function) if _numbers(n)), None)
        if place is None:
            continue
        calls = [
            (c, {n.id for a in c.args for n in walk(a) if isinstance(n, ast.Name)})
            for c in walk(tree) if isinstance(c, ast.Call) and dotted(c.func) == function.name
        ]  # fmt: skip
        if any(c in inside(loop) for loop in loops(tree) for c, _ in calls):
            continue  # column by column
        held = [(c, given) for c, given in calls if any(map(_is_held_out, given))]
        others = [c for c, given in calls if not any(map(_is_held_out, given)) and given]
        if len(calls) == 2 and len(held) == 1 and others:
            call = held[0][0]
            yield (
                "numbered_apart",
                call,
                f"`{function.name}` numbers the names that it is given in their own order, here "
                f"and in line {others[0].lineno} apart: where one of the two lacks a name, the "
                "same number means another one; make the numbers once, of the training data, and "
                "use them for both",
            )


def _is_held_out(name: str) -> bool:
    return HELD.search(name) is not None or name.lower() in ("v", "x_v", "y_v")


def _numbers(node: ast.AST) -> bool:
    """`np.unique(x, return_inverse=True)`, `pd.factorize(x)`, `{n: i for … in enumerate(set)}`."""
    match node:
        case ast.Call() if tail(node) == "unique":
            return any(k.arg == "return_inverse" for k in node.keywords)
        case ast.Call() if tail(node) == "factorize":
            return True
        case ast.Call(func=ast.Attribute(attr="fit_transform", value=ast.Call() as made)):
            return tail(made) in ("LabelEncoder", "OrdinalEncoder")
        case ast.DictComp(generators=[ast.comprehension(iter=ast.Call() as over)]):
            return tail(over) == "enumerate" and any(
                isinstance(n, ast.Call) and tail(n) == "set" for n in walk(over)
            )
    return False


_OF_TEXT = re.compile(
    r"(?i)word|token|vocab|char|text|letter|symbol|tags?$|label|class(es)?$|name|smiles|species"
)


def numbered_by_a_set(tree: ast.Module) -> Found:
    """`{w: i for i, w in enumerate(set(words))}` beside weights that are saved: another order."""
    if not {"load_state_dict", "load"} & words(tree):
        return
    saved = [n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) in ("save", "dump")]
    for node, name, value in assigned(tree):
        match value:
            case ast.DictComp(
                key=ast.Name(id=key),
                generators=[
                    ast.comprehension(
                        target=ast.Tuple(elts=[_, ast.Name(id=of)]),
                        iter=ast.Call(func=ast.Name(id="enumerate"), args=[over, *_]),
                    )
                ],
            ) if key == of:
                pass
            case _:
                continue
        made = _as_set(over, tree)
        if made is None or not any(map(_OF_TEXT.search, words(made))):
            continue
        last = name.rpartition(".")[2]
        if any(last in ast.unparse(c) for c in saved):
            continue
        yield Told(
            "numbered_by_a_set",
            node,
            f"a set of strings has another order in each process (their hashes are drawn at its "
            f"start), and `{name}` numbers them in that order and is not saved: weights that are "
            "loaded in another process belong to other numbers; sort them, or save it too",
            (way("the numbers are the same in each process", put(made, "sorted(", made, ")")),),
        )


def _as_set(node: ast.expr, tree: ast.Module) -> ast.expr | None:
    """The set that something goes through, in the order that it has by chance."""
    if isinstance(node, ast.Call) and tail(node) in ("list", "tuple") and node.args:
        node = node.args[0]
    if isinstance(node, ast.Name):
        made = [v for _, n, v in assigned(tree) if n == node.id]
        if len(made) == 1 and _as_set(made[0], tree) is not None:
            return made[0] if not isinstance(made[0], ast.Name) else None
        return None
    is_set = isinstance(node, ast.SetComp) or (isinstance(node, ast.Call) and tail(node) == "set")
    return node if is_set else None


RULES = (labels_blended, hidden_left_out, ordered_alone, numbered_apart, numbered_by_a_set)
