"""bot/diagnosis/wording.py: a headline says what was done, and of whose error."""

from __future__ import annotations

import pytest

from bot.diagnosis.wording import in_place, mistakes, no_error, searched, unrun
from bot.models import PastedTraceback, Question, Snippet, TracebackFrame
from executor.protocol import (
    GLUED,
    MODULE,
    Caught,
    Culprit,
    Environment,
    Exit,
    Finding,
    JobResult,
    Outcome,
    Placeholder,
)
from knowledge.repair.engine import Repair
from knowledge.repair.fix import Fix
from knowledge.repair.mistake import mistake
from knowledge.repair.verify import removed
from tests.built import caught, failed, found, noted, ran

SIZES = "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"
IN_PLACE = (
    "one of the variables needed for gradient computation has been modified by an inplace operation"
)
ASKED = Question(text="hm")
SHAPES = Finding(
    kind="loss_broadcasts", line=7, name="loss", message="`loss` compares two shapes", mistake=True
)
ADDED = Finding(
    kind="gradients_accumulate",
    line=9,
    name="opt",
    message="line 9 adds up gradients",
    mistake=True,
)
BOTH = ran(findings=(SHAPES, ADDED))


def made_up(name: str) -> Placeholder:
    """What stands for a name, so that the posted error comes up."""
    return Placeholder(name=name, line=1, what="a tensor [2]", kind=GLUED)


def pasted(message: str, type: str = "RuntimeError", **more: object) -> Question:
    """A question with a pasted error."""
    return Question(text="", traceback=PastedTraceback(type=type, message=message), **more)  # type: ignore[arg-type]


def pasted_at(line: str, code: str) -> Question:
    """A question with code, and an error whose traceback ends at this line."""
    frames = (TracebackFrame(file="a.py", line=3, function="f", code=line),)
    error = PastedTraceback(type="RuntimeError", message=SIZES, frames=frames)
    return Question(text="", traceback=error, snippets=(Snippet(code=code),))


def fix(after: JobResult | None, title: str = "do it so", *steps: str, intent: str = "") -> Fix:
    """A verified fix, and the run that it had."""
    return Fix(
        codemod="c",
        title=title,
        steps=steps,
        intent=intent,
        diff="",
        code="",
        verified=True,
        checks=(),
        result=after,
    )


def fixed(before: JobResult, made: Fix, question: Question = ASKED) -> str:
    """The headline of a fix."""
    assert made.result is not None
    return mistakes.fixed(question, removed(before, made.result), before, made)


