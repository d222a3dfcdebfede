"""Hold each claim against the run; nothing is judged that no run has shown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from executor.errors import is_a, read
from knowledge.audit.labelled import values
from knowledge.audit.model import BlockRun, Claim, ClaimKind, Judged, Raised
from knowledge.audit.printed import has_printed, is_printed, nearest_line, short
from knowledge.audit.relations import holds
from knowledge.audit.symbols import ANY
from knowledge.documents.verdict import Verdict
from knowledge.signature import matches, signature

# Where a run lacks something, these are the lack itself, not what a document means.
_NO_NETWORK = frozenset({"ConnectionRefusedError", "ConnectionError", "URLError", "gaierror"})
_OF_THE_PLACE = _NO_NETWORK | {
    "NameError",
    "ModuleNotFoundError",
    "ImportError",
    "FileNotFoundError",
}
# Unless the document speaks of just that.
_LACKING = re.compile(
    r"\b(?:name|defin\w+|undefined|imports?|modules?|packages?|install\w*|files?|path\w*|missing"
    r"|found"
    r"|exists?|scope|deleted)\b",
    re.I,
)
_ANY = frozenset({"", "Error", "Exception", "BaseException"})
# What a document calls by another name that means the same class, or the class above it.
_ABOVE = {
    "OSError": {"FileNotFoundError", "PermissionError", "IOError"},
    "ImportError": {"ModuleNotFoundError"},
    "RuntimeError": {"NotImplementedError", "OutOfMemoryError", "UnpicklingError"},
    "ArithmeticError": {"ZeroDivisionError"},
    "LookupError": {"IndexError", "KeyError"},
    "SyntaxError": {"IndentationError", "TabError"},
}


def verdict(claims: Iterable[Claim], seen: BlockRun) -> tuple[Verdict, tuple[Judged, ...]]:
    """What a run says of a block's claims; those it says nothing of are left out."""
    claims = list(claims)
    seen = _left_out(seen)
    judged = [j for claim in claims if (j := _judge(claim, seen)) is not None]
    if not any(j.claim.kind is ClaimKind.ERROR for j in judged):
        judged = [_never_reached(j, seen) for j in judged]
    if any(j.claim.kind is ClaimKind.ERROR and j.verdict is Verdict.REFUTED for j in judged):
        # "The correct way" to avoid an error that does not come is nothing to be right about.
        judged = [j for j in judged if not j.claim.depends]
    refuted = any(j.claim.pointed and j.verdict is Verdict.REFUTED for j in judged)
    announced = any(j.claim.kind is ClaimKind.ERROR and j.verdict is Verdict.HOLDS for j in judged)
    if refuted or (seen.error is not None and not announced):
        judged = [j for j in judged if not _is_aside(j)]
    told = {j.verdict for j in judged}
    judged = _kept(judged)
    if not told:
        return (Verdict.CANNOT_RUN if seen.cannot else Verdict.NO_CLAIM), ()
    tested = told - {Verdict.CANNOT_RUN}
    if not tested:
        return Verdict.CANNOT_RUN, tuple(judged)
    if tested == {Verdict.HOLDS} or tested == {Verdict.REFUTED}:
        return tested.pop(), tuple(judged)
    return Verdict.PARTLY, tuple(judged)


def _left_out(seen: BlockRun) -> BlockRun:
    """A function with `# …` for a body was never meant to run, nor is there a network."""
    error = seen.error
    if seen.cannot or error is None:
        return seen
    place = read(error, "place")
    if error.type in _NO_NETWORK or (place is not None and place["network"]):
        return seen.model_copy(update={"cannot": f"it needs the network: {_told(error)}"})
    if not is_a(error, "body_missing"):
        return seen
    return seen.model_copy(update={"cannot": f"a body is left out: {_told(error)}"})


def _is_aside(judged: Judged) -> bool:
    """What is not surely claimed is nothing to be right about in a block that fails."""
    return not judged.claim.pointed


def _never_reached(judged: Judged, seen: BlockRun) -> Judged:
    """What is said to be printed and is not, because the block's own error comes first, is not so.

    "Corrected:" below an error is not meant as one program with it, and stays open.
    """
    error = seen.error
    if judged.claim.kind is ClaimKind.RUNS:
        return judged
    if judged.verdict is not Verdict.CANNOT_RUN or seen.cannot or error is None or error.by_hand:
        return judged
    return judged.model_copy(update={"verdict": Verdict.REFUTED})


