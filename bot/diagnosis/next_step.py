"""Choose what to look at first where nothing was raised and nothing wrong was found."""

from __future__ import annotations

import re

from bot.diagnosis.own_error import posted
from bot.models import Question
from executor.protocol import Remark

# What they see → the look that tells its usual causes apart. From the most special to the most
# general: the first that fits is told.
_LOOKS: tuple[tuple[str, re.Pattern[str], str], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE | re.DOTALL), told)
    for kind, pattern, told in (
        (
            "memory_of_forward",
            r"\bforward\b.{0,80}\bmemory|memory.{0,120}\bmodel\("
            r"|why .{0,60}\bso much\b.{0,40}\bmemory",
            "a forward keeps what each layer computed, because backward() needs it: that memory "
            "grows with the batch and the size of the activations, and is mostly far more than the "
            "weights. Where nothing is trained, run it under `torch.no_grad()`; to train with "
            "less, use a smaller batch with gradient accumulation, `torch.autocast`, or "
            "`torch.utils.checkpoint`",
        ),
        (
            "memory_grows",
            r"memory[^.?!]{0,80}\b(?:grow|increas|leak|accumulat|fill)|(?:grow|increas|leak)\w*"
            r"[^.?!]{0,60}\b(?:memory|ram)\b|run(?:s|ning)? out of memory|each (?:epoch|iteration)"
            r"[^.?!]{0,40}slower|(?:gets?|becom\w+) slower",
            "print `torch.cuda.memory_allocated()` after each step. If it grows with each one, "
            "something keeps the graphs of earlier steps: a loss or output that is added up or put "
            "into a list without `.item()` or `.detach()`, a hidden state that is carried on "
            "without `.detach()`, or a forward outside of `torch.no_grad()` that nothing calls "
            "backward() on",
        ),
        (
            "not_a_number",
            r"\bnan\b|\binf\b|infinit|\bexplod",
            "find the first step where `torch.isfinite(loss)` is false, and print the inputs, the "
            "outputs and the largest gradient there. Usual causes: log, sqrt or a division at 0 "
            "(add a small number inside), exp of a large number, a learning rate that is too "
            "high, NaN in the data, float16 without a gradient scaler. "
            "`torch.autograd.set_detect_anomaly(True)` names the operation",
        ),
        (
            "modes_differ",
            r"\beval\b.{0,80}(?:differ|chang|worse|wrong|bad)|(?:differ|chang|worse)\w*.{0,80}\beval"
            r"|\btrain\(\)|weights? (?:do |does |are |is )?not (?:chang|updat).{0,80}\bchang"
            r"|batch.?norm\w*.{0,120}\beval"
            r"|same (?:image|input).{0,60}different|different (?:result|output|prediction)s?",
            "a forward in training mode drops values (Dropout) and uses the statistics of the "
            "batch (BatchNorm), and it changes BatchNorm's running statistics even where nothing "
            "calls backward() and all weights are frozen. Call `model.eval()` before every forward "
            "that only predicts, and compare `model.training` and the state of the BatchNorm "
            "layers in both cases; small batches make the difference large",
        ),
        (
            "same_prediction",
            r"(?:same|one|identical|constant) (?:\w+ ){0,2}(?:prediction|output|class|label|result)"
            r"|(?:predict|output)\w*[^.?!]{0,40}\b(?:same|only one|constant|majority|always)",
            "print the outputs before the softmax for two very different inputs. If they are the "
            "same: is `model.eval()` called, are the weights really loaded (`load_state_dict` "
            "reports missing keys), are the inputs scaled as in training, does a ReLU at the end "
            "give 0 for all? If they differ, the model has learned the most frequent class: "
            "shuffle, use larger batches and a smaller learning rate (Adam), and weigh the classes",
        ),
        (
            "validation_differs",
            r"valid\w*[^.?!]{0,60}\b(?:worse|lower|higher|drop|random|stuck|bad|poor)|over-?fit",
            "evaluate the training data with the validation code. If that is bad too, the "
            "evaluation is at fault: `model.eval()` missing, another scaling of the inputs, labels "
            "in another order, an accuracy that compares [N] with [N, 1]. If it is good, the model "
            "has learned its data by heart: more data or augmentation, weight decay, dropout, "
            "fewer epochs",
        ),
        (
            "not_reproducible",
            r"(?:reproduc|determinis|\bseed)\w*",
            "set `torch.manual_seed`, `random.seed` and `numpy.random.seed` before the model is "
            "made, give the DataLoader a `generator` (and a `worker_init_fn` with workers), and "
            "call `torch.use_deterministic_algorithms(True)`; compare the first batch, the first "
            "weights and the first loss of two runs to see where they part",
        ),
        (
            "does_not_learn",
            r"\b(?:loss|accuracy|acc|error|weights?|parameters?|gradients?|model|network|net|rnn|it)\b"
            r"[^.?!]{0,60}(?:\bnot\b|n't|\bnever\b|\bwo?nt\b|\bstays?\b|\bstuck\b|\bconstant\b"
            r"|\bsame\b|\bno\b|remains?)[^.?!]{0,40}(?:decreas|improv|chang|learn|train|updat"
            r"|converg|low|good|move|same|$)|(?:\bnot|n't|never) (?:\w+ )?(?:learn|train|converg"
            r"|updat)|\b(?:stuck|stays the same|remains the same)\b|very bad"
            r"|(?:as good|worse) (?:as|than)\b",
            "look at one step. After `loss.backward()` print `(name, p.grad is None, p.grad and "
            "p.grad.abs().max())` for `model.named_parameters()`, and compare one weight before "
            "and after `optimizer.step()`. No gradient: the loss is cut off from the model (numpy, "
            "`.item()`, `.detach()`, a new tensor). A gradient, and the weight stays: the "
            "optimizer holds the parameters of another model object, or its rate is 0; make it "
            "after the model. The weight moves: let it learn 8 samples by heart (Adam, lr=1e-3), "
            "and then look at the labels, the shapes in the loss ([N, 1] against [N]) and the "
            "scale of the inputs",
        ),
    )
)


def next_step(question: Question) -> Remark | None:
    """What to look at first, by the words around the code; None where an error was posted."""
    if posted(question) is not None:
        return None
    for kind, seen, told in _LOOKS:
        if seen.search(question.text):
            return Remark(kind=kind, line=0, code="", message=told, aside=True)
    return None
