"""Find test data that are prepared otherwise than the training data."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from executor.inside.remarks.syntax import Found, assigned, callee, dotted, words
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


def _sets(tree: ast.Module) -> Iterator[tuple[ast.Call, bool, ast.expr]]:
    """Each data set of which the text says whether it is for training, and its transforms."""
    for node in walk(tree):
        if not isinstance(node, ast.Call):
            continue
        named = {k.arg: k.value for k in node.keywords if k.arg}
        given, part = named.get("transform"), named.get("train", named.get("split"))
        said = part.value if isinstance(part, ast.Constant) else None
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
