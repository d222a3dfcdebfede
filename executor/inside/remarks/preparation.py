"""Find test data that are prepared otherwise than the training data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.scaling import HELD_OUT
from executor.inside.remarks.syntax import Found, argument, assigned, callee, dotted, tail, words
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


RULES = (_prepared_otherwise,)
