"""bot/diagnosis/next_step.py: what to look at first where no error was raised."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from bot.diagnosis.next_step import next_step, the_loss_falls
from bot.diagnosis.wording.no_error import remark
from bot.models import PastedTraceback, Question
from executor.protocol import JobResult, LossSeen, Remark
from tests.bot.diagnosis.test_read_not_run import answer
from tests.built import failed, found, noted, ran


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Why does the forward pass use all my memory?", "memory_of_forward"),
        ("The GPU memory usage keeps growing.", "memory_grows"),
        ("The GPU memory just gets larger after some epochs", "memory_grows"),
        ("CUDA out of memory comes up after three epochs", "memory_grows"),
        ("After backward() all the gradients are None", "no_gradient"),
        ("Why is weight.grad None?", "no_gradient"),
        (
            "The **gradients** of some (e.g. x) after loss.backward(): all are **None**",
            "no_gradient",
        ),
        ("The gradients are fine. But none of my layers learns", None),
        ("The **parameters remain unchanged** during training", "does_not_learn"),
        ("The weights stay the same", "does_not_learn"),
        ("The parameters are the same as in the paper", None),
        ("The accuracy remains 0 in every epoch", "accuracy_zero"),
        ("train loss: 0.02, acc: 0.0000", "accuracy_zero"),
        ("The accuracy is 0.85 after one epoch", None),
        ("It is not the gradient. None of the others work", None),
        ("Each epoch gets slower than the one before.", "memory_grows"),
        ("After 20 steps my loss is nan", "not_a_number"),
        ("With autocast the loss becomes nan", "not_a_number_in_half"),
        ("The results with eval() are much worse", "eval_is_worse"),
        ("In eval mode the validation accuracy drops to random", "eval_is_worse"),
        ("I left out eval() on purpose, for dropout in each pass", None),
        ("The validation loss explodes, and after bn1 the mean is 60", "eval_is_worse"),
        ("The validation loss explodes", None),
        ("The loss explodes in training", "not_a_number"),
        ("The same image gets a different output each time", "modes_differ"),
        ("With shuffle=True in the test loader the AUC drops to 0.41", "order_decides"),
        ("I shuffle the validation set and the accuracy changes. Why?", "order_decides"),
        ("It predicts the same class for every image", "same_prediction"),
        ("A model that outputs only the most frequent label", "same_prediction"),
        ("It can't even overfit one batch, and the loss stays the same", "does_not_learn"),
        ("The forecast has the same number for every input", "constant_number"),
        ("The LSTM gives a flat line", "constant_number"),
        ("How do I draw a straight line?", None),
        ("It goes past the optimum and away from it", "goes_past"),
        ("Loss is nan: loss_mask 3.1, loss_box_reg nan", "boxes_not_a_number"),
        ("It runs out of memory for larger inputs", None),
        ("My model is overfitting", "validation_differs"),
        ("The loss is not descending", "does_not_learn"),
        ("Why does training take so long?", "slow"),
        ("Why does training take so long to converge?", None),
        ("The training takes forever until it learns anything", None),
        ("Validation accuracy stays much lower than training", "validation_differs"),
        ("My validation accuracy is near zero", "validation_differs"),
        ("Each run gives other numbers although I set a seed", "not_reproducible"),
        ("The loss is always 0 from the first epoch", "loss_is_zero"),
        ("My loss: 0.0000 in each step", "loss_is_zero"),
        ("The loss is 0.03 in the end, and then?", None),
        ("The training loss goes up after some steps", "loss_grows"),
        ("It hangs at the first batch with two GPUs", "stands_still"),
        ("Training on the GPU is slower than on the CPU", "slow"),
        ("A query on a large table is slow", None),  # of another field
        ("My browser hangs at the login page", None),
        ("The account is 0 since today", None),
        ("The training loss goes down too slow", None),
        ("Illegal instruction at the first batch. It hangs in the garden.", None),
        ("Training is slow with four workers", "slow"),
        ("Training freezes at the second epoch", "stands_still"),
        ("How do I freeze layers while training the model?", None),
        ("The training loss is stuck at 0.69", "does_not_learn"),
        ("GPU utilization is at 5 percent", "slow"),
        ("The gradients of two layers are None", "no_gradient"),
        ("The grad of the norm is not None and not zero", None),
        ("I shuffle the training data, and the accuracy is fine", None),
        ("The loss does not decrease", "does_not_learn"),
        ("My network is not learning", "does_not_learn"),
        ("optimizer.step() does not update the weights", "does_not_learn"),
        ("why zero_grad twice? wouldn't it clear the gradients not used yet?", None),
        ("Is softmax needed on the last layer? Does it give different results?", None),
        ("Each epoch samples in the same order. ## To Reproduce: run it", None),
        ("What is the one class that all optimizers share?", None),
        ("How do I join two tensors?", None),
        ("What does view do with a transposed tensor?", None),
    ],
)
def test_the_words_choose_the_look(text: str, kind: str | None):
    """Each symptom has its own; a question without one has none."""
    seen = next_step(Question(text=text))

    assert (seen.kind if seen is not None else None) == kind
    assert seen is None or seen.aside


def test_a_posted_error_is_no_symptom():
    """Then what it means comes first."""
    error = PastedTraceback(type="RuntimeError", message="it broke")

    assert next_step(Question(text="The loss does not decrease", traceback=error)) is None


def test_a_look_is_no_statement_of_the_cause():
    """The words alone leave several causes open, and the headline says so."""
    seen = next_step(Question(text="The loss does not decrease"))

    assert seen is not None
    assert remark(seen).startswith("The cause is not known here")


FELL = LossSeen(line=1, rounds=20, first=1.0, last=0.8)


@pytest.mark.parametrize(
    ("run", "falls"),
    [
        (ran(trained=True, losses=(FELL,)), True),
        (ran(trained=True, losses=(FELL.model_copy(update={"rounds": 19}),)), False),  # too few
        (ran(trained=True, losses=(FELL.model_copy(update={"last": 0.9}),)), False),  # or noise
        (ran(trained=True, losses=(FELL.model_copy(update={"last": 0.9}), FELL)), True),
        (ran(losses=(FELL,)), False),
        (ran(trained=True, losses=(FELL,), assumptions=("x is random",)), False),  # on other data
        (failed("a", trained=True, losses=(FELL,)), False),
    ],
)
def test_a_loss_that_falls_in_the_run(run: JobResult, falls: bool):
    """Then nobody is told to look why it stands still."""
    assert the_loss_falls(run) is falls


def test_its_code_runs_on_any_gradient():
    """What people are told to print does not fail in their program."""
    seen = next_step(Question(text="The loss does not decrease"))
    assert seen is not None
    shown = seen.message.partition("print `")[2].partition("`")[0]
    wide = nn.Linear(2, 2)
    wide(torch.ones(1, 2)).sum().backward()

    for name, p in [*wide.named_parameters(), ("none", nn.Parameter(torch.ones(2)))]:
        assert eval(shown, {}, {"name": name, "p": p})[0] == name


def test_beside_a_mistake_that_the_run_shows_no_general_look_is_told() -> None:
    """It would lead away from what is known; a note explains no symptom by itself."""
    text = "The loss does not decrease"
    mistaken = answer(text=text, run=ran(findings=(found("softmax_before_cross_entropy"),)))
    only_noted = answer(text=text, run=ran(findings=(noted("graph_kept"),)))

    assert [remark.kind for remark in mistaken.remarks] == []
    assert [remark.kind for remark in only_noted.remarks] == ["does_not_learn"]


@pytest.mark.parametrize(
    ("kind", "finding", "told"),
    [
        ("softmax_twice", "softmax_before_cross_entropy", False),
        ("zeroed_outside", "gradients_accumulate", False),
        ("softmax_twice", "gradients_accumulate", True),
    ],
)
def test_what_a_probe_saw_in_the_run_is_not_told_of_the_text_too(
    kind: str, finding: str, told: bool
) -> None:
    """The same thing under two names is one thing."""
    read = Remark(kind=kind, line=1, code="", message="so it is")
    shown = answer(text="", run=ran(findings=(found(finding),), remarks=(read,)))

    assert (kind in {r.kind for r in shown.remarks}) is told
