"""No statement may compute a value that nobody takes: `x.add_(1)` must not become `x.add(1)`."""

import ast
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType

import torch

from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import text
from knowledge.repair.toolkit.sites import variables

# Methods of a tensor that give no value, or are called for something else than their value.
_ACT = frozenset({"backward", "register_hook", "retain_grad", "register_post_accumulate_grad_hook"})
# A tensor's methods that give another view of the same numbers: what is written there stays.
_VIEWS = frozenset(
    {"view", "view_as", "t", "transpose", "permute", "squeeze", "unsqueeze", "flatten", "reshape",
     "select", "narrow", "expand", "expand_as", "detach", "diagonal", "swapaxes", "swapdims",
     "movedim", "moveaxis", "unbind", "chunk", "split", "as_strided", "ravel", "values", "indices",
     "unfold", "data_ptr", "requires_grad_", "contiguous", "to", "float", "double"}
)  # fmt: skip
# Functions of torch that compute a value and are written in Python.
_PYTHONS = frozenset({"einsum", "meshgrid", "block_diag", "cartesian_prod", "tensordot"})
_COPIES = frozenset({"copy.copy", "copy.deepcopy", "deepcopy"})
# Other things that can be called so have a method of this name that acts.
_OTHERS: tuple[type, ...] = (torch.nn.Module, set, list, dict, bytearray)


@refusing("nothing thrown away", "every new value is used")
def check(change: Change) -> Iterator[str]:
    """Every value that the rewrite computes and drops was dropped before."""
    found = change.compared
    types = {n: v.type for n, v in variables(change.result).items()}
    already = [old for old, _ in found.changed if _drops(old, types)]
    already += [old for old in found.gone if _drops(old, types)]
    paired = [new for old, new in found.changed if _drops(new, types) and old not in already]
    fresh = [*paired, *(new for new in found.come if _drops(new, types))]
    fresh += [new for old, new in found.changed if _is_read_by_none(old, new, found.new)]
    if fresh:
        yield f"line {fresh[0].lineno} computes a value and drops it: `{text(fresh[0])[:60]}`"


def _is_read_by_none(old: ast.stmt, new: ast.stmt, tree: ast.Module) -> bool:
    """Whether a change in place became an assignment to a variable that nobody reads.

    `x.add_(1)` changes what others hold; after `x = x + 1` at a function's end nobody has it.
    """
    if not isinstance(new, ast.Assign) or not _changes_in_place(old):
        return False
    targets = {t.id for t in new.targets if isinstance(t, ast.Name)}
    scope = next((f for f in _functions(tree) if any(n is new for n in ast.walk(f))), None)
    if scope is None or len(targets) != len(new.targets):
        return False  # at module level whoever posts the code may go on with it
    inside = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id in targets]
    if any(isinstance(n, (ast.For, ast.While, ast.Global, ast.Nonlocal)) for n in ast.walk(scope)):
        return False  # the next round may read it
    reads = [n for n in inside if isinstance(n.ctx, ast.Load)]
    return not any(n.lineno > (new.end_lineno or new.lineno) for n in reads)


def _changes_in_place(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.target, ast.Name)
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    function = statement.value.func
    return isinstance(function, ast.Attribute) and function.attr.endswith("_")


def _functions(tree: ast.Module) -> list[ast.AST]:
    """The functions of some code, inner ones first."""
    found: list[ast.AST] = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    return found[::-1]


def _drops(statement: ast.stmt, types: dict[str, str]) -> bool:
    """Whether a statement's value is computed for nothing, as far as the code shows."""
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if isinstance(value, (ast.Await, ast.Yield, ast.YieldFrom)):
        return False
    if isinstance(value, ast.Constant):
        return not isinstance(value.value, str) and value.value is not Ellipsis
    if not isinstance(value, ast.Call):
        return not _acts_inside(value, types)
    return _is_pure(value, types)


def _acts_inside(value: ast.expr, types: dict[str, str]) -> bool:
    """`a.step() if ready else b.step()`, `[f(x) for x in xs]`: written for what it does."""
    if not isinstance(value, (ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.Tuple)):
        return False
    return any(isinstance(n, ast.Call) and not _is_pure(n, types) for n in ast.walk(value))


def _is_pure(call: ast.Call, types: dict[str, str]) -> bool:
    """Whether a call only computes a value: one of torch's functions, or of a tensor's methods."""
    if any(k.arg == "out" for k in call.keywords):
        return False
    function = call.func
    if text(function) in _COPIES:
        return True
    if not isinstance(function, ast.Attribute):
        return False
    name = function.attr
    owner = text(function.value)
    if owner in ("torch", "F", "torch.nn.functional", "nn.functional"):
        return not name.endswith("_") and _is_function(name)
    if name.endswith("_") and not name.endswith("__"):
        return _is_fresh(function.value, types)  # `x.clone().mul_(2)` changes the copy alone
    if not hasattr(torch.Tensor, name) or name in _ACT:
        return False
    return _is_tensor(function.value, types) or not any(hasattr(t, name) for t in _OTHERS)


def _is_function(name: str) -> bool:
    """Whether torch has a function of this name that is called for its value."""
    if hasattr(torch.nn.functional, name) or hasattr(torch.Tensor, name):
        return True
    written_in_c = isinstance(getattr(torch, name, None), BuiltinFunctionType)
    return name in _PYTHONS or (written_in_c and not name.startswith("set_"))


def _is_tensor(value: ast.expr, types: dict[str, str]) -> bool:
    if isinstance(value, ast.Name):
        return types.get(value.id) in ("Tensor", "Parameter")
    return isinstance(value, ast.BinOp)


def _is_fresh(value: ast.expr, types: dict[str, str]) -> bool:
    """Whether a value has just been computed and nobody else has it."""
    while True:
        if isinstance(value, ast.BinOp):
            return True
        if isinstance(value, (ast.Subscript, ast.Attribute)):
            value = value.value
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            name, inner = value.func.attr, value.func.value
            if text(inner) == "torch":
                return _is_function(name) and not name.endswith("_") and not _takes_views(value)
            if name not in _VIEWS and not name.endswith("_") and hasattr(torch.Tensor, name):
                return _is_tensor(inner, types) or not any(hasattr(t, name) for t in _OTHERS)
            value = inner
        else:
            return False


def _takes_views(call: ast.Call) -> bool:
    names: Iterable[str] = (*_VIEWS, "from_numpy", "as_tensor", "asarray", "frombuffer")
    return isinstance(call.func, ast.Attribute) and call.func.attr in names
