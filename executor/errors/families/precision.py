"""Mixed precision: the gradient scaler and half precision."""

from executor.errors.family import ErrorFamily

_SCALER = (
    "weight = torch.ones(2, requires_grad=True)\n"
    "optimizer = torch.optim.SGD([weight], lr=0.1)\n"
    'scaler = torch.amp.GradScaler("cpu")\n'
)

FAMILIES = (
    ErrorFamily(
        id="scaler_without_gradients",
        says="The gradient scaler steps an optimizer none of whose parameters has a gradient.",
        types=("AssertionError",),
        today=(r"No inf checks were recorded (?:for this optimizer|prior to update)",),
        sample=f"{_SCALER}scaler.scale(weight.sum())\nscaler.step(optimizer)",
    ),
    ErrorFamily(
        id="unscaled_twice",
        says="Gradients are unscaled a second time before the scaler is updated.",
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
        types=("ValueError",),
        today=(r"Attempting to unscale FP16 gradients",),
        sample=(
            f"{_SCALER.replace('(2, req', '(2, dtype=torch.half, req')}"
            "scaler.scale(weight.sum()).backward()\nscaler.unscale_(optimizer)"
        ),
    ),
)
