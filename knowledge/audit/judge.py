"""Hold each claim against the run's own record; what no run has shown is not judged.

What the record decides: which statements were carried out, what each of them printed and made,
which exceptions came and from where, and whether anything in it was not the real thing.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Sequence

from executor.errors import is_a, topic_of
from executor.errors.topics import OTHER
from executor.protocol import StatementSeen
from knowledge.audit.conventions import FAILS, only_called_wrong
from knowledge.audit.model import ANY, WORST_FIRST, BlockRun, Claim, ClaimKind, Judged, Raised
from knowledge.audit.printed import has_printed, short
from knowledge.documents.verdict import Verdict

# Where a run lacks something, these are the lack itself, not what a document means.
_OF_THE_PLACE = frozenset({"NameError", "ModuleNotFoundError", "ImportError", "FileNotFoundError"})
# Of another version's ways: not the error that a document shows, unless it names it.
_SLIPS = ("missing_arguments", "unexpected_keyword", "too_many_arguments", "module_attribute")
_ANY_TYPE = frozenset({"", "Error", "Exception", "BaseException"})
# Statements that one need not come by: they end something, or only tell of it.
_MAY_BE_LEFT = frozenset({"raise", "return", "pass", "continue", "break", "import", "importfrom"})
_ON_GPU = re.compile(r"\b(?:GPUs?|cuda|devices?)\b", re.I)
_SAYS_IT_RUNS = re.compile(
    rf"\b(?:r[au]n|work|execut|succe|fine|assert|complet)\w*|{FAILS.pattern}", re.I
)
_IN_PLACE = (ClaimKind.ERROR, ClaimKind.PRINTS)
_OF_A_PART = (*_IN_PLACE, ClaimKind.SHAPE)  # the others are borne out by all of a run only
_RAN, _NOTHING = "it ran without an error", "it printed nothing there"
_Found = tuple[Verdict, str] | None


def verdict(
    claims: Sequence[Claim], seen: BlockRun, *, cures: bool = True
) -> tuple[Verdict, tuple[Judged, ...]]:
    """What a run says of a block's claims; those it says nothing of are left out.

    `cures`: the document shows a fault, so that it says something that the right way runs.
    """
    judged = [j for claim in claims if (j := _judge(claim, seen)) is not None]
    # What is unsure is never refuted; but if it is not so in its place, the rest is unsure too.
    unsure = [j for j in judged if not j.claim.pointed and j.verdict is not Verdict.HOLDS]
    doubted = any(
        j.verdict is Verdict.REFUTED and j.claim.line for j in unsure if j.claim.kind in _IN_PLACE
    )
    judged = [j for j in judged if j not in unsure]
    if not cures:
        judged = [j for j in judged if j.evidence != _RAN or _SAYS_IT_RUNS.search(j.claim.text)]
    errors = [j for j in judged if j.claim.kind is ClaimKind.ERROR]
    comes = any(j.verdict in (Verdict.HOLDS, Verdict.PARTLY) for j in errors)
    if errors:  # and its cure: then it is not said to work as a whole, nor if no error comes
        judged = [j for j in judged if j.claim.kind != ClaimKind.RUNS or (comes and j.claim.line)]
        # What follows an error on purpose is not meant as one program with it.
        judged = [j for j in judged if not j.evidence.startswith(_NOTHING)]
    if not seen.raised and any(only_called_wrong(c) and c.line for c in claims):
        # It ran as well: that the right way runs is nothing to be right about, nor what it makes.
        judged = [j for j in judged if j.claim.kind not in (ClaimKind.RUNS, ClaimKind.SHAPE)]
    # An error of what is said to work is not the one that the text speaks of.
    broken = {j.evidence for j in judged if j.claim.kind is ClaimKind.RUNS}
    judged = [j for j in judged if j not in errors or j.claim.line or j.evidence not in broken]
    came = f"it raised {_told(seen.error)}" if seen.error is not None else ""
    fails = came and not seen.cannot and all(j.evidence != came for j in errors)
    if fails or any(j.verdict is Verdict.REFUTED for j in judged):
        # The rest is nothing to be right about, nor that it ran up to there.
        judged = [j for j in judged if j.claim.pointed and not (fails and j.evidence == _RAN)]
    tested = {j.verdict for j in judged} - {Verdict.CANNOT_RUN}
    if not tested:
        return (Verdict.CANNOT_RUN if judged or seen.cannot else Verdict.NO_CLAIM), tuple(judged)
    kept = tuple(sorted(judged, key=lambda j: WORST_FIRST.index(j.verdict)))
    if len(tested) > 1 or (fails and tested == {Verdict.HOLDS}):
        return Verdict.PARTLY, kept
    if tested == {Verdict.HOLDS} and doubted:
        return Verdict.NO_CLAIM, ()
    return tested.pop(), kept


def _judge(claim: Claim, seen: BlockRun) -> Judged | None:
    found = _BY_KIND[claim.kind](claim, seen)
    holds = found is not None and found[0] is Verdict.HOLDS
    ended = seen.ended_well or seen.error is not None
    cannot = seen.cannot or ("" if ended else f"the run ended as {seen.outcome}")
    if cannot and not (holds and claim.kind in _OF_A_PART):
        found = Verdict.CANNOT_RUN, cannot
    if found is None:
        return None
    word, evidence = found
    if word is not Verdict.CANNOT_RUN and (why := _not_real(claim, word, seen)):
        word, evidence = Verdict.CANNOT_RUN, f"{why}, which may decide this: {evidence}"
    return Judged(claim=claim, verdict=word, evidence=evidence)


def _not_real(claim: Claim, word: Verdict, seen: BlockRun) -> str:
    """Why the real thing might have done otherwise; empty if it would not."""
    if seen.stand_ins or seen.assumed:
        names = ", ".join(seen.stand_ins)
        return f"it ran only with placeholders for {names}" if names else seen.assumed[0]
    # It computes as the CPU does. It has not all of a driver's errors, nor a GPU's own figures.
    silent = claim.kind is ClaimKind.ERROR and word is Verdict.REFUTED
    decides = claim.kind is ClaimKind.ERROR and not silent
    if seen.device == "cpu" and not decides and _ON_GPU.search(claim.text):
        return "it ran on the CPU"
    shows = claim.kind is ClaimKind.PRINTS and seen.ended_well
    simulated = seen.device.startswith("simulated")
    return "it ran on a simulated device" if simulated and (silent or shows) else ""


def _there(claim: Claim, seen: BlockRun) -> tuple[list[StatementSeen], list[Raised]]:
    """The statements that a claim is about, whole as they are, and the exceptions that came there.

    If it names no line, all of them; an error is sought in the `try` around its lines.
    """
    if claim.line is None:
        return list(seen.statements), list(seen.raised)
    first, last = claim.line, max(claim.line, claim.end_line or 0)
    begun = [s for s in seen.statements if first <= s.first <= last]
    if claim.kind is ClaimKind.ERROR:
        begun += _tries(claim, seen)[:1]
    first, last = min([first, *(s.first for s in begun)]), max([last, *(s.last for s in begun)])
    part = [s for s in seen.statements if first <= s.first and s.last <= last]
    lines = ((r, (*r.lines, r.line or 0, r.handler or 0)) for r in seen.raised)
    return part, [r for r, through in lines if any(first <= n <= last for n in through)]


def _tries(claim: Claim, seen: BlockRun) -> list[StatementSeen]:
    """The `try` by which the block shows an error of these lines, before others that are there.

    That is the innermost around them, or the first that begins there. Of what is only called wrong
    it may stand elsewhere, if it is the only one and catches a class of its own.
    """
    first, last = claim.line or 0, claim.end_line or 0
    tries = [s for s in seen.statements if s.kind == "try"]
    if only_called_wrong(claim) and len(tries) == 1 and set(tries[0].handles) - _ANY_TYPE:
        return tries
    there = [s for s in tries if s.first <= last and first <= s.last]
    return [s for s in reversed(there) if s.first <= first] or there


def _at(line: int | None, seen: BlockRun) -> StatementSeen | None:
    """The innermost statement of a line."""
    there = [s for s in seen.statements if line is not None and s.first <= line <= s.last]
    return max(there, key=lambda s: (s.first, -s.last), default=None)


def _never_ran(part: Sequence[StatementSeen]) -> str:
    """Why a run says nothing of these statements as a whole; empty if it does."""
    spared = [s for s in part if s.kind in _MAY_BE_LEFT or s.calls == "print"]
    spared += [s for s in part if "excepthandler" in s.inside]
    left = [s for s in part if s.times == 0 and s not in spared]
    if not left and any(s.times for s in part):
        return ""
    return (
        f"line {(left or part)[0].first} was never carried out"
        if part
        else "its lines are not known"
    )


def _error(claim: Claim, seen: BlockRun) -> _Found:
    part, raised = _there(claim, seen)
    wrong_only = claim.line is not None and only_called_wrong(claim)
    if wrong_only and not _tries(claim, seen):  # it need not raise any
        ended = seen.error if seen.error in raised else None
        return (Verdict.CANNOT_RUN, f"it raised {_told(ended)}") if ended else None
    caught = {t for s in part if claim.line is not None for t in s.handles}
    types = {claim.type} - _ANY_TYPE or caught - _ANY_TYPE  # who catches a class expects it
    named = bool(types or claim.message)
    placed = claim.line is not None and (types or not wrong_only)
    telling = claim.pointed or claim.message or types - {"RuntimeError"} or placed
    reached = (at := _at(claim.line or claim.end_line, seen)) is None or at.times > 0
    for r in reversed(raised):  # the one that ended it first
        slips = r.type in _OF_THE_PLACE or (not named and is_a(r, *_SLIPS))
        lacks = (slips and r.type != claim.type) or (seen.cannot and not types)
        if telling and reached and not lacks and _is_meant(claim, types, r):
            return Verdict.HOLDS, f"it raised {_told(r)}"
    if other := [r for r in raised if not r.by_hand]:
        came = f"it raised {_told(other[-1])}"
        if not reached or any(_is_type(types, r) or r.type in _OF_THE_PLACE for r in other):
            return Verdict.CANNOT_RUN, f"{came}, which may be another error"
        return Verdict.PARTLY, f"{came}, which is not what is said"
    output = claim.message or claim.text.partition(": ")[2]  # `Output: Error: no such row`
    if len(output.split()) > 2 and has_printed(output, seen.stdout):
        return Verdict.HOLDS, f"it printed {short(output)}"
    if not named and claim.line is None:
        return None  # `a common error` need not raise any
    if any(_is_type(types, r) for r in seen.raised):
        return None  # the mistake may be here, and what comes of it elsewhere
    if wrong_only and any(s.calls == "print" and s.times for s in part):
        return None  # it shows what comes of it
    if why := _never_ran(part):
        return Verdict.CANNOT_RUN, why
    return Verdict.REFUTED, "it raised no such error" if raised else "it raised no error"


def _is_meant(claim: Claim, types: set[str], r: Raised) -> bool:
    """Whether an error is the one that is told of: its class, its topic, its words, their numbers.

    Most of the words of a message are enough: PyTorch rewords its errors.
    """
    texts = [m.casefold() for m in (claim.message, claim.text, r.message)]
    named, told, real = (set(re.findall(r"[a-z_]{3,}", m)) for m in texts)
    said, came = (re.findall(r"\d+", m) for m in texts[1:])
    quoted = len(told & real) >= 0.8 * len(real) and len(said) >= len(came)
    same = not quoted or " ".join(came) in " ".join(said)
    topic = topic_of("", f"{texts[1]} ")
    alike = len(named & real) >= 0.8 * len(named) and topic in (OTHER, topic_of(r.type, r.message))
    return _is_type(types, r) and same and alike


def _is_type(types: set[str], r: Raised) -> bool:
    above = {c.__name__ for c in getattr(getattr(builtins, r.type, None), "__mro__", ())}
    return not types or not types.isdisjoint({r.type, *above})


def _runs(claim: Claim, seen: BlockRun) -> _Found:
    error = seen.error
    part, raised = _there(claim, seen)
    wrong = [r for r in raised if not r.by_hand]
    if raised and (not wrong or (claim.line is None and error is None)):
        return None  # it shows an error as well, and what is said to work may be the rest
    if wrong:
        return Verdict.REFUTED, f"it raised {_told(wrong[-1])}"
    if why := _never_ran(part):
        return Verdict.CANNOT_RUN, f"{why}: it raised {_told(error)}" if error else why
    return Verdict.HOLDS, _RAN


def _prints(claim: Claim, seen: BlockRun) -> _Found:
    there = _at(claim.end_line, seen)
    if there is None:
        return None
    if why := _never_ran([there]):  # where an error was in the way, it is refuted
        straight = set(there.inside) <= {"try", "excepthandler", "with"}  # else it was passed by
        if seen.error is not None and straight and not seen.error.by_hand:
            return Verdict.REFUTED, f"{_NOTHING} and raised {_told(seen.error)}"
        return Verdict.CANNOT_RUN, why
    above = [s for s in seen.statements if s.last <= there.last]
    out = _output([there] if claim.line == claim.end_line else above, seen)
    said = (claim.printed, claim.text.partition(": ")[2])  # `Output: rows: 2, columns: 3`
    if any(has_printed(text, out) for text in said):
        return Verdict.HOLDS, f"it printed {short(out)}"
    if there.times > 1 or not out or seen.cut:
        return None  # which of the printed lines is meant cannot be told
    return Verdict.REFUTED, f"it printed {short(out)}, not {short(claim.printed)}"


def _output(statements: Iterable[StatementSeen], seen: BlockRun) -> str:
    data = seen.stdout.encode()
    pieces = sorted(piece for s in statements for piece in s.printed)
    return b"".join(data[a:b] for a, b in pieces).decode("utf-8", "replace")


def _shape(claim: Claim, seen: BlockRun) -> _Found:
    """The shapes of a tensor where a comment stands, or wherever the block gives it that name."""
    there = _at(claim.line, seen)
    if there is not None and (why := _never_ran([there])):
        return Verdict.CANNOT_RUN, why
    makes = [s for s in seen.statements if claim.name in s.shapes]
    beside = there is not None and (not claim.name or claim.name in there.shapes)
    if there is not None and beside:
        makes = [there] if claim.name or len(there.shapes) == 1 else []
    names = {claim.name} if claim.name else {name for s in makes for name in s.shapes}
    real = list(dict.fromkeys(shape for s in makes for n in names for shape in s.shapes.get(n, ())))
    told = f"`{', '.join(names)}` has the shape {' and '.join(str(list(r)) for r in real)}"
    wanted = claim.shape or ()
    for r in real:
        if len(r) == len(wanted) and all(b in (a, ANY) for a, b in zip(r, wanted, strict=True)):
            return Verdict.HOLDS, told
    # Else it may be said of another time, or of what comes of the tensor.
    return (Verdict.REFUTED, told) if beside and len(real) == 1 else None


def _trains(claim: Claim, seen: BlockRun) -> _Found:
    if seen.error is not None and is_a(seen.error, "no_parameters"):
        return Verdict.REFUTED, f"nothing can train: it raised {_told(seen.error)}"
    moves = any(f".{name}".endswith(f".{claim.name}") for name in seen.moved)
    still = any(f".{name}".endswith(f".{claim.name}") for name in seen.still)
    if moves == still:
        return None  # the run knows no parameter of that name
    holds = moves == (claim.kind is ClaimKind.TRAINS)
    word = "changed it" if moves else "never changed it"
    return (Verdict.HOLDS if holds else Verdict.REFUTED), f"the optimizer {word}"


_BY_KIND = {
    ClaimKind.ERROR: _error,
    ClaimKind.RUNS: _runs,
    ClaimKind.PRINTS: _prints,
    ClaimKind.SHAPE: _shape,
    ClaimKind.TRAINS: _trains,
    ClaimKind.NEVER_TRAINS: _trains,
}


def _told(r: Raised) -> str:
    message = r.message.split("\n", 1)[0][:160]
    at = f" in line {r.line}" if r.line is not None else ""
    return f"{r.type}{at}: {message}" if message else f"{r.type}{at}"
