"""Values written in place that the gradient needs, or that must not be written so."""

from collections.abc import Mapping

from executor.errors.around import IN_TURNS
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

# Operations whose result is computed: no view of a weight.
_COMPUTES = (
    r"(?:Relu|LeakyRelu|Elu|Gelu|Silu|Sigmoid|Tanh|Softmax|LogSoftmax|Softplus|Add|Sub|Mul|Div|Exp|"
    r"Log|Sqrt|Pow|Norm|Convolution|ConvolutionBackward|CudnnConvolution|MkldnnConvolution|Addmm|"
    r"Mm|Bmm|Cat|Stack|NativeBatchNorm|CudnnBatchNorm|NativeLayerNorm|MaxPool2DWithIndices|"
    r"AvgPool2D|NativeDropout)Backward\d*"
)

# The last of the frames is a forward: it computes, and is no update by hand.
_IN_FORWARD = r"\bforward\s*\Z"
# An update or an initialisation: a weight is written, or a step of a gradient is taken.
_BY_HAND = (
    r"\b(?:weight|bias)(?:\.data)?(?:\[[^\]\n]*\])? *(?:[-+*/]?=(?!=)|\.\w+_\()"
    r"|[-+]= *[^\n]*(?:\blr\b|learning_rate|\.grad\b)"
)
# Of an Embedding whose rows are scaled in place wherever they are looked up.
_MAX_NORM = r"\bEmbedding(?:Bag)?\([^\n]{0,80}\bmax_norm\b(?! *= *None)"
# backward(), step(), backward(), and no assignment before the second.
_STEP_BETWEEN = r"\.backward\([^()\n]*\)[^=\n]*\n[^=\n]*\.step\(\)[^=]{0,200}?\.backward\("
# Likewise, and another optimizer takes the next step.
_STEP_OF_ANOTHER = (
    r"\.backward\([^()\n]*\)[^=\n]*\n[^=\n]*?\b(\w+)\.step\(\)[^=]{0,200}?\.backward\([^()\n]*\)"
    r"[^=\n]*\n[^=\n]*?\b(?!\1\b)\w+\.step\(\)"
)
_DISTRIBUTED = r"\b(?:DDP|DistributedDataParallel|torchrun|torch\.distributed)\b"


