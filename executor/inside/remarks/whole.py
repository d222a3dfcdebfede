"""Say whether a text is one whole program: what stands nowhere in it then stands nowhere."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter

from executor.inside.remarks.syntax import (
    assigned,
    bound,
    callee,
    inside,
    is_optimizer,
    module_classes,
    tail,
    walk,
)
from executor.left_out import LEFT_OUT

# Said of all that a program does, or of names that may be another example's by then.
SAID_OF_THE_WHOLE = frozenset(
    [
        "all_but_one",
        "all_zero",
        "another_model",
        "carried",
        "clipped_scaled",
        "counts_padding",
        "drawn_twice",
        "end_left_out",
        "exchanged_figures",
        "fitted_on_test",
        "gradient_not_asked_for",
        "graph_kept",
        "graph_left_out",
        "held_out_unused",
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
        "not_divided",
        "one_column",
        "one_linear",
        "one_object",
        "one_output",
        "only_made",
        "optimizer_each_epoch",
        "phases_in_training",
        "rate_unread",
        "returns_nothing",
        "sampler_epoch_not_set",
        "scaler",
        "scheduler_idle",
        "scores_cut",
        "seeded_each_epoch",
        "selected_on_test",
        "slow",
        "split_unused",
        "started_once",
        "state_not_copied",
        "stays_in_eval",
        "teaches_in_training",
        "test_augmented",
        "test_not_normalised",
        "transform_shared",
        "uncalled",
        "used_up",
        "validated_in_training",
    ]
)
_EXAMPLE = re.compile(r"(?im)^#.*\b(?:example|option|approach|method|scenario|version)\b *\w?\d?")


def is_whole(tree: ast.Module, code: str) -> bool:
    """Whether nothing was left out, and it is not several examples in a row."""
    return not (LEFT_OUT.search(code) or _has_ellipsis(tree) or _are_examples(tree, code))


def stands_alone(tree: ast.Module) -> bool:
    """Whether a program calls its own training, and every name in it is one of its own.

    Functions and classes that nothing here calls are for other code, which may do what they leave
    out, and mean by their results what they do not say. So is a part that begins in the middle.
    """
    read = {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    if read - bound(tree) - _GIVEN:
        return False
    runs = _runs(tree)
    trains = [n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == "backward"]
    return any(n in runs for n in trains) if trains else any(isinstance(n, ast.Call) for n in runs)


_GIVEN = {*dir(builtins), "__file__"}


def _runs(tree: ast.Module) -> set[ast.AST]:
    """All that runs when the program does: at the top, and what that calls by name.

    Of a class that is named its methods run as far as they are named too, and those that Python or
    PyTorch calls.
    """
    defined: dict[str, list[ast.AST]] = {}
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = _CALLED if node.name[:2] == "__" or node.name in _HOOKS else node.name
            defined.setdefault(name, []).append(node)
    found = set(inside(tree)) - {n for n in tree.body if n in sum(defined.values(), [])}
    todo = list(found)
    named = {_CALLED}
    todo += [n for made in defined.get(_CALLED, ()) for n in inside(made)]
    found |= set(todo)
    while todo:
        name = tail(todo.pop())
        if name and name not in named:
            named.add(name)
            more = {n for made in defined.get(name, ()) for n in inside(made)} - found
            found |= more
            todo += more
    return found


_CALLED = ""
_HOOKS = {"forward", "backward", "training_step", "validation_step", "closure"}


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
