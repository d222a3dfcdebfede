"""Errors of CTC, which aligns a sequence of scores with a shorter one of labels."""

from __future__ import annotations

from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect


def _fits(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether the size is large enough, so that the message cannot be of what it names.

    Before torch 1.2 the check of input_lengths had the words of the one of target_lengths.
    """
    wanted, given = seen.numbers("wanted", "given")
    return {"fits": "yes" if given >= wanted else ""}


FAMILIES = (
    ErrorFamily(
        id="ctc_lengths",
        says="CTC is told that targets are longer than the tensor that holds them.",
        means=(
            Sentence(
                "An input_length is larger than the number of time steps in the scores: an older "
                "torch words it so. {wanted} is one of these two, and {given} the first size of "
                "the targets, which plays no part",
                {"fits": "yes"},
            ),
            "A target_length says {wanted}, and the targets hold {given} labels for each sample",
        ),
        remedy=(
            Sentence(
                "The lengths can't be chosen: input_lengths are the steps that the network gives, "
                "`log_probs.shape[0]` for a batch without padding; print it. CTC needs as many "
                "steps as there are labels, and one more between two equal ones: with fewer the "
                "loss is inf, and then NaN. Wider inputs, or less pooling or stride along the "
                "width, give more steps; `nn.CTCLoss(zero_infinity=True)` leaves such samples out",
                {"fits": "yes"},
            ),
            "target_lengths are the numbers of labels before padding, one for each sample, and "
            "none may be larger than `targets.shape[1]`: print both. They are counted where the "
            "labels are made (without a file's ending, with or without blanks). If {wanted} is the "
            "number of time steps, the two lengths were exchanged: `ctc_loss(log_probs, targets, "
            "input_lengths, target_lengths)`",
        ),
        suspects=(Suspect(r"ctc_loss|CTCLoss|criterion"),),
        types=("RuntimeError",),
        today=(
            r"Expected tensor to have size at least (?P<wanted>\d+) at dimension 1, but got size "
            r"(?P<given>\d+) ?for argument #2 'targets'",
        ),
        values={"wanted": "the largest of the lengths", "given": "the width of the targets"},
        derive=_fits,
        sample=(
            "F.ctc_loss(torch.zeros(5, 1, 4).log_softmax(2), torch.ones(1, 2, dtype=torch.long), "
            "torch.tensor([5]), torch.tensor([3]))"
        ),
    ),
    ErrorFamily(
        id="ctc_steps",
        says="CTC is told more time steps than the scores have.",
        means=(
            "An input_length says {told} time steps, and the scores that ctc_loss gets have "
            "{steps} of them",
        ),
        remedy=(
            "input_lengths count the steps of what the network gives, and not of what it is given: "
            "a convolution or pooling with a stride of 2 halves them (`(length + 1) // 2` for a "
            "kernel of 3 with padding 1), so compute the lengths where the model does, or return "
            "them from it. If {steps} is the batch, the scores are turned: ctc_loss wants [steps, "
            "batch, classes]",
        ),
        suspects=(Suspect(r"ctc_loss|CTCLoss|criterion"),),
        types=("RuntimeError",),
        today=(
            r"Expected input_lengths to have value at most (?P<steps>\d+), but got value "
            r"(?P<told>\d+)",
        ),
        values={"told": "the largest of the lengths", "steps": "time steps of the scores"},
        sample=(
            "F.ctc_loss(torch.zeros(5, 1, 4).log_softmax(2), torch.ones(1, 2, dtype=torch.long), "
            "torch.tensor([9]), torch.tensor([2]))"
        ),
    ),
)