@pytest.mark.parametrize(
    ("before", "made", "headline"),
    [
        # Of two mistakes the one that the diff removes; the other is said to be left.
        (
            BOTH,
            fix(ran(findings=(SHAPES,))),
            "Fixed: line 9 adds up gradients. 1 more mistake left: `loss` (line 7) compares two "
            "shapes.",
        ),
        (
            BOTH,
            fix(ran(findings=(ADDED,))),
            "Fixed: `loss` (line 7) compares two shapes. 1 more mistake left: line 9 adds up "
            "gradients.",
        ),
        (
            BOTH,
            fix(ran(), "one", "one", "two"),
            "Fixed: `loss` (line 7) compares two shapes; then line 9 adds up gradients.",
        ),
        # What shows only once the error is gone has the fixed code's lines.
        (
            failed(SIZES),
            fix(ran(findings=(ADDED,))),
            "Fixed: do it so. 1 more mistake left: line 9 adds up gradients (in the fixed code).",
        ),
        (
            failed(SIZES),
            fix(ran(findings=(SHAPES, ADDED))),
            "Fixed: do it so. 2 more mistakes left: `loss` (line 7) compares two shapes (in the "
            "fixed code); line 9 adds up gradients (in the fixed code).",
        ),
        (
            failed(SIZES),
            fix(ran(findings=(noted("loss_repeats"), noted("other_note")))),
            "Fixed: do it so. Further down (in the fixed code): loss_repeats: w (line 1).",
        ),
        (
            failed(SIZES),
            fix(ran(findings=(ADDED, noted("loss_repeats")))),
            "Fixed: do it so. 1 more mistake left: line 9 adds up gradients (in the fixed code). "
            "Further down (in the fixed code): loss_repeats: w (line 1).",
        ),
        (
            failed(SIZES, findings=(noted("loss_repeats"),)),
            fix(ran(findings=(noted("loss_repeats"),))),
            "Fixed: do it so.",
        ),
        (failed(SIZES), fix(ran()), "Fixed: do it so."),
        (failed(SIZES), fix(ran(), "one", "one", "two"), "Fixed: one; then two."),
        (failed(SIZES, findings=(ADDED,)), fix(ran()), "Fixed: do it so."),
        (
            failed(SIZES),
            fix(ran(caught=(caught("other", line=4),))),
            "Fixed: do it so. 1 more mistake left: RuntimeError at line 4, which your own except "
            "takes.",
        ),
        # What is shown on purpose is none.
        (
            failed(SIZES),
            fix(ran(caught=(caught("other", demonstrated="comment"),))),
            "Fixed: do it so.",
        ),
        # With values that were made up it holds on a condition, which the first words say.
        (
            failed(SIZES, stand_ins=(made_up("x"),)),
            fix(ran()),
            "Fixed, if `x` is as assumed (a tensor [2]): do it so.",
        ),
        (
            failed(SIZES, stand_ins=(made_up("x"), made_up("w"), made_up("_stubs"))),
            fix(ran()),
            "Fixed, if `x` and `w` are as assumed: do it so.",
        ),
        (
            failed(SIZES, stand_ins=tuple(made_up(name) for name in "abcdefgh")),
            fix(ran()),
            "Fixed, if `a`, `b`, `c`, `d`, `e`, `f` and 2 more are as assumed: do it so.",
        ),
        (
            failed(SIZES, stand_ins=(made_up("_stubs"),)),
            fix(ran()),
            "Fixed, if what was not posted is as assumed: do it so.",
        ),
    ],
)
def test_a_headline_is_about_what_the_fix_removes(before: JobResult, made: Fix, headline: str):
    """What its run no longer shows, and what it still shows."""
    assert fixed(before, made) == headline


CULPRIT = Culprit(saved_line=3, modified_line=5)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (failed(IN_PLACE, autograd=CULPRIT), ran(), True),
        (ran(findings=(found("silent_inplace_write"),), autograd=CULPRIT), ran(), True),
        # The fix is of something else: both ends of the write are no news of it.
        (
            ran(findings=(found("silent_inplace_write"), SHAPES), autograd=CULPRIT),
            ran(findings=(found("silent_inplace_write"),)),
            False,
        ),
        (failed(SIZES, autograd=CULPRIT), ran(), False),
    ],
)
def test_both_ends_of_a_write_belong_to_its_own_fix(
    before: JobResult, after: JobResult, told: bool
):
    """The culprit is that of the mistake that the answer is about."""
    assert ("line 5 overwrites the values" in fixed(before, fix(after))) is told
    assert in_place.is_in_place(removed(before, after)) is told


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        (ASKED, f"Reproduced: RuntimeError at line 1: {SIZES}."),
        (pasted(SIZES.replace("3", "5")), f"Reproduced: RuntimeError at line 1: {SIZES}."),
        (
            pasted("Target 3 is out of bounds.", "IndexError"),
            "Posted: IndexError: Target 3 is out of bounds; what your code raises here: "
            f"RuntimeError at line 1: {SIZES}.",
        ),
    ],
)
def test_reproduced_is_said_of_the_posted_error_alone(question: Question, headline: str):
    """Another one is called another one."""
    run = failed(SIZES)

    assert mistakes.reproduced(question, mistake(run), run, Repair()) == headline


