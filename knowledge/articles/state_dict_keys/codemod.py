"""Load a checkpoint whose keys wear a prefix, whose weights lie deeper, or that fits in part.

In part only where the snippet says `strict=False` itself: that skips keys, but not other sizes.
"""

import re

import libcst as cst

from executor.errors import quoted_names, read, resized_keys
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import operand
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import seen_error
from knowledge.repair.toolkit.spelling import misspelt

ERRORS = ("state_dict",)
_PREFIX = re.compile(r"(module|model|_orig_mod)\.")
_IN_PART = re.compile(r"strict\s*=\s*False")
_DEEPER = re.compile(r"(\w*state_dict|model|net|weights)$")


def applies(result: JobResult) -> bool:
    """load_state_dict found keys missing and others too many, or some of another size."""
    error = seen_error(result, *ERRORS)
    if error is None:
        return False
    if _resized(error) and _IN_PART.search(error.code):
        return True
    return all(_keys(error))


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """Take the prefix off or put it on, or take the dictionary inside; never strict=False."""
    call, error = program.node, program.error
    if not isinstance(call, cst.Call) or not call.args:
        return
    if _resized(error) and _IN_PART.search(error.code):
        yield from _what_fits(program, call)
        return
    missing, extra = _keys(error)
    if _resized(error) or not missing or not extra:
        return
    given = call.args[0].value
    text, word = program.text(operand(given)), _respelt(missing, extra)
    if (found := _PREFIX.match(extra[0])) and {k.removeprefix(found[0]) for k in extra} == {
        *missing
    }:
        new = f'{{k.removeprefix("{found[0]}"): v for k, v in {text}.items()}}'
        what = f"every key wears the prefix {found[0]!r}, which is taken off"
    elif (found := _PREFIX.match(missing[0])) and {k.removeprefix(found[0]) for k in missing} == {
        *extra
    }:
        new = f'{{"{found[0]}" + k: v for k, v in {text}.items()}}'
        what = f"the model's keys wear the prefix {found[0]!r}, which is put on"
    elif part := _prefix_of_a_part(missing, extra):
        items = f'for k, v in {text}.items() if k.startswith("{part}")'
        new = f'{{k.removeprefix("{part}"): v {items}}}'
        what = f"the model is the part of the checkpoint whose keys begin with {part!r}"
    elif word:
        new = f'{{k.replace("{word[0]}", "{word[1]}"): v for k, v in {text}.items()}}'
        what = f"what the checkpoint calls {word[0]!r} is {word[1]!r} in the model"
    else:
        inside = [k for k in extra if _DEEPER.fullmatch(k)]
        if len(inside) != 1 or any("." in k for k in extra):
            return
        new = f'{text}["{inside[0]}"]'
        what = f"the weights lie under {inside[0]!r} in the checkpoint"
    unlike = new.startswith("{k.replace(") and not misspelt(*word)  # maybe another layer
    yield program.edit({given: cst.parse_expression(new)}, what, what, at=call, supposes=unlike)


def _respelt(missing: list[str], extra: list[str]) -> tuple[str, ...]:
    """The one word of the keys that is another one in the model; empty where there is none."""
    pairs = [(a.split("."), b.split(".")) for a in extra[:1] for b in missing]
    pairs += [(re.split(r"[._]", ".".join(a)), re.split(r"[._]", ".".join(b))) for a, b in pairs]
    other = [[(x, y) for x, y in zip(a, b, strict=True) if x != y]
             for a, b in pairs if len(a) == len(b)]  # fmt: skip
    words = {o[0] for o in other if len(o) == 1 and not any(w.isdigit() for w in o[0])}
    fits = [w for w in words if {k.replace(*w) for k in extra} == {*missing}]
    return fits[0] if len(fits) == 1 and len({*missing}) == len({*extra}) else ()


def _prefix_of_a_part(missing: list[str], extra: list[str]) -> str:
    """The one prefix below which the checkpoint has all that the model has, and nothing else."""
    found = {k.removesuffix(missing[0]) for k in extra if k.endswith(f".{missing[0]}")}
    found = {p for p in found if {p + k for k in missing} == {k for k in extra if k.startswith(p)}}
    return found.pop() if len(found) == 1 else ""


def _what_fits(program: Failed, call: cst.Call) -> Rewrites:
    """Without the entries of another size, since the rest is to be loaded as far as it goes."""
    if not isinstance(call.func, cst.Attribute):
        return
    given, model = call.args[0].value, program.text(call.func.value)
    text = program.text(operand(given))
    new = f"{{k: v for k, v in {text}.items() if {model}.state_dict().get(k, v).shape == v.shape}}"
    told = "`strict=False` skips keys that are missing, but not those of another size; these are"
    yield program.edit({given: cst.parse_expression(new)}, f"{told} left out", at=call)


def _keys(error: ErrorSeen | Caught) -> tuple[list[str], list[str]]:
    """The keys that are missing, and those that are too many."""
    seen = read(error, *ERRORS)
    if seen is None:
        return [], []
    return quoted_names(seen["missing"]), quoted_names(seen["unexpected"])


def _resized(error: ErrorSeen | Caught) -> set[str]:
    """The keys whose weights have another size."""
    return {key.name for key in resized_keys(error.message)}


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every key is loaded; nothing is skipped that the snippet did not skip itself."""
    error = seen_error(before, *ERRORS)
    if error is not None and _IN_PART.search(error.code):
        return _loaded_in_part(error, before, proposal)
    skipped = bool(re.search(r"strict\s*=\s*(?!True)", proposal.code))
    loads = "load_state_dict(" in proposal.code
    detail = "every key of the model is loaded" if loads and not skipped else "keys are skipped"
    kept = still_computed(seen_error(before, *ERRORS), proposal.code, allowed=("[",))
    return [kept, Check(name="all keys", passed=loads and not skipped, detail=detail)]


def _loaded_in_part(
    error: ErrorSeen | Caught, before: JobResult, proposal: Proposal
) -> list[Check]:
    """Only entries of another size are left out, and something is left to load."""
    model = error.code.partition(".load_state_dict")[0]
    own = {
        name.removeprefix(f"{model}.")
        for name in (before.values.tensors if before.values is not None else {})
        if name.startswith(f"{model}.")
    }
    other = _resized(error)
    some = not own or bool(own - other)
    by_size = ".shape == v.shape}" in proposal.code
    detail = "all that fits is loaded" if by_size else "more is left out than what does not fit"
    return [
        still_computed(error, proposal.code),
        Check(name="what fits", passed=by_size, detail=detail),
        Check(name="something", passed=some, detail="" if some else "nothing of it fits"),
    ]
