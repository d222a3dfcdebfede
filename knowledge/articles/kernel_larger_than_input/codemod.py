"""Pad a picture that is smaller than the kernel, or make the kernel as small as the picture."""

from __future__ import annotations

import libcst as cst

from executor.errors import read
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.shapes import still_computed, uses_loaded_weights
from knowledge.repair.toolkit.sites import (
    argument,
    integer,
    made,
    seen_error,
    setting,
    with_argument,
)

ERRORS, LAYERS = ("conv_kernel_size",), "Conv2d"


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`padding=k // 2`, which keeps the size, or a kernel that fits; both are other networks."""
    error, layer = seen_error(result, *ERRORS), result.layer
    found = read(error, *ERRORS) if error is not None else None
    if found is None or layer is None or uses_loaded_weights(program):
        return
    (height, width), (kernel, other) = found.sizes("input"), found.sizes("kernel")
    call = made(program, layer)
    if call is None or call.in_loop or kernel != other or height != width or height < 2:
        return
    size = argument(call.call, 2, "kernel_size")
    plain = setting(layer, "dilation") is None and "padding=" not in layer.repr
    if size is None or not isinstance(size.value, cst.Integer) or not plain:
        return
    f"line {program.line(call.call)}"
    if kernel % 2:
        padded = with_argument(call.call, 99, "padding", integer(kernel // 2))
        told = f"the {height} x {width} picture is padded, so that a kernel of {kernel} fits"
        yield program.edit(
            {call.call: padded}, told, f"a kernel of {kernel}, and maps as large as the picture"
        )
    told = f"the kernel is as large as the {height} x {width} picture"
    yield program.edit(
        {size.value: integer(height)}, told, "one number for the whole picture", at=call.call
    )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The convolution still computes, on a picture that nobody made larger."""
    error = seen_error(before, *ERRORS)
    bent = [w for w in ("interpolate", "F.pad(", "Upsample") if w in proposal.code]
    detail = f"{bent[0].rstrip('(')} makes another picture" if bent else "the picture is the same"
    picture = Check(name="picture", passed=not bent, detail=detail)
    return [still_computed(error, proposal.code), picture]
