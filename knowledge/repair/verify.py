"""When a fix may be called verified: every check that a run can make, in one place.

"It no longer crashes" is the least of them. A rewrite that cuts the gradient, swallows the error
or throws the result away runs too.
"""

import difflib
import re
from collections import Counter
from collections.abc import Sequence

from executor.errors import is_a, is_about_dtypes
from executor.protocol import Caught, ErrorSeen, JobResult, ModuleCall, Outcome
from knowledge.repair.check import Check, Passes, Said, refusing
from knowledge.repair.codemod import Codemod, Proposal
from knowledge.repair.further import Lines, is_further_down, matcher
from knowledge.repair.mistake import Mistake, mistake, without_numbers
from knowledge.repair.operator import Operator
from knowledge.repair.printed import kept


def removed(before: JobResult, after: JobResult) -> Mistake:
    """The part of a run's mistake that a run of the changed code no longer shows."""
    was, now = mistake(before), mistake(after)
    error = None if same_error(was.error, now.error) else was.error
    return Mistake(error, was.findings - now.findings, was.provoked)


def _still_caught(result: JobResult, wrong: Mistake) -> bool:
    """Whether the mistake's error is caught now, beyond what was provoked and caught before it."""
    known = Counter((c.type, c.message, c.code) for c in wrong.provoked)
    alike = [c for c in result.caught if same_error(c, wrong.error)]
    return bool(Counter((c.type, c.message, c.code) for c in alike) - known)


def same_error(a: ErrorSeen | Caught | None, b: ErrorSeen | Caught | None) -> bool:
    """Whether two runs failed in the same way, numbers aside."""
    if a is None or b is None:
        return a is b
    return a.type == b.type and without_numbers(a.message) == without_numbers(b.message)


def shows(result: JobResult, wrong: Mistake) -> bool:
    """Whether a run shows the mistake, or is broken in some other way: nothing one would offer."""
    if result.outcome is not Outcome.OK:
        return True
    if _still_caught(result, wrong):
        return True
    return any((f.kind, f.name) in wrong.findings for f in result.findings)


# What one layer looks at first, and what after that: being told the next is a step forward.
_IN_TURN = (  # error families
    ("rnn_input_size", "rnn_hidden_size"),
    ("conv_dimensions", "conv_channels", "scalar_type"),
)


def moved_on(before: JobResult, after: JobResult, old: str, new: str) -> bool:
    """Whether a rewritten snippet got past the mistake and shows another one, which may be next.

    The failing expression tells, not the message: a wrong rewrite fails at the same expression
    with other numbers, and a right one at the next layer with the same message.

    Args:
        before: the run that showed the mistake.
        after: the rewritten snippet's run.
        old: the code of the first.
        new: the code of the second: the same expression may stand again further down.
    """
    if not after.stdout.startswith(before.stdout) or not mistake(after).is_there:
        return False
    if before.error is None or after.error is None:
        return before.error is not None and after.outcome is Outcome.OK
    if (before.error.type, before.error.code) != (after.error.type, after.error.code):
        return True
    if _layer_name(before) != _layer_name(after):
        return True
    if is_past(before, after, old, new):
        return True
    # A dtype is looked at before the sizes, by the same expression.
    if is_about_dtypes(before.error.message) and not is_about_dtypes(after.error.message):
        return True
    for families in _IN_TURN:
        told = [i for i, family in enumerate(families) if is_a(before.error, family)]
        next_ = [i for i, family in enumerate(families) if is_a(after.error, family)]
        if told and next_ and next_[0] > told[0]:
            return True
    # backward() looks at one thing after another: no graph, then no single number.
    is_backward = re.search(r"\b(backward|grad)\(", before.error.code) is not None
    return is_backward and not same_error(before.error, after.error)


def is_past(before: JobResult, after: JobResult, old: str, new: str) -> bool:
    """Whether a rewritten snippet's error comes from a later line than the one that was mended.

    Args: as those of `moved_on`, which also takes the next complaint of the same line for progress.
    """
    if before.error is None or after.error is None:
        return False
    was, now = _lines(before, before.error), _lines(after, after.error)
    return is_further_down(was, now, old, new)


def _layer_name(result: JobResult) -> str:
    return result.layer.name if result.layer else ""


def _lines(result: JobResult, error: ErrorSeen) -> Lines:
    """The outermost line of the snippet that led to the error, and the one that raised it."""
    return (result.frames[0].line if result.frames else 0, error.line or 0)


