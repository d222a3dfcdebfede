"""Hold each claim against the run; nothing is judged that no run has shown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from knowledge.audit.model import Claim, Judged, Kind, Raised, Seen, Verdict
from knowledge.signature import matches, signature

# Where a run lacks something, these are the lack itself, not what a document means.
_OF_THE_PLACE = frozenset({"NameError", "ModuleNotFoundError", "ImportError", "FileNotFoundError"})
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


def verdict(claims: Iterable[Claim], seen: Seen) -> tuple[Verdict, tuple[Judged, ...]]:
    """What a run says of a block's claims; those it says nothing of are left out."""
    claims = list(claims)
    seen = _left_out(seen)
    judged = [j for claim in claims if (j := _judge(claim, seen)) is not None]
    if not any(j.claim.kind is Kind.ERROR for j in judged):
        judged = [_never_reached(j, seen) for j in judged]
    if any(j.claim.kind is Kind.ERROR and j.verdict is Verdict.REFUTED for j in judged):
        # "The correct way" to avoid an error that does not come is nothing to be right about.
        judged = [j for j in judged if not j.claim.depends]
    refuted = any(j.claim.pointed and j.verdict is Verdict.REFUTED for j in judged)
    announced = any(j.claim.kind is Kind.ERROR and j.verdict is Verdict.HOLDS for j in judged)
    if refuted or (seen.error is not None and not announced):
        judged = [j for j in judged if not _is_aside(j)]
    told = {j.verdict for j in judged}
    judged = _kept(judged)
    if not told:
        return Verdict.NO_CLAIM, ()
    tested = told - {Verdict.CANNOT_RUN}
    if not tested:
        return Verdict.CANNOT_RUN, tuple(judged)
    if tested == {Verdict.HOLDS} or tested == {Verdict.REFUTED}:
        return tested.pop(), tuple(judged)
    return Verdict.PARTLY, tuple(judged)


def _left_out(seen: Seen) -> Seen:
    """A function with `# …` for a body was never meant to run."""
    error = seen.error
    if seen.cannot or error is None or not error.message.startswith("expected an indented block"):
        return seen
    return seen.model_copy(update={"cannot": f"a body is left out: {_told(error)}"})


def _is_aside(judged: Judged) -> bool:
    """A value that a sentence mentions besides: nothing to be right about in a block that fails."""
    claim = judged.claim
    return not claim.pointed and claim.kind in (Kind.PRINTS, Kind.SHAPE)


def _never_reached(judged: Judged, seen: Seen) -> Judged:
    """What is said to be printed and is not, because the block's own error comes first, is not so.

    "Corrected:" below an error is not meant as one program with it, and stays open.
    """
    error = seen.error
    if judged.claim.kind is Kind.RUNS:
        return judged
    if judged.verdict is not Verdict.CANNOT_RUN or seen.cannot or error is None or error.by_hand:
        return judged
    return judged.model_copy(update={"verdict": Verdict.REFUTED})


_MOST = 12


def _kept(judged: list[Judged]) -> list[Judged]:
    """The telling ones first, and not all of forty outputs."""
    order = [Verdict.REFUTED, Verdict.PARTLY, Verdict.HOLDS, Verdict.CANNOT_RUN]
    return sorted(judged, key=lambda j: order.index(j.verdict))[:_MOST]


def _judge(claim: Claim, seen: Seen) -> Judged | None:
    judge = {
        Kind.ERROR: _error,
        Kind.RUNS: _runs,
        Kind.PRINTS: _prints,
        Kind.OUTPUT: _output,
        Kind.SHAPE: _shape,
        Kind.DIMENSIONS: _dimensions,
        Kind.TRAINS: _trains,
        Kind.NEVER_TRAINS: _trains,
    }[claim.kind]
    found = judge(claim, seen)
    if found is None:
        return None
    word, evidence = found
    if not claim.pointed and word is not Verdict.HOLDS:
        return None  # it may be about something else: then the run says nothing against it
    decides = f"only with stand-ins for {', '.join(seen.stand_ins)}, which may decide this: "
    if seen.stand_ins and word in (Verdict.REFUTED, Verdict.PARTLY):
        word, evidence = Verdict.CANNOT_RUN, decides + evidence
    if seen.device.startswith("simulated") and word is not Verdict.CANNOT_RUN:
        evidence += " (on a simulated device)"
    if seen.stand_ins and word is not Verdict.CANNOT_RUN:
        evidence += f" (with stand-ins for {', '.join(seen.stand_ins)}: weak evidence)"
    return Judged(claim=claim, verdict=word, evidence=evidence)


