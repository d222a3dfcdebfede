"""Values written in place that the gradient needs, or that must not be written so."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

# Operations whose result is computed: no view of a weight.
_COMPUTES = (
    r"(?:Relu|LeakyRelu|Elu|Gelu|Silu|Sigmoid|Tanh|Softmax|LogSoftmax|Softplus|Add|Sub|Mul|Div|Exp|"
    r"Log|Sqrt|Pow|Norm|Convolution|ConvolutionBackward|CudnnConvolution|MkldnnConvolution|Addmm|"
    r"Mm|Bmm|Cat|Stack|NativeBatchNorm|CudnnBatchNorm|NativeLayerNorm|MaxPool2DWithIndices|"
    r"AvgPool2D|NativeDropout)Backward\d*"
)
_IN_TURNS = r"\b(?:net_?[GD]|[gd]_loss|loss_?[GD]|err[GD]|optimizer_?[GD])\b|\bdiscriminator\b"

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
            (
                "For an update by hand or an initialisation put the line inside `with "
                "torch.no_grad():`; in a computation write it out of place: `x = x + y` "
                "instead of `x += y`"
            ),
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
        means=("One of several views that {function} made is changed in place",),
        remedy=(
            (
                "Write it out of place (`x = x + y`), or change a copy: `x = x.clone()`. "
                "With DataParallel or hooks a ReLU(inplace=True) right behind it does this "
                "too"
            ),
        ),
        suspects=_WRITES,
        types=("RuntimeError",),
        today=(
            r"Output (?P<output>\d+) of (?P<function>\w+) is a view and is being modified inplace",
        ),
        values={"output": "its number", "function": "that made it, such as UnbindBackward0"},
        sample=(
            "x = torch.ones(2, 3, requires_grad=True) * 1\nfor row in x.unbind():\n    row.add_(1)"
        ),
    ),
    ErrorFamily(
        id="modified_in_place",
        says="A tensor that backward still needs was changed in place.",
        means=(
            Sentence(
                "A tensor of shape {shape} that backward still needs was changed after it was "
                "used (it has version {version} where {expected} was expected). {function} says "
                "that it is a transposed tensor, often the weight of a Linear layer: then perhaps "
                "optimizer.step() changed the weights between the forward pass and this backward",
                {"function": r"(?:T|Transpose)Backward\w*"},
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
                "If an optimizer.step() runs between the forward pass and this backward(): call "
                "every backward() before the first step, or compute the second loss anew after it "
                "(for a GAN: `fake.detach()` for the discriminator); a hidden state kept between "
                "steps is detached: `h = h.detach()`. If none does, look for `+=`, `x[...] = ...` "
                "and methods ending in `_` on a tensor of shape {shape}",
                {"function": r"(?:T|Transpose)Backward\w*"},
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
                    {where: _IN_TURNS},
                )
                for where in ("code", "line", "words")
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
            ("Use `torch.no_grad()` instead of inference_mode there, or clone it: `x = x.clone()`"),
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
