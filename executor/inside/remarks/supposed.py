"""Say of which programs a rule's finding is told, and in which words.

Some rules find what Python's and PyTorch's own rules decide: one line is enough, and it is told of
any text. The others suppose something that no line says: what a mask marks, what is to be a share,
that two parts of the code are one training. Read by people in code that nobody had worked with,
every second of these misled (docs/findings.md), each by another thing that the text did not say. So
they are told of a whole program alone, which has its training in it and calls it, and what is told
begins with what it supposes: it is true whatever was meant.
"""

from __future__ import annotations

# Kind → what it supposes; nothing where its own sentence says so.
SUPPOSES = {
    "adversaries_agree": "the two are to play against each other",
    "aliases_kept": "the list is to hold the values of each round",
    "all_but_one": "it is to be so in every n-th round",
    "attack_left_gradients": "the step is to follow the loss alone",
    "augmented_in_place": "the stored data are to stay as they are",
    "average_inverted": "this is to be an average over many steps",
    "bce_of_softmax": "each sample is of one class",
    "best_is_worst": "this is to keep the best one",
    "carried": "nothing is to go back through these rounds",
    "classes_shifted": "the classes are counted from 0",
    "clipped_scaled": "the limit is one for the gradients themselves",
    "counts_padding": "this is to be a figure of the real places",
    "counts_the_last": "this is to be the share of all samples",
    "deviation_of_log": "this is the logarithm of a variance",
    "deviation_for_variance": "the name says what it holds",
    "drawn_apart": "each target belongs to one input",
    "drawn_twice": "",
    "end_left_out": "an episode may end within these steps",
    "exchanged_figures": "the names say what they hold",
    "exp_of_loss": "the loss can become large",
    "fed_the_answer": "this is to show how good it is when it is used",
    "fitted_on_test": "both are to be on one scale",
    "floored": "this is to be a share",
    "gain_as_loss": "good actions are to become likelier",
    "gradient_not_asked_for": "",
    "gradient_ignored": "what it returns goes on into other computations",
    "graph_left_out": "the model is to learn from this term",
    "late_binding": "they are called when all of them are made",
    "lengths_unread": "the sequences are padded",
    "loss_overwritten": "both losses are to be trained",
    "made_after_optimizer": "the new ones are to be trained",
    "made_each_epoch": "all rounds are to train one model",
    "mask_left_out": "some of the samples are for the test alone",
    "masked_mean": "the mask marks padding",
    "mixed_apart": "each label belongs to one input",
    "moved_alone": "the one says something of the places of the other",
    "never_eval": "the model has dropout or batch norm",
    "never_used": "it is to have a part in the training",
    "noise_without_root": "this mixes data and noise as a diffusion does",
    "old_is_new": "this is to compare two policies",
    "one_column": "the classes are to be told apart",
    "one_object": "the two are to differ",
    "optimizer_each_epoch": "all rounds are one training",
    "ordered_apart": "each label belongs to one input",
    "over_batches": "this is to be a share of the samples",
    "penalty_rewarded": "the name says what it is",
    "phases_in_training": "one of the phases judges the model as it is used",
    "picks_samples": "dimension 0 is that of the samples",
    "pixels_floored": "these are pixels as whole numbers",
    "plateau_mode": "this value gets better the other way",
    "positions_of_samples": "the positions are to be those of the steps",
    "precedence": "the difference is to be divided",
    "quantile_turned": "the names say what they hold",
    "rate_unread": "the steps are to take the new rate",
    "rates_not_logs": "what the model gives are the rates",
    "ratio_inverted": "this is to be the ratio of the new policy to the old one",
    "returns_backwards": "these are to be the returns of the steps in their order",
    "returns_early": "it is to go through all batches",
    "returns_forwards": "these are to be the returns of the steps",
    "same_draw": "the test data are to be others",
    "same_input": "the layers are to follow one another",
    "sampled": "that network is to learn through this sample",
    "scaler": "the optimizer steps on the gradients of the scaled loss",
    "score_as_loss": "the prediction is to get better",
    "scores_cut": "",
    "seeded_each_epoch": "the rounds are to differ",
    "seeded_each_sample": "the samples are to differ",
    "selected_on_test": "the test is to be one of unseen samples",
    "shuffled_apart": "each label belongs to one input",
    "sign_of_kl": "this is the divergence of a VAE",
    "split_unused": "the test is to be one of what was put aside for it",
    "started_once": "each fold is to be tested on samples that are new to it",
    "state_let_go": "each round is to go on from the one before",
    "step_outside": "the gradients of all rounds are to count",
    "step_uphill": "the loss is to become smaller",
    "sum_beside_mean": "nothing later brings the two to one size",
    "target_noisy": "the model is to take the noise away",
    "teaches_in_training": "the targets are to be those of the model as it is used",
    "temperature_multiplied": "this is a temperature",
    "term_twice": "the terms are to be of different things",
    "terminal_kept": "that is 1 where an episode has ended",
    "test_augmented": "each evaluation is to judge the same samples",
    "test_not_normalised": "both are to be on one scale",
    "threshold": "what is compared is what the loss is given",
    "traced_in_training": "the model has dropout or batch norm",
    "used_up": "each round is to go through it",
    "value_without_gradient": "the term is to be minimised too",
    "validated_in_training": "this is to judge the model as it is used",
    "values_as_classes": "the labels are numbers of classes",
}
# Those of them that one function shows, and that people found right in parts of programs.
_BORNE_OUT_IN_PARTS = frozenset(
    ["clipped_scaled", "never_eval", "sum_beside_mean", "test_augmented"]
)


def is_told(kind: str, *, alone: bool) -> bool:
    """Whether a kind is told of a program, which stands alone or is a part of one."""
    return alone or kind not in SUPPOSES or kind in _BORNE_OUT_IN_PARTS


def worded(kind: str, message: str) -> str:
    """The message, behind what it supposes."""
    supposes = SUPPOSES.get(kind)
    return f"a mistake if {supposes}: {message}" if supposes else message
