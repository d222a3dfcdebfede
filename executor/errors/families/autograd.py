"""Uses of autograd, optimizers and learning rate schedules that cannot work."""

from executor.errors.family import ErrorFamily

FAMILIES = (
    ErrorFamily(
        id="no_graph",
        says="backward or grad starts at a tensor that was computed without a graph.",
        types=("RuntimeError",),
        today=(
            r"element (?P<element>\d+) of (?:tensors|variables) does not require grad and does not "
            r"have a grad_fn",
            r"does not require grad and does not have a grad_fn",
        ),
        older=(
            r"element \d+ of (?:tensors|variables) does not require grad",
            r"there are no graph nodes that require computing gradients",
        ),
        values={"element": "its number among the tensors given, from 0"},
        sample="torch.ones(3).sum().backward()",
        examples=(
            "RuntimeError: element 0 of tensors does not require grad",
            "RuntimeError: element 0 of variables does not require grad and does not have a "
            "grad_fn",
            "RuntimeError: there are no graph nodes that require computing gradients",
        ),
    ),
    ErrorFamily(
        id="input_without_grad",
        says="A gradient is asked for a tensor that does not require one.",
        types=("RuntimeError",),
        today=(r"One of the differentiated (?:Tensors|Variables) does not require grad",),
        sample=(
            "x = torch.ones(3, requires_grad=True)\ntorch.autograd.grad(x.sum(), torch.ones(3))"
        ),
    ),
    ErrorFamily(
        id="hook_without_grad",
        says="A hook is registered on a tensor that does not require a gradient.",
        types=("RuntimeError",),
        today=(r"cannot register a hook on a (?:tensor|variable) that doesn't require gradient",),
        sample="torch.ones(3).register_hook(print)",
    ),
    ErrorFamily(
        id="leaf_in_place",
        says="A leaf that requires grad, or a view of one, is changed in place.",
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
        id="grad_of_many",
        says="backward or grad is called on a tensor with more than one element.",
        types=("RuntimeError",),
        today=(r"grad can be implicitly created only for scalar outputs",),
        older=(r"backward should be called only on a scalar",),
        sample="(torch.ones(3, requires_grad=True) * 2).backward()",
        examples=(
            "RuntimeError: backward should be called only on a scalar (i.e. 1-element tensor) or "
            "with gradient w.r.t. the variable",
        ),
    ),
    ErrorFamily(
        id="grad_of_complex",
        says="backward or grad is called on a complex number.",
        types=("RuntimeError",),
        today=(
            r"grad can be implicitly created only for real scalar outputs(?: but got "
            r"(?P<dtype>[\w.]+))?",
        ),
        values={"dtype": "of the tensor"},
        sample="torch.ones(1, dtype=torch.cfloat, requires_grad=True).sum().backward()",
    ),
    ErrorFamily(
        id="grad_output_shape",
        says="A gradient is given for an output of another shape.",
        types=("RuntimeError",),
        today=(
            r"Mismatch in shape: grad_output\[(?P<number>\d+)\] has a shape of "
            r"torch\.Size\((?P<gradient>\[[\d, ]*\])\) and output\[\d+\] has a shape of "
            r"torch\.Size\((?P<output>\[[\d, ]*\])\)",
        ),
        values={
            "number": "of the output, from 0",
            "gradient": "shape of the gradient",
            "output": "shape of the output",
        },
        sample="(torch.ones(3, requires_grad=True) * 2).backward(torch.ones(2))",
    ),
    ErrorFamily(
        id="freed_graph",
        says="backward goes through a graph that an earlier one has freed.",
        types=("RuntimeError",),
        today=(r"backward through the graph a second time",),
        older=(r"backward through the graph second time",),
        sample=(
            "loss = torch.ones(3, requires_grad=True).exp().sum()\nloss.backward()\nloss.backward()"
        ),
        examples=(
            "RuntimeError: Trying to backward through the graph second time, but the buffers have "
            "already been freed. Please specify retain_variables=True when calling backward for "
            "the first time.",
            "RuntimeError: Trying to backward through the graph a second time, but the buffers "
            "have already been freed. Specify retain_graph=True when calling backward the first "
            "time.",
        ),
    ),
    ErrorFamily(
        id="grad_of_result",
        says="The gradient of a result is read, which backward does not keep (a warning).",
        types=("UserWarning",),
        today=(r"is not a leaf Tensor is being accessed",),
        sample=(
            "import warnings\n"
            "with warnings.catch_warnings():\n"
            '    warnings.simplefilter("error")\n'
            "    (torch.ones(2, requires_grad=True) * 2).grad"
        ),
    ),
    ErrorFamily(
        id="integers_require_grad",
        says="Whole numbers are to require a gradient.",
        types=("RuntimeError",),
        today=(
            r"[Oo]nly Tensors of floating point (?:and complex )?dtype can require(?P<wording> "
            r"gradients)?",
        ),
        values={"wording": "` gradients` in today's wording"},
        sample="torch.tensor([1, 2], requires_grad=True)",
    ),
    ErrorFamily(
        id="integers_as_data",
        says="Whole numbers are put into a tensor that requires grad.",
        types=("RuntimeError",),
        today=(r"data set to a tensor that requires gradients must be floating",),
        sample="x = torch.ones(2, requires_grad=True)\nx.data = torch.ones(2, dtype=torch.long)",
    ),
    ErrorFamily(
        id="unused_in_graph",
        says="A gradient is asked for a tensor that the result was not computed from.",
        types=("RuntimeError",),
        today=(r"appears to not have been used in the graph",),
        sample=(
            "x = torch.ones(2, requires_grad=True)\ny = torch.ones(2, requires_grad=True)\n"
            "torch.autograd.grad(x.sum(), y)"
        ),
        examples=(
            "RuntimeError: One of the differentiated Tensors appears to not have been used in the "
            "graph. Set allow_unused=True if this is the desired behavior.",
        ),
    ),
    ErrorFamily(
        id="saved_no_tensor",
        says="save_for_backward is given something that is no tensor.",
        types=("TypeError",),
        today=(
            r"save_for_backward can only save (?:variables|input or output tensors)(?:, but "
            r"argument (?P<argument>\d+) is of type (?P<given>[\w.]+))?",
        ),
        values={"argument": "its number, from 0", "given": "its type"},
        sample=(
            "class Scale(torch.autograd.Function):\n"
            "    @staticmethod\n"
            "    def forward(ctx, x, n):\n"
            "        ctx.save_for_backward(x, n)\n"
            "        return x * n\n\n"
            "Scale.apply(torch.ones(2, requires_grad=True), 3)"
        ),
    ),
    ErrorFamily(
        id="backward_count",
        says="A custom backward returns another number of gradients than its forward has inputs.",
        types=("RuntimeError",),
        today=(
            r"[Ff]unction (?P<function>\w+?)(?:Backward)? returned an incorrect number of "
            r"gradients \(expected (?P<expected>\d+), got (?P<given>\d+)\)",
        ),
        values={
            "function": "the class",
            "expected": "inputs of its forward",
            "given": "gradients that its backward returned",
        },
        sample=(
            "class Scale(torch.autograd.Function):\n"
            "    @staticmethod\n"
            "    def forward(ctx, x, n):\n"
            "        return x * n\n\n"
            "    @staticmethod\n"
            "    def backward(ctx, g):\n"
            "        return g\n\n"
            "Scale.apply(torch.ones(2, requires_grad=True), 3).sum().backward()"
        ),
    ),
    ErrorFamily(
        id="backward_shape",
        says="A custom backward returns a gradient of another shape than its input.",
        types=("RuntimeError",),
        today=(
            r"Function (?P<function>\w+?)(?:Backward)? returned an invalid gradient at index "
            r"(?P<index>\d+) - got (?P<given>\[[\d, ]*\]) but expected shape compatible with "
            r"(?P<expected>\[[\d, ]*\])",
        ),
        values={
            "function": "the class",
            "index": "number of the gradient, from 0",
            "given": "shape of the gradient",
            "expected": "shape of the input",
        },
        sample=(
            "class Double(torch.autograd.Function):\n"
            "    @staticmethod\n"
            "    def forward(ctx, x):\n"
            "        return x * 2\n\n"
            "    @staticmethod\n"
            "    def backward(ctx, g):\n"
            "        return g[:1].reshape(1, 1).expand(1, 4)\n\n"
            "Double.apply(torch.ones(2, requires_grad=True)).sum().backward()"
        ),
    ),
    ErrorFamily(
        id="deepcopy_of_result",
        says="Something that holds the result of an operation is copied deeply.",
        types=("RuntimeError",),
        today=(
            r"Only (?:Tensors|Variables) created explicitly by the user [^\n]{0,40}?support the "
            r"deepcopy(?P<wording> protocol at the moment)?",
        ),
        values={"wording": "of today"},
        sample="import copy\ncopy.deepcopy(torch.ones(2, requires_grad=True) * 2)",
    ),
    ErrorFamily(
        id="numpy_of_graph",
        says="A tensor that is part of a graph is turned into a NumPy array.",
        types=("RuntimeError",),
        today=(r"Can't call numpy\(\) on (?P<kind>Tensor|Variable) that requires grad",),
        values={"kind": "Tensor; Variable before torch 0.4"},
        sample="torch.ones(2, requires_grad=True).numpy()",
        examples=(
            "RuntimeError: Can't call numpy() on Variable that requires grad. Use "
            "var.detach().numpy() instead.",
        ),
    ),
    ErrorFamily(
        id="saved_tensor_hooks",
        says="A transform of torch.func does not go together with hooks on saved tensors.",
        types=("RuntimeError",),
        today=(r"support saved tensor hooks",),
        sample=(
            "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):\n"
            "    torch.func.grad(lambda x: x.exp().sum())(torch.ones(2))"
        ),
    ),
    ErrorFamily(
        id="no_parameters",
        says="An optimizer is given no parameters.",
        types=("ValueError",),
        today=(r"optimizer got an empty parameter list",),
        sample="torch.optim.SGD([], lr=0.1)",
    ),
    ErrorFamily(
        id="non_leaf_parameter",
        says="An optimizer is given the result of an operation.",
        types=("ValueError",),
        today=(r"can't optimize a non-leaf (?:Tensor|Variable)",),
        sample="torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1)",
    ),
    ErrorFamily(
        id="optimizer_no_tensors",
        says="An optimizer is given something that is no tensor.",
        types=("TypeError",),
        today=(r"optimizer can only optimize (?:Tensors|Variables)",),
        sample="torch.optim.SGD([1.0], lr=0.1)",
    ),
    ErrorFamily(
        id="requires_grad_of_result",
        says="requires_grad is switched off on a result instead of a leaf.",
        types=("RuntimeError",),
        today=(r"you can only change requires_grad flags of leaf variables",),
        sample="x = torch.ones(2, requires_grad=True) * 2\nx.requires_grad = False",
    ),
    ErrorFamily(
        id="inference_tensor",
        says="A tensor that was made in inference mode takes part in training.",
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
    ErrorFamily(
        id="target_requires_grad",
        says="A loss is to be differentiated by its target, for which it has no derivative.",
        types=("RuntimeError", "AssertionError"),
        today=(r"the derivative for '(?P<argument>target|weight)' is not implemented",),
        older=(r"nn criterions don't compute the gradient w\.r\.t\. targets",),
        values={"argument": "without a derivative"},
        needs="torch before 2.0: losses have more derivatives today",
        examples=(
            "RuntimeError: the derivative for 'target' is not implemented",
            "AssertionError: nn criterions don't compute the gradient w.r.t. targets - please mark "
            "these variables as volatile or not requiring gradients",
        ),
    ),
    ErrorFamily(
        id="assigned_gradient",
        says="A gradient of another shape than its tensor's is put into .grad.",
        types=("RuntimeError",),
        today=(
            r"attempting to assign a gradient of size '(?P<gradient>\[[\d, ]*\])' to a tensor of "
            r"size '(?P<tensor>\[[\d, ]*\])'",
        ),
        older=(r"assigned grad has data of a different size",),
        values={"gradient": "shape of the gradient", "tensor": "shape of the tensor"},
        sample="torch.ones(3, requires_grad=True).grad = torch.ones(2)",
        examples=("RuntimeError: assigned grad has data of a different size",),
    ),
    ErrorFamily(
        id="scheduler_before_optimizer",
        says="A learning rate schedule steps before its optimizer does (a warning).",
        types=("UserWarning",),
        today=(r"Detected call of `lr_scheduler\.step\(\)` before `optimizer\.step\(\)`",),
        sample=(
            "import warnings\n"
            "optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)\n"
            "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)\n"
            "with warnings.catch_warnings():\n"
            '    warnings.simplefilter("error")\n'
            "    scheduler.step()"
        ),
    ),
    ErrorFamily(
        id="scheduler_steps",
        says="A schedule of a fixed length is stepped more often than it was made for.",
        types=("ValueError",),
        today=(
            r"Tried to step (?P<step>\d+) times\. The specified number of total steps is "
            r"(?P<total>\d+)",
        ),
        older=(
            r"Tried to step (?P<step>\d+) times\. The specified number of (?:total )?steps is "
            r"(?P<total>\d+)",
        ),
        values={"step": "number of this step", "total": "steps that it was made for"},
        sample=(
            "optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)\n"
            "scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=2)\n"
            "for _ in range(3):\n"
            "    optimizer.step()\n"
            "    scheduler.step()"
        ),
    ),
)
