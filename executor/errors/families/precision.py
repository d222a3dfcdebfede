"""Mixed precision: the gradient scaler and half precision."""

from executor.errors.family import ErrorFamily, Suspect

_SCALER = (
    "weight = torch.ones(2, requires_grad=True)\n"
    "optimizer = torch.optim.SGD([weight], lr=0.1)\n"
    'scaler = torch.amp.GradScaler("cpu")\n'
)

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
        today=(r"No inf checks were recorded (?:for this optimizer|prior to update)",),
        sample=f"{_SCALER}scaler.scale(weight.sum())\nscaler.step(optimizer)",
    ),
    ErrorFamily(
        id="unscaled_twice",
        says="Gradients are unscaled a second time before the scaler is updated.",
        means=("Gradients are unscaled a second time before the scaler is updated",),
        remedy=(
            (
                "Call `scaler.unscale_(optimizer)` once per step and `scaler.update()` "
                "after `scaler.step(optimizer)`"
            ),
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
)
