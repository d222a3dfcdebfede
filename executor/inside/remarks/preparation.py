"""Find test data that are prepared otherwise than the training data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from executor.inside.remarks.scaling import HELD_OUT
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    callee,
    dotted,
    functions,
    inside,
    tail,
    words,
)
from executor.inside.walking import walk

_DRAWN = ("Random", "ColorJitter", "AutoAugment", "TrivialAugment", "AugMix")


def _prepared_otherwise(tree: ast.Module) -> Found:
    """Test data that random transforms change, or that alone are not normalised."""
    pipelines = {
        name: value
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and callee(value) in ("Compose", "Sequential")
    }
    train: dict[str, tuple[ast.Call, ast.Call]] = {}  # of each class the first, its transforms
    test: dict[str, tuple[ast.Call, ast.Call]] = {}
    for call, is_train, given in _sets(tree):
        pipeline = pipelines.get(dotted(given), given)
        if isinstance(pipeline, ast.Call):
            (train if is_train else test).setdefault(dotted(call.func), (call, pipeline))
    named = [
        (value, value) for name, value in (*pipelines.items(), *_keyed(tree))
        if isinstance(value, ast.Call) and HELD_OUT.search(name.rpartition(".")[2])
        and value not in [pipeline for _, pipeline in test.values()]
    ]  # fmt: skip
    test |= {f"pipeline {i}": pair for i, pair in enumerate(named)}
    for kind, (call, pipeline) in test.items():
        drawn = sorted(w for w in words(pipeline) if w.startswith(_DRAWN))
        if drawn and not any(w.lower().startswith("tta") for w in words(tree)):
            yield (
                "test_augmented",
                call,
                f"{drawn[0]} changes the test data at random too, so that each evaluation judges "
                "other pictures: give the test set transforms without the random ones",
            )
        learned = train.get(kind)
        if learned is None or "Normalize" not in words(learned[1]):
            continue
        if "Normalize" not in words(pipeline) and _is_plain(pipeline):
            yield (
                "test_not_normalised",
                call,
                f"the training data are normalised (line {learned[0].lineno}), and the test data "
                "are not: the model is asked about values of another scale; give both the same "
                "`Normalize`",
            )


def _keyed(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The pipelines of `{"train": Compose(…), "val": Compose(…)}`, by their keys."""
    for node in walk(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and tail(value) in ("Compose", "Sequential"):
                    yield str(key.value), value


def _sets(tree: ast.Module) -> Iterator[tuple[ast.Call, bool, ast.expr]]:
    """Each data set of which the text says whether it is for training, and its transforms."""
    for node in walk(tree):
        if not isinstance(node, ast.Call):
            continue
        given, part = argument(node, 2, "transform"), argument(node, 1, "train", "split")
        said = part.value if isinstance(part, ast.Constant) else None
        if tail(node) == "ImageFolder":
            given, folder = argument(node, 1, "transform"), argument(node, 0, "root")
            path = " ".join(
                str(n.value) for n in walk(folder or node) if isinstance(n, ast.Constant)
            )
            said = "test" if re.search(r"(^|[/_ ])(val|valid|test)([/_ ]|$)", path) else None
        if given is not None and said in (True, "train", False, "test"):
            yield node, said in (True, "train"), given


def _is_plain(pipeline: ast.Call) -> bool:
    """Whether all that it does is known: classes that are made right there."""
    parts = (
        pipeline.args[0].elts if pipeline.args and isinstance(pipeline.args[0], ast.List) else ()
    )
    return callee(pipeline) == "ToTensor" or (
        bool(parts) and all(isinstance(p, ast.Call) and callee(p) != "Lambda" for p in parts)
    )


def _channels_reshaped(tree: ast.Module) -> Found:
    """The channels of a picture brought to the front by reshape, which moves no pixel."""
    for scope in (tree, *functions(tree).values()):
        below = list(inside(scope))
        if {tail(n) for n in below} & _TURNS:
            continue
        pictures: set[str] = set()
        for node in _in_order(below):
            if not isinstance(node, ast.Assign):
                continue
            at = next((n for n in walk(node.value) if _to_channels_first(n, pictures)), None)
            if at is not None:
                yield (
                    "channels_reshaped",
                    at,
                    "a picture read by OpenCV, NumPy or Pillow has its channels last, and "
                    f"`{tail(at)}` does not move them: it cuts the same row of numbers anew, so "
                    "that each channel holds stripes of all three; `.transpose(2, 0, 1)` of an "
                    "array, `.permute(2, 0, 1)` of a tensor brings them to the front (`[None]` "
                    "adds the batch)",
                )
                return
            names = {dotted(t) for t in node.targets} - {""}
            if _is_picture(node.value, pictures):
                pictures |= names
            else:
                pictures -= names


_TURNS = frozenset(
    [
        "transpose", "permute", "moveaxis", "rollaxis", "movedim", "swapaxes", "rearrange",
        "ToTensor", "to_tensor", "pil_to_tensor", "PILToTensor", "split", "einsum", "T", "mT",
        "IMREAD_GRAYSCALE", "COLOR_BGR2GRAY", "COLOR_RGB2GRAY",
    ]
)  # fmt: skip
_READS = frozenset(["cv2.resize", "cv2.cvtColor", "Image.open", "PIL.Image.open"])
_KEEPS = frozenset(["astype", "copy", "asarray", "array", "float32", "from_numpy", "float", "to"])


def _in_order(nodes: list[ast.AST]) -> list[ast.AST]:
    """The nodes by their lines."""
    return sorted(nodes, key=lambda n: getattr(n, "lineno", 0))


def _is_picture(value: ast.expr, pictures: set[str]) -> bool:
    """Whether it is a picture as it was read: sizes, dtype and values may have been changed."""
    match value:
        case ast.Call(func=function, args=args):
            if dotted(function) in _READS or tail(value) == "imread":
                return True
            of_array = isinstance(function, ast.Attribute) and function.value
            given = [*args, *([of_array] if isinstance(of_array, ast.expr) else [])]
            return tail(value) in _KEEPS and any(_is_picture(a, pictures) for a in given)
        case ast.BinOp(left=left, right=right):
            return _is_picture(left, pictures) or _is_picture(right, pictures)
        case ast.Name() | ast.Attribute():
            return dotted(value) in pictures
    return False


def _to_channels_first(node: ast.AST, pictures: set[str]) -> TypeGuard[ast.Call]:
    """`image.reshape(1, 3, 224, 224)` of a picture, or `view` of it as a tensor."""
    if not (isinstance(node, ast.Call) and tail(node) in ("reshape", "view", "resize_")):
        return False
    if not isinstance(node.func, ast.Attribute):
        return False
    given: list[ast.expr] = list(node.args)
    of: ast.expr = node.func.value
    if dotted(of) in ("np", "numpy", "torch") and given:
        of, *given = given
    if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List):
        given = list(given[0].elts)
    if len(given) not in (3, 4) or not _is_picture(of, pictures):
        return False
    channels, *sizes = given[-3:]
    last = sizes[-1]
    return (
        isinstance(channels, ast.Constant)
        and channels.value == 3
        and not (isinstance(last, ast.Constant) and last.value in (1, 3, 4))
    )


