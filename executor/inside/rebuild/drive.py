"""Find calls of what a snippet only defines, so that the posted error can come up at all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from executor.inside.placeholders.program import last_name, method
from executor.inside.placeholders.run_placeholders import NEW
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.name_uses import LOSS_NAME

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Drive:
    """Statements behind the snippet, and the names in them that are to be made."""

    after: tuple[str, ...]
    of_a_part: bool = False  # of a class that another one makes: that one gives it what it gets


def drives(tree: ast.Module, posted: Posted) -> list[Drive]:
    """Ways to call what nothing calls, the likeliest first.

    Args:
        tree: the snippet, with a class around methods that had none.
        posted: the error; a definition that holds its line comes first.
    """
    calls = list(_all(tree, posted))
    at_line = [d for d, node in calls if _holds(node, posted.lines)]
    rest = [d for d, node in calls if not _holds(node, posted.lines)]
    rest.sort(key=lambda drive: drive.of_a_part)
    chained = _chained(tree)
    found = [*_backward_of_last(tree, posted), *at_line, *chained, *rest]
    return [own for drive in found for own in _own(drive, tree)][:8]


_MEASURE = re.compile(r"(?i)acc|correct|metric|score|pred|label|target|loss")


def _backward_of_last(tree: ast.Module, posted: Posted) -> list[Drive]:
    """A backward() of what the code computes last, where the error speaks of one it has not."""
    if posted.id != "no_graph" or posted.lines:
        return []
    names = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name)]
    asked = [n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)]
    if "backward" in asked or any(LOSS_NAME.search(n) or "loss" in n.lower() for n in names):
        return []
    last = [s.targets[0].id for s in tree.body
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)][-1:]  # fmt: skip
    return [Drive((f"{n}.sum().backward()",)) for n in last if not _MEASURE.search(n)]


def _all(tree: ast.Module, posted: Posted) -> Iterator[tuple[Drive, ast.stmt]]:
    used = _used_outside(tree)
    bound = _bound(tree)
    parts = _parts(tree)
    for node in reversed(tree.body):
        if isinstance(node, ast.ClassDef) and is_function_of_autograd(node):
            yield from ((drive, node) for drive in _applied(node, bound))
        elif isinstance(node, ast.ClassDef):
            for drive, cls in _of_class(node, tree, posted, used, bound):
                yield replace(drive, of_a_part=node.name in parts), cls
        elif isinstance(node, ast.FunctionDef) and node.name not in used:
            arguments = ", ".join(_fresh(name, bound) for name in _required(node, 0))
            call = f"{node.name}({arguments})"
            yield Drive((call,)), node
            for loss in _losses(posted, call, bound) if _gives_what_is_compared(node) else ():
                yield loss, node


def _gives_what_is_compared(function: ast.FunctionDef) -> bool:
    """Whether a function returns something, and no backward() is its own."""
    inside = list(ast.walk(function))
    returns = any(isinstance(node, ast.Return) and node.value is not None for node in inside)
    return returns and not any(getattr(node, "attr", "") == "backward" for node in inside)


def _parts(tree: ast.Module) -> set[str]:
    """The classes of which another posted class makes instances."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return {
        node.func.id
        for cls in classes
        for node in ast.walk(cls)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id != cls.name
    }


def is_function_of_autograd(cls: ast.ClassDef) -> bool:
    """Whether it is a torch.autograd.Function, which is never called but applied."""
    static = [m for name in ("forward", "backward") if (m := method(cls, name)) is not None]
    return len(static) == 2 and any(last_name(base) == "Function" for base in cls.bases)


def _applied(cls: ast.ClassDef, bound: set[str]) -> Iterator[Drive]:
    """`apply` with what `forward` asks for behind `ctx`, and its backward()."""
    forward = method(cls, "forward")
    names = [_fresh(name, bound) for name in _required(forward, 1)] if forward is not None else []
    if names:
        first, rest = f"{names[0]}.requires_grad_()", names[1:]
        yield Drive((f"{cls.name}.apply({', '.join([first, *rest])}).sum().backward()",))


