"""Find processes that a script starts where each of them would start them again."""

from __future__ import annotations

import ast

from executor.inside.remarks.syntax import Found, callee, dotted, inside, walk


def _no_main_guard(tree: ast.Module) -> Found:
    """A loader with workers that is gone through at the top level of a script without a guard."""
    if any(isinstance(node, ast.Name) and node.id == "__name__" for node in walk(tree)):
        return
    top = list(inside(tree))
    made = {
        name: value
        for node in top
        if isinstance(node, ast.Assign)
        for name, value in ((dotted(target), node.value) for target in node.targets)
    }
    read = [(node, loader) for node in top if (loader := _gone_through(node)) is not None]
    for node, loader in sorted(read, key=lambda one: getattr(one[0], "lineno", 0)):
        if _has_workers(made.get(dotted(loader), loader)):
            yield (
                "no_main_guard",
                node,
                "on Windows and macOS each worker of the DataLoader begins by importing this "
                "script, comes to this line and would start workers of its own, which ends in an "
                "error. Put what runs into `def main():` and call that under `if __name__ == "
                "'__main__':`; imports, classes and functions stay above. Without workers "
                "(`num_workers=0`) no guard is needed",
            )
            return


def _gone_through(node: ast.AST) -> ast.expr | None:
    """What a loop or `iter` goes through; None if the node is neither."""
    match node:
        case ast.For(iter=read) | ast.Call(func=ast.Name(id="iter"), args=[read]):
            pass
        case _:
            return None
    if isinstance(read, ast.Call) and callee(read) in ("enumerate", "tqdm") and read.args:
        return read.args[0]
    return read


def _has_workers(value: ast.expr) -> bool:
    """Whether it is a DataLoader with a number of workers that is written, and not 0."""
    if not isinstance(value, ast.Call) or callee(value) != "DataLoader":
        return False
    given = next((k.value for k in value.keywords if k.arg == "num_workers"), None)
    return isinstance(given, ast.Constant) and isinstance(given.value, int) and given.value > 0


RULES = (_no_main_guard,)