_MOST = 12


def _kept(judged: list[Judged]) -> list[Judged]:
    """The telling ones first, and not all of forty outputs."""
    order = [Verdict.REFUTED, Verdict.PARTLY, Verdict.HOLDS, Verdict.CANNOT_RUN]
    return sorted(judged, key=lambda j: order.index(j.verdict))[:_MOST]


def _judge(claim: Claim, seen: BlockRun) -> Judged | None:
    judge = {
        ClaimKind.ERROR: _error,
        ClaimKind.RUNS: _runs,
        ClaimKind.PRINTS: _prints,
        ClaimKind.EFFECT: _effect,
        ClaimKind.RELATION: _relation,
        ClaimKind.SHAPE: _shape,
        ClaimKind.DIMENSIONS: _dimensions,
        ClaimKind.TRAINS: _trains,
        ClaimKind.NEVER_TRAINS: _trains,
    }[claim.kind]
    found = judge(claim, seen)
    if found is None:
        return None
    word, evidence = found
    if not claim.pointed and word is not Verdict.HOLDS and not _lacks_gpu(claim, word):
        return None  # it may be about something else: then the run says nothing against it
    decides = f"only with placeholders for {', '.join(seen.stand_ins)}, which may decide this: "
    if seen.stand_ins and word in (Verdict.REFUTED, Verdict.PARTLY):
        word, evidence = Verdict.CANNOT_RUN, decides + evidence
    if seen.device.startswith("simulated") and word is not Verdict.CANNOT_RUN:
        evidence += " (on a simulated device)"
    if seen.stand_ins and word is not Verdict.CANNOT_RUN:
        evidence += f" (with placeholders for {', '.join(seen.stand_ins)}: weak evidence)"
    return Judged(claim=claim, verdict=word, evidence=evidence)


_Found = tuple[Verdict, str] | None


def _error(claim: Claim, seen: BlockRun) -> _Found:
    raised = [r for r in seen.raised if _is_there(claim, r)]
    for r in raised:
        lacks = r.type in _OF_THE_PLACE and not _LACKING.search(claim.text)
        if r.type != claim.type and (lacks or (seen.cannot and r is seen.error)):
            continue
        if _is_type(claim.type, r) and _is_message(claim.message, r) and not _too_little(claim):
            return Verdict.HOLDS, f"it raised {_told(r)}"
    if seen.cannot:
        return Verdict.CANNOT_RUN, seen.cannot
    other = [r for r in raised if not r.by_hand]
    if other and all(r.type in _OF_THE_PLACE for r in other) and not claim.type:
        return Verdict.CANNOT_RUN, f"it raised {_told(other[-1])}"
    if other:
        return Verdict.PARTLY, f"it raised {_told(other[-1])}, which is not what is said"
    error = seen.error
    if claim.line is not None and error is not None and _is_before(error, claim.line):
        return Verdict.CANNOT_RUN, f"it ended before that line, with {_told(error)}"
    if error is not None and claim.line is None:
        return Verdict.PARTLY, f"it raised {_told(error)}, which is not what is said"
    if not seen.ended_well and error is None:
        return Verdict.CANNOT_RUN, f"the run ended as {seen.outcome}"
    if seen.device.startswith("simulated"):
        # It raises PyTorch's own device errors, and none of the driver's.
        return Verdict.CANNOT_RUN, "it raised no error, but a simulated device has not all of them"
    return Verdict.REFUTED, "it raised no such error" if seen.raised else "it raised no error"


def _too_little(claim: Claim) -> bool:
    """`Wrong sizes result in a RuntimeError`: any failure would bear that out."""
    named = claim.message or claim.line or claim.type not in (*_ANY, "RuntimeError")
    return not (claim.pointed or named)


def _is_there(claim: Claim, r: Raised) -> bool:
    """Whether an exception came from the lines that a claim is about; callers count."""
    if claim.line is None:
        return True
    last = claim.end_line or claim.line
    lines = [n for n in (*r.lines, r.line, r.handler) if n is not None]
    if any(claim.line <= n <= last for n in lines):
        return True
    # A comment may stand on the last line of a statement whose error is told of the one above.
    return r.handler is None and r.line == claim.line - 1 and max(r.lines, default=0) == r.line