def checks(
    before: JobResult, after: JobResult, reference: JobResult | None = None, stops: str = ""
) -> list[Check]:
    """Everything that must hold for any candidate, beside `undone`.

    Args:
        before: the original run.
        after: the rewritten snippet's run, with its gradients, under the same seed.
        reference: the original run with gradients (an oracle's, for in-place errors), if it
            could be made.
        stops: why the second run stopped past the mistake, where that is not the code's fault.
    """
    wrong = mistake(before)
    made = [_gone(before, after, wrong, stops), _nothing_new(before, after, wrong)]
    if not after.env.torch:  # every other check would hold for want of anything to hold against
        unseen = "what the probes saw of it could not be read"
        made.append(Check(name="seen", passed=False, detail=unseen))
    if wrong.error is not None:
        made.append(_same_output(before, after, wrong.error))
    made += [_no_silent_mistake(before, after, wrong), _batch_kept(before, after, reference)]
    return made


def checks_of(
    codemod: Codemod | Operator,
    proposal: Proposal,
    before: JobResult,
    after: JobResult,
    reference: JobResult | None,
) -> list[Check]:
    """What its maker itself wants to hold: `after` against the reference, if there is one.

    Where its checks raise, nothing says that its fix is one: that is a check that fails.
    """
    try:
        return codemod.checks(reference or before, after, proposal)
    except Exception as e:
        problem = codemod.problem("checks", e)
        return [Check(name="its own checks", passed=False, detail=problem)]


@refusing("no error", "it runs to the end")
def _gone(before: JobResult, after: JobResult, wrong: Mistake, stops: str) -> Said:
    if stops and not _still_caught(after, wrong):
        yield Passes(f"the error is gone; it stops {stops}")
    if after.cut is not None and before.cut is None:
        yield f"its training was stopped after {after.cut.steps} steps, when its time was up"
    if after.outcome is not Outcome.OK:
        what = after.error.type if after.error else after.outcome.value
        line = f" at line {after.error.line}" if after.error and after.error.line else ""
        yield f"it ends with {what}{line}"
    if _still_caught(after, wrong):
        yield "the error is still raised, and caught"
    if wrong.error is None and wrong.findings <= {(f.kind, f.name) for f in after.findings}:
        yield "the probes still find the same mistake"
    if after.cut is not None:
        yield Passes(f"it runs to step {after.cut.steps}, where its time was up")


@refusing("nothing new", "no new exception or warning")
def _nothing_new(before: JobResult, after: JobResult, wrong: Mistake) -> Said:
    known = [(c.type, without_numbers(c.message)) for c in before.caught]
    new = [
        c
        for c in after.caught
        if (c.type, without_numbers(c.message)) not in known and not _shown_later(c, before)
    ]
    if _still_caught(after, wrong):
        new += [c for c in after.caught if same_error(c, before.error)]
    if after.handlers > before.handlers:
        yield "it adds an exception handler"
    if new:
        yield f"a new {new[0].type} is raised and caught: {new[0].message[:80]}"
    warned = {(w.category, without_numbers(w.message)) for w in before.warnings}
    fresh = [w for w in after.warnings if (w.category, without_numbers(w.message)) not in warned]
    if fresh and wrong.error is None:
        # After an error the run goes further than before, and may warn where it had not been.
        yield f"a new {fresh[0].category}: {fresh[0].message[:80]}"


def _shown_later(c: Caught, before: JobResult) -> bool:
    """Whether the code shows it in a call below the one that had failed: it raises it itself, or
    calls wrong what it gives to that call.
    """
    shown = c.demonstrated if c.origin == "raise" else c.demonstrated in ("comment", "labelled")
    if not shown or before.error is None:
        return False
    failed = before.frames[0].line if before.frames else before.error.line
    called = re.search(r"line (\d+), in <module>", c.traceback)
    return failed is not None and called is not None and int(called[1]) > failed


def _same_output(before: JobResult, after: JobResult, error: ErrorSeen | Caught) -> Check:
    printed = before.stdout
    if isinstance(error, Caught):
        printed = printed.encode()[: error.stdout_bytes].decode(errors="ignore")
    if before.dropped_bytes or after.dropped_bytes:
        printed = printed[: 8 * 1024]
    kept_as = kept(printed, after.stdout, error)
    detail = kept_as or "it prints other values"
    return Check(name="output", passed=bool(kept_as), detail=detail)


@refusing("silent mistakes", "the probes find none")
def _no_silent_mistake(before: JobResult, after: JobResult, wrong: Mistake) -> Said:
    # An error ends a run before its training could show anything: then nothing is excused, but
    # mistakes of the whole program are its own, not those of a rewritten line.
    failed = before.error is not None
    excused = frozenset() if failed else wrong.findings
    counted = (f for f in after.findings if f.mistake and not (failed and f.program_wide))
    # What a layer behind is given was read at the last position before it failed.
    behind = before.layer is not None and before.layer.type == "Linear"
    for f in counted:
        if (f.kind, f.name) not in excused and not (behind and f.name.endswith("_reverse")):
            yield f.message


