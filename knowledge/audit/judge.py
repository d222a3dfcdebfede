"""Hold each claim against the run's own record; what no run has shown is not judged.

What the record decides: which statements were carried out, what each of them printed and made,
which exceptions came and from where, and whether anything in it was not the real thing.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Sequence
from operator import and_

from executor.errors import is_a
from executor.protocol import StatementSeen
from knowledge.audit.conventions import only_called_wrong
from knowledge.audit.model import ANY, WORST_FIRST, BlockRun, Claim, ClaimKind, Judged, Raised
from knowledge.audit.printed import has_printed, short
from knowledge.documents.verdict import Verdict

# Where a run lacks something, these are the lack itself, not what a document means.
_OF_THE_PLACE = frozenset({"NameError", "ModuleNotFoundError", "ImportError", "FileNotFoundError"})
_ANY_TYPE = frozenset({"", "Error", "Exception", "BaseException"})
# Of another version's ways: not the error that a document shows, unless it names it.
_OF_A_VERSION = (
    "missing_arguments", "unexpected_keyword", "too_many_arguments", "module_attribute",
)  # fmt: skip
# Statements that one need not come by: they end something, or only tell of it.
_MAY_BE_LEFT = frozenset({"raise", "return", "pass", "continue", "break", "import", "importfrom"})
_TELLS = re.compile(r"print|(?:log|warn)\w*(?:\.\w+)?|sys\.exit|exit")
_ON_GPU = re.compile(r"\b(?:GPUs?|cuda|devices?)\b", re.I)
_SAYS_IT_RUNS = re.compile(
    r"\b(?:runs?|running|ran|works?|working|execut\w+|succe\w+|fine|assert\w*|complet\w+"
    r"|\w*errors?|exceptions?|crash\w*|fail\w*|rais\w+|throw\w*)\b",
    re.I,
)
# What these say is borne out by a run of all of it only.
_ALL_OF_IT = (ClaimKind.RUNS, ClaimKind.TRAINS, ClaimKind.NEVER_TRAINS)
# What errors are about; one about another thing is another one.
_TOPICS = tuple(
    re.compile(words, re.I)
    for words in (
        r"shape|dimension|\bsizes?\b|\d-?d\b|broadcast|channel",
        r"d?type|\bfloat|\blong\b|double",
        r"\bdevice|cuda|\bcpu\b|\bgpu",
        r"grad|backward|in-?place|\bleaf",
    )
)
_IN_PLACE = (ClaimKind.ERROR, ClaimKind.PRINTS)
_RAN = "it ran without an error"
_Found = tuple[Verdict, str] | None


def verdict(
    claims: Sequence[Claim], seen: BlockRun, *, cures: bool = True
) -> tuple[Verdict, tuple[Judged, ...]]:
    """What a run says of a block's claims; those it says nothing of are left out.

    `cures`: the document shows a fault, so that it says something that the right way runs.
    """
    judged = [j for claim in claims if (j := _judge(claim, seen)) is not None]
    if not cures:
        judged = [j for j in judged if j.evidence != _RAN or _SAYS_IT_RUNS.search(j.claim.text)]
    errors = [j for j in judged if j.claim.kind is ClaimKind.ERROR]
    comes = any(j.verdict in (Verdict.HOLDS, Verdict.PARTLY) for j in errors)
    if errors:  # and its cure: then it is not said to work as a whole, nor if no error comes
        judged = [j for j in judged if j.claim.kind != ClaimKind.RUNS or (comes and j.claim.line)]
        # What follows an error on purpose is not meant as one program with it.
        prints = ClaimKind.PRINTS
        judged = [j for j in judged if j.claim.kind is not prints or _came_to(j.claim, seen)]
    # An error of what is said to work, or to print, is not the one that the text speaks of.
    not_meant = {j.evidence for j in judged if j.claim.kind is ClaimKind.RUNS}
    told = [c for c in claims if c.kind is ClaimKind.PRINTS and c.pointed]
    if seen.error is not None and not all(_came_to(c, seen) for c in told):
        not_meant |= {j.evidence for j in errors if j.verdict is not Verdict.REFUTED}
    judged = [j for j in judged if j.claim.line or j not in errors or j.evidence not in not_meant]
    if not seen.raised and any(only_called_wrong(c) and c.line for c in claims):
        # It ran as well: that the right way runs is nothing to be right about, nor what it makes.
        judged = [j for j in judged if j.claim.kind not in (ClaimKind.RUNS, ClaimKind.SHAPE)]
    came = f"it raised {_told(seen.error)}" if seen.error is not None else ""
    spoken_of = any(j.evidence == came for j in errors)
    fails = seen.error is not None and not seen.cannot and not spoken_of
    if fails or any(j.verdict is Verdict.REFUTED for j in judged):
        judged = [j for j in judged if j.claim.pointed]  # the rest is nothing to be right about
    if fails:  # that it ran up to there
        judged = [j for j in judged if j.evidence != _RAN]
    tested = {j.verdict for j in judged} - {Verdict.CANNOT_RUN}
    if not tested:
        return (Verdict.CANNOT_RUN if judged or seen.cannot else Verdict.NO_CLAIM), tuple(judged)
    kept = tuple(sorted(judged, key=lambda j: WORST_FIRST.index(j.verdict)))
    if len(tested) > 1 or (fails and tested == {Verdict.HOLDS}):
        return Verdict.PARTLY, kept
    if tested == {Verdict.HOLDS} and any(_doubted(claim, seen) for claim in claims):
        return Verdict.NO_CLAIM, ()
    return tested.pop(), kept


def _doubted(claim: Claim, seen: BlockRun) -> bool:
    """Whether it is not said surely enough to be refuted, and was not so in the place it names."""
    placed = claim.kind is ClaimKind.ERROR or claim.line == claim.end_line
    if claim.pointed or claim.kind not in _IN_PLACE or claim.line is None or not placed:
        return False
    found = _BY_KIND[claim.kind](claim, seen)
    return found is not None and found[0] is Verdict.REFUTED


def _came_to(claim: Claim, seen: BlockRun) -> bool:
    there = _at(claim.end_line, seen)
    return there is None or there.times > 0


def _judge(claim: Claim, seen: BlockRun) -> Judged | None:
    found = _BY_KIND[claim.kind](claim, seen)
    if seen.cannot and (found is None or found[0] is not Verdict.HOLDS or claim.kind in _ALL_OF_IT):
        found = Verdict.CANNOT_RUN, seen.cannot
    if found is None or (not claim.pointed and found[0] is not Verdict.HOLDS):
        return None  # it may be about something else: then the run says nothing against it
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
    begun = [s.last for s in seen.statements if first <= s.first <= last]
    tried = _tried(first, last, seen) if claim.kind is ClaimKind.ERROR else None
    first = min(first, tried.first) if tried else first
    last = max([last, *begun, tried.last if tried else 0])
    part = [s for s in seen.statements if first <= s.first and s.last <= last]
    return part, [r for r in seen.raised if _came_from(r, first, last)]


def _tried(first: int, last: int, seen: BlockRun) -> StatementSeen | None:
    """The innermost `try` around a line, or the first that begins on these lines."""
    tries = [s for s in seen.statements if s.kind == "try" and s.first <= last and first <= s.last]
    around = [s for s in tries if s.first <= first]
    return around[-1] if around else next(iter(tries), None)


def _shown(claim: Claim, seen: BlockRun) -> Claim | None:
    """What is only called wrong, as an error of the `try` by which the block shows one.

    It stands in that `try`, or that is the only one and catches a class of its own.
    """
    if not only_called_wrong(claim):
        return claim
    tries = [s for s in seen.statements if s.kind == "try"]
    there = _tried(claim.line or 0, claim.end_line or 0, seen)
    if len(tries) == 1 and set(tries[0].handles) - _ANY_TYPE:
        there = tries[0]
    if there is None or set(there.handles) & _OF_THE_PLACE:
        return None
    return claim.model_copy(update={"line": there.first, "end_line": there.last})


def _at(line: int | None, seen: BlockRun) -> StatementSeen | None:
    """The innermost statement of a line."""
    there = [s for s in seen.statements if line is not None and s.first <= line <= s.last]
    return max(there, key=lambda s: (s.first, -s.last), default=None)


def _never_ran(part: Sequence[StatementSeen]) -> str:
    """Why a run says nothing of these statements as a whole; empty if it does."""
    for s in part:
        aside = s.kind in _MAY_BE_LEFT or "excepthandler" in s.inside or _TELLS.fullmatch(s.calls)
        if s.times == 0 and not aside:
            return f"line {s.first} was never carried out"
    if any(s.times for s in part):
        return ""
    return f"line {part[0].first} was never carried out" if part else "its lines are not known"


def _error(told: Claim, seen: BlockRun) -> _Found:
    claim = told if told.line is None else _shown(told, seen)
    if claim is None:
        _, came = _there(told, seen)
        return (Verdict.CANNOT_RUN, f"it raised {_told(came[-1])}") if came else None
    part, raised = _there(claim, seen)
    caught = {t for s in part if claim.line is not None for t in s.handles}
    types = {claim.type} - _ANY_TYPE or caught - _ANY_TYPE  # who catches a class expects it
    named = bool(types or claim.message)
    for r in reversed(raised):  # the one that ended it first
        lacks = r.type in _OF_THE_PLACE and r.type != claim.type
        lacks = lacks or (not named and is_a(r, *_OF_A_VERSION))
        if lacks or (seen.cannot and not types):
            continue
        of_its_own = claim.message or types - {"RuntimeError"}
        placed = claim.line is not None and (types or not only_called_wrong(told))
        telling = claim.pointed or of_its_own or placed
        if telling and _is_type(types, r) and _is_message(claim.message, r) and _fits(told, r):
            return Verdict.HOLDS, f"it raised {_told(r)}"
    other = [r for r in raised if not r.by_hand]
    if other and all(r.type in _OF_THE_PLACE for r in other):
        return Verdict.CANNOT_RUN, f"it raised {_told(other[-1])}"
    if other:
        return Verdict.PARTLY, f"it raised {_told(other[-1])}, which is not what is said"
    if not seen.ended_well and seen.error is None:
        return Verdict.CANNOT_RUN, f"the run ended as {seen.outcome}"
    output = claim.message or claim.text.partition(": ")[2]  # `Output: Error: no such row`
    if len(output.split()) > 2 and has_printed(output, seen.stdout):
        return Verdict.HOLDS, f"it printed {short(output)}"
    if not named and claim.line is None:
        return None  # `a common error` need not raise any
    if any(_is_type(types, r) for r in seen.raised):
        return None  # the mistake may be here, and what comes of it elsewhere
    if only_called_wrong(told) and any(s.calls == "print" and s.times for s in part):
        return None  # it shows what comes of it
    if why := _never_ran(part):
        return Verdict.CANNOT_RUN, why
    return Verdict.REFUTED, "it raised no such error" if raised else "it raised no error"


def _fits(claim: Claim, r: Raised) -> bool:
    said, came = ([bool(t.search(text)) for t in _TOPICS] for text in (claim.text, r.message))
    return not any(said) or not any(came) or any(map(and_, said, came))


def _came_from(r: Raised, first: int, last: int) -> bool:
    return any(first <= n <= last for n in (*r.lines, r.line, r.handler) if n is not None)


def _is_type(types: set[str], r: Raised) -> bool:
    above = {c.__name__ for c in getattr(getattr(builtins, r.type, None), "__mro__", ())}
    return not types or not types.isdisjoint({r.type, *above})


def _is_message(claimed: str, r: Raised) -> bool:
    """Sizes may differ, and most of the words are enough: PyTorch rewords its errors."""
    words, real = (set(re.findall(r"[a-z_]{3,}", m.casefold())) for m in (claimed, r.message))
    return len(words & real) >= 0.8 * len(words)


def _runs(claim: Claim, seen: BlockRun) -> _Found:
    error = seen.error
    part, raised = _there(claim, seen)
    if raised and claim.line is None and error is None:
        return None  # it shows an error as well, and what is said to work may be the rest
    if wrong := [r for r in raised if not r.by_hand]:
        return Verdict.REFUTED, f"it raised {_told(wrong[-1])}"
    if raised:
        return None  # its own `raise`: so it was meant to
    if error is None and not seen.ended_well:
        return Verdict.CANNOT_RUN, f"the run ended as {seen.outcome}"
    if why := _never_ran(part):
        return Verdict.CANNOT_RUN, f"{why}: it raised {_told(error)}" if error else why
    return Verdict.HOLDS, _RAN


def _prints(claim: Claim, seen: BlockRun) -> _Found:
    there = _at(claim.end_line, seen)
    if there is None:
        return None
    if there.times == 0:
        return _never_printed(there, seen)
    above = [s for s in seen.statements if s.last <= there.last]
    out = _output([there] if claim.line == claim.end_line else above, seen)
    if has_printed(claim.printed, out):
        return Verdict.HOLDS, f"it printed {short(out)}"
    ended = seen.ended_well or seen.error is not None
    if there.times > 1 or not out or not ended or seen.cut:
        return None  # which of the printed lines is meant cannot be told
    return Verdict.REFUTED, f"it printed {short(out)}, not {short(claim.printed)}"


def _never_printed(there: StatementSeen, seen: BlockRun) -> _Found:
    """A print that the run never came to: where its error was in the way, it is refuted."""
    error = seen.error
    straight = set(there.inside) <= {"try", "excepthandler", "with"}  # else it was passed by
    if error is not None and straight and not error.by_hand:
        return Verdict.REFUTED, f"it printed nothing there and raised {_told(error)}"
    return Verdict.CANNOT_RUN, f"line {there.first} was never carried out"


def _output(statements: Iterable[StatementSeen], seen: BlockRun) -> str:
    data = seen.stdout.encode()
    pieces = sorted(piece for s in statements for piece in s.printed)
    return b"".join(data[a:b] for a, b in pieces).decode("utf-8", "replace")


def _shape(claim: Claim, seen: BlockRun) -> _Found:
    """The shapes of a tensor where a comment stands, or wherever the block gives it that name."""
    there = _at(claim.line, seen)
    if there is not None and there.times == 0:
        return Verdict.CANNOT_RUN, f"line {there.first} was never carried out"
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
