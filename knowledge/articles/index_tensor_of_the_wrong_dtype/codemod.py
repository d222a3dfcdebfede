"""`.long()` for indices that are whole numbers; the values brought to the dtype they go into.

Numbers behind the point are no indices: where they are not known to be zero nothing is offered.
"""

import re

import libcst as cst

from executor.protocol import JobResult, Variable
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.dataflow import INTEGERS, cast_of, is_whole, of_dtype, passed
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import root
from knowledge.repair.toolkit.keeps import leaves, tensors
from knowledge.repair.toolkit.sites import argument, given_to, seen_as

_SUBSCRIPT, _EMBEDDING, _TARGET = "index_dtype", "embedding_dtype", "loss_index_dtype"
_ARGUMENT, _KERNEL = "index_argument_dtype", "not_implemented_for_dtype"
ERRORS = (_SUBSCRIPT, _EMBEDDING, _TARGET, _ARGUMENT, _KERNEL, "scatter_dtypes",
          "index_put_dtypes")  # fmt: skip
KEEPS = (tensors, leaves)


def applies(result: JobResult) -> bool:
    """Indices, or the values put at indices, have a dtype that does not do."""
    seen = seen_as(result, *ERRORS)
    if seen is None or (seen.id == _TARGET and not seen["dtype"].startswith("Int")):
        return False
    return seen.id != _KERNEL or seen["kernel"] == "bincount_cpu"


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The cast at the place that needs it."""
    node, what = program.node, program.said.id
    if what == _SUBSCRIPT:
        if isinstance(node, cst.Subscript):
            for element in node.slice:
                if isinstance(element.slice, cst.Index):
                    yield from _long(program, element.slice.value, program.seen)
    elif what in (_EMBEDDING, _TARGET):
        wanted = ("int32",) if what == _TARGET else ("float32", "float64")
        given = passed(program, result, lambda facts: facts.dtype in wanted)
        names = program.inside(given.statement, cst.Name) if given is not None else []
        if given is not None and [n.value for n in names].count(given.name.value) == 1:
            yield from _long(program, given.name, {given.name.value: given.facts})
        elif what == _EMBEDDING:
            yield from _all_long(program, result)
    elif what in (_ARGUMENT, _KERNEL):
        if isinstance(node, cst.Call) and (index := _index(program, node)) is not None:
            yield from _long(program, index, program.seen)
    else:
        yield from _source(program, node)


def _index(program: Failed, node: cst.Call) -> cst.BaseExpression | None:
    """The argument that holds the indices."""
    name = program.text(node.func).rpartition(".")[2]
    is_method = not re.match(r"(torch|F|nn\.functional)\.", program.text(node.func))
    if name in {"one_hot", "bincount"}:
        if is_method and isinstance(node.func, cst.Attribute):
            return node.func.value
        given = argument(node, 0, "input")
    else:
        place = 1 if name == "take_along_dim" else 2
        given = argument(node, place - is_method, "index")
    return given.value if given is not None else None


def _long(program: Failed, value: cst.BaseExpression, seen: dict[str, Variable]) -> Rewrites:
    name = root(value) or next(iter(program.inside(value, cst.Name)), None)
    if name is not None and _is_whole(program, name, seen):
        told = f"`{program.text(value)}` as integers, which can index"
        yield program.edit({value: method(value, "long")}, told)


def _all_long(program: Failed, result: JobResult) -> Rewrites:
    """Several variables of one call, each of whole numbers: `model(source, target)`."""
    if (statement := program.outermost) is None:
        return
    seen = result.frames[0].locals
    floats = {n for n, facts in seen.items() if facts.dtype in ("float32", "float64")}
    given = (a.value for c in program.inside(statement, cst.Call) for a in c.args)
    wrong = [value for value in given if isinstance(value, cst.Name) and value.value in floats]
    if len(wrong) > 1 and all(_is_whole(program, n, seen) for n in wrong):
        told = " and ".join(f"`{n.value}`" for n in wrong)
        what = f"{told} as integers, which an embedding looks up"
        yield program.edit({n: method(n, "long") for n in wrong}, what, at=statement)


def _is_whole(program: Failed, name: cst.Name | cst.Attribute, seen: dict[str, Variable]) -> bool:
    """Whether a variable is known to hold whole numbers, by its values or by its origin."""
    return is_whole(seen.get(program.text(name))) or _made_whole(program, name)


def _made_whole(program: Failed, name: cst.Name | cst.Attribute) -> bool:
    """Whether the line that makes a variable gives whole numbers, whatever their dtype."""
    made = given_to(program, name)
    if made is None:
        return False
    text = program.text(made.value)
    moved = re.match(r"^(\w+)\.(float|double|to|cpu|cuda|clone|detach)\([^()]*\)$", text)
    if moved is not None:
        source = next(n for n in program.inside(made.value, cst.Name) if n.value == moved[1])
        return _made_whole(program, source)
    cast = r"(\.(float|double)\(\)|\.to\(torch\.float\w+\))?"
    made_so = r"^torch\.(arange\(\d+(, \d+)*\)|randint\(.*\))"
    taken_so = r"\.(argmax|argmin|floor|round|argsort)\([^()]*\)"
    return re.search(rf"({made_so}|{taken_so}){cast}$", text) is not None


def _source(program: Failed, node: cst.CSTNode | None) -> Rewrites:
    """What is put at the indices, in the dtype of what it is put into."""
    small = program.alone
    if isinstance(small, cst.Assign) and isinstance(small.targets[0].target, cst.Subscript):
        into, value = root(small.targets[0].target), small.value
    elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        is_method = program.text(node.func.value) != "torch"
        place, first = 3 - is_method, argument(node, 0, "input")
        given = argument(node, place, "src") or argument(node, place, "source")
        if given is None or first is None:
            return
        into, value = root(node.func.value if is_method else first.value), given.value
    else:
        return
    facts = program.seen.get(program.text(into)) if into is not None else None
    if facts is None or facts.dtype is None or into is None:
        return
    known = isinstance(value, cst.Name) and is_whole(program.seen.get(value.value))
    if facts.dtype in INTEGERS and not known:
        # As integers the values would lose what is behind the point.
        yield from _floats(program, into, facts.dtype)
    elif facts.dtype != "bool":
        told = f"the values as {facts.dtype}, like `{program.text(into)}`"
        yield program.edit({value: cast_of(program, value, facts.dtype)}, told)


def _floats(program: Failed, into: cst.Name | cst.Attribute, dtype: str) -> Rewrites:
    """What the values are put into holds floats from the beginning."""
    made = given_to(program, into)
    if made is None or dtype == "bool":
        return
    if re.search(r"\bdtype\b|\.(long|int|to|type)\(", program.text(made.value)):
        return  # integers on purpose
    name, new = program.text(into), of_dtype(program, made.value, "float32")
    told = f"`{name}` holds floats, since floats are put into it"
    yield program.edit({made.value: new}, told, at=made, subjects=(name,))
