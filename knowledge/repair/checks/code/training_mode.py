"""What is trained must not be put into evaluation mode first."""

import ast
from collections import Counter
from collections.abc import Iterator

from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import called, statements, text

_TRAINS = frozenset({"backward", "step"})


@refusing("training mode", "what is trained is in training mode as it was")
def check(change: Change) -> Iterator[str]:
    """No new `eval()`, `train(False)` or frozen weights before or among the training."""
    old, new = change.compared.old, change.compared.new
    known = Counter(text(node) for node in ast.walk(old) if _switches_off(node))
    for statement in statements(new):
        for node in ast.walk(statement):
            if not _switches_off(node) or isinstance(statement, _HOLDERS):
                continue
            if known[text(node)] > 0:
                known[text(node)] -= 1
            elif _is_trained_later(new, statement) and not _is_set_back(new, statement):
                yield f"`{text(node)}` at line {statement.lineno}, and then it is trained"


_HOLDERS = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.If, ast.With,
    ast.Try,
)  # fmt: skip


def _switches_off(node: ast.AST) -> bool:
    name = called(node)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if name == "eval":
        return not node.args
    first = text(node.args[0]) if node.args else ""
    return name in ("train", "requires_grad_") and first == "False"


def _is_trained_later(tree: ast.Module, statement: ast.stmt) -> bool:
    """Whether a training step is taken below it, or in a loop that it stands in, or of its class.

    A call of a function that trains is a training step. In a function that trains nothing itself
    and that no class has, evaluation mode is what the function is for.
    """
    training = _steps(tree)
    around = [n for n in ast.walk(tree) if isinstance(n, _HOLDERS) and statement in ast.walk(n)]
    if any(isinstance(n, ast.ClassDef) for n in around):
        return bool(training)
    loops = [n for n in around if isinstance(n, (ast.For, ast.While))]
    if any(step in ast.walk(loop) for loop in loops for step in training):
        return True
    functions = [n for n in around if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    if functions:
        return any(step in ast.walk(functions[0]) for step in training)
    return any(step.lineno > statement.lineno for step in training)


def _is_set_back(tree: ast.Module, statement: ast.stmt) -> bool:
    """Whether `model.train()` follows `model.eval()` in its block, and no step is between them."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=of, attr="eval"))):
            back = f"{text(of)}.train()"
        case _:
            return False
    blocks = (getattr(n, name, None) for n in ast.walk(tree) for name in ("body", "orelse"))
    block = next(b for b in blocks if isinstance(b, list) and statement in b)
    steps = set(_steps(tree))
    for later in block[block.index(statement) + 1 :]:
        if isinstance(later, ast.Expr) and text(later.value) == back:
            return True
        if steps & set(ast.walk(later)):
            return False
    return False


def _steps(tree: ast.Module) -> list[ast.Call]:
    """Calls of `backward()`, of `step()`, and of functions that come to one of these."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    names = set(_TRAINS)
    for _ in functions:
        names |= {f.name for f in functions if any(called(n) in names for n in ast.walk(f))}
    return [call for call in calls if called(call) in names]
