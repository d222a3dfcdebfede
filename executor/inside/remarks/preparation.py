"""Find test data that are prepared otherwise than the training data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from executor.inside.remarks.parts import HELD, TRAINING, flows, flows_by, names_in
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    behind,
    blocks,
    callee,
    dotted,
    functions,
    inside,
    method_calls,
    optimizers,
    tail,
    trained,
    words,
)
from executor.inside.walking import kept_by_node, walk

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
        if isinstance(value, ast.Call) and HELD.search(name.rpartition(".")[2])
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


def scaled_apart(tree: ast.Module) -> Found:
    """A model that is trained on scaled data and asked about held-out data as they are, or so."""
    models = {m for o in optimizers(tree).values() for m in trained(o, tree)}
    asked = [(c, _sources(c, tree)) for c in walk(tree)
             if isinstance(c, ast.Call) and c.args and dotted(c.func) in models]  # fmt: skip
    back = {n for c in method_calls(tree, "backward") for n in _round_of(c, tree)}
    learned = [pair for pair in asked if pair[0] in back and not any(map(HELD.search, pair[1]))]
    judged = [(c, names) for c, names in asked
              if c not in back and any(map(HELD.search, names))
              and not any(map(TRAINING.search, names))]  # fmt: skip
    if not learned or not judged:
        return
    ways = _scaled_names(tree)
    shared = frozenset[str].intersection(*(frozenset(names) for _, names in learned))
    within = {_scales(c.args[0]) for c, _ in learned}
    own = within.pop() if len(within) == 1 else None
    if within:
        return  # one way and another
    for call, names in judged:
        common = {n for n in shared & names if n in flows(tree)}
        one, other = (shared - common) & ways.keys(), (names - common) & ways.keys()
        inline = _scales(call.args[0])
        is_one, is_other = bool(one) or own is not None, bool(other) or inline is not None
        sides = (names - common, *(n - common for _, n in learned))
        plain = all(_is_plainly_made(n, tree) for side in sides for n in side)
        if not common - models or is_one == is_other or not plain:
            continue
        at = own or inline or ways[min(one | other)]
        line = getattr(at, "lineno", 0)
        what, not_so = ("training", "held-out") if is_one else ("held-out", "training")
        yield (
            "test_not_normalised",
            call,
            f"the {what} data are scaled (line {line}: `{ast.unparse(at)[:60]}`), and "
            f"the {not_so} data are not: the model is asked about values of another scale than "
            "it was trained on; do the same to both, with the statistics of the training data",
        )
        return


_CONVERTS = frozenset(
    [
        "tensor", "as_tensor", "from_numpy", "FloatTensor", "Tensor", "float", "float32", "to",
        "astype", "cuda", "cpu", "numpy", "values", "reshape", "view", "unsqueeze", "squeeze",
        "clone", "copy", "array", "asarray", "DataLoader", "TensorDataset", "train_test_split",
        "random_split", "zip", "split", "enumerate", "tqdm", "list", "range", "len", "long", "int",
        "mean", "std", "sum", "min", "max", "amin", "amax", "transform", "fit_transform",
        "StandardScaler", "MinMaxScaler", "randperm", "device", "is_available",
    ]
)  # fmt: skip


def _is_plainly_made(name: str, tree: ast.Module) -> bool:
    """Whether all that makes a variable is known to leave or to scale its values."""
    if name not in flows(tree):
        return True
    made = [v for _, given, v in assigned(tree) if given.rpartition(".")[2] == name]
    calls = [c for v in made for c in walk(v) if isinstance(c, ast.Call)]
    return all(tail(c) in _CONVERTS for c in calls) and not (functions(tree).keys() & {name})


def _sources(call: ast.Call, tree: ast.Module) -> set[str]:
    """All names that the first argument is made from, by the loop that the call stands in."""
    names = _data_in(call.args[0])
    for node in reversed(walk(tree)):  # the innermost loops come last
        pairs: list[tuple[ast.expr, ast.expr]] = []
        match node:
            case ast.For(target=target, iter=over):
                pairs = [(target, over)]
            case ast.GeneratorExp(generators=parts) | ast.ListComp(generators=parts):
                pairs = [(g.target, g.iter) for g in parts]
        for target, over in pairs:
            taken = {n.id for n in walk(target) if isinstance(n, ast.Name)} & names
            if taken and call in walk(node):
                names = (names - taken) | _data_in(over)
    return behind(names, _data_flows(tree))


@kept_by_node
def _data_flows(tree: ast.AST) -> dict[str, set[str]]:
    """Each variable, and the data that it is made from."""
    return flows_by(tree, _data_in)


def _data_in(node: ast.AST) -> set[str]:
    """The names of a value without those of the statistics that it is scaled by."""
    match node:
        case ast.BinOp(left=ast.BinOp(left=of, op=ast.Sub()), op=ast.Div()):
            return _data_in(of)
        case ast.BinOp(left=of, op=ast.Div()):
            return _data_in(of)
        case ast.Call(func=ast.Attribute(attr=attr), args=[of, *_]) if attr in _FITS:
            return _data_in(of)
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in _STATISTICS:
            return set()
        case ast.Name() | ast.Attribute() | ast.Subscript(slice=ast.Constant()):
            return names_in(node)
    return {n for child in ast.iter_child_nodes(node) for n in _data_in(child)}


_FITS = ("transform", "fit_transform")
_STATISTICS = {"mean", "std", "min", "max", "amin", "amax", "fit", "size"}


def _round_of(call: ast.Call, tree: ast.Module) -> set[ast.AST]:
    """What runs in the block of a `backward()`: the statement of its loss is one of them."""
    for block in blocks(tree):
        if any(call in walk(s) for s in block if isinstance(s, ast.Expr)):
            before = [s for s in block if s.lineno <= call.lineno]
            plain = [s for s in before if isinstance(s, ast.Expr | ast.Assign)]
            return {n for s in plain for n in walk(s)}
    return set()


def _scaled_names(tree: ast.Module) -> dict[str, ast.AST]:
    """The variables that are given scaled values somewhere, and what scales them."""
    found: dict[str, ast.AST] = {}
    for _, name, value in assigned(tree):
        if (at := _scales(value)) is not None:
            found[name] = at
    for node in walk(tree):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div | ast.Sub):
            found[dotted(node.target)] = node
    return found


def _scales(value: ast.expr) -> ast.expr | None:
    """`(x - mean) / std`, `x / 255`, `scaler.transform(x)`."""
    for node in walk(value):
        match node:
            case ast.BinOp(left=ast.BinOp(op=ast.Sub()), op=ast.Div()):
                return node
            case ast.BinOp(op=ast.Div(), right=ast.Constant(value=255 | 256)):
                return node
            case ast.Call() if tail(node) in _FITS and node.args:
                return node
    return None


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


RULES = (_channels_reshaped, _mask_as_picture, _prepared_otherwise, scaled_apart)
