"""bot/diagnosis/answer.py: the order in which an error is explained that no run raised."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from bot.diagnosis.answer import compose
from bot.diagnosis.chance_level import chance_level
from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.posted_traceback import _raised_at
from bot.diagnosis.reproduction import Reproduced
from bot.models import (
    Answer,
    PastedTraceback,
    Question,
    RunWith,
    Snippet,
    TracebackFrame,
    Why,
)
from bot.platforms.card import sheet
from bot.platforms.console.card import card
from bot.service.seam import Answered
from executor.protocol import Construct, Finding, Job, JobResult, LossSeen, Remark
from knowledge.repair.mistake import mistake
from knowledge.search.search import SearchResult
from tests.built import failed, ran
from tests.conftest import Ask

SIZES = "mat1 and mat2 shapes cannot be multiplied (64x256 and 400x10)"
UNKNOWN = "the pump has no water"
CODE = "self.fc = nn.Linear(400, 10)\nx = self.fc(x)\nmodel.eval"
LINEAR = Construct(
    kind="call",
    name="nn.Linear",
    line=1,
    code="self.fc = nn.Linear(400, 10)",
    target="self.fc",
    arguments=("400", "10"),
)
CALL = Construct(kind="call", name="self.fc", line=2, code="x = self.fc(x)")
REMARK = Remark(kind="uncalled", line=3, code="model.eval", message="it is not called")
ASIDE = REMARK.model_copy(update={"aside": True})
SEEN = REMARK.model_copy(update={"kind": "graph_kept"})  # what a probe sees in a training
KEPT = Finding(kind="graph_kept", line=9, name="total", message="`total` keeps graphs")
LACKS = failed("name 'nn' is not defined", "NameError", undefined=("nn", "x"))
WHY = Why(
    text="Why it is.", remedy="An article's.", article="a", title="T", url=None, score=1, proof=None
)


def answer(
    message: str = "",
    run: JobResult | None = None,
    *,
    missing: str = "",
    frame: str = "",
    file: str = "train.py",
    why: Why | None = None,
    text: str = "",
    **facts: Any,
) -> Answer:
    """The answer to a posted error, with whatever the run of the code shows."""
    frames = (TracebackFrame(file=file, line=9, function="f", code=frame),) if frame else ()
    pasted = PastedTraceback(type="RuntimeError", message=message, frames=frames)
    question = Question(
        text=text,
        snippets=(Snippet(code=CODE),) if run is not None else (),
        traceback=pasted if message else None,
    )
    known = Diagnosis(
        question, RunWith(), passages=SearchResult((), 0.0, 0.5), missing=missing, why=why
    )
    if run is not None:
        run = run.model_copy(update=facts)
        seen = Reproduced(run, Job(code=CODE))
        known = Diagnosis(
            question,
            RunWith(),
            reproduced=seen,
            mistake=mistake(run),
            missing=missing,
            passages=SearchResult((), 0.0, 0.5),
            why=why,
        )
    return compose(known)


def shown(answered: Answer) -> str:
    """The console's card as text."""
    out = io.StringIO()
    Console(file=out, width=200, highlight=False).print(card(answered))
    return out.getvalue()


def positions(text: str, *parts: str) -> list[int]:
    """Where the parts begin; each of them is there."""
    assert all(part in text for part in parts), (text, parts)
    return [text.index(part) for part in parts]


def test_what_the_error_means_comes_first_and_what_is_missing_last():
    """Meaning, lines, remedy, reason, what the text shows, and at the end what to post."""
    made = answer(SIZES, LACKS, missing="so", why=WHY, constructs=(LINEAR, CALL), remarks=(REMARK,))
    assert made.status == "not_run" and made.posted is not None
    assert made.headline.startswith("A Linear layer with in_features=400 and out_features=10")
    assert "never defined" not in made.headline and "Not run" not in made.headline

    text = shown(made)
    order = positions(
        text,
        "A Linear layer",
        f"RuntimeError: {SIZES}",
        "line 1: self.fc = nn.Linear(400, 10)",
        "Print `x.shape`",
        "it is not called",
        "Why it is.",
        "post what makes `nn` and `x` too",
    )
    assert order == sorted(order)
    for word in ("verified", "eproduced", "Assumed", "Post the code"):
        assert word not in text


