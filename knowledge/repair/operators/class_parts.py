"""Give a class the method that is called and that it lacks, out of what it has.

A method whose name is a slip (`_init_`, `foward`, `__lens__`) gets the right one, a `forward` that
is indented into another method moves out of it, and a data set that `__getitem__` takes its
samples out of has as many as that.
"""

import re
from collections.abc import Iterator

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, Program
from knowledge.repair.toolkit.keeps import asked
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.spelling import slips

# Family of the error → the method that the class then lacks.
_LACKS = {
    "takes_no_arguments": "__init__",
    "too_many_arguments": "__init__",
    "object_attribute": "__init__",
    "no_parameters": "__init__",
    "forward_missing": "forward",
    "no_length": "__len__",
    "dataset_without_getitem": "__getitem__",
    "not_callable": "__getitem__",
}
_OF_SUPER = ("too_many_arguments", "unexpected_keyword", "takes_exactly")
ERRORS = (*_LACKS, *_OF_SUPER)
# What other libraries call it.
_ELSEWHERE = {"forward": ("call", "predict", "forward_pass"), "__len__": ("length",)}


def edits(failure: Failure) -> Rewrites:
    """The slip put right; else `forward` moved out; else `__len__` out of `__getitem__`."""
    yield from _bare_super(failure)
    for family, wanted in _LACKS.items():
        if not is_a(failure.error, family):
            continue
        for cls in _classes(failure, family):
            methods = [m for m in cls.body.body if isinstance(m, cst.FunctionDef)]
            if any(m.name.value == wanted for m in methods):
                continue
            slipped = [m for m in methods if _is_slip(m.name.value, wanted)]
            if len(slipped) == 1:
                yield _respelled(failure, cls, slipped[0], wanted)
            elif wanted == "forward":
                yield from _moved_out(failure, cls, methods)
            elif wanted == "__len__":
                yield from _length(failure, cls, methods)


def _classes(failure: Failure, family: str) -> Iterator[cst.ClassDef]:
    """The classes of the program that the error's words name."""
    seen = read(failure.error, family)
    words = set(re.findall(r"\w+", failure.error.message))
    if family == "object_attribute" and seen is not None:
        words = {seen["type"].rpartition(".")[2]}
    if family == "no_parameters":
        words = _empty_models(failure)
    found = [c for c in failure.all(cst.ClassDef) if c.name.value in words]
    if not found and family == "dataset_without_getitem":
        # The error names the base alone; the program may have only one class that lacks it.
        found = [
            c
            for c in failure.all(cst.ClassDef)
            if any("Dataset" in failure.text(b.value) for b in c.bases)
        ]
    yield from found if len(found) == 1 else ()


def _empty_models(failure: Failure) -> set[str]:
    """The classes of the modules at the top that have no parameters."""
    held = failure.live.names[0].values()
    models = [v for v in held if isinstance(v, torch.nn.Module)]
    return {type(m).__name__ for m in models if next(m.parameters(), None) is None}


def _is_slip(name: str, wanted: str) -> bool:
    a, b = (n.strip("_").replace("_", "").lower() for n in (name, wanted))
    if name in _ELSEWHERE.get(wanted, ()):
        return True
    return a == b or (abs(len(a) - len(b)) <= 1 and slips(a, b) <= 1)


def _bare_super(failure: Failure) -> Rewrites:
    """`super().__init__(n)`, where the class above takes nothing: its arguments go."""
    node = failure.node
    if not is_a(failure.error, *_OF_SUPER) or not isinstance(node, cst.Call) or not node.args:
        return
    cls = failure.up(node, cst.ClassDef)
    made = failure.text(node.func).replace(" ", "")
    if cls is None or not re.fullmatch(r"super\([\w,]*\)\.__init__", made):
        return
    mro = type(failure.tried("self")).__mro__
    names = [c.__name__ for c in mro]
    above = mro[names.index(cls.name.value) + 1 :] if cls.name.value in names else []
    base = next((c for c in above if "__init__" in vars(c)), None)
    if base in (object, torch.nn.Module):
        yield failure.edit(
            {node: node.with_changes(args=[])},
            "the class above takes no arguments",
            f"they are for `{cls.name.value}` alone",
        )


