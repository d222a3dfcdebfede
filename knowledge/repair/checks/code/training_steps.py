"""Every `backward()`, `step()` and `zero_grad()` must still be called, as often and of the same."""

import ast
from collections import Counter
from collections.abc import Iterator

from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import called, names, receivers, statements, text

# What leaves a number without a graph: nobody means backward() to start from that.
_TAKEN_OUT = frozenset({"item", "tolist", "numpy"})


@refusing("training steps", "every backward and every step is still called")
def check(change: Change) -> Iterator[str]:
    """No step of a training is left out, and no loss is made a leaf that has no way back."""
    old, new = change.compared.old, change.compared.new
    for method in ("step", "zero_grad"):
        was, now = (Counter(map(text, receivers(tree, method))) for tree in (old, new))
        lost = was - now
        if method == "step":
            lost -= _given(new)
        if lost and (_is_bound(old, next(iter(lost))) or now.total() < was.total()):
            yield f"`{next(iter(lost))}.{method}()` is called less often"
    differentiated = _losses(new)
    if len(differentiated) < len(_losses(old)):
        yield "a `backward()` is left out"
    known = {n.id for n in ast.walk(old) if isinstance(n, ast.Name)}
    for loss in _losses(old):
        mine = names(_before_it_was_taken_out(loss))
        if not any(mine <= names(now) or names(now) - known for now in differentiated):
            yield f"`{text(loss)}` is no longer what backward starts from"
    asked = _made_leaves(new) - _made_leaves(old)
    for loss in differentiated:
        if text(loss) in asked or _asks(loss):
            yield f"`{text(loss)}` is asked for a gradient of its own, which leads nowhere"


def _before_it_was_taken_out(loss: ast.expr) -> ast.expr:
    """`loss` of `loss.item()`."""
    while (
        isinstance(loss, ast.Call)
        and isinstance(loss.func, ast.Attribute)
        and loss.func.attr in _TAKEN_OUT
    ):
        loss = loss.func.value
    return loss


def _given(tree: ast.Module) -> Counter[str]:
    """What another one is asked to step: `scaler.step(optimizer)`."""
    return Counter(
        text(node.args[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called(node) == "step" and len(node.args) == 1
    )


def _is_bound(tree: ast.Module, name: str) -> bool:
    """Whether the code gives this name a value: one that it does not is a slip of the pen."""
    first = name.partition(".")[0]
    return any(
        (isinstance(n, ast.Name) and n.id == first and isinstance(n.ctx, ast.Store))
        or (isinstance(n, ast.arg) and n.arg == first)
        for n in ast.walk(tree)
    )


def _losses(tree: ast.Module) -> list[ast.expr]:
    """What is differentiated, sums taken apart: `a` and `b` of `(a + b).backward()`."""
    found: list[ast.expr] = []
    for node in ast.walk(tree):
        if called(node) != "backward" or not isinstance(node, ast.Call):
            continue
        assert isinstance(node.func, (ast.Attribute, ast.Name))
        start = node.func.value if isinstance(node.func, ast.Attribute) else None
        if start is None or text(start).endswith("autograd"):  # autograd.backward(loss)
            for given in node.args[:1]:
                several = isinstance(given, (ast.List, ast.Tuple))
                found += given.elts if isinstance(given, (ast.List, ast.Tuple)) else []
                found += [] if several else [given]
        else:
            found += _summands(start)
    return found


def _summands(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        yield from _summands(value.left)
        yield from _summands(value.right)
    else:
        yield value


def _asks(value: ast.expr) -> bool:
    """Whether an expression is a tensor that has just been asked for a gradient."""
    while isinstance(value, ast.Call):
        if any(k.arg == "requires_grad" and text(k.value) == "True" for k in value.keywords):
            return True
        if not isinstance(value.func, ast.Attribute):
            return False
        if value.func.attr == "requires_grad_":
            return True
        value = value.func.value
    return False


def _made_leaves(tree: ast.Module) -> set[str]:
    """Variables that are asked for a gradient: by their assignment, or in a statement."""
    found: set[str] = set()
    for statement in statements(tree):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if _asks(statement.value):
                    found.add(text(target))
                if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
                    found.add(text(target.value))
        elif isinstance(statement, ast.Expr) and called(statement.value) == "requires_grad_":
            assert isinstance(statement.value, ast.Call)
            if isinstance(statement.value.func, ast.Attribute):
                found.add(text(statement.value.func.value))
    return found
