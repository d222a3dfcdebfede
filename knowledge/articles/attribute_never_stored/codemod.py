"""Store what a class was made with, or write an attribute as it is written elsewhere."""

import re

import libcst as cst

from executor.errors import SeenError
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.shapes import same_layers
from knowledge.repair.toolkit.sites import method_of, scope_of, seen_as, seen_error
from knowledge.repair.toolkit.statements import is_docstring


def applies(result: JobResult) -> bool:
    """An object lacks an attribute; whether its class is the snippet's own shows in its code."""
    return _match(result) is not None


def _match(result: JobResult) -> SeenError | None:
    seen = seen_as(result, "object_attribute")
    if seen is None or seen["of_class"] or not seen["name"]:
        return None
    return seen if seen["type"].isidentifier() else None


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`self.width = width` in `__init__`, where `width` is one of its parameters."""
    match = _match(result)
    classes = [c for c in program.all(cst.ClassDef) if match and c.name.value == match["type"]]
    if match is None or len(classes) != 1:
        return
    own, name = classes[0], match["name"]
    given = method_of(program, own.name.value, "__init__")
    stored, read = _stored(program, own), _read(program, own)
    if given is not None and name in _parameters(given) and name not in stored:
        lacking = [n for n in _parameters(given) if n in read - stored - _defined(own)]
        yield from _with_stored(program, given, lacking)
        if lacking != [name]:
            yield from _with_stored(program, given, [name])
        return
    alike = [n for n in stored if _letters(n) == _letters(name) and n != name]
    uses = [
        a
        for a in program.inside(own, cst.Attribute)
        if a.attr.value == name and program.text(a.value) == "self"
    ]
    if len(alike) == 1 and name not in stored and uses:
        new: Edits = {u.attr: cst.Name(alike[0]) for u in uses}
        yield program.edit(new, f"the class calls it `{alike[0]}`", at=uses[0])


def _with_stored(program: Failed, init: cst.FunctionDef, names: list[str]) -> Rewrites:
    body = init.body
    if not isinstance(body, cst.IndentedBlock) or not names:
        return
    lines = [cst.parse_statement(f"self.{n} = {n}") for n in names]
    statements = list(body.body)
    place = next(
        (i + 1 for i, s in enumerate(statements) if "super(" in program.text(s).split("#")[0]),
        1 if is_docstring(statements[0]) else 0,
    )
    whole = [*statements[:place], *lines, *statements[place:]]
    told = " and ".join(f"`{n}`" for n in names)
    what = f"`__init__` gets {told} and does not store it"
    yield program.edit({body: body.with_changes(body=whole)}, what, at=init)


def _parameters(init: cst.FunctionDef) -> list[str]:
    return [p.name.value for p in (*init.params.params[1:], *init.params.kwonly_params)]


def _defined(own: cst.ClassDef) -> set[str]:
    return {m.name.value for m in own.body.body if isinstance(m, cst.FunctionDef)}


def _stored(program: Failed, own: cst.ClassDef) -> set[str]:
    """Attributes that some method of the class sets."""
    found = set()
    for kind in (cst.AssignTarget, cst.AnnAssign, cst.AugAssign):
        for node in program.inside(own, kind):
            target = node.target  # type: ignore[attr-defined]
            parts = target.elements if isinstance(target, (cst.Tuple, cst.List)) else [target]
            for part in parts:
                value = part.value if isinstance(part, cst.Element) else part
                if isinstance(value, cst.Attribute) and program.text(value.value) == "self":
                    found.add(value.attr.value)
    for call in program.inside(own, cst.Call):
        text = program.text(call.func)
        if re.search(r"\.(register_buffer|register_parameter|add_module)$", text) and call.args:
            found.add(program.text(call.args[0].value).strip("'\""))
    return found


def _read(program: Failed, own: cst.ClassDef) -> set[str]:
    return {
        a.attr.value
        for a in program.inside(own, cst.Attribute)
        if program.text(a.value) == "self" and isinstance(scope_of(program, a), cst.FunctionDef)
    }


def _letters(name: str) -> str:
    return name.replace("_", "").lower()


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What failed is computed with what the class was given; every layer is still there."""
    error, match = seen_error(before, "object_attribute"), _match(before)
    if error is None or match is None:
        return []
    own = f"self.{match['name']}"
    stored = re.search(rf"self\.{match['name']}\s*=\s*(.+)", proposal.code)
    found = [same_layers(before, after)]
    if stored is not None:
        given = stored[1].partition("#")[0].strip() == match["name"]
        detail = "it is what `__init__` was given" if given else f"{own} is made up"
        found.append(Check(name="stored", passed=given, detail=detail))
        found.append(_is_read(proposal.code, match["name"]))
    else:
        names = re.findall(r"self\.(\w+)\b", proposal.code)
        alike = [n for n in names if _letters(n) == _letters(match["name"]) and n != match["name"]]
        kept = bool(alike) and match["name"] not in names
        detail = f"it is called `{alike[0]}`" if kept else f"{own} is no longer read"
        found.append(Check(name="stored", passed=kept, detail=detail))
        if kept:
            found.append(_is_read(proposal.code, alike[0]))
    return found


def _is_read(code: str, name: str) -> Check:
    """The attribute is not only set."""
    read = re.search(rf"self\.{name}\b(?!\s*=(?!=))", code) is not None
    detail = f"`self.{name}` is read" if read else f"`self.{name}` is no longer read"
    return Check(name="still computed", passed=read, detail=detail)