def test_every_platform_says_the_same_in_the_same_order():
    """The parts of a card, and instead of "Could not run it" that it was read."""
    made = sheet(Answered(answer(SIZES, LACKS, missing="so", constructs=(LINEAR,), why=WHY)))

    assert made.headline.startswith("! Read, not run: A Linear layer")
    assert [p.title for p in made.parts if p.title][:3] == [
        "In the posted code",
        "Perhaps",
        "Why: T",
    ]
    assert made.parts[-1].title == "To run it"


@pytest.mark.parametrize(
    ("given", "status", "begins"),
    [
        # an error that the catalogue knows
        ({"message": SIZES}, "advice", "A matrix product of [64, 256] and [400, 10]"),
        ({"message": SIZES, "run": LACKS, "missing": "so"}, "not_run", "A matrix product of"),
        ({"message": SIZES, "run": ran()}, "runs", "A matrix product of [64, 256] and"),
        (
            {"message": SIZES, "run": failed("Target 3 is out of bounds.", "IndexError")},
            "unsure",
            "A matrix product of [64, 256] and [400, 10]",
        ),
        ({"message": SIZES, "run": failed(SIZES)}, "reproduced", "Reproduced: RuntimeError"),
        # one that it does not know
        (
            {"message": UNKNOWN},
            "unsure",
            f"Not sure: nothing I know explains RuntimeError: {UNKNOWN}",
        ),
        ({"message": UNKNOWN, "why": WHY}, "advice", "T"),
        (
            {"message": UNKNOWN, "run": LACKS, "missing": "so", "remarks": (REMARK,)},
            "not_run",
            "Seen in the code, not run: line 3, `model.eval`: it is not called.",
        ),
        ({"message": UNKNOWN, "run": LACKS, "missing": "so"}, "not_run", "Not run: `nn` (line 1)"),
        (
            {"message": UNKNOWN, "run": failed("Target 3 is out of bounds.", "IndexError")},
            "unsure",
            f"Posted: RuntimeError: {UNKNOWN}; what your code raises here: IndexError",
        ),
        # none
        (
            {"run": LACKS, "missing": "so", "remarks": (REMARK,)},
            "not_run",
            "Seen in the code, not run: line 3",
        ),
        ({"run": LACKS, "missing": "so"}, "not_run", "Not run: `nn` (line 1) is used but never"),
        (
            {"run": ran(), "remarks": (REMARK,)},
            "runs",
            "Runs here (torch 2.13.0 on CPU) and raises nothing. Line 3, `model.eval`: it is not",
        ),
        ({"run": ran(), "remarks": (ASIDE,)}, "runs", "Runs here with torch 2.13.0"),
        ({"run": ran(trained=True), "remarks": (SEEN,)}, "runs", "Runs here with torch 2.13.0"),
        (
            {"text": "My loss is nan", "run": LACKS, "missing": "so"},
            "not_run",
            "The cause is not known here",
        ),
        ({"text": "My loss is nan", "run": ran()}, "runs", "Runs here with torch 2.13.0"),
        ({"text": "how?"}, "unsure", "Not sure: nothing I know fits well enough. Which lines "),
    ],
)
def test_the_best_that_is_known_is_the_first_line(given: dict[str, Any], status: str, begins: str):
    """The error's meaning before the code's text, and both before what is missing."""
    made = answer(**given)

    assert (made.status, made.headline[: len(begins)]) == (status, begins)


def test_another_error_of_the_run_is_told_after_the_posted_one():
    """Both are named, the run's as what it is."""
    made = answer(SIZES, failed("Target 3 is out of bounds.", "IndexError", line=2))

    assert (
        "What the posted code raises here is another error: IndexError at line 2" in made.headline
    )
    assert made.posted is not None and made.error is not None