def test_an_error_that_took_placeholders_is_rebuilt_and_not_reproduced():
    """With the names that were assumed, the first six."""
    one = Placeholder(name="criterion", line=1, what="`torch.nn.BCELoss()`", kind=GLUED)
    many = tuple(one.model_copy(update={"name": f"n{i}"}) for i in range(8))
    for stand_ins, about in (
        ((one,), "`criterion`"),
        (many, "`n0`, `n1`, `n2`, `n3`, `n4`, `n5` and 2 more"),
        ((one.model_copy(update={"name": "_"}),), "what was not posted"),
    ):
        run = failed(SIZES, stand_ins=stand_ins)

        assert mistakes.reproduced(pasted(SIZES), mistake(run), run, Repair()) == (
            f"Rebuilt with assumptions about {about}: RuntimeError at line 1: {SIZES}."
        )


def test_what_was_posted_and_does_not_come_up_is_said():
    """Of a fix for another error, and of a finding without any."""
    other = pasted("Target 3 is out of bounds.", "IndexError")
    assert fixed(failed(SIZES), fix(ran()), other) == (
        "Fixed: do it so. Posted: IndexError: Target 3 is out of bounds; what your code raised "
        "here: RuntimeError at line 1."
    )
    assert fixed(failed(SIZES), fix(ran()), pasted(SIZES)) == "Fixed: do it so."
    run = ran(findings=(ADDED,))
    assert mistakes.reproduced(other, mistake(run), run, Repair()) == (
        "It runs, but line 9 adds up gradients. The IndexError that you posted does not come up "
        "here."
    )


def test_alternatives_are_told_with_what_they_leave():
    """They all remove one mistake; the headline names that one."""
    ways = tuple(fix(ran(findings=(SHAPES,)), intent=intent) for intent in ("a sum", "a mean"))
    wrong = removed(BOTH, ran(findings=(SHAPES,)))

    assert mistakes.reproduced(ASKED, wrong, BOTH, Repair(alternatives=ways)) == (
        "Reproduced: line 9 adds up gradients. What to do depends on what you mean (a sum; or a "
        "mean): both were run. 1 more mistake left: `loss` (line 7) compares two shapes."
    )


HERE = Environment(torch="2.13.0+cpu", python="3.11")
TAKEN = Caught(type="KeyError", message="x", line=4, handler_line=6)


