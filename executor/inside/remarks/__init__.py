"""Find code that does not do what it looks like, by its text alone.

The syntax tree is read and nothing is run. So a remark says only what Python's and PyTorch's rules
decide whatever the values are: that a method without parentheses is not called, that a plain list
of layers is not registered. Where it depends on something, the remark says on what. Each rule is
one function, from the tree to remarks.

    syntax.py      what the rules ask of a tree
    statements.py  results thrown away, parameters that become ordinary tensors
    left_out.py    a term, a mask, the end of an episode, a graph, a fresh start
    layers.py      layers that are not registered, not called, or made in the wrong place
    losses.py      losses that do not fit what they are given; formulas.py: other formulas
    training.py    optimizers whose steps do not do what they look like
    accumulation.py  gradients added up over several batches
    epochs.py      what starts anew in each round, or is kept from one to the next
    sampling.py    distributed samplers whose order stays the same
    measures.py    shares, times and comparisons that say something else
    named.py       formulas that compute the opposite of what their names say
    mixed.py       data and terms in the wrong place
    mixups.py      a misspelled setting, exchanged arguments, one object under two names
    compared.py    the best that is the worst, classes that are shifted
    carelessness.py  lines that do less than they look like, or more
    sizes.py       sizes of layers that clash with those before them
    preparation.py test data prepared otherwise than the training data
    evaluating.py  evaluation in the wrong mode or along the wrong dimension
    unread.py      what is computed and left out, rounds that start over
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from executor.inside.remarks import (
    accumulation,
    carelessness,
    compared,
    epochs,
    evaluating,
    formulas,
    layers,
    left_out,
    losses,
    measures,
    mixed,
    mixups,
    named,
    preparation,
    sampling,
    sizes,
    statements,
    training,
    unread,
)
from executor.inside.remarks.syntax import Found
from executor.protocol import Remark

_MOST = 8  # remarks of a report
_LINE = 160  # characters of a quoted line

# Right in many programs: told after all others, and never as the headline of code that ran.
ASIDES = frozenset(
    [
        "not_a_buffer",
        "returns_nothing",
        "one_linear",
        "slow",
        "uncalled",
        "not_divided",
        "gpu_time",
        "all_zero",
        "counts_batches",
        "classes_regressed",
    ]
)

# What most likely matters comes first.
_RULES: tuple[Callable[[ast.Module], Found], ...] = (
    *formulas.RULES,
    *losses.RULES,
    *training.RULES,
    *accumulation.RULES,
    *carelessness.RULES,
    *statements.RULES,
    *layers.RULES,
    *sizes.RULES,
    *unread.RULES,
    *compared.RULES,
    *compared.ASIDES,
    *mixed.RULES,
    *left_out.RULES,
    *named.RULES,
    *evaluating.RULES,
    *epochs.RULES,
    *sampling.RULES,
    *mixups.RULES,
    *measures.RULES,
    *preparation.RULES,
)


_ALONE = (*named.RULES, *left_out.RULES, *mixed.RULES, *compared.RULES)
# Kind → its rule, of those that a probe tells of where the code trained: of any program that they
# fit, they say what is wrong.
BORNE_OUT: dict[str, Callable[[ast.Module], Found]] = {
    "misspelled": mixups.misspelled,
    "always_drops": layers.always_drops,
    "average_inverted": carelessness.average_inverted,
    "clipped_late": training.clipped_late,
    "validated_in_training": evaluating.validated_in_training,
    "picks_samples": measures.picks_samples,
    "threshold": losses.threshold,
    "state_not_copied": epochs.state_not_copied,
    "split_unused": unread.split_unused,
    "used_up": unread.used_up,
    "same_input": unread.same_input,
    "gradient_ignored": unread.gradient_ignored,
    **{rule.__name__: rule for rule in _ALONE},
    "shuffled_apart": carelessness.shuffled_apart,
    "over_batches": measures.over_batches,
    "made_each_epoch": epochs.each_epoch,
    "seeded_each_epoch": epochs.each_epoch,
    "step_outside": training.step_outside,
    "sign_of_kl": formulas.sign_of_kl,
    "exchanged": mixups.exchanged,
}


def remarks(tree: ast.Module, code: str) -> tuple[Remark, ...]:
    """What is to be said of the snippet, what matters most first, once for each line and kind."""
    lines = code.split("\n")
    found: dict[tuple[str, int], Remark] = {}
    for rule in _RULES:
        for kind, node, message in rule(tree):
            number = getattr(node, "lineno", 0)
            written = lines[number - 1].strip() if 0 < number <= len(lines) else ""
            seen = Remark(
                kind=kind,
                line=number,
                code=written[:_LINE],
                message=message,
                aside=kind in ASIDES,
            )
            found.setdefault((kind, number), seen)
    return tuple(sorted(found.values(), key=lambda r: r.aside))[:_MOST]