_Found = tuple[Verdict, str] | None


def _error(claim: Claim, seen: Seen) -> _Found:
    raised = [r for r in seen.raised if _is_there(claim, r)]
    for r in raised:
        if seen.cannot and r.type != claim.type and (r is seen.error or r.type in _OF_THE_PLACE):
            continue
        if _is_type(claim.type, r) and _is_message(claim.message, r) and not _too_little(claim):
            return Verdict.HOLDS, f"it raised {_told(r)}"
    if seen.cannot:
        return Verdict.CANNOT_RUN, seen.cannot
    other = [r for r in raised if not r.by_hand]
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
    return not (claim.pointed or claim.of_this or named)


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


def _runs(claim: Claim, seen: Seen) -> _Found:
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


def _prints(claim: Claim, seen: Seen) -> _Found:
    whole = re.sub(r"^\W*(?:\w+ )?output\s*:\s*", "", claim.text, flags=re.I)
    parts = re.split(r";\s+", whole)  # two printed lines in one comment
    if all(_has_printed(part, seen.stdout) for part in parts) or any(
        _has_printed(said, seen.stdout) for said in (claim.printed, claim.text)
    ):
        return Verdict.HOLDS, f"it printed {_short(claim.printed)}"
    if seen.cannot:
        return Verdict.CANNOT_RUN, seen.cannot
    if seen.cut or seen.stand_ins:
        return None
    error = seen.error
    if not seen.ended_well:
        if error is None:
            return Verdict.CANNOT_RUN, f"the run ended as {seen.outcome}"
        if claim.line is None or _is_before(error, claim.line):
            return Verdict.CANNOT_RUN, f"it ended before that line, with {_told(error)}"
    nearest = _nearest(claim.printed, seen.stdout)
    return Verdict.REFUTED, f"it printed {nearest}" if nearest else "it printed nothing"


_NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?|-?inf|nan", re.I)


_WHERE = re.compile(r",\s*(?:device='[^']*'|grad_fn=<\w+>|requires_grad=True)")
_NO_WORDS = re.compile(r"tensor|torch|inf|nan|dtype|int\d+|float\d+|True|False")


def _has_printed(said: str, stdout: str) -> bool:
    said = _WHERE.sub("", said)
    flat, out = _flat(said), _flat(stdout)
    if not flat:
        return False
    if re.fullmatch(r"-?[\d.]+|true|false|none", flat):
        return any(_ends_in(flat, line) for line in stdout.splitlines())
    # Blanks are gone from both, so a label may have a word before it.
    before = "" if flat[0].isalpha() and len(flat) > 5 else r"(?<![\w.])"
    whole = re.compile(rf"{before}{re.escape(flat)}(?![\w.])")
    if any(whole.search(_flat(line)) for line in stdout.splitlines()):
        return True
    if len(flat) > 8 and flat[-1] in ")]" and flat in out:
        return True
    if (
        shape := re.fullmatch(r"(?:torch\.size)?\(?[\[(]([\d,]+?),?[\])]\)?", flat)
    ) and "," in said:
        wanted = shape[1]
        return any(s in out for s in (f"[{wanted}]", f"({wanted})", f"({wanted},)"))
    wanted_numbers = _NUMBER.findall(said)
    if len(wanted_numbers) < 2 or re.search(r"[A-Za-z]{3,}", _NO_WORDS.sub("", said)):
        return False
    there = [float(n) for n in _NUMBER.findall(stdout)]
    wanted_values = [float(n) for n in wanted_numbers]
    size = len(wanted_values)
    return any(
        all(_equal(a, b) for a, b in zip(wanted_values, there[at : at + size], strict=True))
        for at in range(len(there) - size + 1)
    )