@pytest.mark.parametrize(
    ("run", "question", "headline"),
    [
        (
            ran(env=HERE),
            ASKED,
            "Runs here with torch 2.13.0 on CPU: nothing is raised, and no probe knows a "
            "mistake in it; whether it computes what you mean is not known.",
        ),
        (
            ran(env=HERE, handlers=1),
            ASKED,
            "Runs here with torch 2.13.0 on CPU: nothing is raised, your except branch was never "
            "entered.",
        ),
        # A swallowed exception is not nothing.
        (
            ran(env=HERE, handlers=1, caught=(TAKEN,)),
            ASKED,
            "Runs here to its end with torch 2.13.0 on CPU. KeyError is raised at line 4, and its "
            "own handler at line 6 takes it.",
        ),
        (
            ran(env=HERE, caught=(TAKEN.model_copy(update={"handler_line": None}), TAKEN)),
            ASKED,
            "Runs here to its end with torch 2.13.0 on CPU. KeyError is raised at line 4, and its "
            "own handler takes it, and 1 more like that.",
        ),
        # Nor is an exit.
        (
            failed("1", "SystemExit", line=9, env=HERE, exit=Exit(code=1, signal=None)),
            ASKED,
            "Runs here (torch 2.13.0 on CPU) and ends itself at line 9 with exit code 1.",
        ),
        (
            ran(outcome=Outcome.ERROR, env=HERE, exit=Exit(code=3, signal=None), reported=False),
            ASKED,
            "Ran here and ended itself with exit code 3 before the probes could report "
            "(`os._exit` does that): whether anything was raised is not known.",
        ),
        (
            ran(env=HERE),
            pasted(SIZES),
            "Runs here: the RuntimeError does not come up with torch 2.13.0 on CPU; say which "
            "torch you have.",
        ),
        (
            ran(env=HERE),
            pasted(SIZES, versions={"torch": "1.4"}),
            "Runs here: the RuntimeError does not come up with torch 2.13.0 on CPU (you have 1.4).",
        ),
        # Of a line that was not posted the run says nothing.
        (
            ran(env=HERE),
            pasted_at("y = net(x)", "x = 1"),
            "What was posted runs here with torch 2.13.0 on CPU; `y = net(x)`, at which your "
            "traceback ends, is not a part of it.",
        ),
        (
            ran(env=HERE),
            pasted_at("y = net(x)  # here", "y = net(x)"),
            "Runs here: the RuntimeError does not come up with torch 2.13.0 on CPU; say which "
            "torch you have.",
        ),
        # A loop that prints in each round and printed nothing went through nothing.
        (
            ran(env=HERE),
            pasted_at("for x in files:", "for x in files:\n    y = net(x)\n    print(y)\n"),
            "Not tried here: `for x in files` went through nothing, as where files are missing, so "
            "that the RuntimeError could not come up; the rest runs with torch 2.13.0 on CPU.",
        ),
        (
            ran(env=HERE, stdout="1\n"),
            pasted_at("for x in files:", "for x in files:\n    y = net(x)\n    print(y)\n"),
            "Runs here: the RuntimeError does not come up with torch 2.13.0 on CPU; say which "
            "torch you have.",
        ),
        (
            ran(env=HERE),
            pasted_at("for x in files:", "for x in files:\n    y = net(x)\nprint(y)\n"),
            "Runs here: the RuntimeError does not come up with torch 2.13.0 on CPU; say which "
            "torch you have.",
        ),
        (
            ran(env=HERE),
            pasted("", ""),
            "Runs here with torch 2.13.0 on CPU: nothing is raised, and no probe knows a "
            "mistake in it; whether it computes what you mean is not known.",
        ),
        (
            ran(env=HERE, only_made=("net",)),
            ASKED,
            "Runs here with torch 2.13.0 on CPU, but `net` is made and never called, so its "
            "forward() was not tried; post the lines that call it too.",
        ),
        (
            ran(env=HERE, only_made=("a", "b")),
            ASKED,
            "Runs here with torch 2.13.0 on CPU, but `a` and `b` are made and never called, so "
            "their forward() was not tried; post the lines that call them too.",
        ),
        (
            ran(env=HERE, assumptions=("import torch.nn.functional as F",)),
            Question(text="", snippets=(Snippet(code="import torch\nF.gelu(torch.ones(2))"),)),
            "Runs here with torch 2.13.0 on CPU once `import torch.nn.functional as F` is added, "
            "which stands nowhere in what you posted: nothing is raised, and no probe knows a "
            "mistake in it; whether it computes what you mean is not known.",
        ),
        # A fragment leaves all of them out.
        (
            ran(env=HERE, assumptions=("import torch",)),
            Question(text="", snippets=(Snippet(code="torch.ones(2)"),)),
            "Runs here with torch 2.13.0 on CPU: nothing is raised, and no probe knows a "
            "mistake in it; whether it computes what you mean is not known.",
        ),
        (
            ran(env=Environment(python="3.11")),
            ASKED,
            "Runs here with Python 3.11: nothing is raised, and no probe knows a mistake in it; "
            "whether it computes what you mean is not known.",
        ),
    ],
)
def test_what_is_said_of_code_that_ran(run: JobResult, question: Question, headline: str):
    """Nothing is called nothing that was something."""
    assert no_error.runs(question, run) == headline


def test_what_is_noted_is_not_told_as_nothing():
    """A note may be the very trouble: it stands below, and the headline says so."""
    said = no_error.runs(ASKED, ran(env=Environment(python="3.11")), noted=True)

    assert said == (
        "Runs here with Python 3.11, and nothing is raised. What was noted stands below: whether "
        "it is meant so is not known."
    )


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("comment", "a comment of the code says so"),
        ("named", "a comment of the code names it"),
        ("printed", "its except only tells of it"),
        ("above", "the `try` below it is there for an error that it announces"),
    ],
)
def test_an_error_that_is_shown_on_purpose(how: str, why: str):
    """It is explained, and not mended; how the code says so is told."""
    run = ran(caught=(caught(SIZES, line=4, demonstrated=how),))

    assert mistakes.demonstrated(mistake(run), run, how) == (
        f"Shown on purpose ({why}): RuntimeError at line 4, which your own except takes: {SIZES}. "
        "It is explained, and not mended."
    )


