"""Compute torchvision's `roi_align` and its gradient in pure PyTorch.

Each output is a weighted sum of the input's pixels, and the weights depend on the boxes alone: so
forward is one bag of rows of the input for each output, and backward adds up the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor


@dataclass(frozen=True)
class _Pooling:
    """How boxes are cut into bins; the operator's arguments beside its tensors."""

    scale: float
    height: int  # bins
    width: int
    samples: int  # by side of a bin; 0 or less: one for each pixel that a bin is high or wide
    aligned: bool


def roi_align(
    input: Tensor, rois: Tensor, scale: float, height: int, width: int, samples: int, aligned: bool
) -> Tensor:
    """The mean of bilinear samples in each bin of each box.

    Args:
        input: shape (N, C, H, W).
        rois: number of the image, x1, y1, x2, y2; shape (K, 5).
        scale: from the boxes' coordinates to the input's.
        height, width: bins of a box.
        samples: by side of a bin; 0 or less: as many as the bin has pixels.
        aligned: shift the boxes by half a pixel.

    Returns:
        Shape (K, C, height, width).
    """
    if rois.dim() != 2 or rois.size(1) != 5:
        raise RuntimeError("rois must have shape as Tensor[K, 5]")
    if input.dtype != rois.dtype:
        raise RuntimeError(
            "Expected tensor for input to have the same type as tensor for rois; "
            f"but type {input.dtype} does not equal {rois.dtype}"
        )
    n, channels, h, w = input.shape
    rows = input.permute(0, 2, 3, 1).reshape(n * h * w, channels)
    result = input.new_empty((len(rois), height, width, channels))
    for some, pixels, weights in _sums(
        rois, h, w, _Pooling(scale, height, width, samples, aligned)
    ):
        bags = F.embedding_bag(pixels, rows, mode="sum", per_sample_weights=weights)
        result[some] = bags.reshape(-1, height, width, channels)
    return result.permute(0, 3, 1, 2).contiguous()


def roi_align_backward(
    grad: Tensor,
    rois: Tensor,
    scale: float,
    height: int,
    width: int,
    n: int,
    channels: int,
    h: int,
    w: int,
    samples: int,
    aligned: bool,
) -> Tensor:
    """The gradient of `roi_align` for its input, of shape (n, channels, h, w)."""
    rows = grad.new_zeros((n * h * w, channels))
    for some, pixels, weights in _sums(
        rois, h, w, _Pooling(scale, height, width, samples, aligned)
    ):
        arrived = grad[some].permute(0, 2, 3, 1).reshape(-1, channels)  # (outputs, C)
        for column, weight in zip(pixels.T, weights.T, strict=True):
            rows.index_add_(0, column, arrived * weight[:, None])
    return rows.reshape(n, h, w, channels).permute(0, 3, 1, 2).contiguous()


def _sums(
    rois: Tensor, h: int, w: int, pooling: _Pooling
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Of which pixels each output is the sum, and with which weights.

    Yields:
        some: which boxes, those with equally many samples by bin; int64, shape (k,).
        pixels: rows of the input; int64, shape (k * height * width, pixels).
        weights: same shape, in the boxes' dtype.
    """
    offset = 0.5 if pooling.aligned else 0.0
    start = rois[:, [2, 1]] * pooling.scale - offset  # (K, 2): y, x
    size = rois[:, [4, 3]] * pooling.scale - offset - start
    if not pooling.aligned:
        size = size.clamp(min=1.0)
    bins = size / torch.tensor([pooling.height, pooling.width]).to(size)  # (K, 2)
    if pooling.samples > 0:
        grids = torch.full_like(bins, pooling.samples, dtype=torch.int64)
    else:
        grids = bins.ceil().to(torch.int64).clamp(min=0)  # (K, 2)
    for grid in sorted({(y, x) for y, x in grids.tolist()}):
        gy, gx = grid
        some = (grids == torch.tensor(grid)).all(1).nonzero()[:, 0]
        ys, wy = _along(start[some, 0], bins[some, 0], pooling.height, gy, h)  # (k, height, 2 gy)
        xs, wx = _along(start[some, 1], bins[some, 1], pooling.width, gx, w)
        image = rois[some, 0].to(torch.int64) * h * w  # (k,)
        pixels = (
            image[:, None, None, None, None] + ys[:, :, None, :, None] * w + xs[:, None, :, None, :]
        )  # (k, height, width, 2 gy, 2 gx)
        weights = wy[:, :, None, :, None] * wx[:, None, :, None, :] / max(1, gy * gx)
        outputs = len(some) * pooling.height * pooling.width
        yield some, pixels.reshape(outputs, -1), weights.reshape(outputs, -1)


def _along(
    start: Tensor, size: Tensor, bins: int, samples: int, length: int
) -> tuple[Tensor, Tensor]:
    """The samples along one side: two pixels for each, and their weights.

    Args:
        start, size: where the first bin begins, and how long each is; shape (k,).
        bins: how many.
        samples: of each bin.
        length: pixels of the input.
    """
    within = (torch.arange(samples).to(size) + 0.5) / max(1, samples)  # (samples,)
    steps = torch.arange(bins).to(size)[:, None] + within  # (bins, samples)
    at = start[:, None, None] + steps * size[:, None, None]  # (k, bins, samples)
    outside = (at < -1) | (at > length)
    at = at.clamp(min=0)
    low = at.to(torch.int64).clamp(max=length - 1)
    high = (low + 1).clamp(max=length - 1)
    part = torch.where(low >= length - 1, torch.zeros_like(at), at - low)
    part_low = (1 - part).masked_fill(outside, 0)
    part_high = part.masked_fill(outside, 0)
    return torch.cat([low, high], 2), torch.cat([part_low, part_high], 2)
