"""Give a method the argument that it is called with: its index, its input, or `self`.

Which name is missing is what the body reads and nothing binds; where it reads no such name, a
Dataset that returns a whole attribute is given the index of one sample.
"""

import builtins
import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Edits, separated
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.sites import method_of, names_in, seen_as


def applies(result: JobResult) -> bool:
    """A method takes one argument too few."""
    return _match(result) is not None


def _match(result: JobResult) -> tuple[str, str, int] | None:
    """The class, the method, and how many arguments it was given, if that is one too many."""
    seen = seen_as(result, "too_many_arguments")
    if seen is None or seen["most"]:
        return None
    *_, cls, method = ("", *seen["function"].split("."))
    least, given = seen.numbers("least", "given")
    return (cls, method, given) if cls and given == least + 1 else None


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The method with the one argument that its body shows to be missing."""
    match = _match(result)
    method = method_of(program, match[0], match[1]) if match is not None else None
    if match is None or method is None or not _plain(method):
        return
    missing = sorted(_unbound(program, method))
    name = f"`{method.name.value}`"
    taken = [p.name.value for p in method.params.params]
    known = method.name.value in ("__getitem__", "__len__", "forward")
    if missing == ["self"] or not (missing or known or taken[:1] == ["self"]):
        told = f"{name} is called on an object, which comes first as `self`"
        yield program.edit({method.params: _with(method, "self", first=True)}, told, at=method)
    elif not known:
        return
    elif len(missing) == 1 and taken == ["self"] and method.name.value != "__len__":
        told = f"{name} is called with one argument, and its body calls that `{missing[0]}`"
        yield program.edit({method.params: _with(method, missing[0])}, told, at=method)
    elif not missing and taken == ["self"] and method.name.value == "__getitem__":
        yield from _one_sample(program, method, name)


def _plain(method: cst.FunctionDef) -> bool:
    """Whether it has nothing but plain parameters, and no decorator."""
    given = method.params
    rest = (given.star_arg, given.star_kwarg, *given.kwonly_params, *given.posonly_params)
    return not method.decorators and not any(isinstance(p, cst.Param) for p in rest)


def _with(method: cst.FunctionDef, name: str, *, first: bool = False) -> cst.Parameters:
    new = cst.Param(cst.Name(name))
    every = separated([new, *method.params.params] if first else [*method.params.params, new])
    return method.params.with_changes(params=every)


def _unbound(program: Failed, method: cst.FunctionDef) -> set[str]:
    """Names that the method reads and neither it nor the module nor Python gives a value."""
    known = set(dir(builtins)) | program.imported()
    known |= {d.name.value for d in program.all(cst.ClassDef)}
    known |= {d.name.value for d in program.all(cst.FunctionDef)}
    known |= {p.name.value for p in program.all(cst.Param) if program.up(p, cst.Lambda)}
    known |= {p.name.value for p in method.params.params}
    for kind in (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.CompFor):
        for node in program.all(kind):
            known |= names_in(node.target)  # type: ignore[attr-defined]
    for walrus in program.all(cst.NamedExpr):
        known |= names_in(walrus.target)
    for alias in program.all(cst.AsName):
        known |= names_in(alias.name)
    names = program.inside(method.body, cst.Name)
    return {node.value for node in names if not program.is_label(node)} - known


def _one_sample(program: Failed, method: cst.FunctionDef, name: str) -> Rewrites:
    """`return self.data` → `return self.data[idx]`, also for several attributes."""
    body = [s for s in method.body.body if isinstance(s, cst.SimpleStatementLine)]
    if len(body) != 1 or len(method.body.body) != 1 or not isinstance(body[0].body[0], cst.Return):
        return
    value = body[0].body[0].value
    parts = [e.value for e in value.elements] if isinstance(value, cst.Tuple) else [value]
    edits: Edits = {method.params: _with(method, "idx")}
    for part in parts:
        if not isinstance(part, cst.Attribute) or program.text(part.value) != "self":
            return
        edits[part] = cst.parse_expression(f"{program.text(part)}[idx]")
    told = f"{name} is called with the number of one sample, and returns that one"
    yield program.edit(edits, told, at=method, new_name="idx")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The method is still called, and takes the argument by a name of its own."""
    match = _match(before)
    if match is None:
        return []
    found = re.search(
        rf"class {match[0]}\b.*?^[ \t]+def {match[1]}\(([^)]*)\)(.*?)(?=^[ \t]+def |^\S|\Z)",
        proposal.code,
        re.DOTALL | re.MULTILINE,
    )
    if found is None:
        return [Check(name="method", passed=False, detail=f"`{match[1]}` is gone")]
    names = [n.partition(":")[0].partition("=")[0].strip() for n in found[1].split(",")]
    named = len([n for n in names if n]) == match[2] and "*" not in found[1]
    told = "it takes what it is called with" if named else "it takes any arguments, or none by name"
    used = not named or names[-1] == "self" or re.search(rf"\b{names[-1]}\b", found[2]) is not None
    default = "=" in found[1]
    return [
        Check(name="method", passed=named and not default, detail=told),
        Check.of("argument", used, "the new argument is used", f"`{names[-1]}` is never used"),
    ]
