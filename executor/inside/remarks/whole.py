"""Say whether a text is one whole program: what stands nowhere in it then stands nowhere."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections import Counter
from collections.abc import Iterator

from executor.inside.remarks.syntax import (
    assigned,
    bound,
    callee,
    inside,
    is_optimizer,
    module_classes,
    tail,
    walk,
    words,
)
from executor.left_out import LEFT_OUT

# Said of all that a program does, or of names that may be another example's by then.
SAID_OF_THE_WHOLE = frozenset(
    [
        "all_but_one",
        "all_zero",
        "answers_in_another_order",
        "argument_unread",
        "batch_unread",
        "best_never_set",
        "best_unreachable",
        "best_unread",
        "carried",
        "clipped_scaled",
        "counts_padding",
        "default_kept",
        "drawn_twice",
        "end_left_out",
        "exchanged_figures",
        "figure_of_training",
        "fitted_on_test",
        "followed_unasked",
        "gradient_not_asked_for",
        "graph_kept",
        "graph_left_out",
        "lengths_unread",
        "loss_overwritten",
        "made_after_optimizer",
        "made_each_epoch",
        "mask_left_out",
        "never_eval",
        "never_reset",
        "never_stepped",
        "never_used",
        "never_zeroed",
        "no_main_guard",
        "noise_drawn_once",
        "passes_alike",
        "not_divided",
        "numbered_by_a_set",
        "one_column",
        "one_linear",
        "one_object",
        "only_made",
        "optimizer_each_epoch",
        "patience_adds_up",
        "phases_in_training",
        "rate_unread",
        "reset_uncalled",
        "returns_nothing",
        "sampler_epoch_not_set",
        "scaled_by_all",
        "scaler",
        "scheduler_idle",
        "scores_cut",
        "seeded_each_epoch",
        "selected_on_test",
        "slow",
        "split_unused",
        "started_once",
        "state_let_go",
        "state_not_copied",
        "stays_in_eval",
        "table_frozen",
        "teaches_in_training",
        "test_augmented",
        "test_not_normalised",
        "trained_on_all",
        "transform_shared",
        "uncalled",
        "unfrozen_unheld",
        "used_up",
        "validated_in_training",
        "value_left",
        "value_unread",
        "windows_dealt_out",
    ]
)
_EXAMPLE = re.compile(r"(?im)^#.*\b(?:example|option|approach|method|scenario|version)\b *\w?\d?")


def is_whole(tree: ast.Module, code: str) -> bool:
    """Whether nothing was left out, and it is not several examples in a row."""
    return not (LEFT_OUT.search(code) or _has_ellipsis(tree) or _are_examples(tree, code))


def stands_alone(tree: ast.Module) -> bool:
    """Whether a program calls its own training, and all that it calls is here or well known.

    Functions and classes that nothing here calls are for other code, which may do what they leave
    out, and mean by their results what they do not say. So is a part that begins in the middle;
    and what somebody's own module does and returns is not said here either.
    """
    if _reads_unbound(tree) or has_others(tree):
        return False
    runs = _runs(tree)
    trains = [n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == "backward"]
    return any(n in runs for n in trains) if trains else any(isinstance(n, ast.Call) for n in runs)


def has_others(tree: ast.Module) -> bool:
    """Whether it takes names from files of its own, or from a package that is not well known."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Import):
            found |= {a.name.partition(".")[0] for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." if node.level else (node.module or "").partition(".")[0])
    return not found <= _KNOWN


# Packages whose functions people use for what they are: they train nothing that is not said.
_KNOWN = sys.stdlib_module_names | {
    "PIL", "albumentations", "cv2", "datasets", "einops", "gym", "gymnasium", "imageio",
    "matplotlib", "networkx", "numpy", "pandas", "scipy", "seaborn", "skimage", "sklearn",
    "tensorboard", "tensorboardX", "timm", "torch", "torchaudio", "torchmetrics", "torchsummary",
    "torchtext", "torchvision", "tqdm", "transformers", "wandb", "yaml",
}  # fmt: skip
_GIVEN = {*dir(builtins), "__file__"}  # what every program has


def pieces(tree: ast.Module) -> Iterator[ast.Module]:
    """The parts of a text that hang together: each function or class with all that it names.

    Names are all that joins two places of a text, and another class may have the same ones. What
    stands at the top is one more part; where it reads what nothing binds, that is the whole text,
    as what it belongs to is not known.
    """
    defined = {n.name: n for n in tree.body if isinstance(n, _DEFINES)}
    top = [n for n in tree.body if not isinstance(n, _DEFINES)]
    starts: list[list[ast.stmt]] = [[n] for n in defined.values()]
    if _reads_unbound(tree):
        yield tree
        return
    for start in (top, *starts):
        held: set[str] = set()
        todo: list[ast.AST] = list(start)
        while todo:
            names = (words(todo.pop()) & defined.keys()) - held
            held |= names
            todo += [defined[name] for name in names]
        said = {w for n in start for w in words(n)} | {w for n in held for w in words(defined[n])}
        kept = [
            n for n in tree.body
            if n in start or getattr(n, "name", None) in held
            or isinstance(n, ast.Import | ast.ImportFrom)
            or (isinstance(n, ast.Assign) and words(n) & said)
        ]  # fmt: skip
        yield ast.Module(body=kept, type_ignores=[])


def _reads_unbound(tree: ast.Module) -> bool:
    read = {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return bool(read - bound(tree) - _GIVEN)


def _runs(tree: ast.Module) -> set[ast.AST]:
    """All that runs when the program does: at the top, and what that calls by name.

    Of a class that is named those methods run that are named too, or that Python or PyTorch calls.
    """
    defined: dict[str, list[ast.AST]] = {}
    for node in walk(tree):
        if isinstance(node, _DEFINES):
            defined.setdefault(node.name, []).append(node)
    found: set[ast.AST] = set()
    todo: list[ast.AST] = [tree]
    named: set[str] = set()
    while todo:
        below = set(inside(todo.pop())) - found
        found |= below
        names = {tail(n) for n in below} - named - {""}
        named |= names
        todo += [made for name in names for made in defined.get(name, ())]
        todo += [n for n in below if isinstance(n, _DEFINES[:2]) and _is_called(n.name)]
    return found


_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _is_called(name: str) -> bool:
    return name.startswith("__") or name in ("forward", "training_step", "closure")


def _has_ellipsis(tree: ast.Module) -> bool:
    """Whether `...` stands for statements."""
    return any(
        isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant) and n.value.value is ...
        for n in walk(tree)
    )


def _are_examples(tree: ast.Module, code: str) -> bool:
    """Whether headings part it, or it makes its model or optimizer anew further down."""
    if len(_EXAMPLE.findall(code)) > 1:
        return True
    own = {c.name for c in module_classes(tree)} | {"Sequential"}
    defined = Counter(n.name for n in tree.body if isinstance(n, ast.ClassDef))
    made = Counter(
        name
        for n in tree.body
        for _, name, value in assigned(n)
        if isinstance(n, ast.Assign)
        and isinstance(value, ast.Call)
        and (callee(value) in own or is_optimizer(value))
    )
    return any(n > 1 for n in (*defined.values(), *made.values()))
