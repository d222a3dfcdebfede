"""Look a tensor's number up, not the tensor."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, written

ERRORS = ("tensor_as_key",)
_TOLD = "the key must be there", "a key that is not there goes unnoticed"
_ASKS = written("asked", *_TOLD, lacks=r"\.(get|setdefault)\(")
KEEPS = (computed(allowed=("item",)), _ASKS)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`names[label]` → `names[label.item()]`."""
    node = program.node
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return
    index = node.slice[0].slice
    if not isinstance(index, cst.Index):
        return
    told = "a dict finds a tensor by identity, and its number by value"
    yield program.edit({index.value: method(index.value, "item")}, told, at=node)