def _respelled(
    program: Program, cls: cst.ClassDef, method: cst.FunctionDef, wanted: str
) -> Rewrite:
    """The method under its name, and where the class calls it so."""
    old = method.name.value
    uses: Edits = {
        n.attr: cst.Name(wanted) for n in program.inside(cls, cst.Attribute) if n.attr.value == old
    }
    uses[method.name] = cst.Name(wanted)
    told = f"the method that is called is spelled `{wanted}`"
    meant = f"`{old}` is the `{wanted}` of `{cls.name.value}`"
    return program.edit(uses, told, meant, at=method, cost=COST.SURE, as_one=True)


def _moved_out(program: Program, cls: cst.ClassDef, methods: list[cst.FunctionDef]) -> Rewrites:
    """A `forward` inside another method becomes a method of the class."""
    for method in methods:
        inner = [
            n
            for n in method.body.body
            if isinstance(n, cst.FunctionDef) and n.name.value == "forward"
        ]
        if len(inner) != 1 or not isinstance(method.body, cst.IndentedBlock):
            continue
        rest = [n for n in method.body.body if n is not inner[0]]
        if not rest:
            continue
        left = method.with_changes(body=method.body.with_changes(body=rest))
        lines = inner[0].leading_lines or [cst.EmptyLine(indent=False)]
        moved = inner[0].with_changes(leading_lines=lines)
        out: Edits = {method: cst.FlattenSentinel([left, moved])}
        told = f"`forward` is a method of `{cls.name.value}`, not of `{method.name.value}`"
        meant = f"`forward` is what `{cls.name.value}` computes"
        yield program.edit(out, told, meant, at=inner[0], cost=COST.SURE, as_one=True)


def _length(program: Program, cls: cst.ClassDef, methods: list[cst.FunctionDef]) -> Rewrites:
    """`__len__` is the length of what `__getitem__` takes the sample of a number out of."""
    getitem = next((m for m in methods if m.name.value == "__getitem__"), None)
    if getitem is None or len(getitem.params.params) != 2:
        return
    index = getitem.params.params[1].name.value
    held = [
        program.text(n.value)
        for n in program.inside(getitem.body, cst.Subscript)
        if program.text(n.value).startswith("self.")
        and len(n.slice) == 1
        and program.text(n.slice[0]).strip(", ") == index
    ]
    if not held:
        return
    code = f"def __len__(self):\n    return len({held[0]})\n"
    new = cst.ensure_type(cst.parse_statement(code), cst.FunctionDef)
    new = new.with_changes(leading_lines=getitem.leading_lines)
    lines = getitem.leading_lines or [cst.EmptyLine(indent=False)]
    below = getitem.with_changes(leading_lines=lines)
    both: Edits = {getitem: cst.FlattenSentinel([new, below])}
    told = f"there are as many samples as `{held[0]}` has"
    meant = f"each entry of `{held[0]}` is a sample"
    yield program.edit(both, told, meant, cost=COST.SURE, as_one=True)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What failed is still asked for, and a length is that of something."""
    if before.error is None or "__init__(" in before.error.code:
        return []
    found = [asked(before.error, before, after, proposal)]
    length = re.search(r"def __len__\(.*?\n(.*?)(?=\n\s*def |\n\S|\Z)", proposal.code, re.DOTALL)
    if is_a(before.error, "no_length") and length is not None:
        counted = re.search(r"return\s+-?\d+\s*(#|\n|$)", length[1]) is None
        detail = "it counts the samples" if counted else "it is a number that says nothing of them"
        found.append(Check(name="length", passed=counted, detail=detail))
    return found