def _is_before(r: Raised, line: int) -> bool:
    return r.line is None or min((*r.lines, r.line)) < line


def _is_type(claimed: str, r: Raised) -> bool:
    return claimed in _ANY or r.type == claimed or r.type in _ABOVE.get(claimed, ())


def _is_message(claimed: str, r: Raised) -> bool:
    if not claimed:
        return True
    said = signature(None, claimed)
    for message in (r.message, r.masked):
        if message and (matches(said, signature(None, message)) or _alike(said, message)):
            return True
    return False


def _alike(said: str, message: str) -> bool:
    """Most of the quoted words, numbers aside, in the real message: PyTorch rewords its errors."""
    words = set(re.findall(r"[a-z_]{3,}", said.casefold()))
    real = set(re.findall(r"[a-z_]{3,}", message.casefold()))
    return len(words) >= 3 and len(words & real) >= 0.7 * len(words)


def _runs(claim: Claim, seen: BlockRun) -> _Found:
    error = seen.error
    if claim.line is not None:
        wrong = [r for r in seen.raised if _is_there(claim, r) and not r.by_hand]
        if not wrong and error is not None and _is_before(error, claim.line):
            why = seen.cannot or f"it ended before that line, with {_told(error)}"
            return Verdict.CANNOT_RUN, why
        if not wrong and seen.ended_well and not seen.cannot:
            return Verdict.HOLDS, "that part ran without an error"
        if not wrong and error is not None and not seen.stand_ins:
            return Verdict.HOLDS, "that part ran without an error"
    else:
        wrong = [r for r in seen.raised if not r.by_hand]
    if seen.cannot:
        return Verdict.CANNOT_RUN, seen.cannot
    if not seen.ended_well:
        if error is None:
            return Verdict.CANNOT_RUN, f"the run ended as {seen.outcome}"
        return Verdict.REFUTED, f"it raised {_told(error)}"
    if wrong:
        return Verdict.REFUTED, f"it raised {_told(wrong[0])} and caught it itself"
    return Verdict.HOLDS, "it ran to its end without an error"


def _prints(claim: Claim, seen: BlockRun) -> _Found:
    if claim.on_gpu and seen.device == "cpu":
        return Verdict.CANNOT_RUN, "it is printed only where there is a GPU"
    error = seen.error
    if error is not None and not seen.cannot and claim.line and _is_before(error, claim.line):
        return Verdict.CANNOT_RUN, f"it ended before that line, with {_told(error)}"
    own = _own_part(claim, seen)  # what the print wrote that is spoken of, if that can be told
    found = is_printed(claim, seen.stdout if own is None else own)
    if found and not (claim.absent and own is None):
        said = f"none of `{claim.printed}`" if claim.absent else short(claim.printed)
        return Verdict.HOLDS, f"it printed {said if own is None else short(own)}"
    if seen.cannot:
        return Verdict.CANNOT_RUN, seen.cannot
    if seen.cut or seen.stand_ins:
        return None
    if not seen.ended_well:
        if error is None:
            return Verdict.CANNOT_RUN, f"the run ended as {seen.outcome}"
        if claim.line is None:
            return Verdict.CANNOT_RUN, f"it ended before that line, with {_told(error)}"
    if _needs_gpu(claim) and seen.device == "cpu" and "cpu" in seen.stdout:
        return Verdict.CANNOT_RUN, "it ran on the CPU: there is no GPU here"
    if own is not None:
        return Verdict.REFUTED, f"it printed {short(own)}"
    if claim.absent or claim.rough:
        return None  # which of the printed lines is meant cannot be told
    nearest = nearest_line(claim.printed, seen.stdout)
    return Verdict.REFUTED, f"it printed {nearest}" if nearest else "it printed nothing"


def _own_part(claim: Claim, seen: BlockRun) -> str | None:
    """What the one print wrote that a claim is about."""
    if claim.place is None or seen.cut or not seen.ended_well:
        return None
    first, last, count = claim.place
    printed = values(seen.stdout)
    return "\n".join(printed[first:last]) if len(printed) == count else None


def _lacks_gpu(claim: Claim, word: Verdict) -> bool:
    """A device beside a print that this machine cannot show."""
    return word is Verdict.CANNOT_RUN and claim.kind is ClaimKind.PRINTS and _needs_gpu(claim)


