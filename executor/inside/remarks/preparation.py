"""Find test data that are prepared otherwise than the training data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from executor.inside.remarks.parts import HELD, TRAINING
from executor.inside.remarks.provenance import Trail, trail
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    blocks,
    callee,
    defaults,
    dotted,
    functions,
    handed,
    inside,
    is_true,
    method_calls,
    methods_named,
    optimizers,
    tail,
    trained,
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


def _asked(tree: ast.Module) -> tuple[list[Trail], list[tuple[ast.Call, Trail]]]:
    """What the models are given in training, and what of held-out data alone they are asked."""
    models = _models(tree)
    asked = [(c, trail(c.args[0], tree)) for c in walk(tree)
             if isinstance(c, ast.Call) and c.args and dotted(c.func) in models]  # fmt: skip
    back = {n for c in method_calls(tree, "backward") for n in _round_of(c, tree)}
    learned = [t for c, t in asked if c in back and not any(map(HELD.search, t.names))]
    judged = [(c, t) for c, t in asked
              if c not in back and any(map(HELD.search, t.names))
              and not any(map(TRAINING.search, t.names))]  # fmt: skip
    return learned, judged


def scaled_apart(tree: ast.Module) -> Found:
    """A model that is trained on scaled data and asked about held-out data as they are, or so."""
    learned, judged = _asked(tree)
    if not learned:
        return
    shared = frozenset.intersection(*(t.places for t in learned))
    always = set[ast.expr].intersection(*(_scalings(t, tree) for t in learned))
    ever = {n for t in learned for n in _scalings(t, tree)}
    for call, of in judged:
        common = {name for _, name in shared & of.places} - _models(tree)
        one, other = always - _scalings(of, tree), _scalings(of, tree) - ever
        apart = {v for t in learned for v in t.values} ^ set(of.values)
        if not common or bool(one) == bool(other) or ever - always:
            continue
        if not all(_is_plainly_made(v, tree) for v in apart):
            continue
        at = min(one | other, key=lambda n: getattr(n, "lineno", 0))
        what, not_so = ("training", "held-out") if one else ("held-out", "training")
        yield (
            "test_not_normalised",
            call,
            f"the {what} data are scaled (line {at.lineno}: `{ast.unparse(at)[:60]}`), and "
            f"the {not_so} data are not: the model is asked about values of another scale than "
            "it was trained on; do the same to both, with the statistics of the training data",
        )
        return


def _augmented_by_hand(tree: ast.Module) -> Found:
    """Held-out data that a function or a data set of the program changes at random, as training."""
    own = functions(tree)
    changes = {n for n, f in own.items() if _AUGMENTS.search(n) and words(f) & _DRAWS}
    learned, judged = _asked(tree) if changes else ([], [])
    through = {n for t in learned for v in t.values for n in words(v)} & changes
    for _, of in judged:
        made = [v for v in of.values if words(v) & through]
        if made and not any(w.lower().startswith("tta") for w in words(tree)):
            yield _says_augmented(made[0], min(words(made[0]) & through))
            return
    for call, names in _made_for(tree):
        held = {c.name: c for c in walk(tree) if isinstance(c, ast.ClassDef)}.get(tail(call))
        init = next((m for m in methods_named(held, "__init__")), None) if held else None
        if held is None or init is None or not any(map(HELD.search, names)):
            continue
        given = dict(defaults(init)) | dict(handed(call, init))
        for name in (n for n, v in given.items() if _AUGMENTS.search(n) and is_true(v)):
            if any(_draws_if(n, name) for n in walk(held)):
                yield _says_augmented(call, name)
                return


_AUGMENTS = re.compile(r"(?i)(^|_)aug|flip|crop|rotate|jitter|distort")
_DRAWS = {"rand", "randn", "random", "randint", "rand_like", "randn_like", "uniform", "choice"}


def _says_augmented(node: ast.AST, by: str) -> tuple[str, ast.AST, str]:
    return (
        "test_augmented",
        node,
        f"`{by}` changes the held-out data at random too, so that each evaluation judges other "
        "samples than those that were put aside: leave it out where the model is judged",
    )


def _made_for(tree: ast.Module) -> Iterator[tuple[ast.Call, set[str]]]:
    """Each call whose result has a name, or a key of a dictionary, with that name."""
    for _, name, value in assigned(tree):
        if isinstance(value, ast.Call):
            yield value, {name}
    for node in walk(tree):
        if isinstance(node, ast.Dict):
            for key, part in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(part, ast.Call):
                    yield part, {str(key.value)}


def _draws_if(node: ast.AST, name: str) -> bool:
    """`if self.augment: x = x + noise`."""
    return (
        isinstance(node, ast.If)
        and f"self.{name}" in map(dotted, walk(node.test))
        and any(words(part) & _DRAWS for part in node.body)
    )


def _models(tree: ast.Module) -> set[str]:
    """The names of the models that optimizers train, also where they are handed on."""
    found = {m for o in optimizers(tree).values() for m in trained(o, tree)}
    own = functions(tree)
    pairs = [(name, dotted(value)) for c in walk(tree) if isinstance(c, ast.Call) and tail(c) in own
             for name, value in handed(c, own[tail(c)])]  # fmt: skip
    pairs += [(name, dotted(value)) for _, name, value in assigned(tree)]
    return found | {n for pair in pairs for n in pair if set(pair) & found and all(pair)}


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


def _is_plainly_made(value: ast.expr, tree: ast.Module, deep: int = 2) -> bool:
    """Whether all that makes a value is known to leave or to scale its values."""
    own = functions(tree)
    calls = {tail(c): c for c in walk(value) if isinstance(c, ast.Call)}
    return all(
        name in _CONVERTS
        or (name in own and deep > 0 and _is_plain_function(own[name], tree, deep))
        for name in calls
    )


def _is_plain_function(function: ast.FunctionDef, tree: ast.Module, deep: int) -> bool:
    parts = (n for n in inside(function) if isinstance(n, ast.expr))
    calls = [n for n in parts if isinstance(n, ast.Call)]
    return all(
        dotted(c.func).startswith(("torch.", "np.", "self.")) or _is_plainly_made(c, tree, deep - 1)
        for c in calls
    ) and not any(re.search(r"(?i)normali|scale", tail(c)) for c in calls)


def _round_of(call: ast.Call, tree: ast.Module) -> set[ast.AST]:
    """What runs in the block of a `backward()`: the statement of its loss is one of them."""
    for block in blocks(tree):
        if any(call in walk(s) for s in block if isinstance(s, ast.Expr)):
            before = [s for s in block if s.lineno <= call.lineno]
            plain = [s for s in before if isinstance(s, ast.Expr | ast.Assign)]
            return {n for s in plain for n in walk(s)}
    return set()


def _scalings(of: Trail, tree: ast.Module) -> set[ast.expr]:
    """What scales a value on its way."""
    return {at for v in of.values if (at := _scales(v, functions(tree))) is not None}


def _scales(value: ast.expr, own: dict[str, ast.FunctionDef]) -> ast.expr | None:
    """`(x - mean) / std`, `x / 255`, `scaler.transform(x)`, or a function that gives such."""
    for node in walk(value):
        match node:
            case ast.BinOp(left=ast.BinOp(op=ast.Sub()), op=ast.Div()):
                return node
            case ast.BinOp(op=ast.Div(), right=ast.Constant(value=255 | 256)):
                return node
            case ast.BinOp(left=of, op=ast.Div() | ast.Sub()) if isinstance(
                getattr(of, "ctx", None), ast.Store
            ):
                return node  # `x /= s`
            case ast.BinOp(
                left=ast.Name() | ast.Attribute(), op=ast.Sub() | ast.Div(), right=by
            ) if _STATISTIC.search(dotted(by).rpartition(".")[2]) or (
                isinstance(by, ast.Call) and tail(by) in ("mean", "std", "max")
            ):
                return node
            case ast.Call() if tail(node) in _FITS and node.args:
                return node
            case ast.Call() if tail(node) in own and node.args:
                returns = (n for n in inside(own[tail(node)]) if isinstance(n, ast.Return))
                if any(n.value is not None and _scales(n.value, {}) for n in returns):
                    return node
    return None


_FITS = ("transform", "fit_transform")
_STATISTIC = re.compile(
    r"(?i)^(\w{0,12}_)?(mean|mu|std|sd|sigma|scale|stds?|means?|max)s?(_\w{0,6})?$"
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


RULES = (
    _channels_reshaped,
    _mask_as_picture,
    _prepared_otherwise,
    _augmented_by_hand,
    scaled_apart,
)