def test_an_error_that_was_run_gets_its_familys_remedy_where_no_article_has_one():
    """It is said, and not called tried."""
    assert "Print `x.shape`" in answer(SIZES, failed(SIZES)).remedy
    assert answer(SIZES, failed(SIZES), why=WHY).remedy == ""
    assert answer(UNKNOWN, failed(UNKNOWN)).remedy == ""


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (SIZES, True),  # the same remedy for all sizes: the article's stays beside it
        ("mat1 and mat2 shapes cannot be multiplied (1792x28 and 784x10)", False),
    ],
)
def test_an_articles_remedy_gives_way_to_one_that_the_values_chose(message: str, kept: bool):
    """One remedy too many is one that may not fit."""
    why = answer(message, LACKS, missing="so", why=WHY).why

    assert why is not None and bool(why.remedy) is kept


@pytest.mark.parametrize(
    ("constructs", "frame", "file", "lines"),
    [
        ((LINEAR,), "", "", [(1, "", "made for 400 features")]),
        (
            (LINEAR, CALL),
            "x = self.fc(x)  # here",
            "/home/me/net.py",
            [(9, "net.py", "the traceback ends here"), (1, "", "makes `self.fc`")],
        ),
        (
            (),
            "y = f(x)",
            "<ipython-input-3-a>",
            [(9, "the notebook cell", "the traceback ends here")],
        ),
        # a line that is not the posted one: the code was completed or moved
        ((LINEAR.model_copy(update={"line": 2}),), "", "", []),
        ((LINEAR.model_copy(update={"line": 7}),), "", "", []),
    ],
)
def test_the_lines_are_those_that_were_posted(
    constructs: tuple[Construct, ...], frame: str, file: str, lines: list[tuple[int, str, str]]
):
    """The traceback's own, the layer that it calls, and the code whose numbers fit."""
    made = answer(SIZES, LACKS, missing="so", constructs=constructs, frame=frame, file=file).posted

    assert made is not None
    assert [(p.line, p.file, p.says) for p in (*made.raised_at, *made.fitting)] == lines


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("my loss stays at 0.69, accuracy 50 %", "2"),
        ("loss 2.303 with cross entropy", "10"),
        ("loss: 1.0986 nn.CrossEntropyLoss", "3"),
        ("loss is 0.69", ""),  # of what kind it is, is not said
        ("accuracy is 0.69", ""),  # no loss
        ("the loss is 0.71, accuracy 0.5", ""),
        ("loss 12.30 accuracy 0.1", ""),
        ("torch 2.30.1, loss goes down, accuracy too", ""),
    ],
)
def test_a_loss_of_guesses_is_recognised(text: str, classes: str):
    """By the logarithm of the classes, where a classifier's loss is spoken of."""
    seen = chance_level(Question(text=text))

    assert (f"guesses among {classes} classes" in seen.message) if seen else classes == ""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("my loss is stuck at 0.69, a BCE of the critic", "chance_level"),
        ("the loss stays flat", "does_not_learn"),
        ("the loss grows in each epoch", "loss_grows"),
        ("memory grows with each step", "memory_grows"),
    ],
)
@pytest.mark.parametrize("last", [0.3, 1.0])
def test_nobody_looks_why_a_loss_stands_that_fell_here(text: str, kind: str, last: float):
    """The run has shown otherwise than the words suggest; of memory it says nothing."""
    run = ran(trained=True, losses=(LossSeen(line=1, rounds=50, first=1.0, last=last),))
    told = last == 1.0 or kind == "memory_grows"

    assert [r.kind for r in answer(text=text, run=run).remarks] == ([kind] if told else [])


POST = """My net fails:

```python
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
    # forward: see the tutorial
loader = make_loader(folder)
for images in loader:
    net(images)
```

RuntimeError: size mismatch, m1: [4 x 179776], m2: [400 x 120]
"""


