"""Take the layer for as many dimensions as come in: `BatchNorm2d` for `BatchNorm1d` of images.

A normalization, a pooling and a dropout mean the same with one, two or three dimensions of place.
A convolution has weights, and what comes in may have lost a dimension as well: it stays.
"""

import re

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.keeps import layers
from knowledge.repair.toolkit.sites import made

LAYERS = r"((?:Lazy)?(?:BatchNorm|InstanceNorm)|(?:Max|Avg|AdaptiveMax|AdaptiveAvg|LP)Pool)([123])d"
SPEAKS = r"(?i)\b\d+D\b|dimension|\d-dim"
KEEPS = (layers,)

REPEATS = True  # the layers of a block are taken for one rank together


def edits(failure: Failure) -> Rewrites:
    """The same kind of layer for the dimensions that come in."""
    layer = failure.result.layer
    kind = re.fullmatch(LAYERS, layer.type) if layer is not None else None
    if layer is None or layer.input is None or kind is None:
        return
    places = len(layer.input) - 2
    site = made(failure, layer)
    if site is None or not 1 <= places <= 3 or places == int(kind[2]):
        return
    old = failure.text(site.call.func)
    new = old.removesuffix(layer.type) + f"{kind[1]}{places}d"
    told = f"`{kind[1]}{places}d` takes what comes in"
    meaning = f"it is for {places} dimension{'s' if places > 1 else ''} of place"
    yield failure.edit({site.call.func: cst.parse_expression(new)}, told, meaning, at=site.call)
