"""Synthetic images that a network can learn to tell apart: a pattern for each class, and noise."""

from __future__ import annotations

from typing import Any

import numpy as np

_COARSE = 4  # the pattern's resolution
_NOISE = 24


def pictures(
    labels: Any, size: tuple[int, int], channels: int, seed: int = 0
) -> np.ndarray[Any, Any]:
    """Make an image for each label.

    Args:
        labels: whole numbers.
        size: height, width.
        channels: 1 or 3.

    Returns:
        images: uint8, shape (n, height, width, channels).
    """
    labels = np.asarray(labels, dtype=np.int64)
    height, width = size
    rows = np.arange(height) * _COARSE // height
    columns = np.arange(width) * _COARSE // width
    patterns = {}
    for label in np.unique(labels).tolist():
        of_class = np.random.default_rng((7, abs(label)))
        coarse = of_class.integers(40, 216, (_COARSE, _COARSE, channels))
        patterns[label] = coarse[rows][:, columns]
    noise = np.random.default_rng(seed)
    made = np.empty((len(labels), height, width, channels), np.uint8)
    for n, label in enumerate(labels.tolist()):
        shaken = patterns[label] + noise.integers(-_NOISE, _NOISE, (height, width, channels))
        made[n] = shaken.clip(0, 255)
    return made


def mask(size: tuple[int, int], classes: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """A segmentation mask: rectangles of the first classes; uint8, shape (height, width)."""
    random = np.random.default_rng(seed)
    made = np.zeros(size, np.uint8)
    for label in range(1, min(classes, 6)):
        top, left = (int(random.integers(0, side // 2 + 1)) for side in size)
        made[top : top + size[0] // 2, left : left + size[1] // 2] = label
    return made