@refusing("batch", "the batch dimension is kept")
def _batch_kept(before: JobResult, after: JobResult, reference: JobResult | None) -> Said:
    """Every top-level call of a module keeps its first dimension, unless it never did."""
    known = {(c.module, c.inputs[:1], c.outputs[:1]) for c in (*before.calls, *_calls(reference))}
    by_index = before.error is not None and _BY_INDEX.search(before.error.code) is not None
    for c in after.calls:
        one = _unbatched(c) or (len(c.inputs) == 1 and _one_row(before, c.inputs[0]))
        kept = not c.inputs or not c.outputs or c.inputs[0] == c.outputs[0] or one
        kept = kept or (_goes_through(before, c) and c.inputs[1:2] == c.outputs[:1])
        if not kept and not by_index and (c.module, c.inputs[:1], c.outputs[:1]) not in known:
            yield f"{c.module} at line {c.line} turns {list(c.inputs)} into {list(c.outputs)}"


# Rows that are put together by an index are no samples: the nodes of several graphs.
_BY_INDEX = re.compile(r"\b(?:scatter_(?:add|reduce)_?|index_(?:add|reduce)_?)\(")


def _goes_through(before: JobResult, c: ModuleCall) -> bool:
    """Whether a model takes its batch second: its layers do, or it failed in one of the steps."""
    held = [v.shape for frame in before.frames for v in frame.locals.values()]
    return c.time_first or (len(c.inputs) > 2 and c.inputs[1:] in held)


def _unbatched(c: ModuleCall) -> bool:
    """Whether a layer of torch.nn was given one sample: then its first dimension is no batch."""
    spatial = re.fullmatch(r"(?:Conv|ConvTranspose)([123])d", c.module)
    if spatial:
        return len(c.inputs) == int(spatial[1]) + 1
    return c.module == "Linear" and len(c.inputs) == 1


def _one_row(before: JobResult, size: int) -> bool:
    """Whether the layer that failed was a Linear that was given a single row, or takes such rows
    as it is and was given something else.
    """
    layer = before.layer
    if layer is None or layer.type != "Linear":
        return False
    if layer.input is None:
        return f"in_features={size}," in layer.repr
    return len(layer.input) == 1


def _calls(result: JobResult | None) -> tuple[ModuleCall, ...]:
    return result.calls if result is not None else ()


# -- what changed ----------------------------------------------------------------------------


def diff(original: str, fixed: str) -> str:
    """The change as a unified diff, two lines around it, without the file header."""
    lines = difflib.unified_diff(original.splitlines(), fixed.splitlines(), lineterm="", n=2)
    return "\n".join(list(lines)[2:])


def places(original: str, fixed: str) -> int:
    """How many separate places of the code a rewrite changed."""
    return len(_changed(original.splitlines(True), fixed.splitlines(True)))


def with_each_place_undone(original: str, fixed: str, new_names: Sequence[str] = ()) -> list[str]:
    """The rewrite with one of its places put back, for each; empty if it has only one place.

    Undoing the only place gives the original, which has been run already.

    Args:
        original: the snippet.
        fixed: the rewrite.
        new_names: variables that it introduces; all the places of one of them are one place.
    """
    old, new = original.splitlines(True), fixed.splitlines(True)
    groups: dict[str, list[tuple[str, int, int, int, int]]] = {}
    for number, op in enumerate(_changed(old, new)):
        text = "".join(new[op[3] : op[4]]) or "".join(old[op[1] : op[2]])  # a line that moved
        name = next((n for n in new_names if re.search(rf"\b{re.escape(n)}\b", text)), None)
        groups.setdefault(name or str(number), []).append(op)
    if len(groups) < 2:
        return []
    variants = []
    for group in groups.values():
        lines = list(new)
        for _, i1, i2, j1, j2 in reversed(group):
            lines[j1:j2] = old[i1:i2]
        variants.append("".join(lines))
    return variants


def undone(
    results: Sequence[JobResult], *mistakes: Mistake, stopped: JobResult | None = None
) -> Check:
    """Undoing any place of the change brings a mistake back: nothing in it is idle.

    Args:
        results: a run for each place that was undone.
        mistakes: the original's, and those that the steps after the first one removed.
        stopped: the changed code's run, where it stopped by no fault of the code: one that stops
            there too does not show the mistake.
    """
    idle = [
        i
        for i, r in enumerate(results, start=1)
        if not any(shows(r, wrong) for wrong in mistakes)
        or (stopped is not None and stopped.error and same_error(r.error, stopped.error))
    ]
    if idle:
        return Check(name="minimal", passed=False, detail=f"change {idle[0]} is not needed")
    n = max(1, len(results))
    detail = "the change" if n == 1 else f"each of the {n} changes"
    return Check(name="minimal", passed=True, detail=f"without {detail} the mistake is back")


def _changed(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    return [op for op in matcher(old, new).get_opcodes() if op[0] != "equal"]
