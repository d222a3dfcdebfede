"""A function gives way only to one of the same meaning: not `nanmax` to `amax`, not `@` to `*`."""

import ast
import re
from collections.abc import Iterator

import torch

from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import Comparison, called, names, text

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "div",
    ast.MatMult: "matmul", ast.Pow: "pow", ast.BitXor: "pow", ast.Mod: "remainder",
    ast.BitAnd: "bitwiseand", ast.BitOr: "bitwiseor",
}  # fmt: skip
# Functions that do the same to other shapes, or under another name.
_ALIKE = [
    frozenset(words.split())
    for words in (
        "mm matmul bmm mv dot vdot inner addmm baddbmm einsum tensordot chainmatmul multidot",
        "view reshape flatten ravel squeeze unsqueeze permute transpose t swapaxes swapdims movedim"
        " moveaxis unflatten viewas reshapeas contiguous",
        "diag diagonal",
        "cat concat concatenate stack hstack vstack dstack tensor astensor fromnumpy array asarray"
        " padsequence floattensor",
        "float double half bfloat16 long int short byte bool to type typeas astype cuda cpu",
        "item tolist numpy",
        "maskedfill maskedscatter where maskedselect",
        "max amax maximum",
        "min amin minimum",
        "norm vectornorm matrixnorm",
        "sub subtract",
        "mul multiply",
        "div divide truedivide floordivide",
        "clamp clip maximum minimum",
        "abs absolute",
        "expand expandas broadcastto",
        "gather takealongdim indexselect take",
        "bce bcewithlogits binarycrossentropy binarycrossentropywithlogits",
        "bcewithlogits crossentropy",
        "packpaddedsequence packsequence",
        "randn randnlike",
        "rand randlike",
        "zeros zeroslike newzeros",
        "ones oneslike newones",
        "full fulllike newfull",
        "upsample interpolate",
        "range arange",
        "clone copy deepcopy",
        "linear lazylinear",
        "parameter requiresgrad",
    )
]
# What these say of a function is not to be lost, whatever it is called now.
_ADVERBS = ("nan", "arg", "log", "cum", "mask")


@refusing("same function", "every function means what it meant")
def check(change: Change) -> Iterator[str]:
    """No function or operator of PyTorch's stands for one that means something else."""
    for line, old, new in _exchanged(change.compared):
        if not change.intent:  # alternatives say what they mean
            yield f"line {line}: {new}, which means something else than {old}"


def _exchanged(found: Comparison) -> Iterator[tuple[int, str, str]]:
    for before, after in found.changed:
        both = isinstance(before, ast.AugAssign) and isinstance(after, ast.AugAssign)
        if both and not _same(_operator(before), _operator(after)):
            yield after.lineno, f"`{text(before)}`", f"`{text(after)}`"
    for part in found.replaced:
        old, new = _function(part.old), _function(part.new)
        if not old or not new or part.new is None or _same(old, new):
            continue
        if _operator(part.new) and not names(part.new) <= names(part.old):
            continue  # another formula
        if any(_same(old, _function(node)) for node in ast.walk(part.new)):
            continue  # it is still called inside
        if part.old is not None and any(_same(_function(n), new) for n in ast.walk(part.old)):
            continue  # what was around it went
        if _is_torchs(part.old):
            if _is_torchs(part.new):
                yield part.line, f"`{old}`", f"`{new}`"
        elif lost := [a for a in _ADVERBS if a in old and a not in text(part.new)]:
            yield part.line, f"`{old}`", f"`{new}`, without “{lost[0]}”"


def _function(node: ast.AST | None) -> str:
    """The name of what a node calls; an operator's is its function's."""
    if node is None:
        return ""
    return _operator(node) or called(node)


def _operator(node: ast.AST) -> str:
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return _OPERATORS.get(type(node.op), "")
    return ""


def _same(a: str, b: str) -> bool:
    one, other = _plain(a), _plain(b)
    if (one, other) == ("mul", "matmul"):
        return True  # from other languages; what it computed fails where a product does not
    return one == other or any(one in group and other in group for group in _ALIKE)


def _plain(name: str) -> str:
    """`Conv2D`, `conv2d` and `Conv1d` are one, as are `add_` and `add`."""
    return re.sub(r"([123]d|loss)$", "", name.replace("_", "").lower())


def _is_torchs(node: ast.AST | None) -> bool:
    """Whether PyTorch has a function of this name where the code looks for it."""
    if node is None or _operator(node):
        return node is not None
    name = _function(node)
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, ast.Attribute):
        return any(hasattr(place, name) for place in (torch, torch.nn, torch.nn.functional))
    return hasattr(_PLACES.get(text(function.value), torch.Tensor), name)


_PLACES: dict[str, object] = {
    "torch": torch,
    "nn": torch.nn,
    "torch.nn": torch.nn,
    "F": torch.nn.functional,
    "nn.functional": torch.nn.functional,
    "torch.nn.functional": torch.nn.functional,
    "torch.linalg": torch.linalg,
}