def _of_class(
    cls: ast.ClassDef, tree: ast.Module, posted: Posted, used: set[str], bound: set[str]
) -> Iterator[tuple[Drive, ast.stmt]]:
    instance = _instance(cls, tree) or _fresh(cls.name.lower(), bound)
    forward = method(cls, "forward")
    get = method(cls, "__getitem__")
    made = () if _instance(cls, tree) else (f"{instance} = {_made(cls)}",)
    if get is not None:
        batch = "from torch.utils.data import DataLoader"
        yield Drive((*made, batch, f"next(iter(DataLoader({instance}, batch_size=2)))")), cls
    if forward is not None:
        arguments = ", ".join(_fresh(name, bound) for name in _required(forward, 1))
        call = f"{instance}({arguments})"
        if posted.id == "no_parameters":
            optimizer = f"__import__('torch').optim.SGD({instance}.parameters(), lr=0.01)"
            yield Drive((*made, optimizer)), cls
        for loss in _losses(posted, call, bound):
            yield Drive((*made, *loss.after)), cls
        yield Drive((*made, call)), cls
    for node in cls.body:
        wanted = isinstance(node, ast.FunctionDef) and _holds(node, posted.lines)
        plain = forward is None and get is None
        if not isinstance(node, ast.FunctionDef) or not (wanted or plain):
            continue
        if node.name in {"forward", "__init__", "__getitem__", "__len__"}:
            continue
        arguments = ", ".join(_fresh(name, bound) for name in _required(node, 1))
        yield Drive((*made, f"{instance}.{node.name}({arguments})")), node
    if forward is None and get is None:
        yield Drive(made or (instance,)), cls


def _made(cls: ast.ClassDef) -> str:
    """The name of a placeholder for the instance: it is made of the class, as any such name."""
    return f"{NEW}{cls.name}"


def _losses(posted: Posted, call: str, bound: set[str]) -> Iterator[Drive]:
    """A loss of what a call gives, and its backward, where the error speaks of one."""
    if posted.loss or posted.id in _BACKWARD:
        loss = _fresh("criterion", bound)
        target = _fresh("target", bound)
        backward = (f"{loss}({call}, {target}).backward()",)
        yield Drive(backward)


_BACKWARD = frozenset(
    {"no_graph", "modified_in_place", "freed_graph", "grad_of_many", "backward_dtype",
     "backward_shape", "backward_count", "unused_in_graph", "view_of_many_in_place"}
)  # fmt: skip


def _chained(tree: ast.Module) -> list[Drive]:
    """Two instances at the top that nothing calls: one after the other."""
    made = [
        node.targets[0].id
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and _makes_module(node.value)
    ]
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    idle = [name for name in dict.fromkeys(made) if name not in called]
    if len(idle) != 2:
        return [Drive((f"{name}(x)",)) for name in idle[:1]]
    first, second = idle
    return [Drive((f"{second}({first}(x))",)), Drive((f"{first}({second}(x))",))]


def _makes_module(call: ast.Call) -> bool:
    """Whether a call makes an instance, or moves one: `Net()`, `nn.DataParallel(net).cuda()`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in {"cuda", "to", "eval", "train"}:
        inner = call.func.value
        return isinstance(inner, ast.Name) or (isinstance(inner, ast.Call) and _makes_module(inner))
    name = last_name(call.func)
    return name[:1].isupper() and name not in _NO_MODULES and not name.endswith(_OF_NO_MODULES)


_NO_MODULES = frozenset({"Variable", "Tensor", "FloatTensor", "LongTensor", "Adam", "SGD", "AdamW",
                         "DataLoader", "Compose", "Parameter", "Generator", "Path"})  # fmt: skip


_OF_NO_MODULES = ("LR", "Scheduler", "Optimizer", "Dataset", "Loader", "Plateau", "Config")


def _instance(cls: ast.ClassDef, tree: ast.Module) -> str:
    """The name at the top that holds an instance of a class; empty if there is none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            for part in ast.walk(node.value):
                if isinstance(part, ast.Call) and getattr(part.func, "id", "") == cls.name:
                    return node.targets[0].id
    return ""


def _holds(node: ast.stmt, lines: frozenset[int]) -> bool:
    return any(node.lineno <= line <= (node.end_lineno or node.lineno) for line in lines)


def _required(function: ast.FunctionDef, skip: int) -> list[str]:
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)][skip:]
    return names[: len(names) - len(function.args.defaults)] if function.args.defaults else names


def _fresh(name: str, bound: set[str]) -> str:
    return f"{name}_" if name in bound else name


def _own(drive: Drive, tree: ast.Module) -> list[Drive]:
    """The drive with the code's own values of the names that it asks for, and as it is."""
    own = {
        target.id
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    asked = re.compile(r"\b([A-Za-z]\w{0,60})_\b")
    with_own = tuple(
        asked.sub(lambda m: m[1] if m[1] in own else m[0], statement) for statement in drive.after
    )
    return [drive] if with_own == drive.after else [replace(drive, after=with_own), drive]


def _bound(tree: ast.Module) -> set[str]:
    found = {n.id for s in tree.body for n in ast.walk(s)
             if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
             and not isinstance(s, _DEFINITIONS)}  # fmt: skip
    found |= {s.name for s in tree.body if isinstance(s, _DEFINITIONS)}
    for statement in tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            found |= {(a.asname or a.name).partition(".")[0] for a in statement.names}
    return found


def _used_outside(tree: ast.Module) -> set[str]:
    return {
        node.id
        for statement in tree.body
        if not isinstance(statement, _DEFINITIONS)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