@pytest.mark.asyncio(loop_scope="session")
async def test_a_real_post_is_answered_from_its_words(ask: Ask):
    """The layer is found in the posted code by the message's number; today's wording is named."""
    made = await ask(POST)

    assert made.posted is not None and "in_features=400" in made.headline
    assert [(p.line, p.says) for p in made.posted.fitting] == [(4, "made for 400 features")]
    assert made.posted.now == "mat1 and mat2 shapes cannot be multiplied (4x179776 and 400x120)"
    assert "`nn.Linear(179776, 120)`" in made.posted.remedy


@pytest.mark.asyncio(loop_scope="session")
async def test_a_real_post_without_an_error_is_told_what_its_text_shows(ask: Ask):
    """The first line is no missing name."""
    made = await ask(
        "why does my net not train?\n```python\nloss = criterion(net(x), y)\n"
        "loss = Variable(loss, requires_grad=True)\nloss.backward()\nopt.step()\n```"
    )

    assert made.status == "not_run"
    assert made.headline.startswith("Seen in the code, not run: line 2, `loss = Variable(loss")
    assert made.needed and "never defined" not in made.headline


@pytest.mark.parametrize(
    ("message", "kind", "named"),
    [
        ("CUDA out of memory. Tried to allocate 2.00 GiB", "graph_kept", True),
        ("CUDA out of memory. Tried to allocate 2.00 GiB", "uncalled", False),
        (SIZES, "graph_kept", False),  # no such code raises that
    ],
)
def test_the_line_that_raises_such_an_error_is_named_first(message: str, kind: str, named: bool):
    """Where the code shows a cause of the posted error, the headline has its line."""
    seen = REMARK.model_copy(update={"kind": kind})
    made = answer(message, LACKS, missing="so", remarks=(seen,))

    assert ("line 3, `model.eval`" in made.headline) is named
    assert any(r.kind == kind for r in made.remarks)


@pytest.mark.parametrize(
    ("text", "begins", "aside"),
    [
        (
            "Is there a way to do this without a loop?",
            "As posted it stops here: RuntimeError",
            True,
        ),
        ("the predictions are wrong: it gives wrong predictions", "As posted it stops here", True),
        ("it fails", "Reproduced: RuntimeError", False),
        ("", "Reproduced: RuntimeError", False),
    ],
)
def test_an_error_of_our_run_is_an_aside_where_none_is_reported(
    text: str, begins: str, aside: bool
):
    """Who asks how something is done, or tells of wrong results, hears of it as an aside."""
    made = answer(run=failed(SIZES), text=text)

    assert made.headline.startswith(begins), made.headline
    assert ("You name no error" in made.headline) is aside


def test_what_the_post_shows_leaves_an_article_out():
    """The article names causes that the post excludes: then only the post's own is told."""
    rows = "0D or 1D target tensor expected, multi-target not supported"

    assert answer(rows, why=WHY).why is not None
    shapes = "the output is [32, 6] and the target is [32, 10]"
    assert answer(rows, why=WHY, text=shapes).why is None


@pytest.mark.parametrize(
    ("further", "says"),
    [
        ([], "the traceback ends here"),
        (["/x/site-packages/torch/nn/functional.py"], "the last of your own lines"),
        (["/x/dist-packages/vits/net.py"], "the error is raised inside vits"),
        (
            ["/x/dist-packages/vits/net.py", "/x/site-packages/torch/nn/functional.py"],
            "the error is raised inside vits",
        ),
    ],
)
def test_where_the_traceback_goes_after_their_own_line(further: list[str], says: str):
    """It ends there only where no frame of anybody follows."""
    files = ["train.py", *further]
    frames = tuple(TracebackFrame(file=f, line=9, function="f", code="y = f(x)") for f in files)
    pasted = PastedTraceback(type="RuntimeError", message="no", frames=frames)
    assert [line.says for line in _raised_at(pasted, ())] == [says]