def _mask_as_picture(tree: ast.Module) -> Found:
    """A mask that goes through ToTensor, which divides bytes by 255."""
    pipelines = {
        dotted(target).rpartition(".")[2]
        for node in walk(tree)
        if isinstance(node, ast.Assign) and "ToTensor" in words(node.value)
        for target in node.targets
    }
    for scope in (tree, *functions(tree).values()):
        read: dict[str, ast.expr] = {}
        for node in _in_order(list(inside(scope))):
            if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
                continue
            name, value = node.targets[0].id, node.value
            if not (isinstance(value, ast.Call) and len(value.args) == 1):
                read[name] = value
                continue
            given = value.args[0]
            through = words(value.func) & {"ToTensor", "to_tensor"} or (
                pipelines
                and tail(value).startswith(("transform", "tfm", "trans", "aug"))
                and _is_shared(scope, value)
            )
            of = [given, *([read[dotted(given)]] if dotted(given) in read else [])]
            if through and any(_MASK.search(w) for v in of for w in words(v)):
                yield (
                    "mask_as_picture",
                    value,
                    "`ToTensor` is for pictures: it divides bytes (uint8) by 255, so a class "
                    "number 1 becomes 0.0039, and leaves other dtypes as they are. A mask of 0 and "
                    "255 becomes 0 and 1 so; one of class numbers (0, 1, 2, …) belongs into "
                    "`torch.from_numpy(mask).long()`, and its channels into `permute`",
                )
                return
            read[name] = value


_MASK = re.compile(r"(?i)mask|seg(?:_?map|ment)|^(?:seg|gt|label_?map|ground_?truth)$")


def _is_shared(scope: ast.AST, call: ast.Call) -> bool:
    """Whether the same transform is called of something else there: the picture."""
    calls = [n for n in inside(scope) if isinstance(n, ast.Call)]
    return sum(dotted(n.func) == dotted(call.func) != "" for n in calls) > 1


RULES = (_channels_reshaped, _mask_as_picture, _prepared_otherwise)
