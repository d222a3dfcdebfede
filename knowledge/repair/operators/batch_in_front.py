"""Put the batch of one picture in front: `x.unsqueeze(0)` for `x.unsqueeze(1)`.

A convolution says which dimension it reads its channels from: where the picture's channels stand
in the first place and a new dimension in the second, that was meant to be the batch.
"""

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.live import tensors
from knowledge.repair.toolkit.sites import argument, calls, scope_of, setting

ERRORS = ("conv_channels",)
KEEPS = (computed(),)
_RANKS = {"Conv1d": 3, "Conv2d": 4, "Conv3d": 5}


def edits(failure: Failure) -> Rewrites:
    """The one `unsqueeze(1)` of the picture that the layer is given."""
    rank = _RANKS.get(failure.result.layer.type) if failure.result.layer is not None else None
    if failure.result.layer is None or rank is None or not failure.places:
        return
    wanted = setting(failure.result.layer, "in_channels")
    for place in failure.places[-1:]:
        for one in tensors(failure, place):
            shape = list(one.value.shape)
            if shape[:2] != [wanted, 1] or len(shape) != rank or wanted == 1:
                continue
            name = failure.text(one.node)
            found = [
                call
                for call in calls(failure, r"\.unsqueeze_?$")
                if isinstance(call.func, cst.Attribute)
                and failure.text(call.func.value) == name
                and scope_of(failure, call) is scope_of(failure, one.node)
            ]
            dim = argument(found[0], 0, "dim") if len(found) == 1 else None
            if dim is None or failure.text(dim.value) != "1":
                continue
            told = f"`{name}` is one picture of {wanted} channels, and its batch comes first"
            yield failure.edit({dim.value: cst.Integer("0")}, told, at=dim)
