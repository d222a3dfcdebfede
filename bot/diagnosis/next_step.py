"""Choose what to look at first where nothing was raised and nothing wrong was found."""

from __future__ import annotations

import re

from bot.diagnosis.own_error import posted
from bot.models import Question
from executor.protocol import JobResult, Remark

# A word of the field, for symptoms that programs of every kind have.
_OF_TRAINING = (
    r"\A(?=.*\b(?:train(?:s|ed|ing)?|epochs?|batch(?:es)?|models?|networks?|gpus?|cuda"
    r"|data ?loaders?|torch|pytorch|forward|backward|inference|ddp|nccl)\b).*"
)

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
            "no_gradient",
            r"\bgrad(?:ient)?s?\b[^.?!\n]{0,60}(?<!not )\bnone\b"
            r"|\bgradients?\b.{0,200}(?-i:(?<!not )\bNone\b(?! of))"
            r"|(?<!not )\bnone\b[^.?!\n]{0,30}\bgrad(?:ient)?s?\b",
            "print `loss.grad_fn` and `output.requires_grad` right before backward(). If the first "
            "is None or the second False, the graph is cut before the loss: `.detach()`, `.data`, "
            "`.item()`, numpy, argmax, `torch.tensor(…)` or `Variable(…)` around a computed value, "
            "also inside a loss of your own. If both are there, these parameters take no part in "
            "that loss: they are frozen (`p.requires_grad` is False; where the input needs no "
            "gradient either, backward does not come through their layer at all, and no backward "
            "hook of it is called: `x.requires_grad_()` on the input, or a later layer), they are "
            "another object's than the model that computed it (look for a "
            "second instance, or a misspelled name), or their layer is not used in forward, or "
            "it is called through (reentrant) activation checkpointing with inputs that need no "
            "gradient. Of a tensor that was computed from others `.grad` stays None unless "
            "`retain_grad()` was called",
        ),
        (
            "accuracy_zero",
            r"\bacc(?:u|uracy|uracies)?\b[^.?!\n]{0,40}(?:\b(?:is|remain\w*|stays?|always|get|gets|only)\b|[=:])"
            r"[^.?!\n\w]{0,6}(?:at )?[\"'“]?(?:0(?:[.,]0+)?(?![.,\d]|\s*%?\d)|zero\b)",
            "print one batch's predictions and labels beside each other, with their shapes and "
            "dtypes. If the loss is low while the accuracy is 0, the accuracy is computed wrongly: "
            "a sum of booleans divided as whole numbers is 0 in torch before 1.5 (`.item()` or "
            "`.float()` first), [N] against [N, 1] compares each with each, one-hot labels need "
            "`argmax(1)`. If the loss is not low, the predictions are of the wrong classes: labels "
            "that begin at another number, or a model that gives one class for all",
        ),
        (
            "memory_grows",
            r"memory[^.?!]{0,80}\b(?:grow|increas|leak|accumulat|fill|climb"
            r"|(?<!for )(?:larger|bigger|higher)|ris(?:es|ing))"
            r"|\bmemory\b[^.?!]{0,60}\bafter (?:\w+ ){0,3}(?:epoch|iteration|step|batch)"
            r"|(?:grow|increas|leak)\w*"
            r"[^.?!]{0,60}\b(?:memory|ram)\b|each (?:epoch|iteration)"
            r"[^.?!]{0,40}slower|(?:gets?|becom\w+) slower",
            "print the memory that is held after each step (`torch.cuda.memory_allocated()` on a "
            "GPU, the size of the process on the CPU). If it grows with each one, "
            "something keeps the graphs of earlier steps: a loss or output that is added up or put "
            "into a list without `.item()` or `.detach()`, a hidden state that is carried on "
            "without `.detach()`, or a forward outside of `torch.no_grad()` that nothing calls "
            "backward() on",
        ),
        (
            "not_a_number_in_half",
            r"(?=.*\b(?:nans?|inf)\b).*\b(?:amp|autocast|fp16|float16|(?:half|mixed) precision"
            r"|grad_?scaler)\b",
            "float16 ends at 65504. Find the first layer whose output is not finite (a forward "
            "hook with `torch.isfinite(out).all()`), and look there for a mask filled with -1e9 or "
            "-1e10 (`torch.finfo(x.dtype).min` fits every dtype), a row that is masked everywhere, "
            "an exp, a sum or a norm over many values. A GradScaler skips steps whose gradients "
            "are not finite, and mends no NaN of the forward. Weights that are float16 themselves "
            "(`model.half()`) can turn NaN in Adam's step, whose eps of 1e-8 is 0 there: keep them "
            "in float32 under autocast. `dtype=torch.bfloat16` has the range "
            "of float32 and needs no scaler. If float32 gives NaN too, it is not the precision",
        ),
        (
            "boxes_not_a_number",
            r"(?=.*\bnan\b).*\bloss_(?:rpn_)?box_reg\b",
            "see which of the losses is NaN first. If it is the one of the boxes alone "
            "(`loss_box_reg`, `loss_rpn_box_reg`), look for boxes without width or height, as a "
            "mask that is one pixel wide gives them (`xmin == xmax`): their size goes through a "
            "logarithm and a division. Keep those with `xmax > xmin` and `ymax > ymin`, and their "
            "labels and masks with them; boxes are [xmin, ymin, xmax, ymax] in pixels. If all are "
            "NaN at once, a smaller learning rate or a warm-up, and inputs between 0 and 1",
        ),
        (
            "not_a_number",
            r"\bnans?\b|\binf\b|infinit"
            r"|\A(?!.*\b(?:validation|val[ _]loss|eval)\b.{0,200}\bexplod).*\bexplod",
            "find the first step where `torch.isfinite(loss)` is false, and print the inputs, the "
            "outputs and the largest gradient there. Usual causes: log, sqrt or a division at 0 "
            "(add a small number inside), a softmax over a row that is masked everywhere, exp of "
            "a large number, a learning rate that is too high, NaN in the data, float16 without a "
            "gradient scaler. If the loss is finite and its gradients are not, an operation has an "
            "infinite slope at what it got: a root at 0, `acos` or `asin` at 1 and -1. "
            "`torch.autograd.set_detect_anomaly(True)` names the first one whose gradient is NaN; "
            "the infinite one may be the one after it in the forward",
        ),
        (
            "eval_is_worse",
            r"\A(?=.*\b(?:bn\d?|batch ?norm\w*)\b).*\b(?:validation|val[ _]loss)\b[^.?!\n]{0,60}"
            r"\bexplod|"
            r"\beval(?:uation)?(?:\(\)| mode)?\b.{0,100}\b(?:worse|drop(?:s|ped)?|bad|poor|random"
            r"|high|higher|low|lower)\b|\b(?:worse|bad|poor)\b[^.?!]{0,60}\beval(?:\(\)| mode)",
            "if the results are worse in eval mode alone, BatchNorm's running statistics do not "
            "fit the data: too few or too small batches, statistics of another task or of mixed "
            "data, or inputs scaled otherwise. Compare `running_mean` of the first BatchNorm with "
            "the mean of its input; a model without BatchNorm differs only by Dropout",
        ),
        (
            "order_decides",
            r"(?s)\A(?=.*\b(?:test|val\w*|eval\w*)\b[^.?!\n]{0,40}\b(?:loader|set|data|batch))"
            r"(?=.*\b(?:auc|accuracy|acc|map|score|f1|metrics?)\b)"
            r"(?=.*\bshuffl\w*\b[^.?!\n]{0,40}\b(?:test|val\w*|eval\w*)\b).*"
            r"\bshuffl\w*\b[^.?!\n]{0,120}(?:→|->|\b(?:drop|chang|differ|lower|worse|higher|better"
            r"|fall|get)\w*)",
            "an order that decides a metric, though nothing is mixed up, mostly means that a "
            "sample's output depends on its neighbours in the batch: BatchNorm in training mode "
            "takes the statistics of the batch, and of a set that is sorted by class they tell the "
            "label. Print `model.training` in the test; with `model.eval()` (of every part of the "
            "model) the same sample gives the same output in any order, and that number is the "
            "honest one. If it is in eval mode, see that outputs and labels are put together in "
            "the same order (labels of `dataset.targets` are in the file's order)",
        ),
        (
            "modes_differ",
            r"\beval(?:\(\)| mode)\b.{0,80}\bdiffer|\bdiffer.{0,80}\beval(?:\(\)| mode)"
            r"|weights? (?:do |does |are |is )?not (?:chang|updat).{0,80}\bchang"
            r"|(?:same|identical) (?:image|input|sample|sentence)s?\b.{0,60}\bdifferent"
            r"|\bdifferent (?:result|output|prediction)s?\b[^.?!]{0,40}"
            r"\b(?:same|each|every) (?:image|input|sample|sentence|time|call|run)",
            "print `model.training` at that line. In training mode a forward drops values "
            "(Dropout), uses the statistics of the batch (BatchNorm) and changes BatchNorm's "
            "running statistics even where nothing calls backward() and all weights are frozen: "
            "`model.eval()` belongs before every forward that only predicts. If it is False "
            "already, compare the weights (`load_state_dict` reports missing keys) and the inputs",
        ),
        (
            "constant_number",
            r"(?=.*\b(?:forecast\w*|regress\w*|time ?series|lstm|rnn|gru|mse)\b).*"
            r"(?:\b(?:same|identical|constant) (?:\w+ ){0,2}(?:values?|numbers?)\b[^.?!]{0,60}"
            r"\b(?:whatever|(?:every|each|any|all) (?:\w+ )?(?:inputs?|samples?|windows?))\b"
            r"|\b(?:straight|flat|horizontal) line\b)",
            "print `pred.shape` and `y.shape` right before the loss: [N] against [N, 1] compares "
            "each with each, and then one constant is the best answer. If they agree, let it learn "
            "32 samples by heart, with inputs and targets scaled to about mean 0 and deviation 1 "
            "(Adam, lr=1e-3, some hundred epochs). If it can, it was trained too little, with too "
            "small a rate, or has too few units for all of the data; compare its loss with the "
            "variance of the targets, which a constant reaches, and with what repeating the last "
            "value gives. If it cannot, see what goes in: the steps of a sequence belong into the "
            "dimension of time, [time, batch, features] or, with `batch_first=True`, [batch, time, "
            "features]",
        ),
        (
            "same_prediction",
            r"\b(?:same|identical|constant) (?:\w+ ){0,2}(?:prediction|output|class|label)s?\b"
            r"|(?:predict|output)\w*[^.?!]{0,40}\b(?:the same|only one|constant|majority|always)"
            r"|\b(?:predict|output|return)s? only\b|\bonly (?:predict|output|return)s?\b"
            r"|\b(?:predict|output)s? (?:all )?zeros?\b",
            "print the raw outputs for two very different inputs. If they are the "
            "same: are the weights really loaded (`load_state_dict` reports missing keys), are the "
            "inputs scaled as in training, does a ReLU at the end give 0 for all? If they differ, "
            "the model does use its input, and the loss pays for the most frequent class, or for "
            "the mean of the targets: shuffle, try a smaller learning rate, weigh the classes",
        ),
        (
            "validation_differs",
            r"\bvalid\w*[^.?!]{0,60}\b(?:worse|lower|higher|drop|random|stuck|bad|poor"
            r"|near (?:0|zero|chance)|close to (?:0|zero|chance))\b"
            r"|(?<!not )(?<!even )(?<!t )(?<!to )\bover-?fit",
            "evaluate the training data with the validation code. If that is bad too, new data are "
            "not the matter: the evaluation may be at fault (`model.eval()` missing, another "
            "scaling of the inputs, labels in another order, as ImageFolder counts the names of "
            "the folders, an accuracy that compares [N] with [N, 1]), or the training, whose loss "
            "falls for another reason than that its answers get right. If it is good, the model "
            "has learned its data by heart: more data or augmentation, weight decay, dropout, "
            "fewer epochs",
        ),
        (
            "not_reproducible",
            r"\b(?:not|non|cannot|can't|isn't|different|differ|vary|varies)\b[^.?!]{0,60}"
            r"\b(?:reproduc|determinis)|\bnon-?determinis|\bseed\w*[^.?!]{0,80}"
            r"\b(?:differ|random|vary|varies|still|other)|\b(?:differ\w*|other|random)\b[^.?!]{0,60}\bseed",
            "a seed fixes the whole sequence of draws: within one run two draws differ as they "
            "should, and the next run repeats them in the same order. Where two runs differ, set "
            "`torch.manual_seed`, `random.seed` and `numpy.random.seed` before the model is made, "
            "give the DataLoader a `generator` (and a `worker_init_fn` with workers), and call "
            "`torch.use_deterministic_algorithms(True)`; compare the first batch, the first "
            "weights and the first loss of the two to see where they part",
        ),
        (
            "goes_past",
            r"\bovershoot\w*|\b(?:past|beyond) the (?:optimum|minimum|target|label)\b",
            "at the best value the gradient turns round, and what goes on for some steps is "
            "momentum (Adam has it too): train on for 50 steps, and it comes back; a smaller rate "
            "or SGD without momentum overshoots less. If it does not come back, look for "
            "`optimizer.zero_grad()` in each step: without it the gradients of earlier steps are "
            "added on",
        ),
        (
            "loss_is_zero",
            r"\bloss\b[^.?!\n]{0,40}(?:\b(?:is|are|always|becomes?|stays?|only|drops? to|goes? to"
            r"|equals?)\b|[=:])[^.?!\n\w]{0,6}(?:just |always |exactly )?"
            r"(?:0(?:[.,]0+)?(?![.,\d])|zero\b)",
            "print the loss's two arguments for one batch, with their shapes and dtypes. A cross "
            "entropy over one output is always 0 (one class has all the probability); a target "
            "that is all ignore_index, all one class or the input itself, a mask that leaves "
            "nothing, and a hinge or triplet loss beyond its margin give 0 too. If the numbers are "
            "small and not 0, print them with more digits",
        ),
        (
            "loss_grows",
            r"\bloss\b[^.?!\n]{0,40}\b(?:increas\w*|go(?:es|ing)? up|grows?|growing|diverg\w*"
            r"|blow\w* up|ris(?:es?|ing))\b",
            "whose loss is it? If only the validation's rises, the model learns its training data "
            "by heart. If the training's rises, divide the learning rate by 10, and again: if that "
            "helps, the steps were too large (or the inputs too large: scale them). If it does "
            "not, look for a sign that is turned around, a zero_grad() that is missing, a loss "
            "that is summed over more and more, and labels in another order than the outputs",
        ),
        (
            "stands_still",
            # What was ended by the system stands nowhere any more.
            r"\A(?!.*\b(?:illegal instruction|segmentation fault|segfault|core dumped"
            r"|sig(?:ill|segv|abrt|bus|kill))\b)"
            + _OF_TRAINING
            + r"\b(?:hangs?|hanging|hung|deadlock\w*|freezes (?:at|in|on|after|during|when)"
            r"|never (?:ends|finishes|returns)|blocks? forever)\b",
            "see where it stands: `py-spy dump --pid …` prints the line of every thread. In a "
            "DataLoader: try `num_workers=0`; if that runs, look for OpenCV or OpenMP threads in "
            "the workers (`cv2.setNumThreads(0)`), a missing `if __name__ == '__main__':`, or too "
            "little shared memory. With several processes: all of them have to reach each "
            "collective operation equally often, so look for a rank with fewer batches, and for a "
            "barrier, save or evaluation that only one rank calls (there `model.module(x)`: the "
            "forward of DistributedDataParallel waits for the others); `NCCL_DEBUG=INFO` and "
            "`NCCL_P2P_DISABLE=1` tell a fault of the links",
        ),
        (
            "slow",
            r"\A(?!.*\b(?:loss|accuracy|converg\w*|learn\w*|descen\w*)\b[^.?!]{0,40}\bslow)"
            + _OF_TRAINING
            # … and how many steps it takes is no question of the clock.
            + r"\b(?:slow(?:er|ness)?\b(?! (?:\w+ )?(?:reference|version|baseline|loop|path))"
            r"|takes? (?:so |too |very )?(?:long|forever)"
            r"(?! (?:to|until|before|for)\b[^.?!]{0,30}\b(?:converg|learn|fit|improv|reach))"
            r"|speed(?:s|ed)? up|low (?:gpu )?utili[sz]ation|gpu[^.?!]{0,30}\butili[sz]ation)\b",
            "measure what takes the time. Run the loop over the loader alone, without the model: "
            "if that is as slow, it is the data (`num_workers`, decoding, transforms; "
            "`pin_memory`). If not, call `torch.cuda.synchronize()` before each clock is read, for "
            "GPU work is only queued, and leave the first steps out. A small model or batch on a "
            "GPU waits for Python: larger batches, fewer small operations; `.item()`, `.cpu()` and "
            "printing in each step make it wait too",
        ),
        (
            "does_not_learn",
            r"\b(?:loss|accuracy)\b[^.?!]{0,40}(?:n't|\bnot|\bnever)\b[^.?!]{0,20}"
            r"\b(?:decreas|descen|improv|chang|converg|go|going|drop|fall|reduc|increas|get)"
            r"|\b(?:model|network|net|rnn|lstm|cnn|weights?|parameters?|optimizer|step\(\))"
            r"[^.?!]{0,30}(?:n't|\bnot|\bnever)\b[^.?!]{0,15}\b(?:learn|train|updat|converg|chang)"
            r"|\b(?:loss|accuracy)\b[^.?!]{0,30}\b(?:stuck|stays?|remains?|constant|stagnat)"
            r"|(?:\bnot|n't|\bnever) (?:learn|converg)"
            r"|\b(?:weights?|parameters?)\W{1,6}(?:\w+ ){0,2}(?:remain|stay|keep)s?\W{1,4}"
            r"(?:unchanged|the same|constant)",
            "look at one step. After `loss.backward()` print `(name, None if p.grad is None else "
            "p.grad.abs().max().item())` for `model.named_parameters()`, and compare a weight "
            "before and after `optimizer.step()`. No gradient: the loss is cut off from it (numpy, "
            "`.item()`, `.detach()`, a new tensor), or it takes no part. A gradient, and the "
            "weight stays: no group of the optimizer holds it, or its rate is 0. The weight moves: "
            "let the model learn 8 samples by heart (Adam, lr=1e-3), and then look at the labels, "
            "the shapes in the loss ([N, 1] against [N]) and the scale of the inputs",
        ),
    )
)

# What bug reports have as headings tells of no symptom.
_HEADINGS = re.compile(
    r"\b(?:steps )?to reproduce\b|\breproduc\w+ (?:script|code)\b", re.IGNORECASE
)


# Where the run has shown that the loss falls, these look for what is not there.
OF_A_LOSS_THAT_STANDS = frozenset({"stands_still", "does_not_learn", "loss_grows"})
_FEWEST = 20  # rounds that show where a loss goes
_FALLS = 0.85  # of the first one: less than that is no noise


def the_loss_falls(run: JobResult) -> bool:
    """Whether the code trained as it was posted, on data of its own, and its loss fell."""
    as_posted = run.error is None and run.trained and not (run.stand_ins or run.assumptions)
    return as_posted and any(
        loss.rounds >= _FEWEST and loss.last < _FALLS * loss.first for loss in run.losses
    )


def next_step(question: Question) -> Remark | None:
    """What to look at first, by the words around the code; None where an error was posted."""
    if posted(question) is not None:
        return None
    said = _HEADINGS.sub(" ", question.text)
    for kind, seen, told in _LOOKS:
        if seen.search(said):
            return Remark(kind=kind, line=0, code="", message=told, aside=True)
    return None