def _ends_in(flat: str, line: str) -> bool:
    """Whether a line is that one value, or a label and that value."""
    value = re.search(r"(?:^|[\s:=(])(-?[\d.]+(?:e[+-]?\d+)?|true|false|none)[\s).]*$", line, re.I)
    if value is None:
        return False
    last = _flat(value[1])
    try:
        return _equal(float(flat), float(last))
    except ValueError:
        return flat == last


def _equal(said: float, real: float) -> bool:
    return said == real or abs(said - real) <= 2e-4 + 1e-3 * abs(real)


def _flat(text: str) -> str:
    """Letters and marks only: blanks, quotes and the decimals of `1.0` are a matter of taste."""
    return re.sub(r"(?<=\d)\.0*(?![\d])", "", re.sub(r"[\s'\"`]+", "", text)).casefold()


def _nearest(said: str, stdout: str) -> str:
    """The printed line that looks most like it."""
    lines = [line for line in stdout.splitlines() if line.strip()]
    kind = re.match(r"[a-z.]*\W", said)
    alike = [line for line in lines if kind and kind[0] in line]
    return _short((alike or lines)[0]) if lines else ""


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return f"`{flat if len(flat) <= 120 else flat[:119] + '…'}`"


def _output(claim: Claim, seen: Seen) -> _Found:
    if seen.stdout.strip():
        return None  # what is said of it in words, no run can tell
    if seen.cannot:
        return Verdict.CANNOT_RUN, seen.cannot
    if seen.error is not None:
        return Verdict.REFUTED, f"it printed nothing and raised {_told(seen.error)}"
    return None


def _shape(claim: Claim, seen: Seen) -> _Found:
    if seen.stand_ins:
        return None
    if not claim.name:
        there = claim.shape in seen.shapes.values() or _has_printed(str(claim.shape), seen.stdout)
        return (
            (Verdict.HOLDS, f"a tensor has the shape {list(claim.shape or ())}") if there else None
        )
    real = seen.shapes.get(claim.name)
    if real is None:
        return (Verdict.CANNOT_RUN, seen.cannot) if seen.cannot else None
    wanted = claim.shape or ()
    # `a 28x28 tensor` may leave out a batch of one and its channel.
    left_out = not claim.pointed and set(real[: len(real) - len(wanted)]) <= {1}
    if real == wanted or (left_out and real[len(real) - len(wanted) :] == wanted):
        return Verdict.HOLDS, f"`{claim.name}` has the shape {list(real)}"
    return Verdict.REFUTED, f"`{claim.name}` has the shape {list(real)}"


def _dimensions(claim: Claim, seen: Seen) -> _Found:
    real = seen.shapes.get(claim.name)
    if seen.stand_ins or real is None:
        return (Verdict.CANNOT_RUN, seen.cannot) if seen.cannot else None
    word = Verdict.HOLDS if len(real) == claim.dimensions else Verdict.REFUTED
    return word, f"`{claim.name}` has the shape {list(real)}"


def _trains(claim: Claim, seen: Seen) -> _Found:
    if seen.cannot:
        return Verdict.CANNOT_RUN, seen.cannot
    if seen.stand_ins or not seen.trained:
        return None
    moves = any(_ends(name, claim.name) for name in seen.moved)
    still = any(_ends(name, claim.name) for name in seen.still)
    if moves == still:
        return None  # the run knows no parameter of that name
    holds = moves == (claim.kind is Kind.TRAINS)
    word = "changed it" if moves else "never changed it"
    return (Verdict.HOLDS if holds else Verdict.REFUTED), f"the optimizer {word}"


def _ends(name: str, claimed: str) -> bool:
    return name == claimed or name.endswith(f".{claimed}")


def _told(r: Raised) -> str:
    first = r.message.split("\n", 1)[0]
    message = first if len(first) <= 160 else f"{first[:159]}…"
    at = f" in line {r.line}" if r.line is not None else ""
    return f"{r.type}{at}: {message}" if message else f"{r.type}{at}"