@pytest.mark.parametrize(
    ("text", "code", "printed", "is_aside"),
    [
        ("It prints this and does not work:\n```\n3\n255\n```", "print(d.rows)", "", True),
        ("It does not work", "print(d.rows)", "", False),
        ("It prints this and does not work:\n```\n3\n255\n```", "y = d.rows", "", False),
        ("It prints this and does not work:\n```\n3\n255\n```", "print(d.rows)", "3\n", False),
        ("It does not work:\n```\nthe 3 rows\nare 255\n```", "print(d.rows)", "", False),
    ],
)
def test_an_error_before_what_the_post_shows_printed_is_ours(
    text: str, code: str, printed: str, is_aside: bool
):
    """Their run went further: the error comes of what is installed here."""
    question = Question(text=text, snippets=(Snippet(code=f"d = load()\n{code}"),))
    error = failed(SIZES).error
    assert error is not None
    run = failed(SIZES).model_copy(
        update={"stdout": printed, "error": error.model_copy(update={"line": 2, "code": code})}
    )

    made = compose(
        Diagnosis(
            question,
            RunWith(),
            reproduced=Reproduced(run, Job(code=question.code)),
            mistake=mistake(run),
            passages=SearchResult((), 0.0, 0.5),
        )
    )

    assert made.headline.startswith("As posted it stops here") is is_aside, made.headline
    assert ("show what it printed" in made.headline) is is_aside


@pytest.mark.parametrize(
    ("kind", "text", "is_told"),
    [
        ("no_main_guard", "it stops on Windows 10", True),
        ("no_main_guard", "it stops on Ubuntu", False),
        ("no_main_guard", "it stops on Windows in a Jupyter notebook", False),
        ("seeded_and_timed", "the results are not reproducible", True),
        ("seeded_and_timed", "it is slow", False),
        ("workers_elsewhere_on_gpu", "it stops with num_workers=2", True),
        ("workers_elsewhere_on_gpu", "it stops after an epoch", False),
        ("drawn_anew", "the age varies a bit at each run", True),
        ("drawn_anew", "the results differ, and I train it for 3 epochs", False),
        ("drawn_anew", "what does Normalize do?", False),
        ("expanded_copy", "it eats all my memory", True),
        ("expanded_copy", "it gives wrong values", False),
        ("stream_repeated", "an epoch is longer with workers", True),
        ("stream_repeated", "it is slow", False),
        ("compared_in_training", "the outputs should not change", True),
        ("compared_in_training", "the two are not equal", True),
        ("compared_in_training", "how do I save it?", False),
        ("unshifted", "how do I save it?", True),  # it is wrong whatever they ask
    ],
)
def test_a_line_that_matters_to_some_is_told_to_them(kind: str, text: str, is_told: bool):
    """What is right on another system, or for another purpose, is said where it matters."""
    seen = REMARK.model_copy(update={"kind": kind})

    made = answer(run=ran(remarks=(seen,)), text=text)

    assert (kind in [r.kind for r in made.remarks]) is is_told


@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_in_a_comment_is_read_where_the_code_cannot_be_run(ask: Ask):
    """People write down beside a line what it raised."""
    made = await ask(
        "why is it squeezed?\n```python\nimport shopnet\nshopnet.fit(rows)\n# ValueError: Target "
        "size (torch.Size([8])) must be the same as input size (torch.Size([8, 1]))\n```"
    )

    assert made.headline.startswith("The loss gets predictions [8, 1] and a target [8]")
    assert made.needed


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("name", "told"), [("Variable", True), ("fn", False)])
async def test_a_name_of_torch_needs_its_import_wherever_it_stands(ask: Ask, name: str, told: bool):
    """What to do about a name of one's own is not known where the code with it was not posted."""
    code = "import torch\nnet = torch.nn.Linear(3, 2)\nprint(net(torch.ones(1, 3)).shape)"
    seen = await ask(
        f"I always get\n\nNameError: name '{name}' is not defined\n\nin:\n\n```python\n{code}\n```"
    )

    assert (f"`{name}` is used" in seen.headline) is told
    remedy = seen.posted.remedy if seen.posted is not None else ""
    assert ("from torch.autograd import" in remedy) is told
