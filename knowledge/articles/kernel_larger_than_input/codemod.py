"""Pad a picture that is smaller than the kernel, or make the kernel as small as the picture."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, written
from knowledge.repair.toolkit.shapes import uses_loaded_weights
from knowledge.repair.toolkit.sites import argument, integer, made, setting, with_argument

ERRORS, LAYERS = ("conv_kernel_size",), "Conv2d"
_TOLD = "the picture is the same", "another picture is made"
KEEPS = (computed(), written("picture", *_TOLD, lacks=r"interpolate|F\.pad\(|Upsample"))


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`padding=k // 2`, which keeps the size, or a kernel that fits; both are other networks."""
    layer, found = result.layer, program.said
    if layer is None or uses_loaded_weights(program):
        return
    (height, width), (kernel, other) = found.sizes("input"), found.sizes("kernel")
    call = made(program, layer)
    if call is None or call.in_loop or kernel != other or height != width or height < 2:
        return
    size = argument(call.call, 2, "kernel_size")
    plain = setting(layer, "dilation") is None and "padding=" not in layer.repr
    if size is None or not isinstance(size.value, cst.Integer) or not plain:
        return
    if kernel % 2:
        padded = with_argument(call.call, 99, "padding", integer(kernel // 2))
        told = f"the {height} x {width} picture is padded, so that a kernel of {kernel} fits"
        meant = f"a kernel of {kernel}, and maps as large as the picture"
        yield program.edit({call.call: padded}, told, meant)
    told = f"the kernel is as large as the {height} x {width} picture"
    meant = "one number for the whole picture"
    yield program.edit({size.value: integer(height)}, told, meant, at=call.call)
