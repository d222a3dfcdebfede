"""Find parts whose weights are frozen, and whose running averages move all the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from executor.inside.remarks.edits import Told, added, way, with_argument
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    dotted,
    inside,
    is_optimizer,
    is_true,
    method_calls,
    owner,
    tail,
    walk,
    words,
)

_KEEPS_AVERAGES = re.compile(
    r"(?i)(?:Sync)?BatchNorm\dd?|(?:resnet|resnext|densenet|mobilenet|efficientnet|inception|regnet"
    r"|mnasnet|googlenet|shufflenet)\w{0,20}"
)


def frozen_averages(tree: ast.Module) -> Found:
    """`requires_grad = False` for a part with BatchNorm that stays in training mode."""
    said = words(tree)
    if "backward" not in said or not any(map(_KEEPS_AVERAGES.fullmatch, said)):
        return
    if "momentum" in said and "track_running_stats" in said:
        return
    evaluated = {owner(c) for c in method_calls(tree, "eval")}
    trains = {owner(c) for c in method_calls(tree, "train")}
    zips = [n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == "zip"]
    followed = {owner(a) for z in zips for a in z.args if isinstance(a, ast.Call)}
    for node, part in _frozen(tree):
        root = part.partition(".")[0]
        kept = {part, part.rpartition(".")[2]} & {
            *evaluated,
            *(e.rpartition(".")[2] for e in evaluated),
        }
        by_training = any(c.args and owner(c) == part for c in method_calls(tree, "train"))
        if kept or by_training or "isinstance" in said or (evaluated and not trains):
            continue
        own = [n for n in walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "train"]
        if part in trains or root == "self" or any(map(_of_class, own)):
            continue  # it is trained in part, or a class decides it in a train() of its own
        if part in followed:
            continue  # an average of another model's weights, whose averages may follow too
        yield (
            "frozen_averages",
            node,
            f"this freezes the weights of `{part}`; the running averages of its BatchNorm layers "
            "still move with each batch in training mode, and its outputs with them: if it is to "
            f"stay as it is, call `{part}.eval()` after each `.train()` of the model",
        )
        return


def _of_class(function: ast.FunctionDef) -> bool:
    return [a.arg for a in function.args.args[:1]] == ["self"]


def _frozen(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Each part all of whose parameters are frozen, with the place."""
    thawed = {
        dotted(n.targets[0]).rpartition(".")[0]
        for n in walk(tree)
        if isinstance(n, ast.Assign) and _sets(n, True)
    }
    each: set[str] = set()
    for loop in (n for n in walk(tree) if isinstance(n, ast.For)):
        match loop:
            case ast.For(
                target=ast.Name(id=p),
                iter=ast.Call(func=ast.Attribute(attr="parameters")) as each_of,
            ):
                each.add(p)
                below = list(inside(loop))
                set_so = [n for n in below if isinstance(n, ast.Assign) and _sets(n, False)]
                frozen = {dotted(n.targets[0]) for n in set_so}
                frozen |= {f"{part}.requires_grad" for _, part in _by_method(below)}
                if f"{p}.requires_grad" in frozen and p not in thawed and owner(each_of):
                    yield loop, owner(each_of)
    yield from ((node, part) for node, part in _by_method(walk(tree)) if part not in each)


def _by_method(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.AST, str]]:
    """Each `x.requires_grad_(False)`."""
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(attr="requires_grad_", value=value),
                args=[ast.Constant(value=False)],
            ) if dotted(value):
                yield node, dotted(value)


def _sets(node: ast.Assign, value: bool) -> bool:
    given = node.value
    right = isinstance(given, ast.Constant) and given.value is value
    return right and dotted(node.targets[0]).endswith(".requires_grad")


def table_frozen(tree: ast.Module) -> Found:
    """`nn.Embedding.from_pretrained(vectors)`, whose weights an optimizer or a figure asks for."""
    for _, name, value in assigned(tree):
        if not isinstance(value, ast.Call) or tail(value) != "from_pretrained":
            continue
        if tail(getattr(value.func, "value", value)) not in ("Embedding", "EmbeddingBag"):
            continue
        last = name.rpartition(".")[2]
        if argument(value, 1, "freeze") is not None or _is_thawed(tree, last):
            continue
        if not _is_to_move(tree, last):
            continue
        yield Told(
            "table_frozen",
            value,
            f"`from_pretrained` freezes the table unless it is told `freeze=False`: `{name}` has "
            "no gradient, and no optimizer moves it",
            (way("the vectors are trained too", with_argument(value, "freeze", "False")),),
        )


def _is_thawed(tree: ast.Module, last: str) -> bool:
    """Whether gradients are asked for later, of the table or of all that a model has."""
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="requires_grad_"), args=[]):
                return True
            case ast.Call(func=ast.Attribute(attr="requires_grad_"), args=[given]) if is_true(
                given
            ):
                return True
            case ast.Assign() if _sets(node, True):
                return True
            case ast.Assign(targets=[target]) if dotted(target).endswith(f"{last}.weight"):
                return True
    return False


