"""Errors of CTC, which aligns a sequence of scores with a shorter one of labels."""

from __future__ import annotations

from executor.errors.family import ErrorFamily, Suspect

FAMILIES = (
    ErrorFamily(
        id="ctc_lengths",
        says="CTC is told that targets are longer than the tensor that holds them.",
        means=(
            "A target_length says {wanted}, and the targets hold {given} labels for each sample",
        ),
        remedy=(
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
