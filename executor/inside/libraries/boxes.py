"""Compute torchvision's `nms` in pure PyTorch."""

from __future__ import annotations

import torch
from torch import Tensor


def nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """The boxes that no kept box of a higher score overlaps by more than the threshold.

    Args:
        dets: boxes as x1, y1, x2, y2; shape (N, 4).
        scores: one of each box; shape (N,).
        iou_threshold: intersection over union above which a box is dropped.

    Returns:
        Indices of the kept boxes by falling score; int64, shape (kept,).
    """
    _check(dets, scores)
    order = scores.sort(stable=True, descending=True).indices
    rows = dets.detach()[order]  # (N, 4)
    first, last = rows[:, :2], rows[:, 2:]
    areas = (last - first).prod(1)  # (N,)
    dropped = torch.zeros(len(rows), dtype=torch.bool)
    kept: list[int] = []
    for i in range(len(rows)):
        if dropped[i]:
            continue
        kept.append(i)
        rest = slice(i + 1, None)
        overlap = torch.minimum(last[i], last[rest]) - torch.maximum(first[i], first[rest])
        shared = overlap.clamp(min=0).prod(1)  # (N - i - 1,)
        # Two boxes without an area share none of it: 0 / 0 is no overlap, in the original too.
        dropped[rest] |= shared / (areas[i] + areas[rest] - shared) > iou_threshold
    return order[torch.tensor(kept, dtype=torch.int64)]


def _check(dets: Tensor, scores: Tensor) -> None:
    """Refuse what the compiled operator refuses, in its words."""
    if dets.dim() != 2:
        raise RuntimeError(f"boxes should be a 2d tensor, got {dets.dim()}D")
    if dets.size(1) != 4:
        raise RuntimeError(f"boxes should have 4 elements in dimension 1, got {dets.size(1)}")
    if scores.dim() != 1:
        raise RuntimeError(f"scores should be a 1d tensor, got {scores.dim()}D")
    if dets.size(0) != scores.size(0):
        raise RuntimeError(
            "boxes and scores should have same number of elements in dimension 0, "
            f"got {dets.size(0)} and {scores.size(0)}"
        )
    if dets.dtype != scores.dtype:
        raise RuntimeError("dets should have the same type as scores")