@pytest.mark.parametrize(
    ("run", "headline"),
    [
        (failed("unexpected indent", "IndentationError"), "Could not run what was pasted: so."),
        (ran(only_definitions=True), "Not run as you have it: so."),
        (failed(SIZES), "Not run to its end: so."),
        (ran(), "Not run as you have it: so."),
    ],
)
def test_what_was_not_run(run: JobResult, headline: str):
    """Not at all, not as it stands, or not to its end."""
    assert unrun.not_run("so", run, ASKED) == headline


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Numbers fold. Mostly a flatten is missing.", "Numbers fold."),
        ("Numbers fold. Usually it is this one. It stops.", "Numbers fold. It stops."),
        ("The usual place is a transform.", "The usual place is a transform."),  # nothing is left
        ("It is mostly so.", "It is mostly so."),
    ],
)
def test_no_cause_is_called_the_usual_one_where_no_run_shows_it(text: str, kept: str):
    """Of a posted error the reason is told, and not the article's guess at its cause."""
    assert searched.without_guesses(text) == kept


def test_only_names_are_called_never_defined():
    """A module, a file and weights are not, for nobody defines them; nor what has a placeholder."""
    stand_ins = tuple(
        Placeholder(name=name, line=1, what="something", kind=kind)
        for name, kind in (
            ("net", "model"),
            ("lasagne", MODULE),
            ("a.csv", "file"),
            ("n", "number"),
        )
    )
    run = failed("name 'x' is not defined", type="NameError", undefined=("x",), stand_ins=stand_ins)

    assert (
        "`x` (line 1) is used but never defined in what you posted (`net` has a placeholder)."
        in unrun.not_run("", run, ASKED)
    )
    assert unrun.needed("", run, Question(text="")) == (
        "Not run: to have it run here, post what makes `x` and `net` too."
    )


@pytest.mark.parametrize(
    ("stand_ins", "said"),
    [
        ((), True),
        ((Placeholder(name="CIFAR10", line=1, what="made-up images", kind="data"),), False),
    ],
)
def test_an_except_that_data_of_ours_passed_by_proves_nothing(
    stand_ins: tuple[Placeholder, ...], said: bool
):
    """With the real data it may be entered."""
    headline = no_error.runs(ASKED, ran(handlers=1, stand_ins=stand_ins))

    assert ("your except branch was never entered" in headline) is said


def test_the_traceback_that_was_posted_is_not_asked_for():
    """Why the code was not run is said, and nothing that is there is asked for."""
    frames = (TracebackFrame(file="demo.py", line=5, function="main", code="cli = CLI()"),)
    pasted = PastedTraceback(type="ValueError", message="Expected a parent", frames=frames)
    reason = "it needs `x`, which is not installed here; post the part that fails without it"

    told = unrun.needed(reason, failed("no"), Question(text="", traceback=pasted))
    assert told == "Not run to its end: it needs `x`, which is not installed here."
    assert unrun.needed(reason, failed("no"), Question(text="")).endswith("without it.")


@pytest.mark.parametrize(
    ("message", "missing", "headline"),
    [
        (
            "cannot import name 'warmup' from 'berts' (/usr/lib/berts.py)", "berts.optimization",
            "Not tried here: `berts.optimization` is not installed where this runs, and the import "
            "was left out; the rest runs with",
        ),
        ("cannot import name 'warmup'", "berts", "Not tried here: `berts` is not installed"),
        ("No module named 'berts.nets'", "berts", "Not tried here: `berts` is not installed"),
        # The import that failed for them was tried: another module's was left out.
        (
            "cannot import name 'Warp' from 'torchvision.transforms'", "berts",
            "Runs here: the ImportError does not come up with",
        ),
        ("cannot import name 'Warp'", "", "Runs here: the ImportError does not come up with"),
        ("No module named 'torchvision.nets'", "berts", "Runs here: the ImportError does not come"),
        # Not an error of an import.
        (SIZES + " berts", "berts", "Runs here: the ImportError does not come up with"),
    ],
)  # fmt: skip
def test_what_an_import_left_out_may_raise_is_not_told_to_be_gone(
    message: str, missing: str, headline: str
):
    """The run had no part in it."""
    question = pasted(message, "ImportError")
    stand_ins = (
        (Placeholder(name=missing, line=1, what="a module", kind=MODULE),) if missing else ()
    )

    assert no_error.runs(question, ran(stand_ins=stand_ins)).startswith(headline)