def _is_to_move(tree: ast.Module, last: str) -> bool:
    """Whether an optimizer is given the table by name, or it is asked how far it has moved."""
    for node in walk(tree):
        match node:
            case ast.Call() if is_optimizer(node) and node.args:
                if last in words(node.args[0]):
                    return True
            case ast.BinOp(op=ast.Sub(), left=left, right=right):
                for side in (left, right):
                    if f"{last}.weight" in ast.unparse(side):
                        return True
            case ast.Attribute(attr="grad", value=ast.Attribute(attr="weight", value=of)):
                if tail(of) == last:
                    return True
    return False


def unfrozen_unheld(tree: ast.Module) -> Found:
    """An optimizer made of what had gradients then, and a part that is thawed later."""
    taken = [
        (node, name) for node, name, value in assigned(tree)
        if is_optimizer(value) and isinstance(value, ast.Call) and _picks(value, tree)
    ]  # fmt: skip
    frozen = [(node.lineno, part) for node, part in _switched(tree, to=False)]
    if "add_param_group" in words(tree) or not frozen:
        return
    for node, name in taken:
        later = [n for n, _, v in assigned(tree) if is_optimizer(v) and n.lineno > node.lineno]
        before = [part for line, part in frozen if line < node.lineno]
        for place, part in _switched(tree, to=True):
            known = [b for b in before if b == part or b.startswith(f"{part}.")]
            if place.lineno <= node.lineno or later or not known:
                continue
            yield Told(
                "unfrozen_unheld",
                place,
                f"`{name}` was made in line {node.lineno} of the parameters that had gradients "
                f"then: those of `{part}` get gradients from here on, and no step moves them; add "
                f"them: `{name}.add_param_group({{'params': {part}.parameters()}})`",
                (way("the optimizer holds what is thawed",
                     add=added(f"{name}.add_param_group({{'params': {part}.parameters()}})",
                               place, after=True)),) if known == [part] else (),
            )  # fmt: skip
            return


def _picks(optimizer: ast.Call, tree: ast.Module) -> bool:
    """Whether it is given only the parameters that have gradients now."""
    given = argument(optimizer, 0, "params")
    if given is None:
        return False
    named = [v for _, name, v in assigned(tree) if name and name == dotted(given)]
    return any("requires_grad" in words(v) for v in (given, *named))


def _switched(tree: ast.Module, *, to: bool) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
    """Each statement that gives all parameters of a part gradients, or takes them away."""
    for node in walk(tree):
        match node:
            case ast.For(
                target=ast.Name(id=p), iter=ast.Call(func=ast.Attribute(attr="parameters")) as each
            ):
                for below in node.body:
                    if isinstance(below, ast.Assign) and _sets(below, to):
                        if dotted(below.targets[0]) == f"{p}.requires_grad" and owner(each):
                            yield node, owner(each)
                    elif isinstance(below, ast.Expr) and ast.unparse(below) in (
                        f"{p}.requires_grad_({to})",
                        f"{p}.requires_grad_()" if to else "",
                    ):
                        yield node, owner(each)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="requires_grad_", value=of)) as c):
                told = [ast.unparse(a) for a in c.args]
                if dotted(of) and (told == [str(to)] or (to and not told)):
                    yield node, dotted(of)


_TABLE = re.compile(r"weight|bias|(?:in_proj|weight|bias)_\w{1,12}|data")
_TENSORS = frozenset(
    ["Parameter", "randn", "rand", "zeros", "ones", "tensor", "empty", "full", "eye", "arange"]
)


def slice_switched(tree: ast.Module) -> Found:
    """`w[10:].requires_grad = True`: the flag is set on a tensor that nothing holds."""
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Subscript() as part, attr="requires_grad")],
                value=value,
            ):
                pass
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Subscript() as part, attr="requires_grad_"),
                    args=args,
                )
            ):
                value = args[0] if args else ast.Constant(True)
            case _:
                continue
        if not _is_of_tensor(part, tree):
            continue
        held = ast.unparse(part.value).removesuffix(".data")
        thaws = not (isinstance(value, ast.Constant) and value.value is False)
        rows = "these rows" if thaws else "the other rows"
        yield (
            "slice_switched",
            node,
            f"`{ast.unparse(part)}` is a new tensor, which nothing holds: the flag is lost with "
            f"it, and `{held}` has one flag for all of it. To train {rows} alone, keep them in a "
            "parameter of their own and join the two where they are used (`torch.cat([fixed, "
            f"trained])`); or set the gradient of the others to 0 (`{held}.register_hook(lambda "
            "g: g * mask)`) in a parameter group with `weight_decay=0`, as the decay moves rows "
            "without a gradient too",
        )


def _is_of_tensor(part: ast.Subscript, tree: ast.Module) -> bool:
    """Whether what is indexed is a tensor, and no list of parameters, nor a Sequential."""
    if isinstance(part.slice, ast.Tuple | ast.Compare):
        return True
    if isinstance(part.value, ast.Attribute) and _TABLE.fullmatch(part.value.attr):
        return True
    made = [v for _, name, v in assigned(tree) if name and name == dotted(part.value)]
    return bool(made) and all(isinstance(v, ast.Call) and tail(v) in _TENSORS for v in made)


RULES = (frozen_averages, table_frozen, unfrozen_unheld, slice_switched)
