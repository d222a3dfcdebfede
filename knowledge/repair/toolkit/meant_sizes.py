"""Whether the size that a layer was made for is meant, so that another one supposes something."""

import re

import libcst as cst

from executor.protocol import JobResult, Layer
from knowledge.repair.toolkit.comments import OF_A_SUM, above, commented
from knowledge.repair.toolkit.edits import Program, same
from knowledge.repair.toolkit.shapes import LayerCall, Resized, shape_of
from knowledge.repair.toolkit.sites import argument, given_to, made, scope_of

_NAME = re.compile(r"[A-Za-z_]\w*")


def is_for_another_layer(program: Program, layer: Layer) -> bool:
    """Whether it, or the object that it is a part of, was made for what goes into another layer."""
    maker = made(program, layer)
    size = argument(maker.call, 0, "in_features") if maker is not None else None
    if maker is None or size is None:
        return False
    sizes, cls = [size], program.up(maker.call, cst.ClassDef)
    if cls is not None and isinstance(size.value, cst.Name):
        whole = (c for c in program.all(cst.Call) if program.text(c.func) == cls.name.value)
        sizes += [given for call in whole for given in call.args]
    return any(program.text(given.value).endswith(".in_features") for given in sizes)


def says_its_size(program: Program, found: Resized) -> bool:
    """Whether another size loses a name with none in its place, or a comment works the old one out.

    Then another input may be meant.
    """
    codes = (program.module.code, found.module.code)
    lines = [code.splitlines()[found.line - 1].partition("#")[0] for code in codes]
    old, new = (set(_NAME.findall(line)) for line in lines)
    comments = commented(program.module.code)
    beside = [comments.get(found.line, ""), *above(found.line, comments, program.module.code)]
    return new < old or any(re.search(r"\d", said) and OF_A_SUM.search(said) for said in beside)


def cut_into_rows(program: Program, result: JobResult, called: LayerCall, width: int) -> bool:
    """Whether rows were cut anew by `view(-1, n)`, so that nothing tells what one of them is.

    In a model the number of rows that comes out tells.
    """
    given, scope = called.first, scope_of(program, called.call)
    if isinstance(scope, cst.FunctionDef) and scope.name.value == "forward":
        return False
    by = given_to(program, given)
    view = by.value if by is not None else given
    if not isinstance(view, cst.Call) or not isinstance(view.func, cst.Attribute):
        return False
    sizes = [program.text(a.value) for a in view.args]
    if view.func.attr.value not in ("view", "reshape") or len(sizes) != 2 or sizes[0] != "-1":
        return False
    again = given is not None and same(view.func.value, given)  # what it was before is gone
    before = None if again else shape_of(result, view.func.value)
    return before is None or before[-1:] != (width,)