def test_a_part_of_a_method_is_called_that():
    """Nobody defines `self`: what lacks is the class around the lines."""
    run = failed("name 'self' is not defined", type="NameError", line=4, undefined=("self", "a"))

    told = unrun.not_run("so", run, ASKED)

    assert told.startswith("Not run: line 4 is a part of a method") and "`self`" not in told
    assert told.endswith("Post it, and the lines that make and call it.")


@pytest.mark.parametrize(
    ("undefined", "question", "asked"),
    [
        (("x",), ASKED, "Post what makes it, and it is run here."),
        (("x", "y"), ASKED, "Post what makes them, and it is run here."),
        (("x",), Question(text="почему так?"), "ask it in English"),
        (
            ("x",),
            Question(text="", traceback=PastedTraceback(type="OddError", message="no")),
            "whole traceback",
        ),
    ],
)
def test_of_what_is_missing_that_is_asked_for(undefined, question, asked):
    """But of a posted error, its traceback."""
    run = failed("name 'x' is not defined", type="NameError", line=1, undefined=undefined)

    assert asked in unrun.not_run("so", run, question)


@pytest.mark.parametrize(
    ("text", "stdout", "stand_ins", "same"),
    [
        ("I get 0.7876 0.6541 0.8626", "0.7876 0.6541\n0.8626\n", (), True),
        ("I get 0.7876 0.6541 0.8626", "0.7876 0.6541\n0.8627\n", (), False),  # one differs
        ("I get 0.7876 and 0.6541", "0.7876 0.6541\n", (), False),  # too few to say so
        ("I get 0.78 0.65 0.86", "0.78 0.65 0.86", (), False),  # anything may be printed so
        (
            "I get 0.7876 0.6541 0.8626",
            "0.7876 0.6541 0.8626",
            (Placeholder(name="x", line=1, what=""),),
            False,  # it was no run of theirs
        ),
        ("no numbers", "0.7876 0.6541 0.8626", (), False),
    ],
)
def test_numbers_that_were_posted_and_printed(
    text: str, stdout: str, stand_ins: tuple[Placeholder, ...], same: bool
):
    """The same numbers in a second run say that nothing in it is left to chance."""
    headline = no_error.runs(Question(text=text), ran(stdout=stdout, stand_ins=stand_ins))
    assert ("prints the numbers that you posted" in headline) is same


def test_a_search_that_was_cut_says_so():
    """That nothing passed in time is not that nothing would."""
    run = failed("mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)", line=1)
    cut = Repair(cut=True)
    said = mistakes.reproduced(Question(text=""), mistake(run), run, cut)
    assert said.endswith("The search for a fix was stopped when its time was up: there may be one.")


@pytest.mark.parametrize(
    ("assumed", "told"),
    [
        ("simulated device: torch.compile returns the function as it is", "Not tried here"),
        ("simulated device: CUDA graphs are not there", "Not tried here"),
        ("simulated device: streams and events do nothing: everything", "Not tried here"),
        ("simulated device: autocast on the device changes no dtype", "Not tried here"),
        ("simulated device: memory numbers count live tensors only", "does not come up"),
        ("import torch", "does not come up"),
    ],
)
def test_an_error_of_what_does_nothing_here_is_never_said_not_to_come_up(assumed: str, told: str):
    """What has no effect where it ran cannot raise anything there."""
    pasted = PastedTraceback(type="RuntimeError", message="overwritten", text="")
    said = no_error.runs(Question(text="", traceback=pasted), ran(assumptions=(assumed,)))

    assert told in said
