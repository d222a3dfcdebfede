"""Losses: batch sizes, shapes, dtypes and ranges of predictions and targets."""

import re
from collections.abc import Mapping
from math import prod

from executor.errors.around import Around, before
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.lists import shapes_named
from executor.errors.one_hot import ROWS_OF_CLASSES, TO_CLASSES, TO_NUMBERS, rows_of_classes


def _label(seen: SeenError, message: str) -> Mapping[str, str]:
    """How many outputs a label needs; whether it is negative."""
    if not seen["label"]:
        return {}
    label = seen.number("label")
    return {"negative": "yes"} if label < 0 else {"needed": str(label + 1)}


def _rows_per_label(seen: SeenError, message: str) -> Mapping[str, str]:
    """How many labels there are for each row, or rows for each label, where they are whole."""
    rows, labels = seen.numbers("rows", "labels")
    if rows == 1 < labels:
        return {"one_row": "yes"}
    if 0 < rows < labels and labels % rows == 0:
        return {"per_row": str(labels // rows)}
    if 0 < labels < rows and rows % labels == 0:
        return {"per_label": str(rows // labels)}
    return _steps(rows, labels)


# A shape in prose, of a tensor that the words before it call a model's output.
_OUTPUT = re.compile(
    r"\b(?:outputs?|predictions?|preds?|logits)\b[^.\n\d\[(]{0,40}"
    r"[\[(](\d{1,6}(?:, ?\d{1,6}){1,4})[\])]"
)


def _one_sample(seen: SeenError, around: Around) -> Mapping[str, str]:
    """The output's shape where the post says it, and its second dimension counts as rows here."""
    rows, labels = seen.numbers("rows", "labels")
    for found in _OUTPUT.finditer(around.words):
        if tuple(map(int, found[1].split(",")))[:2] == (labels, rows):
            return {"output": f"[{found[1]}]"}
    return {}


def _steps(rows: int, labels: int) -> Mapping[str, str]:
    """What a step is, where one side has one step more of as many sequences than the other."""
    step = abs(rows - labels)
    if step < 4 or rows % step or min(rows, labels) < 4 * step:
        return {}
    longer = "labels" if labels > rows else "rows"
    counts = {"row_steps": str(rows // step), "label_steps": str(labels // step)}
    return {"step": str(step), "longer": longer, **counts}


def _target_channels(seen: SeenError, message: str) -> Mapping[str, str]:
    """How many channels a target of four dimensions has, and whether they stand last."""
    sizes = seen.sizes("target")
    if len(sizes) != 4:
        return {}
    last = sizes[3] in (1, 3, 4) and min(sizes[1:3]) > 4
    return {"channels_last": str(sizes[3])} if last else {"channels": str(sizes[1])}


def _target_of_sequences(seen: SeenError, message: str) -> Mapping[str, str]:
    """How the target's dimensions differ from those that it needs."""
    wanted, given = seen.sizes("expected"), seen.sizes("given")
    if len(given) == len(wanted) + 1 and given[:1] + given[2:] == wanted and given[1] == 1:
        return {"kind": "channel"}
    if len(given) < len(wanted) or given[1:] == (1,):
        return {"kind": "fewer"}
    if len(given) > len(wanted):
        return {"kind": "more"}
    # Of a sequence the second is its steps, or its classes where these do not stand second.
    second = {"second": str(wanted[1])} if len(wanted) == 2 else {}
    shorter = bool(second) and wanted[0] == given[0] and wanted[1] < given[1]
    return {"kind": "shorter" if shorter else "as many", **second}


def _maps(seen: SeenError, message: str) -> Mapping[str, str]:
    """Where the classes of the predictions stand last, or height and width are exchanged."""
    output, target = seen.sizes("input"), seen.sizes("target")
    if len(output) != 4 or len(target) != 3:
        return {}
    if output[1:3] == target[1:] and output[2:] != target[1:]:
        return {"kind": "last"}
    if output[2:] == target[:0:-1]:
        return {"kind": "exchanged"}
    larger = output[2] > target[1] and output[3] > target[2]
    return {"kind": "larger", "times": f"{output[2] / target[1]:.3g}"} if larger else {}


_ROWS_AS_IT_TAKES = r"\.(?:view|reshape)\(\(?-1, *[\d *]+\)"
# Where the labels are flattened: the line that raised it, or the code.
_FLATTENED = (
    ("line", r"\.(?:(?:view|reshape)\(-1\)|flatten\(\))"),
    ("code", r"\b(?:target|label|trg|tgt|y)\w*\.(?:(?:view|reshape)\(-1\)|flatten\(\))"),
)
_SHAPE = (
    r"(?P<{0}>[\[(]? ?(?P<{0}_rows>\d{{1,6}}|batch\w{{0,8}}(?: size)?|bs|B|N|b|n) ?[,x×*] ?"
    r"(?P<{0}_columns>\d{{1,6}}) ?[\])]?)(?! ?[,x×*\d])"
)
_OUTPUT_AND_TARGET = re.compile(
    r"\b(?:outputs?|predictions?|preds?|logits|y_pred)\b[^.\n\d\[(]{0,40}"
    + _SHAPE.format("output")
    + r"[\s\S]{0,80}?\b(?:targets?|labels?|y_true|y)\b[^.\n\d\[(]{0,40}"
    + _SHAPE.format("target")
)


def _of_pixels(seen: SeenError, around: Around) -> Mapping[str, str]:
    """Whether the post shows a target that has a class for each pixel of an output."""
    shapes = shapes_named(around.words)
    maps = any((s[0], *s[2:]) in shapes for s in shapes if len(s) == 4)
    return {"maps": "yes"} if maps else {}


def _labels_of_each(seen: SeenError, around: Around) -> Mapping[str, str]:
    """How many labels each sample has, where the post says both shapes and they are not alike."""
    found = _OUTPUT_AND_TARGET.search(around.words)
    if found is None or found["output_rows"] != found["target_rows"]:
        return {}
    classes, labels = found["output_columns"], found["target_columns"]
    if labels in ("1", classes):
        return {}
    output, target = found["output"].strip(), found["target"].strip()
    return {"of_each": labels, "c": classes, "output": output, "target": target}


def _channels_of_both(output: int, target: int) -> Mapping[str, str]:
    """The numbers of channels of two batches of maps that differ in them alone."""
    if output > 1 and target == 1:
        return {"of_numbers": str(output)}
    return {"output_channels": str(output), "target_channels": str(target)} if target > 1 else {}


def _extra_one(seen: SeenError, message: str) -> Mapping[str, str]:
    """Which of the two shapes has a dimension of size 1 more, and which dimension that is.

    Or how many scores there are for each number of the target.
    """
    one, other = seen.sizes("input"), seen.sizes("target")
    if len(one) == 2 and other in (one[:1], (*one[:1], 1)) and one[1] > 1:
        return {"classes": str(one[1])}
    if one and other and one[1:] == other[1:] and other[0] > 0 and one[0] % other[0] == 0:
        return {"times": str(one[0] // other[0])} if one[0] > other[0] else {}
    if one and other and one[1:] == other[1:]:
        return {"only_rows": "yes"}
    if len(one) == len(other) == 4 and one[:1] == other[:1] and one[1:] == other[3:] + other[1:3]:
        return {"kind": "last"}
    if len(one) == len(other) == 2 and one[0] == other[0] and 1 in (one[1], other[1]):
        of_each = max(one[1], other[1])
        side = "target" if one[1] == 1 else "input"
        return {"wide": side, "of_each": "each" if of_each == one[0] > 1 else str(of_each)}
    if len(one) == len(other) > 1 and one[:1] + one[2:] == other[:1] + other[2:]:
        return _channels_of_both(one[1], other[1]) if len(one) > 2 else {}
    if len(one) == len(other) == 4 and one[:2] == other[:2]:
        return {"kind": "maps"}
    flat, maps = sorted((one, other), key=len)
    if len(flat) == 2 < len(maps) and flat[0] == maps[0] and flat[1] == prod(maps[1:]) > 1:
        return {"kind": "flat"} if maps[1:].count(1) < len(maps) - 2 else {}
    if len(one) == len(other) + 1 > 2 and one[:1] + one[2:] == other and one[1] > 1:
        return {"steps": str(one[1])}
    if abs(len(one) - len(other)) != 1:
        return {}
    short, long = sorted((one, other), key=len)
    at = next((n for n in range(len(long)) if long[:n] + long[n + 1 :] == short), None)
    if at is None or long[at] != 1:
        return {}
    at = max(n for n in range(len(long)) if long[n] == 1 and long[:n] + long[n + 1 :] == short)
    return {"extra": "input" if long is one else "target", "extra_at": str(at)}


# Words of reinforcement learning.
_OF_POLICIES = (
    r"(?i)\b(?:sac|ddpg|td3|ppo|a2c|a3c|actor|critic|policy|rewards?|q[12]?.?(?:values?|net\w*)"
    r"|soft actor|gym(?:nasium)?)\b"
)

_SCALED = (
    "If the mask came through ToTensor, its numbers were divided by 255: read it with "
    "`torch.from_numpy(np.array(mask)).long()`"
)

# Both are said: that it is evaluated, and with which encoder.
_ENCODER_IN_EVAL = (
    r"(?s)\A(?=.{0,6000}(?<![.\w])(?:\w{1,40}\.)?eval\b).{0,6000}\bTransformer(?:Encoder\b|\()"
)

FAMILIES = (
    ErrorFamily(
        id="softmax_without_dimension",
        says="softmax is called without saying over which dimension (a warning).",
        decides=True,
        means=(
            "softmax was called without `dim`: torch chose one by the number of dimensions, which "
            "is 1 for two and 0 for three",
        ),
        remedy=(
            "Say which dimension counts the classes: `dim=1` for [batch, classes] and [batch, "
            "classes, height, width], `dim=-1` where they stand last",
        ),
        suspects=(Suspect(r"(?:log_?)?softmax|(?:Log)?Softmax", without=("dim",)),),
        types=("UserWarning",),
        today=(r"Implicit dimension choice for (?:log_)?soft(?:max|min) has been deprecated",),
        sample=(
            "import warnings\nwith warnings.catch_warnings():\n"
            '    warnings.simplefilter("error")\n'
            "    F.softmax(torch.ones(2, 2))"
        ),
    ),
    ErrorFamily(
        id="loss_batch_sizes",
        says="A loss gets another number of predictions than of labels.",
        look_around=_one_sample,
        means=(
            Sentence(
                "The loss counts {rows} samples, and in your output, {output}, {rows} is the "
                "second dimension: the classes stand where the batch belongs | one sample of the "
                "output is handed on instead of all (`for o in output`, `output[0]`), or its "
                "dimensions were exchanged",
                {"output": r".+"},
            ),
            *(
                Sentence(
                    "There are {rows} rows of predictions, {row_steps} times {step}, and {labels} "
                    "labels, {label_steps} times {step}: as where one side has one step more of "
                    "{step} flattened sequences than the other (or one sequence of {step} steps)",
                    {"step": r".+", where: pattern},
                )
                for where, pattern in _FLATTENED
            ),
            Sentence(
                "The model's output has {rows} rows and there are {labels} labels, "
                "{per_row} for each row | one-hot labels, or labels of a sequence, were flattened",
                {"per_row": r".+"},
            ),
            Sentence(
                "The model's output has {rows} rows and there are {labels} labels, "
                "{per_label} rows for each label | a `view` or `reshape` in the model has mixed "
                "other dimensions into the batch",
                {"per_label": r".+"},
            ),
            "The model's output has {rows} rows and there are {labels} labels",
        ),
        remedy=(
            Sentence(
                "If a tokenizer cut the words into pieces, there is one label for each piece, not "
                "for each word: spread the labels by `encoded.word_ids()`, with -100 for special "
                "tokens, padding and further pieces of a word, which the loss leaves out; then "
                "`logits.view(-1, classes)` and `labels.view(-1)` have as many rows",
                {
                    "words": r"token classification|\bner\b|pos.tag|named entit"
                    r"|sequence (?:tagg|label)"
                },
            ),
            Sentence(
                "Compare the lengths of `input_ids` and `labels`. A causal language model takes "
                "labels of the shape of input_ids: the prompt and the answer in one row, with -100 "
                "where nothing is to be learned (and where a picture's tokens are put in). A "
                "sequence classifier takes one class number for each text, [batch]; for rows of 0 "
                "and 1 give it float labels and `problem_type='multi_label_classification'`",
                {"frames": r"(?m)^(?:modeling_\w+|loss_utils)\.py "},
            ),
            Sentence(
                "Print the shape of what the loss is given. If it is one sample, hand it the whole "
                "output, `criterion(output, labels)`: a loop over the output takes a list of "
                "outputs (of several scales, for one) for granted, and of one tensor it takes a "
                "sample at a time. If the loss is to compare classes, {output} is the order that "
                "it takes, so nothing is to be flattened or transposed",
                {"output": r".+"},
            ),
            *(
                Sentence(
                    "Print `output.shape` and `labels.shape` before they are flattened. A model "
                    "that starts from the first token and predicts those behind it has no "
                    "prediction for the first: compare with the labels from the second step on, "
                    "`labels[:, 1:].reshape(-1)` (`labels[1:]` where steps come first). Which step "
                    "is too many has to be looked at: cutting the flat labels at the end would "
                    "compare each prediction with another step",
                    {"step": r".+", "longer": "labels", where: pattern},
                )
                for where, pattern in _FLATTENED
            ),
            *(
                Sentence(
                    "Print `output.shape` and `labels.shape` before they are flattened, and leave "
                    "out the step of the output that has no label (mostly the first or the last) "
                    "before it is flattened: cutting the flat output would compare each prediction "
                    "with another step",
                    {"step": r".+", "longer": "rows", where: pattern},
                )
                for where, pattern in _FLATTENED
            ),
            Sentence(
                "If they are one-hot, [{rows}, {per_row}], they become class numbers with "
                "`labels.argmax(dim=1)` and not with `view(-1)`; if they are of a sequence, "
                "flatten both sides: `output.view(-1, classes)` and `labels.view(-1)`",
                {"per_row": r".+"},
            ),
            Sentence(
                "`{quoted}` makes as many rows as it takes: if a sample has {per_label} times as "
                "many values there, each is cut into {per_label} rows. Keep the batch, `x = "
                "x.flatten(1)`, and make the next layer for as many features as that has. (Of a "
                "sequence, give a label for each step, or use its last step only)",
                {"per_label": r".+", "code": _ROWS_AS_IT_TAKES},
            ),
            Sentence(
                "Print `x.shape` in forward. If a `view(-1, n)` whose n does not fit did it, keep "
                "the batch dimension: `x = x.view(x.size(0), -1)` (or `x.flatten(1)`); for a "
                "recurrent net use only its last step, or give a label for each step",
                {"per_label": r".+"},
            ),
            Sentence(
                "No label arrives: print `labels.shape` where the loss is called. They may be cut "
                "off with the text (max_length), left out by a filter or a collator, or gone to "
                "another device where DataParallel shares out a batch",
                {"labels": "0"},
            ),
            Sentence(
                "Print the shapes in forward. All samples became one row where a `view(1, -1)`, an "
                "`unsqueeze(0)` or a mean over the batch stands in the model; or the loss is given "
                "one sample (`output[0]`) with the labels of all",
                {"one_row": r"yes"},
            ),
            (
                "Print `output.shape` and `labels.shape` before the loss: their first dimension "
                "has to be the same. If {rows} is a number of steps, a recurrent layer without "
                "`batch_first=True` has the steps first, and its last step is `out[-1]`, with it "
                "`out[:, -1]`. If only the last batch fails, a fixed batch size stands in a `view` "
                "or in a target: take it from the input, `x.size(0)`"
            ),
        ),
        suspects=(
            Suspect(r"view|reshape|Reshape", "may change the number of rows", {0: "-1"}),
            Suspect(r"CrossEntropyLoss|cross_entropy|nll_loss|NLLLoss"),
        ),
        derive=_rows_per_label,
        types=("ValueError", "RuntimeError"),
        today=(
            r"Expected input batch_size \((?P<rows>\d+)\) to match target batch_size "
            r"\((?P<labels>\d+)\)",
        ),
        values={"rows": "rows of the predictions", "labels": "number of labels"},
        sample="F.cross_entropy(torch.ones(8, 3), torch.zeros(4, dtype=torch.long))",
    ),
    ErrorFamily(
        id="loss_target_shape",
        says="Cross entropy gets a target of another shape than its predictions need.",
        means=(
            (
                "For these predictions the loss needs a target of shape [{expected}], and "
                "gets [{given}]: classes stand in the second dimension of the predictions, "
                "and the target has all others"
            ),
        ),
        derive=_target_of_sequences,
        remedy=(
            Sentence(
                "`target.squeeze(1)` takes the channel dimension away, which alone is too much",
                {"kind": "channel"},
            ),
            Sentence(
                "Print `output.shape`: it has a dimension more than a class for each sample needs. "
                "If one of them is 1, `output.squeeze(d)` takes it away; if it counts the steps of "
                "a sequence, take one step (`output[:, -1]`) or their mean; if it counts height or "
                "width, pool and flatten in the model. (A target for each step would be "
                "[{expected}], with classes in dimension 1 of the output)",
                {"kind": "fewer"},
            ),
            Sentence(
                "If the target is one-hot, `target.argmax(dim=d)` makes class numbers of it, where "
                "d is the dimension that counts the classes; the predictions need their classes in "
                "dimension 1",
                {"kind": "more"},
            ),
            *(
                Sentence(
                    "In eval mode nn.TransformerEncoder of torch 1.12 to 2.0 runs without the "
                    "padding, and pads its output only to the longest sample of the batch. "
                    "`nn.TransformerEncoder(layer, n, enable_nested_tensor=False)` or a newer "
                    "torch keeps the length. What is cut off is padding: leave it out of the loss "
                    "in any case (`ignore_index`)",
                    {"kind": "shorter", where: _ENCODER_IN_EVAL},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "If {second} is the number of classes, the output is [batch, steps, classes]: "
                "bring the classes to the second place, `criterion(output.transpose(1, 2), "
                "target)`, or flatten: `output.reshape(-1, classes)` and `target.reshape(-1)`. If "
                "it is a number of steps, the classes stand second already, and outputs and labels "
                "have different lengths: compare how both are made (a start or end token, padding, "
                "a stride)",
                {"second": r".+"},
            ),
            (
                "Print `output.shape`. If it is [batch, steps, classes], bring the classes to the "
                "second place: `criterion(output.transpose(1, 2), target)`, or flatten: "
                "`output.reshape(-1, classes)` and `target.reshape(-1)`. If the classes stand "
                "second already, outputs and labels have different lengths: compare how both are "
                "made (a start or end token, padding, a stride)"
            ),
        ),
        suspects=(Suspect(r"CrossEntropyLoss|NLLLoss|cross_entropy|nll_loss"),),
        types=("RuntimeError", "ValueError"),
        today=(
            r"Expected target size [\[(](?P<expected>[\d, ]*)[\])], got "
            r"(?:torch\.Size\()?\[(?P<given>[\d, ]*)\]",
        ),
        values={"expected": "sizes it needs", "given": "sizes it got"},
        sample="F.cross_entropy(torch.ones(4, 5, 3), torch.zeros(4, 5, dtype=torch.long))",
        examples=("ValueError: Expected target size (16, 10), got torch.Size([16])",),
    ),
    ErrorFamily(
        id="loss_one_dimension",
        says="Cross entropy gets labels in rows where it takes one class number for each sample.",
        look_around=_labels_of_each,
        means=(
            Sentence(
                "Class probabilities (float targets of the shape of the predictions) are taken "
                "since torch 1.10, and a version before it refuses them with these words",
                {"runs": r"yes"},
            ),
            Sentence(
                "You have torch {torch}: before 1.10 CrossEntropyLoss takes only one class number "
                "for each sample, a target of shape [batch], and gets one with two dimensions",
                {"torch": before("1.10")},
            ),
            Sentence(
                "CrossEntropyLoss takes one class number for each prediction, and your shapes are "
                "{output} for the predictions and {target} for the target: {of_each} labels for "
                "each sample, where each sample has one prediction among {c} classes",
                {"of_each": r".+"},
            ),
            (
                "CrossEntropyLoss takes one class number for each sample, a target of shape "
                "[batch], and gets one with two dimensions"
            ),
        ),
        remedy=(
            Sentence(
                "Update torch (`python -m pip install -U torch`). Before 1.10 the same loss is "
                "`-(target * F.log_softmax(output, dim=1)).sum(dim=1).mean()`; argmax of the "
                "target is another loss",
                {"runs": r"yes"},
            ),
            Sentence(
                "If the target holds probabilities, update torch, or write `-(target * "
                "F.log_softmax(output, dim=1)).sum(dim=1).mean()`. If it is one-hot: "
                "`target.argmax(dim=1)`; a column [batch, 1]: `target.squeeze(1)`",
                {"torch": before("1.10")},
            ),
            Sentence(
                "Either give one label for each sample (a target of shape [batch]), or let the "
                "model give one prediction for each of the {of_each}: an output [batch, {c}, "
                "{of_each}] with the target [batch, {of_each}]",
                {"of_each": r".+"},
            ),
            Sentence(
                "Print `output.shape` and `target.shape`. A column [batch, 1]: "
                "`target.squeeze(1)`. Another second size, [batch, k]: k labels for each sample, "
                "so choose one, or give an output [batch, classes, k]; if they are 0 and 1 for "
                "classes of which several may be right, `nn.BCEWithLogitsLoss` with float targets "
                "and an output of that shape is meant. One-hot rows for NLLLoss become "
                "`target.argmax(dim=1)`",
                {"column": r".+"},
            ),
            (
                "Print `output.shape` and `target.shape`. A column [batch, 1]: "
                "`target.squeeze(1)`. The same shape as the output: one-hot rows become "
                "`target.argmax(dim=1)` (before torch 1.10 class probabilities are refused so "
                "too), and where several classes may be right at once `nn.BCEWithLogitsLoss` with "
                "float targets is meant. Another second size [batch, k]: k labels for each "
                "sample, so choose one, or give an output [batch, classes, k]"
            ),
        ),
        now=("0D or 1D target tensor expected, multi-target not supported"),
        suspects=(Suspect(r"CrossEntropyLoss|NLLLoss|cross_entropy|nll_loss"),),
        types=("RuntimeError",),
        today=(r"(?P<column>0D or 1D target tensor expected), multi-target not supported",),
        older=(r"1D target tensor expected", r"multi-target not supported"),
        values={"column": "as today's wording begins"},
        sample="F.cross_entropy(torch.ones(4, 3), torch.zeros(4, 1, dtype=torch.long))",
        examples=(
            "RuntimeError: 1D target tensor expected, multi-target not supported",
            "RuntimeError: multi-target not supported at "
            "/pytorch/aten/src/THNN/generic/ClassNLLCriterion.c:21",
        ),
    ),
    ErrorFamily(
        id="loss_spatial_target",
        says="Cross entropy of images gets a target with a dimension too many or too few.",
        means=(
            Sentence(
                "The predictions are maps, [batch, classes, height, width], for which the loss "
                "takes one class number for each pixel, and the target has {dimensions} "
                "dimensions: one number for each picture, or no batch",
                {"dimensions": r"[12]"},
            ),
            (
                "For images the loss takes one class number for each pixel, [batch, "
                "height, width], and the target has {dimensions} dimensions"
            ),
            Sentence(
                "For images the loss takes one class number for each pixel, [batch, height, "
                "width], and the target is {target}: a picture of {channels_last} channels, which "
                "stand last",
                {"channels_last": r".+"},
            ),
            Sentence(
                "For images the loss takes one class number for each pixel, [batch, height, "
                "width], and the target is {target}: its dimension 1 has {channels} entries, as a "
                "one-hot mask with {channels} classes has",
                {"channels": r"[2-9]|\d{2,}"},
            ),
            ("For images the loss takes one class number for each pixel, [batch, height, width]"),
        ),
        derive=_target_channels,
        remedy=(
            Sentence(
                "If those are the classes: `target.argmax(dim=1)` (shape [batch, height, width], "
                "int64); the predictions stay [batch, classes, height, width]. If it is a "
                "picture of colours, turn each colour into a class number first",
                {"channels": r"[2-9]|\d{2,}"},
            ),
            Sentence(
                "If there is one class for each picture, the model has to end with one row of "
                "scores: pool and flatten its maps (`x.mean(dim=(2, 3))`, or "
                "`nn.AdaptiveAvgPool2d(1)` and `flatten(1)`). If there is one class for each "
                "pixel, load the target as a mask [height, width] and let the loader stack them",
                {"dimensions": r"[12]"},
            ),
            Sentence(
                "If it is a picture of colours, turn each colour into a class number. If it is "
                "one-hot, `target.argmax(dim=-1)`; one channel: `target.squeeze(-1)`",
                {"channels_last": r".+"},
            ),
            Sentence(
                f"`target.squeeze(1)` takes the channel dimension away. {_SCALED}",
                {"channels": "1"},
            ),
            (
                "Print `target.shape`. A channel dimension of 1 goes with `target.squeeze(1)`, a "
                "one-hot mask becomes class numbers with `target.argmax(dim=1)`, and of a picture "
                f"of colours each colour has to become a class number. {_SCALED}"
            ),
        ),
        suspects=(Suspect(r"CrossEntropyLoss|NLLLoss|cross_entropy|nll_loss|NLLLoss2d"),),
        types=("RuntimeError",),
        today=(
            r"only batches of spatial targets supported(?: \((?:non-empty )?3D tensors\) but got "
            r"targets of (?:dimension: (?P<dimensions>\d+)|size ?: ?:? ?(?P<target>\[[\d, ]+\])))?",
        ),
        values={"dimensions": "that the target has", "target": "shape of the target"},
        sample="F.cross_entropy(torch.ones(2, 3, 4, 4), torch.zeros(2, 1, 4, 4, dtype=torch.long))",
        examples=(
            "RuntimeError: only batches of spatial targets supported (3D tensors) but got targets "
            "of size: : [2, 3, 4, 4]",
        ),
    ),
    ErrorFamily(
        id="loss_spatial_sizes",
        says="Cross entropy of images gets a target of another height or width.",
        derive=_maps,
        means=(
            Sentence(
                "The predictions {input} have the height and width of the target {target} in "
                "dimensions 1 and 2, and cross entropy takes the classes there, in dimension 1",
                {"kind": "last"},
            ),
            "The predictions {input} and the target {target} have different heights or widths",
        ),
        remedy=(
            Sentence("`output.permute(0, 3, 1, 2)` brings the classes forward", {"kind": "last"}),
            Sentence(
                "They are the same with height and width exchanged: `image.size` of Pillow is "
                "(width, height), and `resize` takes it so, where `transforms.Resize` and torch "
                "take (height, width). Find where one of the two was made with the other order",
                {"kind": "exchanged"},
            ),
            Sentence(
                "The model's maps are {times} times as high as the target. Print the shape behind "
                "each layer: where it grows more than is meant, an Upsample or ConvTranspose has "
                "too large a stride, or stands where a plain convolution belongs. If the target "
                "was made smaller than the image, enlarge it with "
                "`InterpolationMode.NEAREST`, or leave it as large as it was",
                {"kind": "larger"},
            ),
            (
                "If both show the same picture and the model gives smaller maps, enlarge the "
                "predictions: `F.interpolate(output, size=target.shape[-2:], mode='bilinear', "
                "align_corners=False)`. If the images were resized and the masks not, resize the "
                "masks likewise, with `InterpolationMode.NEAREST`, so that no class is mixed"
            ),
        ),
        types=("RuntimeError",),
        today=(
            r"size mismatch \(got input: (?P<input>\[[\d, ]*\]) ?, target: "
            r"(?P<target>\[\d*(?:, ?\d+)+\])",
        ),
        values={"input": "shape of the predictions", "target": "shape of the target"},
        sample="F.cross_entropy(torch.ones(2, 3, 4, 4), torch.zeros(2, 5, 5, dtype=torch.long))",
    ),
    ErrorFamily(
        id="loss_target_dimensions",
        says="A loss gets a target with another number of dimensions than it takes.",
        means=(
            (
                "The predictions are one row of scores without a batch, for which the loss takes "
                "one class number, and it gets {labels}"
            ),
            "A loss gets a target with another number of dimensions than it takes",
        ),
        remedy=(
            Sentence(
                "Print `output.shape`. If a `squeeze()`, `view(-1)` or `output[0]` took the batch "
                "away, leave it out (`squeeze(1)` takes one dimension alone). If the model gives "
                "one number for each sample, cross entropy is not its loss: "
                "`nn.BCEWithLogitsLoss()` for yes or no, `nn.MSELoss()` for values",
                {"labels": r".+"},
            ),
            "Print both shapes before the loss",
        ),
        types=("ValueError", "RuntimeError"),
        today=(
            r"For \dD input, \dD target must(?: have size 1, but got target size: "
            r"(?P<labels>\d+))?",
            r"Expected target [^\n]{0,100}?shape",
        ),
        older=(r"size mismatch \(got input: \[\d+\] ?, target: \[(?P<labels>\d+)\]",),
        values={"labels": "number of labels"},
        sample="F.multi_margin_loss(torch.ones(3), torch.zeros(2, dtype=torch.long))",
        examples=(
            "ValueError: For 1D input, 1D target must have size 1, but got target size: 4",
            "RuntimeError: size mismatch (got input: [12], target: [64])",
        ),
    ),
    ErrorFamily(
        id="loss_sizes",
        says="A loss gets predictions and targets of two shapes where it needs one.",
        means=(
            Sentence(
                "The loss gets predictions {input} and a target {target}: they differ in a "
                "dimension of size 1 alone",
                {"extra": r".+"},
            ),
            ("The loss gets predictions {input} and a target {target}; it needs one shape"),
            "The loss gets predictions and a target of two shapes where it needs one",
        ),
        remedy=(
            Sentence(
                "Take the extra dimension away with `output.squeeze({extra_at})` (or give the "
                "target one: `target.unsqueeze({extra_at})`), so that both have the same shape "
                "also where you compute a difference yourself: [n, 1] minus [n] gives an n x n "
                "table",
                {"extra": r"input"},
            ),
            Sentence(
                "Take the extra dimension away with `target.squeeze({extra_at})` (or give the "
                "output one: `output.unsqueeze({extra_at})`), so that both have the same shape "
                "also where you compute a difference yourself: [n] minus [n, 1] gives an n x n "
                "table",
                {"extra": r"target"},
            ),
            Sentence(
                "The target has one channel and the output {of_numbers}. If the target holds class "
                "numbers (0, 1, 2, …), the loss for that is `nn.CrossEntropyLoss()(output, "
                "target.squeeze(1).long())`, with scores that went through no sigmoid or softmax. "
                "Binary cross entropy asks yes or no for each channel: for it the target needs "
                "{of_numbers} channels of 0 and 1",
                {"of_numbers": r".+"},
            ),
            Sentence(
                "They differ in dimension 1 alone: the output has {output_channels} there and the "
                "target {target_channels}. If these are classes of one-hot targets, make the model "
                "with the number of classes of the data set (its last layer, often `num_classes` "
                "or `n_class`), or see why the targets are made with another number: cutting one "
                "of them off would compare other classes. If they are channels of pictures, load "
                "both in the same mode (`.convert('RGB')`)",
                {"output_channels": r".+"},
            ),
            Sentence(
                "They differ in the first dimension alone. If it counts samples and the target was "
                "made for a fixed batch size, the last batch is smaller: make it from the output "
                "(`torch.ones_like(output)`) or with the batch's own size, `x.size(0)`. If one "
                "side was cut, flattened or joined, do the same with the other",
                {"only_rows": r"yes"},
            ),
            Sentence(
                "If both are pictures, the target has its channels last: `target.permute(0, 3, 1, "
                "2)`. (A `view` would mix pixels and channels)",
                {"kind": "last"},
            ),
            Sentence(
                "The model's maps have another height or width than the target. If it is to give "
                "back the size of its input, see where that is lost: a convolution without "
                "padding, or a size that was odd when it was halved (`output_padding=1` of "
                "ConvTranspose2d, or sides that are a multiple of all strides). If it gives a "
                "smaller map by design, bring one to the other's size with `F.interpolate`",
                {"kind": "maps"},
            ),
            Sentence(
                "Both hold as many values for each sample, one side flat: `target.flatten(1)` or "
                "`output.view_as(target)`, if both have them in the same order",
                {"kind": "flat"},
            ),
            Sentence(
                "The predictions have {steps} entries in dimension 1, which the target has not. If "
                "these are classes and the target holds class numbers, `nn.CrossEntropyLoss()` "
                "with `target.long()` is the loss. If they are the steps of a sequence with one "
                "target, take one step, `output[:, -1]`, or their mean",
                {"steps": r".+"},
            ),
            Sentence(
                "There are {times} times as many rows of predictions as of the target, and "
                "`{quoted}` makes as many rows as it takes: if a sample has {times} times as many "
                "values there, each is cut into {times} rows. Keep the batch, `x = x.flatten(1)`, "
                "and make the next layer for as many features as that has",
                {"times": r".+", "code": _ROWS_AS_IT_TAKES},
            ),
            Sentence(
                "There are {times} times as many rows of predictions as of the target. If they are "
                "the steps of a sequence, take the one that the target is for. If a `view(-1, n)` "
                "or `reshape(-1, n)` stands in the model, n is too small for what a sample has "
                "there, and each is cut into {times} rows: keep the batch, `x = x.flatten(1)`, and "
                "give the next layer as many features as that has. If the output is flattened at "
                "the end, a sample has {times} values there: print its shape before",
                {"times": r".+"},
            ),
            Sentence(
                "The model values {classes} actions and the target is for the one that was chosen: "
                "`output.gather(1, actions)` takes that one, of the shape [batch, 1] as `actions` "
                "has to be; bring the target to that shape too",
                {
                    "classes": r".+",
                    "words": r"\b(?:actions?|rewards?|\w*dqn|q.?(?:values?|net\w*))\b",
                },
            ),
            Sentence(
                "The target has one number for each sample and the prediction {classes}. If these "
                "are scores of {classes} classes and the target is the class's number, "
                "CrossEntropyLoss is the loss for that, with an int64 target. Binary cross entropy "
                "and MSE compare number by number: for them give the model one output "
                "(`nn.Linear(…, 1)`) and a float target of the same shape, or make the target "
                "one-hot",
                {"classes": r"[2-9]|\d{2,}"},
            ),
            Sentence(
                "The {wide} has as many columns as rows: on the way a tensor of [batch] met one of "
                "[batch, 1], which makes a table of each with each. Print the shapes of all that "
                "it is computed from, and give those of one dimension another, `x.unsqueeze(1)`",
                {"wide": r".+", "of_each": r"each"},
            ),
            Sentence(
                "The target has {of_each} numbers for each sample, and a value of a state or of an "
                "action is one. If `log_prob` of a distribution is in it: a Normal gives one for "
                "each part of the action, and the action's is their sum, "
                "`log_prob(a).sum(-1, keepdim=True)`, everywhere it is used. Print the shapes of "
                "all that the target is computed from",
                {"wide": r"target", "words": _OF_POLICIES},
            ),
            (
                "Print both shapes before the loss. If the target holds class numbers, "
                "CrossEntropyLoss is meant, or a one-hot float target; if both hold the same "
                "values, reshape one of them; if not, the model's last layer gives another number "
                "of values than the target has"
            ),
        ),
        suspects=(
            Suspect(
                r"MSELoss|BCELoss|BCEWithLogitsLoss|L1Loss|SmoothL1Loss|mse_loss|"
                r"binary_cross_entropy|binary_cross_entropy_with_logits|l1_loss"
            ),
        ),
        derive=_extra_one,
        types=("ValueError", "RuntimeError", "UserWarning"),
        today=(
            r"[Tt]arget size \(torch\.Size\((?P<target>\[[\d, ]*\])\)\)[\s\S]{0,80}?input size "
            r"\(torch\.Size\((?P<input>\[[\d, ]*\])\)\)",
            r"Using a target size",
        ),
        older=(
            r"input and target shapes do not match: input (?P<input>\[[\dx, ]*\]), target "
            r"(?P<target>\[[\dx, ]*\])",
            r"Target and input must have the same number of elements",
        ),
        values={"target": "shape of the target", "input": "shape of the predictions"},
        sample="F.binary_cross_entropy_with_logits(torch.ones(8, 1), torch.ones(8))",
        examples=(
            "RuntimeError: input and target shapes do not match: input [64 x 1], target [64] at "
            "/pytorch/aten/src/THNN/generic/MSECriterion.c:13",
            "ValueError: Target and input must have the same number of elements. target nelement "
            "(64) != input nelement (128)",
            "ValueError: Using a target size (torch.Size([64])) that is different to the input "
            "size (torch.Size([64, 1])) is deprecated. Please ensure they have the same size.",
            "UserWarning: Using a target size (torch.Size([8])) that is different to the input "
            "size (torch.Size([8, 1])). This will likely lead to incorrect results due to "
            "broadcasting.",
        ),
    ),
    ErrorFamily(
        id="loss_class_probabilities",
        says="Cross entropy takes whole numbers for probabilities, since they have its input's "
        "shape.",
        means=(
            (
                "The target has the shape of the predictions, so cross entropy takes it "
                "for class probabilities, which have to be floating point; it is {dtype}"
            ),
        ),
        remedy=(
            (
                "If the output has one column, or one channel, it holds no scores of classes: for "
                "yes or no `nn.BCEWithLogitsLoss()(output, labels.float())` is meant. If the "
                "labels are one-hot: `labels.argmax(dim=1)`. If several may be 1 in a row: "
                "BCEWithLogitsLoss with `labels.float()`, too"
            ),
        ),
        suspects=(Suspect(r"CrossEntropyLoss|cross_entropy"),),
        types=("RuntimeError",),
        today=(
            r"Expected floating point type for target with class probabilities, got "
            r"(?P<dtype>\w+)",
        ),
        values={"dtype": "of the target, in PyTorch's short form, such as Long"},
        sample="F.cross_entropy(torch.ones(4, 3), torch.zeros(4, 3, dtype=torch.long))",
    ),
    ErrorFamily(
        id="loss_index_dtype",
        says="Cross entropy gets class numbers that are no integers.",
        look_around=rows_of_classes,
        means=(
            Sentence(ROWS_OF_CLASSES, {"rows_of": r".+"}),
            ("The loss takes class numbers as {expected} (int64), and the target is {dtype}"),
            "The loss takes class numbers as int64, and the target is {dtype}",
        ),
        remedy=(
            Sentence(TO_CLASSES, {"rows_of": r".+"}),
            Sentence(
                "Convert them where the loss is called: `criterion(output, labels.long())`",
                {"dtype": r"Byte|Char|Short|Int|Bool"},
            ),
            TO_NUMBERS,
        ),
        suspects=(Suspect(r"CrossEntropyLoss|NLLLoss|cross_entropy|nll_loss"),),
        types=("RuntimeError",),
        today=(r"expected target dtype to be (?P<expected>[\w ]+?), but got (?P<dtype>\w+)",),
        older=(
            r"Expected object of scalar type (?P<expected>Long) but got scalar type "
            r"(?P<dtype>\w+) for argument #\d+ 'target'",
            r"Expected object of type torch\.(?:cuda\.)?(?P<expected>Long)Tensor but found type "
            r"torch\.(?:cuda\.)?(?P<dtype>\w+)Tensor for argument #\d+ 'target'",
        ),
        values={
            "expected": "dtypes it takes, such as Long or Byte",
            "dtype": "of the target, in PyTorch's short form",
        },
        sample="F.cross_entropy(torch.ones(4, 3), torch.zeros(4))",
        examples=(
            "RuntimeError: Expected object of scalar type Long but got scalar type Float for "
            "argument #2 'target' in call to _thnn_nll_loss_forward",
            "RuntimeError: Expected object of type torch.LongTensor but found type "
            "torch.FloatTensor for argument #2 'target'",
        ),
    ),
    ErrorFamily(
        id="class_out_of_bounds",
        says="A class number is as large as the number of scores, or larger.",
        means=(
            Sentence("A class label is {label}; labels count from 0", {"negative": r"yes"}),
            Sentence(
                "A class label is 1, and the model's output has no column for it: there is a "
                "single one, for class 0",
                {"label": "1"},
            ),
            (
                "A class label is {label}, and the model's output has no column for it: labels "
                "go from 0 to classes - 1, so {label} needs at least {needed} columns"
            ),
            (
                "A class label is not below the number of the model's outputs, or is "
                "negative: labels go from 0 to classes - 1"
            ),
        ),
        remedy=(
            Sentence(
                "Find where it comes from: `print(labels.unique())`. Where it means "
                '"ignore", say `ignore_index={label}`; else shift the labels so that '
                "they start at 0",
                {"negative": r"yes"},
            ),
            Sentence(
                "Look at the out_features of the last layer. For yes or no with one output the "
                "loss is `nn.BCEWithLogitsLoss()`, with float labels of the output's shape; cross "
                "entropy needs an output for each class, two at least",
                {"label": "1"},
            ),
            Sentence(
                "Look at `labels.unique()`. A model of Transformers has two classes unless it is "
                "made with `num_labels=`: for numbers 0 to n - 1 give it n. If labels are token "
                "ids, tokens were added to the tokenizer: "
                "`model.resize_token_embeddings(len(tokenizer))`",
                {"frames": r"(?m)^(?:modeling_\w+|loss_utils)\.py "},
            ),
            Sentence(
                "Look at `masks.unique()`. If 255 marks borders or what has no label, say "
                "`ignore_index=255`; if a mask has 0 and 255 alone, 255 is class 1: `(mask > "
                "0).long()`; if the values are grey levels of colours, map each to its class",
                {"label": "255"},
            ),
            *(
                Sentence(
                    "Find the masks that have it: `[i for i, (_, m) in enumerate(dataset) if "
                    "(m == {label}).any()]`, and `m.unique()` of one. A mask that was saved as "
                    "JPEG or resized by another way than nearest has values between its "
                    "classes; grey levels and colours are mapped to class numbers first; "
                    "what has no class is left out by `ignore_index={label}`. Only where "
                    "{label} is a class does the last layer need {needed} outputs",
                    {"label": r"\d+", **shown},
                )
                for shown in (
                    {"maps": r"yes"},
                    {"words": r"\bsegment(?:ation|ing)\b|\bmasks?\b|\bu-?net|deeplab|\bfcn\b"},
                )
            ),
            (
                "Look at `labels.unique()` and at the out_features of the last layer. If the "
                "labels are 1 to n, subtract 1; if there are more classes than outputs, the last "
                "layer needs more; if they are no class numbers (the grey values of a mask, such "
                "as 0 and 255, or ids), map each to its class first"
            ),
        ),
        now=("Target {label} is out of bounds."),
        suspects=(Suspect(r"CrossEntropyLoss|NLLLoss|cross_entropy|nll_loss"),),
        derive=_label,
        look_around=_of_pixels,
        types=("IndexError", "RuntimeError"),
        today=(r"Target (?P<label>-?\d+) is out of bounds",),
        older=(
            r"Assertion `?'?cur_target >= 0 && cur_target < n_classes",
            r"Assertion `t >= 0 && t < n_classes` failed",
        ),
        values={"label": "the class number"},
        sample="F.cross_entropy(torch.ones(4, 3), torch.full((4,), 3))",
        examples=(
            "RuntimeError: Assertion `cur_target >= 0 && cur_target < n_classes' failed. at "
            "/pytorch/aten/src/THNN/generic/ClassNLLCriterion.c:93",
        ),
    ),
    ErrorFamily(
        id="loss_range",
        says="Binary cross entropy gets values that are no probabilities.",
        means=(
            (
                "Binary cross entropy gets values that are no probabilities: its {which} "
                "has to be between 0 and 1"
            ),
            (
                "Binary cross entropy gets values that are no probabilities: they have to "
                "be between 0 and 1"
            ),
        ),
        remedy=(
            Sentence(
                "If no sigmoid comes before it, the model's output needs one; better use "
                "`nn.BCEWithLogitsLoss`, which has it built in. If one does, look for NaN: "
                "`torch.isnan(output).any()`",
                {"which": r"input|"},
            ),
            (
                "Print `target.min(), target.max()`. Masks of 0 and 255 are divided by 255, and "
                "two classes are numbered 0 and 1 (not 1 and 2, nor -1 and 1). If pictures went "
                "through `Normalize`, they are below 0: compare with the picture before it, or "
                "take MSELoss. For more than two class numbers CrossEntropyLoss is meant"
            ),
        ),
        suspects=(Suspect(r"BCELoss|binary_cross_entropy"),),
        types=("RuntimeError",),
        today=(r"all elements of (?P<which>input|target) should be between 0 and 1",),
        older=(r"Assertion `x >= 0\. && x <= 1\.' failed",),
        values={"which": "input or target"},
        sample="F.binary_cross_entropy(torch.full((3,), 2.0), torch.ones(3))",
        examples=(
            "RuntimeError: Assertion `x >= 0. && x <= 1.' failed. input value should be between "
            "0~1, but got -0.5 at /pytorch/aten/src/THNN/generic/BCECriterion.c:60",
        ),
    ),
    ErrorFamily(
        id="class_weights",
        says="A loss has another number of class weights than its input has classes.",
        decides=True,
        means=(
            "The loss has {weight} class weights for {classes} classes",
            "The loss has another number of class weights than its input has classes",
        ),
        remedy=(
            "weight= needs one number for each column of the model's output, in the order of the "
            "class numbers, also for a class that no label of this part of the data has",
        ),
        suspects=(Suspect(r"CrossEntropyLoss|NLLLoss|cross_entropy|nll_loss"),),
        types=("RuntimeError",),
        today=(
            r"weight tensor should be defined either for all (?P<classes>\d+) classes or no "
            r"classes but got weight tensor of shape: (?P<weight>\[[\d, ]*\])",
        ),
        older=(r"weight tensor should be defined either for all or no classes",),
        values={"classes": "that the input has", "weight": "shape of the weights"},
        sample=(
            "labels = torch.zeros(4, dtype=torch.long)\nF.cross_entropy(torch.ones(4, 3), labels, "
            "weight=torch.ones(2))"
        ),
        examples=(
            "RuntimeError: weight tensor should be defined either for all or no classes at "
            "/pytorch/aten/src/THNN/generic/ClassNLLCriterion.c:39",
        ),
    ),
)
