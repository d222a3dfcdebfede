"""Mixed precision: the gradient scaler and half precision."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

_SCALER = (
    "weight = torch.ones(2, requires_grad=True)\n"
    "optimizer = torch.optim.SGD([weight], lr=0.1)\n"
    'scaler = torch.amp.GradScaler("cpu")\n'
)

# Half precision is asked for because it is to be quicker.
_FOR_SPEED = r"\b(?:speed\w*|fast(?:er)?|quick(?:er)?|slow(?:er)?|same time)\b"

FAMILIES = (
    ErrorFamily(
        id="scaler_without_gradients",
        says="The gradient scaler steps an optimizer none of whose parameters has a gradient.",
        means=(
            (
                "The gradient scaler steps an optimizer none of whose parameters has a "
                "gradient: backward did not reach them"
            ),
        ),
        remedy=(
            (
                "Check that the optimizer holds the parameters of the model that computed "
                "the loss (`p.requires_grad`, not another copy), that "
                "`scaler.scale(loss).backward()` runs before `scaler.step(optimizer)`, and "
                "that the loss really depends on them: after backward print how many have "
                "`p.grad is not None`"
            ),
        ),
        suspects=(Suspect(r"step|unscale_"),),
        types=("AssertionError",),
        today=(r"No inf checks were recorded for this optimizer",),
        sample=f"{_SCALER}scaler.scale(weight.sum())\nscaler.step(optimizer)",
    ),
    ErrorFamily(
        id="scaler_updated_alone",
        says="The gradient scaler is updated without a step that it took.",
        means=(
            "scaler.update() comes without a scaler.step() or scaler.unscale_() before it in this "
            "round that saw gradients",
        ),
        remedy=(
            "In each round: `scaler.scale(loss).backward()`, `scaler.step(optimizer)`, "
            "`scaler.update()`, and none of the three alone. Where Accelerate or Lightning does "
            "it, leave the scaler to them",
        ),
        suspects=(Suspect(r"update"),),
        types=("AssertionError",),
        today=(r"No inf checks were recorded prior to update",),
        sample=(f"{_SCALER}scaler.scale(weight.sum()).backward()\nscaler.update()"),
    ),
    ErrorFamily(
        id="unscaled_twice",
        says="Gradients are unscaled a second time before the scaler is updated.",
        decides=True,
        means=("Gradients are unscaled a second time before the scaler is updated",),
        remedy=(
            "Call `scaler.unscale_(optimizer)` once per step and `scaler.update()` after "
            "`scaler.step(optimizer)`. Where gradients of several batches are added up, all three "
            "belong into the branch in which the step is made, and only backward() outside of it",
        ),
        suspects=(Suspect(r"unscale_"),),
        types=("RuntimeError",),
        today=(
            r"unscale_\(\) has already been called",
            r"unscale_\(\) is being called after step\(\)",
            r"step\(\) has already been called since the last update\(\)",
        ),
        sample=(
            f"{_SCALER}scaler.scale(weight.sum()).backward()\n"
            "scaler.unscale_(optimizer)\nscaler.unscale_(optimizer)"
        ),
    ),
    ErrorFamily(
        id="half_parameters",
        says="The gradient scaler gets parameters in half precision, which it keeps in float32.",
        means=(
            ("The gradient scaler gets parameters in half precision, and it needs them in float32"),
        ),
        remedy=(
            (
                "Leave the model in float32 (no `.half()`, no torch_dtype=float16 for "
                "training) and let `torch.autocast` choose"
            ),
        ),
        suspects=(Suspect(r"half"),),
        types=("ValueError",),
        today=(r"Attempting to unscale FP16 gradients",),
        sample=(
            f"{_SCALER.replace('(2, req', '(2, dtype=torch.half, req')}"
            "scaler.scale(weight.sum()).backward()\nscaler.unscale_(optimizer)"
        ),
    ),
    ErrorFamily(
        id="never_scaled",
        says="The gradient scaler steps or updates before it has scaled any loss.",
        types=("AssertionError",),
        today=(r"Attempted \w+ but _scale is None",),
        sample=f"{_SCALER}weight.sum().backward()\nscaler.step(optimizer)",
    ),
    ErrorFamily(
        id="half_on_cpu",
        says="An operation that the CPU has not in half precision gets a tensor in it.",
        means=(
            Sentence(
                "An operation that the CPU has not in half precision gets a tensor in it; half "
                "precision makes a file and the memory smaller, and a CPU no faster",
                {"words": _FOR_SPEED},
            ),
        ),
        remedy=(
            Sentence(
                "Compute in float32 there, `model.float()`. Faster on a CPU: int8 for the Linear "
                "and recurrent layers (`torch.ao.quantization.quantize_dynamic(model, "
                "{{nn.Linear}}, dtype=torch.qint8)`), bfloat16 where the processor has it (AMX, "
                "AVX512-BF16), or another engine (ONNX Runtime, OpenVINO); print the time of each, "
                "and compare the results",
                {"words": _FOR_SPEED},
            ),
        ),
        types=("NotImplementedError", "RuntimeError"),
        today=(
            r'"(?P<kernel>(?!\w{0,80}cuda)[\w.]{1,80})" not implemented for '
            r"'(?P<dtype>Half|BFloat16)'",
        ),
        older=(
            r"\b(?P<kernel>(?!\w{0,80}cuda)\w{1,80}) not implemented for '(?P<dtype>Half)'",
            r"\b(?P<kernel>\w{1,80}) is not implemented for type torch\.(?P<dtype>Half)Tensor",
            r"\b(?P<kernel>_\w{1,60}) (?:is )?not supported on CPUType for (?P<dtype>Half)",
        ),
        values={
            "kernel": "PyTorch's name of the operation",
            "dtype": "Half or BFloat16",
        },
        sample="torch.linalg.svd(torch.ones(2, 2, dtype=torch.half))",
        examples=(
            "RuntimeError: \"slow_conv2d_cpu\" not implemented for 'Half'",
            "RuntimeError: \"addmm_impl_cpu_\" not implemented for 'Half'",
            "RuntimeError: \"LayerNormKernelImpl\" not implemented for 'Half'",
            "RuntimeError: thnn_conv2d_forward is not implemented for type torch.HalfTensor",
            "RuntimeError: _th_mm not supported on CPUType for Half",
        ),
        breadth=-4,  # otherwise `not_implemented_for_dtype`
    ),
    ErrorFamily(
        id="linalg_low_precision",
        says="A function of linear algebra that computes in float32 or more gets half precision.",
        means=(
            "`{kernel}` gets {dtype}, and computes in float32 and float64 alone, on every device",
        ),
        remedy=(
            "Cast for this one operation, and back: `torch.linalg.inv(x.float()).to(x.dtype)`; the "
            "rest may stay as it is",
        ),
        types=("RuntimeError",),
        today=(
            r"(?P<kernel>[\w.]{1,80}): Low precision dtypes not supported\. Got "
            r"(?:torch\.)?(?P<dtype>\w+)",
        ),
        values={"kernel": "PyTorch's name of the function", "dtype": "that it got"},
        sample="torch.linalg.inv(torch.eye(2, dtype=torch.half))",
        examples=(
            "RuntimeError: linalg.inv_ex: Low precision dtypes not supported. Got torch.float16",
        ),
    ),
    ErrorFamily(
        id="autocast_unsafe",
        says="A loss of probabilities is computed under autocast, where they lose their ends.",
        types=("RuntimeError",),
        today=(
            r"(?:binary_cross_entropy|BCELoss) (?:and \S{1,60} )?(?:are|is) unsafe to autocast",
        ),
        needs="a CUDA device",
        examples=(
            "RuntimeError: torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are "
            "unsafe to autocast.\nMany models use a sigmoid layer right before the binary cross "
            "entropy layer.",
        ),
    ),
)
