"""Make a picture a tensor before the transform that takes tensors only.

`ToTensor()` moves in front of `Normalize` in the list that both stand in.
"""

import re

import libcst as cst

from executor.errors import read
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.keeps import written
from knowledge.repair.toolkit.statements import last_name

_A_PICTURE = re.compile(r"PIL image inputs")
_OF_TENSORS = frozenset({"Normalize", "RandomErasing", "LinearTransformation"})
_TOLD = "what takes tensors is still there", "what takes tensors is gone"
KEEPS = (written("transforms", *_TOLD, has=rf"(?:{'|'.join(_OF_TENSORS)})\("),)
_MAKE_ONE = frozenset({"ToTensor", "PILToTensor", "ToImage"})


def applies(result: JobResult) -> bool:
    """A transform of tensors was given a picture."""
    error = result.error
    seen = read(error, "image_type") if error is not None else None
    if error is None or seen is None:
        return error is not None and _A_PICTURE.search(error.message) is not None
    return "PIL" in seen["given"] and "tensor" in seen["expected"].lower()


def edits(failure: Failure) -> Rewrites:
    """Every list of transforms in which a tensor is wanted before one is made."""
    changes: Edits = {}
    told = ""
    for steps in failure.all(cst.List):
        called = [e.value.func if isinstance(e.value, cst.Call) else None for e in steps.elements]
        names = [last_name(failure, f) if f is not None else "" for f in called]
        wants = next((i for i, n in enumerate(names) if n in _OF_TENSORS), None)
        makes = next((i for i, n in enumerate(names) if n in _MAKE_ONE), None)
        if wants is None or makes is None or makes < wants or "#" in failure.text(steps):
            continue  # a comment would stay behind, beside another step
        order: list[cst.BaseExpression] = [e.value for e in steps.elements]
        order.insert(wants, order.pop(makes))
        new = [e.with_changes(value=v) for e, v in zip(steps.elements, order, strict=True)]
        changes[steps] = steps.with_changes(elements=new)
        told = f"`{names[makes]}` comes before `{names[wants]}`, which takes tensors"
    if changes:
        yield failure.edit(changes, told, at=min(changes, key=failure.line))
