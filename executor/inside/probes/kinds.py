"""The kinds of findings: whether each is a mistake or a note, and which is told first.

A probe adds its kind here, and nowhere else; docs/findings.md says in words what was seen.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from executor.inside.remarks import BORNE_OUT
from executor.protocol import Finding


class Says(Enum):
    """What a finding says of the run."""

    NOTE = "a fact worth knowing"
    MISTAKE = "it is silently wrong"
    PROGRAM_WIDE_MISTAKE = "it is silently wrong, and no rewrite of a single line makes it so"


# What explains the others comes first: without a graph nothing has a gradient, for one.
KINDS = {
    "silent_inplace_write": Says.MISTAKE,
    "loss_without_graph": Says.MISTAKE,
    "foreign_optimizer": Says.PROGRAM_WIDE_MISTAKE,
    "step_without_gradients": Says.MISTAKE,
    "step_without_training": Says.NOTE,
    "unregistered_module": Says.MISTAKE,
    "unregistered_parameter": Says.MISTAKE,
    "graph_grows": Says.PROGRAM_WIDE_MISTAKE,
    "not_in_optimizer": Says.MISTAKE,
    "loss_broadcasts": Says.MISTAKE,
    "one_class": Says.MISTAKE,
    "softmax_before_cross_entropy": Says.PROGRAM_WIDE_MISTAKE,
    "sigmoid_before_cross_entropy": Says.PROGRAM_WIDE_MISTAKE,
    "sigmoid_before_bce_with_logits": Says.PROGRAM_WIDE_MISTAKE,
    "raw_scores_to_nll": Says.MISTAKE,
    "raw_scores_to_bce": Says.MISTAKE,
    "raw_scores_to_ctc": Says.PROGRAM_WIDE_MISTAKE,
    "blank_in_targets": Says.PROGRAM_WIDE_MISTAKE,
    "targets_without_sign": Says.PROGRAM_WIDE_MISTAKE,
    "kl_div_arguments": Says.PROGRAM_WIDE_MISTAKE,
    "softmax_wrong_dim": Says.PROGRAM_WIDE_MISTAKE,
    "loss_arguments_swapped": Says.PROGRAM_WIDE_MISTAKE,
    "softmax_over_samples": Says.PROGRAM_WIDE_MISTAKE,
    "attention_wrong_dim": Says.PROGRAM_WIDE_MISTAKE,
    "mean_of_normed": Says.PROGRAM_WIDE_MISTAKE,
    "reduced_along_another": Says.PROGRAM_WIDE_MISTAKE,
    "mask_without_effect": Says.PROGRAM_WIDE_MISTAKE,
    "mask_of_queries": Says.PROGRAM_WIDE_MISTAKE,
    "weights_broadcast": Says.PROGRAM_WIDE_MISTAKE,
    "normalised_wrong_dim": Says.PROGRAM_WIDE_MISTAKE,
    "softmax_one_column": Says.PROGRAM_WIDE_MISTAKE,
    "relu_before_loss": Says.PROGRAM_WIDE_MISTAKE,
    "bce_targets": Says.PROGRAM_WIDE_MISTAKE,
    "several_classes": Says.PROGRAM_WIDE_MISTAKE,
    "targets_out_of_reach": Says.PROGRAM_WIDE_MISTAKE,
    "targets_unscaled": Says.PROGRAM_WIDE_MISTAKE,
    "inputs_unscaled": Says.PROGRAM_WIDE_MISTAKE,
    "comparison_broadcasts": Says.PROGRAM_WIDE_MISTAKE,
    "never_stepped": Says.PROGRAM_WIDE_MISTAKE,
    "units_identical": Says.PROGRAM_WIDE_MISTAKE,
    "scaler_left_out": Says.PROGRAM_WIDE_MISTAKE,
    "optimizer_made_anew": Says.PROGRAM_WIDE_MISTAKE,
    "scheduler_of_another": Says.PROGRAM_WIDE_MISTAKE,
    "view_not_permute": Says.PROGRAM_WIDE_MISTAKE,
    "sees_the_future": Says.PROGRAM_WIDE_MISTAKE,
    "copies_its_input": Says.PROGRAM_WIDE_MISTAKE,
    "padding_counts": Says.PROGRAM_WIDE_MISTAKE,
    "padding_read": Says.PROGRAM_WIDE_MISTAKE,
    "states_mixed": Says.PROGRAM_WIDE_MISTAKE,
    "samples_mixed": Says.PROGRAM_WIDE_MISTAKE,
    "batch_mixed": Says.PROGRAM_WIDE_MISTAKE,
    "input_ignored": Says.PROGRAM_WIDE_MISTAKE,
    "output_constant": Says.NOTE,
    "argument_ignored": Says.NOTE,
    "derivative_wrong": Says.PROGRAM_WIDE_MISTAKE,
    "reads_first_step": Says.PROGRAM_WIDE_MISTAKE,
    "reads_last_step": Says.PROGRAM_WIDE_MISTAKE,
    "evaluated_on_another_scale": Says.NOTE,
    "same_parameters_twice": Says.PROGRAM_WIDE_MISTAKE,
    "target_not_detached": Says.PROGRAM_WIDE_MISTAKE,
    "sorted_samples": Says.PROGRAM_WIDE_MISTAKE,
    "test_in_training": Says.PROGRAM_WIDE_MISTAKE,
    "target_in_inputs": Says.PROGRAM_WIDE_MISTAKE,
    "sampler_draws_few": Says.PROGRAM_WIDE_MISTAKE,
    "follows_nothing": Says.PROGRAM_WIDE_MISTAKE,
    "target_never_follows": Says.PROGRAM_WIDE_MISTAKE,
    "workers_alike": Says.PROGRAM_WIDE_MISTAKE,
    "schedule_by_batches": Says.PROGRAM_WIDE_MISTAKE,
    "rate_died": Says.PROGRAM_WIDE_MISTAKE,
    "rate_starts_at_zero": Says.PROGRAM_WIDE_MISTAKE,
    "schedule_barely_begun": Says.PROGRAM_WIDE_MISTAKE,
    "rate_squared": Says.PROGRAM_WIDE_MISTAKE,
    "rate_set_aside": Says.PROGRAM_WIDE_MISTAKE,
    "bytes_wrap": Says.PROGRAM_WIDE_MISTAKE,
    "numbers_merge": Says.PROGRAM_WIDE_MISTAKE,
    "digits_lost": Says.PROGRAM_WIDE_MISTAKE,
    "counter_stands_still": Says.PROGRAM_WIDE_MISTAKE,
    "padding_in_score": Says.PROGRAM_WIDE_MISTAKE,
    "additions_lost": Says.PROGRAM_WIDE_MISTAKE,
    "samples_drift": Says.PROGRAM_WIDE_MISTAKE,
    "rows_doubled": Says.PROGRAM_WIDE_MISTAKE,
    "all_cut_to_zero": Says.PROGRAM_WIDE_MISTAKE,
    "copy_written": Says.PROGRAM_WIDE_MISTAKE,
    "statistics_left_behind": Says.PROGRAM_WIDE_MISTAKE,
    "lost_by_saving": Says.PROGRAM_WIDE_MISTAKE,
    "one_state_stored": Says.PROGRAM_WIDE_MISTAKE,
    "one_weight_stored": Says.PROGRAM_WIDE_MISTAKE,
    "hooks_pile_up": Says.PROGRAM_WIDE_MISTAKE,
    "sampler_inverted": Says.PROGRAM_WIDE_MISTAKE,
    "pairs_with_itself": Says.PROGRAM_WIDE_MISTAKE,
    "scheduler_never_stepped": Says.PROGRAM_WIDE_MISTAKE,
    "scheduler_first": Says.PROGRAM_WIDE_MISTAKE,
    "loaded_nothing": Says.PROGRAM_WIDE_MISTAKE,
    "loads_itself": Says.PROGRAM_WIDE_MISTAKE,
    "shared_weights": Says.PROGRAM_WIDE_MISTAKE,
    "one_module_repeated": Says.PROGRAM_WIDE_MISTAKE,
    "statistics_move": Says.PROGRAM_WIDE_MISTAKE,
    "frozen_with_the_rest": Says.PROGRAM_WIDE_MISTAKE,
    "frozen_as_made": Says.PROGRAM_WIDE_MISTAKE,
    "freezes_nothing": Says.PROGRAM_WIDE_MISTAKE,
    "stays_in_eval": Says.PROGRAM_WIDE_MISTAKE,
    "gradients_accumulate": Says.PROGRAM_WIDE_MISTAKE,
    "anothers_gradients": Says.PROGRAM_WIDE_MISTAKE,
    "weights_inverted": Says.PROGRAM_WIDE_MISTAKE,
    "advantage_not_detached": Says.PROGRAM_WIDE_MISTAKE,
    "weights_decayed_away": Says.PROGRAM_WIDE_MISTAKE,
    "rounded_away": Says.PROGRAM_WIDE_MISTAKE,
    "loader_empty": Says.PROGRAM_WIDE_MISTAKE,
    "class_ignored": Says.PROGRAM_WIDE_MISTAKE,
    **dict.fromkeys(BORNE_OUT, Says.PROGRAM_WIDE_MISTAKE),  # what only the text shows
    "infinite_slope": Says.MISTAKE,
    "loss_not_finite": Says.MISTAKE,
    "loss_ran_away": Says.MISTAKE,
    "gradient_not_finite": Says.MISTAKE,
    "no_gradient": Says.MISTAKE,
    "zero_gradient": Says.MISTAKE,
    "never_moved": Says.MISTAKE,
    "unregistered_tensor": Says.MISTAKE,
    "left_fixed": Says.NOTE,
    "unused_parameters": Says.NOTE,
    "plain_constant": Says.NOTE,
    "eval_mode_training": Says.NOTE,
    "graph_kept": Says.NOTE,
    "loss_repeats": Says.NOTE,
    "rate_rose": Says.NOTE,
    "counted_from_one": Says.NOTE,
    "pixels_ignored": Says.NOTE,
    "pytorch_warns": Says.NOTE,
    "log_softmax_before_cross_entropy": Says.NOTE,
    "input_requires_grad": Says.NOTE,
}
# What hangs on the values of the data: it is not said where they are placeholders.
OF_VALUES = frozenset(
    {
        "infinite_slope",
        "loss_not_finite",
        "loss_ran_away",
        "gradient_not_finite",
        "zero_gradient",
        "never_moved",
        "units_identical",
        "target_in_inputs",
        "weights_decayed_away",
        "rounded_away",
        "evaluated_on_another_scale",
        "numbers_merge",
        "digits_lost",
    }
)
# What hangs on their sizes, types or labels: it is said where those are the real thing's.
OF_SIZES = frozenset(
    {
        "one_class",
        "several_classes",
        "softmax_wrong_dim",
        "softmax_one_column",
        "bce_targets",
        "targets_out_of_reach",
        "targets_unscaled",
        "targets_without_sign",
        "blank_in_targets",
        "sampler_draws_few",
        "loader_empty",
        "class_ignored",
        "pixels_ignored",
        "weights_inverted",
        "sampler_inverted",
    }
)
# What hangs on the number of their dimensions.
OF_RANKS = frozenset({"loss_broadcasts", "comparison_broadcasts"})
_RANK = {kind: rank for rank, kind in enumerate(KINDS)}


def finding(kind: str, line: int | None, name: str, message: str, **facts: Any) -> Finding:
    """Make a finding that says whether it is a mistake; a kind without a row is a KeyError."""
    says = KINDS[kind]
    return Finding(
        kind=kind,
        line=line,
        name=name,
        message=message,
        facts=facts,
        mistake=says is not Says.NOTE,
        program_wide=says is Says.PROGRAM_WIDE_MISTAKE,
    )


def rank(finding: Finding) -> int:
    """Where a finding stands among others: the likeliest cause is 0."""
    return _RANK[finding.kind]
