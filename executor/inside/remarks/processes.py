"""Find processes that start themselves again, or wait for one another for ever."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.syntax import (
    Found,
    callee,
    calls_in,
    dotted,
    functions,
    inside,
    tail,
    walk,
)


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


def _called_on_one_rank(tree: ast.Module) -> Found:
    """A model wrapped by DistributedDataParallel that one rank alone calls."""
    if any(isinstance(n, ast.keyword) and n.arg == "broadcast_buffers" for n in walk(tree)):
        return
    own = functions(tree)
    for scope in (tree, *own.values()):
        below = [n for n in inside(scope) if hasattr(n, "lineno")]
        wrapped = {
            dotted(target): n.lineno
            for n in below
            if isinstance(n, ast.Assign) and tail(n.value) in _WRAPS
            for target in n.targets
            if isinstance(n.value, ast.Call) and dotted(target)
        }
        for branch in below:
            if not (isinstance(branch, ast.If) and _is_first_rank(branch.test)):
                continue
            at_once = [n for s in branch.body for n in (s, *inside(s))]
            for name, line in wrapped.items():
                call = next((n for n in at_once if _forwards(n, name, own)), None)
                if call is not None and branch.lineno > line and not calls_in(at_once, "backward"):
                    yield (
                        "called_on_one_rank",
                        call,
                        f"`{name}` is the DistributedDataParallel wrapper, and one rank alone "
                        "calls it here. Its forward is a step that all ranks have to take: where "
                        "the model has buffers (batch norm), it sends them around first, also in "
                        "eval mode and under no_grad. The others are elsewhere by then, in a "
                        f"barrier or the next step, and all wait for ever; call `{name}.module(…)` "
                        "where one rank works alone, or let all ranks evaluate",
                    )
                    return


_WRAPS = frozenset(["DistributedDataParallel", "DDP"])
_RANK = re.compile(r"(?i)^(?:local_?|global_?|world_?)?rank$|^gpu(?:_id)?$|^get_rank$")
_FIRST = re.compile(r"(?i)^is_(?:main|master|first|rank_?zero)(?:_process|_rank)?$|^is_rank_?0$")


def _is_first_rank(test: ast.expr) -> bool:
    """`rank == 0`, `not rank`, `is_main_process()`; also as one of the parts of an `and`."""
    match test:
        case ast.BoolOp(op=ast.And(), values=parts):
            return any(map(_is_first_rank, parts))
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
            return _RANK.match(tail(left)) is not None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _RANK.match(tail(operand)) is not None
    return _FIRST.match(tail(test)) is not None


def _forwards(node: ast.AST, name: str, own: dict[str, ast.FunctionDef]) -> bool:
    """Whether it calls the model of that name, or hands it to a function of the text that does."""
    if not isinstance(node, ast.Call):
        return False
    if dotted(node.func) == name:
        return True
    function = own.get(tail(node))
    if function is None or isinstance(node.func, ast.Attribute):
        return False
    names = [a.arg for a in function.args.args]
    given = [n for n, a in zip(names, node.args, strict=False) if dotted(a) == name]
    given += [k.arg for k in node.keywords if k.arg and dotted(k.value) == name]
    bound = {dotted(t) for n in inside(function) if isinstance(n, ast.Assign) for t in n.targets}
    return any(
        isinstance(n, ast.Call) and dotted(n.func) in given and dotted(n.func) not in bound
        for n in inside(function)
    )


RULES = (_called_on_one_rank, _no_main_guard)
