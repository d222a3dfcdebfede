"""Find code that does not do what it looks like, by its text alone.

The syntax tree is read and nothing is run. So a remark says only what Python's and PyTorch's rules
decide whatever the values are: that a method without parentheses is not called, that a plain list
of layers is not registered. Where it depends on something, the remark says on what. Each rule is
one function, from the tree to remarks.

    syntax.py      what the rules ask of a tree
    at_place.py    what a name is made of where it is read
    shown.py       whether a mask is True where something may be looked at
    statements.py  results thrown away, parameters that become ordinary tensors
    layers.py      layers that are not registered, not called, or made in the wrong place
    losses.py      losses that do not fit what they are given; formulas.py: other formulas
    trained.py     outputs kept, exports and quantization of a trained model
    training.py    optimizers whose steps do not do what they look like
    accumulation.py  gradients added up over several batches
    epochs.py      what starts anew in each round, or is kept from one to the next
    seeded.py      an order or noise that is drawn by one seed in each epoch
    sampling.py    distributed samplers whose order stays the same
    measures.py    shares, times and comparisons that say something else
    mixups.py      a misspelled setting, exchanged arguments, one object under two names
    carelessness.py  lines that do less than they look like, or more
    sizes.py       sizes of layers that clash with those before them
    processes.py   processes that would start themselves again, or wait for ever
    preparation.py test data prepared otherwise than the training data, channels cut anew
    evaluating.py  evaluation in the wrong mode or along the wrong dimension
    unread.py      what is computed or put aside, and read nowhere
    lost.py        tensors, arguments and batches that have no part in what follows
    liveness.py    which values can never be read, by the way that control goes
    loss_terms.py  terms of a loss with the wrong sign, or twice
    returns.py     returns of episodes and ratios of policies; rollouts.py: over their ends
    episodes.py    what the text tells of episodes: their ends, discounts, which way a loop goes
    overwritten.py what is written over without a word
    by_hand.py     what is written by hand and lacks a piece
    called_so.py   functions that are called so that they do another thing
    derivatives.py  derivatives by another variable than is meant
    critics.py     critics that give real and made samples the same
    batches.py     shares and pairs that are taken batch by batch
    scores.py      which way a score gets better, and where the best is kept
    best_score.py  the best that is the worst
    gradients.py   derivatives by hand
    masks.py       masks that hide the wrong part
    classes.py     answers that are no class numbers
    targets.py     targets that do not belong to the inputs
    scaling.py     data brought to another scale
    sequences.py   steps of a sequence
    rounds.py      rounds that start from the wrong thing
    shared.py      one thing that two parts use as if each had its own
    pairs.py       pairs of which only one is changed
    passes.py      which loops go over batches, and what counts these or their samples
    followers.py   which models are brought up to date with which
    parts.py       what is made from what, and which parts of the data are held out
    figures.py     figures that are not what they are called
    pictures.py    pictures whose patches are cut by a view
    figure_formulas.py  figures whose formula is that of another one
    reductions.py  values taken together along the wrong dimension, or too early
    noise.py       noise, distributions and soft targets of the wrong quantity
    copies.py      copies that are none
    keeping.py     the best weights, and the rounds without a better score, kept in vain
    settings.py    settings that are taken for another one
    policies.py    policies that are told to do the opposite
    similarities.py  what is alike, driven apart
    attention.py   scores, heads and positions of attention by hand
    constants.py   terms of a loss without a graph
    labels.py      class numbers that are changed on the way
    files.py       files that are paired by chance, or read and never used
    modes.py       outputs that are compared or judged while the model draws at random
    asked.py       what is told only to those who ask about what it does
    conditions.py  conditions that always hold
    generated.py   generative models with the wrong noise, direction or spread
    handed_round.py  one list or dictionary that is changed where it lies
    indices.py     indices of another order than that of what they pick
    thrown_away.py losses, layers and weights that the next line throws away
    axes.py        what is summed, laid out or picked along another dimension than is meant
    lapsed.py      what is set once and is lost on the way
    halves.py      two halves of one job that do not fit each other
    signs.py       with which sign each quantity stands in what is trained
    by_sign.py     what the quantities are, and which have the wrong sign
    edits.py       what a rule tells, and the edits that would mend it
    whole.py       whether a text is one whole program, and what is said of such alone
    whose.py       whether it is meant for PyTorch
    supposed.py    what a rule supposes, and of which programs it is told
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from executor.inside.remarks import (
    accumulation,
    asked,
    attention,
    axes,
    batches,
    best_score,
    by_hand,
    called_so,
    carelessness,
    classes,
    conditions,
    constants,
    copies,
    critics,
    derivatives,
    epochs,
    evaluating,
    figure_formulas,
    figures,
    files,
    formulas,
    frozen,
    generated,
    gradients,
    halves,
    handed_round,
    held_out,
    indices,
    keeping,
    labels,
    lapsed,
    layers,
    loss_terms,
    losses,
    lost,
    masks,
    measures,
    mixups,
    modes,
    noise,
    overwritten,
    pairs,
    pictures,
    policies,
    preparation,
    processes,
    quantities,
    reductions,
    returns,
    rollouts,
    rounds,
    sampling,
    scaling,
    seeded,
    sequences,
    settings,
    shared,
    similarities,
    sizes,
    slips,
    statements,
    targets,
    thrown_away,
    trained,
    training,
    unread,
)
from executor.inside.remarks.supposed import is_told, worded
from executor.inside.remarks.syntax import Found
from executor.inside.remarks.whole import SAID_OF_THE_WHOLE, is_whole, pieces, stands_alone
from executor.inside.remarks.whose import is_meant_for_pytorch
from executor.protocol import Remark

Ways = tuple[dict[str, Any], ...]  # the edits that may mend what is told, the likeliest first
_MOST = 8  # remarks of a report
_LINE = 160  # characters of a quoted line

# Right in many programs: told after all others, and never as the headline of code that ran.
ASIDES = frozenset(
    [
        "not_a_buffer",
        "frozen_averages",
        "layers_as_rows",
        "returns_nothing",
        "one_linear",
        "slow",
        "uncalled",
        "not_divided",
        "all_zero",
        "counts_batches",
        "classes_regressed",
        "seeded_and_timed",
        "mask_as_picture",
        "scaled_by_all",
        "value_left",
        "classes_by_batch",
    ]
)

_BY_WHAT_IT_READS = (
    *rounds.RULES,
    *gradients.RULES,
    *loss_terms.RULES,
    *returns.RULES,
    *rollouts.RULES,
    *critics.RULES,
    *batches.RULES,
    *overwritten.RULES,
    *by_hand.RULES,
    *called_so.RULES,
    *masks.RULES,
    *targets.RULES,
    *classes.RULES,
    *scaling.RULES,
    *sequences.RULES,
    *seeded.RULES,
    *best_score.RULES,
    *shared.RULES,
    *pairs.RULES,
    *pictures.RULES,
    *quantities.RULES,
    *slips.RULES,
    *figures.RULES,
    *figure_formulas.RULES,
    *held_out.RULES,
    *reductions.RULES,
    *noise.RULES,
    *copies.RULES,
    *keeping.RULES,
    *settings.RULES,
    *policies.RULES,
    *halves.RULES,
    *axes.RULES,
    *lapsed.RULES,
    *similarities.RULES,
    *attention.RULES,
    *constants.RULES,
    *labels.RULES,
    *files.BY_WHAT_IT_READS,
    *frozen.RULES,
    *thrown_away.RULES,
    *indices.RULES,
    *handed_round.RULES,
    *generated.RULES,
    *conditions.RULES,
    *lost.RULES,
    *trained.RULES,
)
# What most likely matters comes first.
_RULES: tuple[Callable[[ast.Module], Found], ...] = (
    *formulas.RULES,
    *derivatives.RULES,
    *losses.RULES,
    *training.RULES,
    *accumulation.RULES,
    *carelessness.RULES,
    *statements.RULES,
    *layers.RULES,
    *sizes.RULES,
    *unread.RULES,
    *gradients.BY_TEXT,
    *_BY_WHAT_IT_READS,
    *evaluating.RULES,
    *epochs.RULES,
    *sampling.RULES,
    *processes.RULES,
    *mixups.RULES,
    *measures.RULES,
    *preparation.RULES,
    *files.RULES,
    *sequences.BY_TEXT,
    *shared.BY_TEXT,
    *modes.RULES,
    *asked.RULES,
)


# Kind → its rule, of those that a probe tells of where the code trained: of any program that they
# fit, they say what is wrong.
BORNE_OUT: dict[str, Callable[[ast.Module], Found]] = {
    "misspelled": mixups.misspelled,
    "always_drops": layers.always_drops,
    "average_inverted": carelessness.average_inverted,
    "clipped_late": training.clipped_late,
    "validated_in_training": evaluating.validated_in_training,
    "teaches_in_training": evaluating.teaches_in_training,
    "picks_samples": measures.picks_samples,
    "threshold": losses.threshold,
    "state_not_copied": epochs.state_not_copied,
    "split_unused": unread.split_unused,
    **{rule.__name__: rule for rule in _BY_WHAT_IT_READS if rule.__name__ not in ASIDES},
    "shuffled_apart": carelessness.shuffled_apart,
    "over_batches": measures.over_batches,
    "counts_the_last": carelessness.counts_the_last,
    "test_not_normalised": preparation.scaled_apart,
    "made_each_epoch": epochs.each_epoch,
    "seeded_each_sample": epochs.seeded_each_sample,
    "seeded_each_epoch": epochs.each_epoch,
    "optimizer_each_epoch": epochs.each_epoch,
    "step_outside": training.step_outside,
    "sign_of_kl": formulas.sign_of_kl,
    "deviation_of_log": formulas.deviation_of_log,
    "exchanged": mixups.exchanged,
    "exchanged_figures": mixups.exchanged_figures,
    "rate_unread": training.rate_unread,
    "clipped_scaled": training.clipped_scaled,
    "accumulation_cleared": accumulation.accumulation_cleared,
    "augmented_in_place": carelessness.augmented_in_place,
    "returns_early": measures.returns_early,
    "rates_not_logs": formulas.rates_not_logs,
    "sum_beside_mean": formulas.sum_beside_mean,
    "other_variable": derivatives.other_variable,
    "columns_summed": derivatives.columns_summed,
    "counts_padding": measures.counts_padding,
    "phases_in_training": evaluating.phases_in_training,
    "fed_the_answer": evaluating.fed_the_answer,
    "noise_without_root": formulas.noise_without_root,
    "passes_alike": modes.passes_alike,
}


def remarks(tree: ast.Module, code: str) -> tuple[Remark, ...]:
    """What is to be said of the snippet, what matters most first, once for each line and kind."""
    alone = is_whole(tree, code) and stands_alone(tree)
    told = [r for r in found(tree, code) if r.aside or is_told(r.kind, alone=alone)]
    worded_so = [r.model_copy(update={"message": worded(r.kind, r.message)}) for r in told]
    return tuple(worded_so[:_MOST])


def found(tree: ast.Module, code: str) -> list[Remark]:
    """What the rules find, whatever they suppose."""
    return [remark for remark, _ in _found(tree, code)]


def mended(tree: ast.Module, code: str, told: Iterable[Remark]) -> list[tuple[Remark, Ways]]:
    """Of what is told of the snippet that of which the rule knows the edits, with these."""
    known = {(remark.kind, remark.line) for remark in told}
    return [(r, ways) for r, ways in _found(tree, code) if ways and (r.kind, r.line) in known]


def _found(tree: ast.Module, code: str) -> list[tuple[Remark, Ways]]:
    if not is_meant_for_pytorch(tree):
        return []
    lines = code.split("\n")
    whole = is_whole(tree, code)
    parts = [*pieces(tree)]
    seen: dict[tuple[str, int], tuple[Remark, Ways]] = {}
    for rule in _RULES:
        for kind, node, message, *ways in rule(tree):
            if kind in SAID_OF_THE_WHOLE and not whole:
                continue
            number = getattr(node, "lineno", 0)
            if (kind, number) in seen or not _holds(rule, kind, number, parts):
                continue
            written = lines[number - 1].strip() if 0 < number <= len(lines) else ""
            remark = Remark(
                kind=kind,
                line=number,
                code=written[:_LINE],
                message=message,
                aside=kind in ASIDES,
            )
            seen[kind, number] = remark, ways[0] if ways else ()
    return sorted(seen.values(), key=lambda r: r[0].aside)


def _holds(
    rule: Callable[[ast.Module], Found], kind: str, line: int, parts: list[ast.Module]
) -> bool:
    """Whether a part of the text that hangs together is enough for it."""
    return any(
        (kind, line) == (other, getattr(node, "lineno", 0))
        for part in parts
        for other, node, *_ in rule(part)
    )