def _kernel(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether a tensor that no operation made looks like a layer's weight or a vector."""
    sizes = seen.sizes("shape")
    if seen["function"] or not seen["version"]:
        return {}
    if len(sizes) == 4 and sizes[2] == sizes[3] <= 11:
        return {"leaf": "kernel"}
    return {"leaf": "vector" if len(sizes) == 1 else "other"}


# What may have changed it in place, in the posted code.
_WRITES = (
    Suspect(
        r".*",
        "changes it in place",
        kinds=("update",),
        value_not=r"\.item\(\)|^-?[\d.]+$|\blen\(",
    ),
    Suspect(
        r"(?!requires_grad_|zero_|zero_grad_|__|to_|manual_seed_|clip_grad|"
        r"backward_)[a-z]\w*[a-z0-9]_",
        "changes it in place",
    ),
    Suspect(r".*", "writes into it", kinds=("item",)),
    Suspect(
        r"\w*(?:ReLU|Dropout|ELU|Hardswish|relu|dropout)\w*",
        "works in place",
        {"inplace": "True"},
    ),
)

FAMILIES = (
    ErrorFamily(
        id="leaf_in_place",
        says="A leaf that requires grad, or a view of one, is changed in place.",
        means=(
            Sentence(
                "A parameter, or a tensor made with requires_grad=True, is changed in "
                "place through a view of it where autograd is on",
                {"view": r".+"},
            ),
            (
                "A parameter, or a tensor made with requires_grad=True, is changed in "
                "place where autograd is on"
            ),
        ),
        remedy=(
            Sentence(
                "Write it out of place: `x = x + y` for `x += y`, and `x = x.clone()` before `x[i] "
                "= y`. An activation with inplace=True that gets it first does this too",
                {"frames": _IN_FORWARD},
            ),
            Sentence(
                "Put the line inside `with torch.no_grad():`, as every update and initialisation "
                "by hand",
                {"line": _BY_HAND},
            ),
            "For an update by hand or an initialisation put the line inside `with "
            "torch.no_grad():`; in a computation write it out of place: `x = x + y` instead of `x "
            "+= y`, and `x = x.clone()` before `x[i] = y`",
        ),
        suspects=_WRITES,
        types=("RuntimeError",),
        today=(
            r"(?P<view>a view of )?a leaf Variable that requires grad (?:is being|has been) used "
            r"in an in-place operation",
        ),
        values={"view": "`a view of ` where it was changed through a view"},
        sample="torch.ones(3, requires_grad=True).add_(1)",
        examples=(
            "RuntimeError: a leaf Variable that requires grad has been used in an in-place "
            "operation.",
        ),
    ),
    ErrorFamily(
        id="no_grad_view_in_place",
        says="A view that was made under no_grad is changed in place where autograd records.",
        means=(("A view that was made under no_grad is changed in place where autograd records"),),
        remedy=("Make the view outside of no_grad, or change a copy: `x = x.clone()`",),
        suspects=_WRITES,
        types=("RuntimeError",),
        today=(r"[Aa] (?P<view>view) was created in (?:no_grad|inference) mode",),
        values={"view": "what was made"},
        sample=(
            "x = torch.ones(3, requires_grad=True)\nwith torch.no_grad():\n    v = x[:2]\nv.add_(1)"
        ),
    ),
    ErrorFamily(
        id="view_of_many_in_place",
        says="A view out of several, such as unbind's or split's, is changed in place.",
        means=(
            Sentence(
                "A module has a full backward hook, which hands its input and its output on as "
                "views, and one of them is changed in place",
                {"function": r"BackwardHookFunction\w*"},
            ),
            Sentence(
                "What {function} gave, a function with a backward of its own, is changed in place; "
                "it is a view of its input",
                {"custom": r".+"},
            ),
            "One of several views that {function} made is changed in place",
        ),
        remedy=(
            Sentence(
                "In what is hooked, and right behind it: activations that do not work in place, "
                "and `out = out + x` for `out += x`",
                {"function": r"BackwardHookFunction\w*"},
            ),
            "Write it out of place (`x = x + y`), or change a copy: `x = x.clone()`. An activation "
            "with inplace=True right behind it does this too",
        ),
        suspects=_WRITES,
        types=("RuntimeError",),
        today=(
            r"Output (?P<output>\d+) of (?P<function>\w+) is a view and is being modified inplace",
        ),
        details=(r"(?P<custom>created inside a custom Function)",),
        values={
            "output": "its number",
            "function": "that made it, such as UnbindBackward0",
            "custom": "says that it is no operation of PyTorch's own",
        },
        sample=(
            "x = torch.ones(2, 3, requires_grad=True) * 1\nfor row in x.unbind():\n    row.add_(1)"
        ),
    ),
    ErrorFamily(
        id="modified_in_place",
        says="A tensor that backward still needs was changed in place.",
        derive=_kernel,
        means=(
            Sentence(
                "A tensor of whole numbers of shape {shape}, such as an index or a mask, was "
                "changed in place after it was used: backward still needs its old values (it has "
                "version {version} where {expected} was expected)",
                {"type": r".*\.(?:Long|Int|Bool|Byte)Tensor", "version": r".+"},
            ),
            Sentence(
                "A tensor of shape {shape}, which was itself made by writing into slices "
                "({function}: `x[…] = y`), was changed in place after it was used: backward still "
                "needs its old values (it has version {version} where {expected} was expected)",
                {"function": r"CopySlices"},
            ),
            Sentence(
                "A tensor of shape {shape} that no recorded operation made was changed in place "
                "after it was used: backward still needs its old values (it has version {version} "
                "where {expected} was expected). The shape is that of a convolution's weight, "
                "which optimizer.step() changes",
                {"leaf": r"kernel"},
            ),
            Sentence(
                "A tensor of shape {shape} that no recorded operation made was changed in place "
                "after it was used: backward still needs its old values (it has version {version} "
                "where {expected} was expected) | a parameter that optimizer.step() changed, a "
                "buffer such as a BatchNorm's, or data that was written into",
                {"leaf": r".+"},
            ),
            Sentence(
                "A tensor of shape {shape} that backward still needs was changed after it was "
                "used (it has version {version} where {expected} was expected). {function} says "
                "that it is a transposed tensor, often the weight of a Linear layer: then perhaps "
                "optimizer.step() changed the weights between the forward pass and this backward",
                {"function": r"(?:T|Transpose)Backward\w*"},
            ),
            Sentence(
                "A tensor of shape {shape} that backward still needs was changed after it was "
                "used (it has version {version} where {expected} was expected). {function} says "
                "that it is a view of the tensor that was changed. In two dimensions that is most "
                "often the transposed weight of a Linear layer, which optimizer.step() changed "
                "between the forward pass and this backward",
                {"function": r"AsStridedBackward\w*", "shape": r"\[\d+, ?\d+\]"},
            ),
            Sentence(
                "A computed tensor of shape {shape}, the result of {function}, was changed in "
                "place after it was used: backward still needs its old values (it has version "
                "{version} where {expected} was expected). It is no weight, so no optimizer.step() "
                "changed it",
                {"function": _COMPUTES},
            ),
            (
                "A tensor of shape {shape}, made by {function}, was changed in place after it was "
                "used: backward still needs its old values (it has version {version} where "
                "{expected} was expected)"
            ),
            (
                "A tensor of shape {shape} was changed in place after it was used: backward still "
                "needs its old values"
            ),
            "A tensor was changed in place after it was used: backward still needs its old values",
        ),
        remedy=(
            Sentence(
                "Give the index or mask that is written a tensor of its own, `i = i.clone()` "
                "before `i += 1` or `i[…] = …`, or write `i = i + 1`",
                {"type": r".*\.(?:Long|Int|Bool|Byte)Tensor"},
            ),
            Sentence(
                "Collect the parts in a list and join them once, `torch.stack(parts)` (or "
                "`torch.cat`), in place of `x[…] = y` in a loop; or give each round its own "
                "tensor: `x = x.clone()` before the write",
                {"function": r"CopySlices"},
            ),
            *(
                Sentence(
                    "In what you show, one optimizer's step() stands between the backward() of two "
                    "losses with nothing computed anew: it changes weights in place that the "
                    "second one still needs. Where two networks are trained in turns, the first "
                    "loss takes what the other one made as a value, `judge(made.detach())`, and "
                    "the second loss is computed after that step, from `judge(made)` anew",
                    {"function": rf"(?!{_COMPUTES}$).*", where: _STEP_OF_ANOTHER},
                )
                for where in ("code", "words")
            ),
            *(
                Sentence(
                    "In what you show, a step() stands between two backward() calls with nothing "
                    "computed anew: it changes the weights in place, which the second one still "
                    "needs. Call every backward() first, then step() once (the gradients add up); "
                    "for two steps run the forward pass again after the first one and compute the "
                    "second loss of that",
                    {"function": rf"(?!{_COMPUTES}$).*", where: _STEP_BETWEEN},
                )
                for where in ("code", "words")
            ),
            *(
                Sentence(
                    "If the wrapped model runs twice before one backward(): "
                    "DistributedDataParallel writes its buffers (a BatchNorm's statistics) anew in "
                    "each forward. Join the two inputs into one batch, or give "
                    "`broadcast_buffers=False`. If not, look for an optimizer.step() between the "
                    "forward pass and this backward()",
                    {"leaf": r"vector", where: _DISTRIBUTED},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "If an optimizer.step() runs between the forward pass and this backward(): call "
                "every backward() before the first step, or compute the second loss anew after it "
                "(for a GAN: `fake.detach()` for the discriminator); a hidden state kept between "
                "steps is detached: `h = h.detach()`. If none does, look for `+=`, `x[...] = ...` "
                "and methods ending in `_` on a tensor of shape {shape}",
                {"function": r"(?:T|Transpose|AsStrided)Backward\w*", "shape": r"\[\d+, ?\d+\]"},
            ),
            Sentence(
                "Look behind the operation that {function} belongs to, for what writes into its "
                "result of shape {shape}: `+=`, `*=`, `/=`, `x[...] = ...`, a method ending in "
                "`_`, inplace=True. Write it out of place (`x = x + y`, `x = x / norm`, "
                "`.clone()` before the write). `torch.autograd.set_detect_anomaly(True)` around "
                "the forward pass names the line of that operation",
                {"function": _COMPUTES, "shape": r".+"},
            ),
            *(
                Sentence(
                    "Where two networks are trained in turns: a step() of one between a forward "
                    "pass and its backward() changes weights that this backward still needs. "
                    "Compute what the second loss is made of anew, behind the first one's step "
                    "(and give the discriminator `fake.detach()`): forward, backward and step of "
                    "one network, then of the other. If it is in that order already, look for "
                    "`+=`, `x[...] = ...`, methods ending in `_` and inplace=True on computed "
                    "tensors; `torch.autograd.set_detect_anomaly(True)` names the operation",
                    {where: IN_TURNS},
                )
                for where in ("code", "line", "words")
            ),
            *(
                Sentence(
                    "If it is the weight of the Embedding with `max_norm`: each call of that layer "
                    "scales the rows that it looks up in place, so the weight may not be used "
                    "before it in the same graph. Use a copy there, `emb.weight.clone()`, or call "
                    "the layer first; or leave `max_norm` out, and scale by hand",
                    {"leaf": r"other", where: _MAX_NORM},
                )
                for where in ("code", "words")
            ),
            Sentence(
                "If an optimizer.step() runs between the forward pass and this backward(): call "
                "every backward() before the first step, or compute the second loss anew after it; "
                "a state kept from step to step is detached: `h = h.detach()`. If none does, look "
                "for what writes into a parameter, a buffer or the data: `+=`, `x[...] = ...`, "
                "`copy_`, `.data`",
                {"leaf": r".+"},
            ),
            (
                "Look for `+=`, `*=`, `/=`, `x[...] = ...`, methods ending in `_` and "
                "inplace=True on tensors that were computed, and write them out of place (`x = x "
                "/ norm`, `torch.stack` of a list instead of filling a tensor, `.clone()` before "
                "the write); an optimizer.step() between forward and backward does it too. "
                "`torch.autograd.set_detect_anomaly(True)` around the forward pass names the line "
                "of the operation whose input was changed"
            ),
        ),
        suspects=_WRITES,
        types=("RuntimeError",),
        today=(
            r"modified by an inplace operation: \[(?P<type>\S{1,60}) (?P<shape>\[[\d, ]*\])\](?:, "
            r"which is output (?P<output>\d+) of (?P<function>\w+),)? is at version "
            r"(?P<version>\d+); expected version (?P<expected>\d+)",
            r"modified by an inplace operation(?:: \[\S{1,60} (?P<shape>\[[\d, ]*\])\])?",
        ),
        values={
            "type": "of the tensor, such as torch.FloatTensor",
            "shape": "of the tensor",
            "output": "its number among the outputs of what made it",
            "function": "that made it, such as SigmoidBackward0",
            "version": "of the tensor now",
            "expected": "version that was saved",
        },
        sample=(
            "x = torch.ones(3, requires_grad=True)\ny = x.exp()\ny.add_(1)\ny.sum().backward()"
        ),
        examples=(
            "RuntimeError: one of the variables needed for gradient computation has been modified "
            "by an inplace operation",
        ),
    ),
    ErrorFamily(
        id="inference_tensor",
        says="A tensor that was made in inference mode takes part in training.",
        means=("A tensor that was made in inference mode takes part in training",),
        remedy=(
            "Use `torch.no_grad()` instead of inference_mode there (Lightning evaluates in it: "
            "`Trainer(inference_mode=False)`), or clone the tensor outside of it: `x = x.clone()`. "
            "Perhaps it is kept from an evaluation: a cache, a buffer, positions made at the first "
            "call",
        ),
        suspects=(Suspect(r"inference_mode"),),
        types=("RuntimeError",),
        today=(
            r"Inference tensors cannot be saved for backward",
            r"Inplace update to inference tensor outside InferenceMode",
        ),
        sample=(
            "with torch.inference_mode():\n"
            "    x = torch.ones(2)\n"
            "(x * torch.ones(2, requires_grad=True)).sum().backward()"
        ),
    ),
)