def _needs_gpu(claim: Claim) -> bool:
    return claim.line is not None and "cuda" in claim.printed


def _relation(claim: Claim, seen: BlockRun) -> _Found:
    if seen.cannot or seen.cut or seen.stand_ins or claim.relation is None:
        return None
    if seen.error is not None and not claim.pointed:
        return None  # it may have been printed of something before
    found = holds(claim.relation, claim.text, seen.stdout)
    if found is None:
        return None
    so, evidence = found
    return (Verdict.HOLDS if so else Verdict.REFUTED), evidence


def _effect(claim: Claim, seen: BlockRun) -> _Found:
    if seen.cannot or seen.error is None:
        return None  # what is said of it in words, no run can tell
    printed = "" if seen.stdout.strip() else "printed nothing and "
    return Verdict.REFUTED, f"it {printed}raised {_told(seen.error)}"


def _shape(claim: Claim, seen: BlockRun) -> _Found:
    if seen.stand_ins:
        return None
    wanted = claim.shape or ()
    if not claim.name:
        there = wanted in seen.shapes.values() or has_printed(str(wanted), seen.stdout)
        return (Verdict.HOLDS, f"a tensor has the shape {list(wanted)}") if there else None
    real = seen.shapes.get(claim.name)
    if real is None:
        return _not_there(claim, seen)
    # `a 28x28 tensor` may leave out a batch of one and its channel.
    left_out = not claim.pointed and set(real[: len(real) - len(wanted)]) <= {1}
    if _fits(real, wanted) or (left_out and _fits(real[len(real) - len(wanted) :], wanted)):
        return Verdict.HOLDS, f"`{claim.name}` has the shape {list(real)}"
    return Verdict.REFUTED, f"`{claim.name}` has the shape {list(real)}"


def _fits(real: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(real) == len(wanted) and all(
        b in (a, ANY) for a, b in zip(real, wanted, strict=True)
    )


def _not_there(claim: Claim, seen: BlockRun) -> _Found:
    """No such tensor at the end: the run may have ended before it was made."""
    if seen.cannot:
        return Verdict.CANNOT_RUN, seen.cannot
    error = seen.error
    if claim.line is None or error is None or error.line is None:
        return None
    if not _is_before(error, claim.line + 1):
        return None
    return Verdict.CANNOT_RUN, f"it ended before that, with {_told(error)}"


def _dimensions(claim: Claim, seen: BlockRun) -> _Found:
    if not claim.name:
        there = (n for n, shape in seen.shapes.items() if len(shape) == claim.dimensions)
        name = next((n for n in there if "." not in n), None)  # no layer's parameter
        return (Verdict.HOLDS, f"`{name}` has so many") if name and not seen.stand_ins else None
    real = seen.shapes.get(claim.name)
    if seen.stand_ins or real is None:
        return (Verdict.CANNOT_RUN, seen.cannot) if seen.cannot else None
    # What holds one number may pass for a scalar.
    holds = len(real) == claim.dimensions or (claim.dimensions == 0 and set(real) == {1})
    word = Verdict.HOLDS if holds else Verdict.REFUTED
    return word, f"`{claim.name}` has the shape {list(real)}"


def _trains(claim: Claim, seen: BlockRun) -> _Found:
    if seen.cannot:
        return Verdict.CANNOT_RUN, seen.cannot
    if seen.stand_ins or not seen.trained:
        return None
    moves = any(_ends(name, claim.name) for name in seen.moved)
    still = any(_ends(name, claim.name) for name in seen.still)
    if moves == still:
        return None  # the run knows no parameter of that name
    holds = moves == (claim.kind is ClaimKind.TRAINS)
    word = "changed it" if moves else "never changed it"
    return (Verdict.HOLDS if holds else Verdict.REFUTED), f"the optimizer {word}"


def _ends(name: str, claimed: str) -> bool:
    return name == claimed or name.endswith(f".{claimed}")


def _told(r: Raised) -> str:
    first = r.message.split("\n", 1)[0]
    message = first if len(first) <= 160 else f"{first[:159]}…"
    at = f" in line {r.line}" if r.line is not None else ""
    return f"{r.type}{at}: {message}" if message else f"{r.type}{at}"
