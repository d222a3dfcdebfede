"""Give torchvision its operators where its compiled ones do not load beside this PyTorch.

PyPI's wheel of torchvision is built for CUDA. Beside PyTorch's CPU build its library does not load,
and `import torchvision` ends with "operator torchvision::nms does not exist". There the operators
are declared here, so that the import works and models, transforms and data sets with it. Those
that detection models need compute in pure PyTorch; every other one says that it is not here. A
torchvision whose library loads is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn, cast

import torch

from executor.inside.libraries import boxes, regions

# The versions of torchvision whose operators these are; a test fails on another one.
SEEN_WITH = ("0.28",)

_ROIS = "Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width"
_SIZES = "SymInt batch_size, SymInt channels, SymInt height, SymInt width"
_STEPS = (
    "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, "
    "SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask"
)
_DEFORMED = "Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias"

# An operator's name → its arguments and its result.
_SCHEMAS = {
    "nms": "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms": "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "roi_align": f"(Tensor input, {_ROIS}, int sampling_ratio, bool aligned) -> Tensor",
    "_roi_align_backward": f"(Tensor grad, {_ROIS}, {_SIZES}, int sampling_ratio, bool aligned) "
    "-> Tensor",
    "qroi_align": "(Tensor input, Tensor rois, float input_scale, int input_zero_point, "
    "float rois_scale, int rois_zero_point, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor",
    "ps_roi_align": f"(Tensor input, {_ROIS}, int sampling_ratio) -> (Tensor, Tensor)",
    "_ps_roi_align_backward": "(Tensor grad, Tensor rois, Tensor channel_mapping, "
    "float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, "
    f"{_SIZES}) -> Tensor",
    "roi_pool": f"(Tensor input, {_ROIS}) -> (Tensor, Tensor)",
    "_roi_pool_backward": "(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, "
    f"SymInt pooled_height, SymInt pooled_width, {_SIZES}) -> Tensor",
    "ps_roi_pool": f"(Tensor input, {_ROIS}) -> (Tensor, Tensor)",
    "_ps_roi_pool_backward": "(Tensor grad, Tensor rois, Tensor channel_mapping, "
    f"float spatial_scale, SymInt pooled_height, SymInt pooled_width, {_SIZES}) -> Tensor",
    "deform_conv2d": f"({_DEFORMED}, {_STEPS}) -> Tensor",
    "_deform_conv2d_backward": f"(Tensor grad, {_DEFORMED}, {_STEPS}) "
    "-> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    "box_iou_rotated": "(Tensor boxes1, Tensor boxes2) -> Tensor",
    "_cuda_version": "() -> int",
}
_COMPUTED: dict[str, Callable[..., Any]] = {
    "nms": boxes.nms,
    "roi_align": regions.roi_align,
    "_roi_align_backward": regions.roi_align_backward,
    "_cuda_version": lambda: -1,
}
_declared: dict[str, Any] = {}  # an operator lives as long as its library


def complete(extension: ModuleType) -> None:
    """Give `torchvision.extension` what it could not load, before the rest of torchvision asks."""
    parts: dict[str, Any] = vars(extension)
    load: Callable[[str], bool] = parts["_load_library"]
    if not parts["_has_ops"]():
        _declare("torchvision", _SCHEMAS, _COMPUTED)
        parts["_has_ops"] = _has_ops

    def load_or_declare(name: str) -> bool:
        if load(name):
            return True
        if name != "image":
            return False
        from executor.inside.libraries import images

        _declare("image", images.SCHEMAS, images.COMPUTED)
        return True

    parts["_load_library"] = load_or_declare


def _has_ops() -> bool:  # torch.jit.script reads its source
    return True


def _declare(
    namespace: str, schemas: dict[str, str], computed: dict[str, Callable[..., Any]]
) -> None:
    if namespace in _declared:
        return
    library = _declared[namespace] = cast("Any", torch.library).Library(namespace, "DEF")
    for name, schema in schemas.items():
        library.define(name + schema)
        key = "CPU" if schema.startswith("(Tensor") else "CompositeImplicitAutograd"
        library.impl(name, computed.get(name) or _not_here(f"{namespace}::{name}"), key)


def _not_here(operator: str) -> Callable[..., NoReturn]:
    def refuse(*_: object) -> NoReturn:
        raise RuntimeError(
            f"the operator {operator} is not here: torchvision's compiled operators do not load "
            "beside this build of PyTorch"
        )

    return refuse
