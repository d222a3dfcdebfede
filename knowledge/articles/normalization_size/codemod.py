"""Make a normalisation layer for the features that it gets."""

from __future__ import annotations

from executor.errors import read
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.shapes import resized

_BATCH, _LAYER = "batchnorm_features", "layernorm_shape"  # error families
ERRORS, LAYERS = (_BATCH, _LAYER), ".+"
KEEPS = (computed(), layers)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """num_features or normalized_shape := what arrives."""
    layer = result.layer
    if layer is None or not layer.input:
        return
    shape = layer.input
    keyword, size = "normalized_shape", shape[-1]
    if seen := read(program.error, _BATCH):
        keyword = "num_features"
        size, made = seen.numbers("channels", "num_features")
        # BatchNorm1d takes [batch, features, time]; if the features are last, that is the mistake.
        turned = len(shape) == 3 and shape[2] == made
    else:
        seen = read(program.error, _LAYER)
        given = seen.sizes("normalized_shape") if seen is not None else ()
        turned = len(given) != 1 or given[0] in shape
    if turned:
        return
    for new in resized(program, layer, 0, keyword, size):
        yield new.rewrite(f"{size} features arrive, so the layer is made for {size}")
