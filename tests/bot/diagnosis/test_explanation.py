"""bot/diagnosis/explanation.py: an explanation is of this very mistake, or there is none."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import pytest

from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.explanation import asked, candidates, sources
from bot.diagnosis.reproduction import Reproduced
from bot.diagnosis.wording import searched
from bot.models import Answer, PastedTraceback, Proof, Question, RunWith, Snippet
from bot.platforms.card import sheet
from bot.service.seam import Answered
from executor.protocol import Job, JobResult, Layer
from knowledge.articles.article import Article
from knowledge.repair.codemod import Codemod
from knowledge.repair.engine import Repair
from knowledge.repair.fix import Fix
from knowledge.repair.mistake import mistake
from knowledge.search.search import Hit, SearchResult, SourceMatch
from tests.built import failed, found, ran
from tests.our_articles import OUR_ARTICLES

ARTICLES: Mapping[str, Article] = OUR_ARTICLES
BROADCAST = (
    "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"
)
CODE = "x = 1"


class Applies:
    """A codemod that takes certain runs for its own."""

    def __init__(self, kinds: Collection[str] | None) -> None:
        self._kinds = kinds

    def applies(self, result: JobResult) -> bool:
        return self._kinds is None or any(f.kind in self._kinds for f in result.findings)


def codemods(**kinds: Collection[str] | None) -> list[Codemod]:
    """Codemods by their article's folder: the findings that they know, or None for any run."""
    return [Codemod(slug.replace("_", "-"), Applies(k)) for slug, k in kinds.items()]  # type: ignore[arg-type]


def hit(slug: str, error: str = "", score: float = 0.9, kind: str = "article") -> Hit:
    """What search found; `error`: it knows the real error, or a quoted one."""
    seen = SourceMatch(0.5, 1, 0.5, 1, error=error)  # type: ignore[arg-type]
    return Hit(slug, kind, slug, f"passage of {slug}", score, "meaning", seen)  # type: ignore[arg-type]


def known(
    *hits: Hit,
    run: JobResult | None = None,
    pasted: tuple[str, str] | None = None,
    fix: Fix | None = None,
    missing: str = "",
    text: str = "",
    refused: str = "",
) -> Diagnosis:
    """A diagnosis as it is before its explanation."""
    question = Question(
        text=text,
        snippets=(Snippet(code=CODE),) if run is not None else (),
        traceback=PastedTraceback(type=pasted[0], message=pasted[1]) if pasted else None,
    )
    confidence = hits[0].score if hits else 0.0
    return Diagnosis(
        question,
        RunWith(),
        reproduced=Reproduced(run, Job(code=CODE)) if run is not None else None,
        mistake=mistake(run) if run is not None else Diagnosis(question, RunWith()).mistake,
        missing=missing,
        passages=SearchResult(hits, confidence, 0.5),
        repairs=Repair(fix=fix, refused=(_refused(refused),) if refused else ()),
    )


def _refused(codemod: str) -> Fix:
    return Fix(codemod=codemod, diff="", code="", verified=False, checks=(), result=None)


def chosen(diagnosis: Diagnosis, **kinds: Collection[str] | None) -> list[str]:
    """The articles that may explain it, best first."""
    return [why.article for why in candidates(diagnosis, ARTICLES, codemods(**kinds))]


def fix(codemod: str, after: JobResult) -> Fix:
    """A verified fix."""
    return Fix(codemod=codemod, diff="", code="", verified=True, checks=(), result=after)


SIZES, SKIP = "sizes-do-not-broadcast", "skip-connection-changes-shape"
FOLDED = "batch-folded-by-view"
MATMUL = "matmul-inner-sizes"
RESEMBLES = hit(MATMUL)


@pytest.mark.parametrize(
    ("diagnosis", "applying", "slugs"),
    [
        # The run's error: an article that knows it and whose codemod takes the run for its own.
        (
            known(hit(SIZES, "real"), run=failed(BROADCAST)),
            {"sizes_do_not_broadcast": None},
            [SIZES],
        ),
        (known(hit(SIZES, "real"), run=failed(BROADCAST)), {}, []),
        (
            known(hit(SKIP, "real"), hit(SIZES, "real"), run=failed(BROADCAST)),
            {"sizes_do_not_broadcast": None},
            [SIZES],
        ),
        # What only resembles the words explains no code that ran.
        (known(RESEMBLES, run=failed(BROADCAST)), {"matmul_inner_sizes": None}, []),
        (known(RESEMBLES, run=ran()), {"matmul_inner_sizes": None}, []),
        (known(RESEMBLES, run=ran(), missing="a file"), {"matmul_inner_sizes": None}, []),
        (known(hit("page.md", kind="document"), run=failed(BROADCAST)), {}, []),
        # An article without a codemod is asked by its family alone.
        (
            known(
                hit("relu-inplace-integer", "real"),
                run=failed(
                    "relu_(): argument 'input' (position 1) must be Tensor, not numpy.ndarray",
                    type="TypeError",
                ),
            ),
            {},
            ["relu-inplace-integer"],
        ),
        # The fix's own article goes first, if it is of that family.
        (
            known(hit(SIZES, "real"), run=failed(BROADCAST), fix=fix(SKIP, ran())),
            {"sizes_do_not_broadcast": None, "skip_connection_changes_shape": None},
            [SKIP, SIZES],
        ),
        (
            known(run=failed(BROADCAST), fix=fix(MATMUL, ran())),
            {"matmul_inner_sizes": None},
            [],
        ),
        # A finding: the article whose codemod knows it, whatever the words resemble.
        (
            known(RESEMBLES, run=ran(findings=(found("gradients_accumulate"),))),
            {"gradients_added_up_over_steps": ["gradients_accumulate"], "matmul_inner_sizes": []},
            ["gradients-added-up-over-steps"],
        ),
        # Of two findings the one that the fix removes.
        (
            known(
                run=ran(findings=(found("loss_broadcasts"), found("gradients_accumulate"))),
                fix=fix("gradients-added-up-over-steps", ran(findings=(found("loss_broadcasts"),))),
            ),
            {
                "gradients_added_up_over_steps": ["gradients_accumulate"],
                "loss_broadcasts_in_silence": ["loss_broadcasts"],
            },
            ["gradients-added-up-over-steps"],
        ),
        # Code that could not be run, or runs here: the pasted error, or the quoted one.
        (
            known(hit(SIZES, "real"), run=ran(), pasted=("RuntimeError", BROADCAST)),
            {},
            [SIZES],
        ),
        (
            known(hit(SIZES, "real"), run=ran(), pasted=("RuntimeError", BROADCAST), missing="x"),
            {},
            [SIZES],
        ),
        (known(hit(SIZES, "quoted"), run=ran()), {}, [SIZES]),
        # Its own remedy was tried and does not mend this code; another way of it does.
        (
            known(hit(SIZES, "real"), run=failed(BROADCAST), refused=SIZES),
            {"sizes_do_not_broadcast": None},
            [],
        ),
        (
            known(hit(SIZES, "real"), run=failed(BROADCAST), refused=SKIP),
            {"sizes_do_not_broadcast": None},
            [SIZES],
        ),
        (
            known(hit(SIZES, "real"), run=failed(BROADCAST), refused=SIZES, fix=fix(SIZES, ran())),
            {"sizes_do_not_broadcast": None},
            [SIZES],
        ),
        # A silent mistake's article promises no error: that its codemod mends this one decides.
        (known(run=failed(BROADCAST), fix=fix(FOLDED, ran())), {}, [FOLDED]),
        (known(hit(SIZES, "quoted"), run=failed("unheard of")), {}, []),
        # How a program ends itself is no error.
        (known(RESEMBLES, run=failed("1", "SystemExit")), {"matmul_inner_sizes": None}, []),
        # Without code: the pasted error's family decides, not the words.
        (known(RESEMBLES, pasted=("RuntimeError", BROADCAST)), {}, []),
        (known(hit(SIZES, "real"), pasted=("RuntimeError", BROADCAST)), {}, [SIZES]),
        (known(RESEMBLES, pasted=("", "")), {}, []),  # frames alone
        # A family that one article alone promises needs no more.
        (
            known(hit(MATMUL), pasted=("RuntimeError", "Target 3 is out of bounds.")),
            {},
            [],
        ),
        (
            known(
                hit("view-invalid-for-size", score=0.4),
                pasted=("RuntimeError", "invalid argument 2: size '[3 x 4]' is invalid for input "
                        "with 5 elements"),
            ),
            {},
            ["view-invalid-for-size"],
        ),
        # Of two that know the error, the one of its narrowest family first.
        (
            known(
                hit("tensors-on-two-devices", "real"),
                hit("index-on-another-device", "real", score=0.8),
                pasted=("RuntimeError", "Expected all tensors to be on the same device, but got "
                        "index is on cpu, different from other tensors on cuda:0"),
            ),
            {},
            ["index-on-another-device", "tensors-on-two-devices"],
        ),
        (
            known(
                hit("index-on-another-device"),
                pasted=("RuntimeError", "Input, output and indices must be on the current device"),
            ),
            {},
            ["index-on-another-device"],
        ),
        # No run here raises it; its article shows it by an assert, and answers it all the same.
        (
            known(
                hit("cuda-out-of-memory", "real"),
                pasted=("RuntimeError", "CUDA out of memory. Tried to allocate 20.00 MiB"),
            ),
            {},
            ["cuda-out-of-memory"],
        ),
        # One family, another subject.
        (
            known(
                hit("tensor-called-like-a-function", "real"),
                pasted=("TypeError", "'generator' object is not subscriptable"),
            ),
            {},
            [],
        ),
        (
            known(
                hit("tensor-called-like-a-function", "real"),
                pasted=("TypeError", "'Tensor' object is not callable"),
            ),
            {},
            ["tensor-called-like-a-function"],
        ),
        (
            known(
                hit("no-such-name-in-torch", "real"),
                pasted=("ImportError", "cannot import name 'BertModel' from 'transformers'"),
            ),
            {},
            [],
        ),
        # A question without code and without an error: whatever is near enough, documents too.
        (known(RESEMBLES, hit("page.md", kind="document", score=0.6)), {}, [MATMUL, "page.md"]),
        (known(hit(MATMUL, score=0.4)), {}, []),
    ],
)  # fmt: skip
def test_which_articles_may_explain_it(
    diagnosis: Diagnosis, applying: dict[str, Any], slugs: list[str]
):
    """Those of the same family or finding, best first; rather none than a wrong one."""
    assert chosen(diagnosis, **applying) == slugs


def test_an_article_that_did_not_hold_is_no_source():
    """What a run refuted is not leaned on."""
    found_ = SearchResult((hit(SIZES), hit(MATMUL), hit(SKIP, score=0.3)), 0.9, 0.5)

    def proof(holds: bool | None) -> Proof:
        return Proof(torch="2.13.0", device="cpu", date="2026-11-22", holds=holds)

    def told(**proofs: Proof) -> list[str]:
        by_slug = {slug.replace("_", "-"): p for slug, p in proofs.items()}
        return [s.id for s in sources(found_, ARTICLES, by_slug)]

    assert told() == [SIZES, MATMUL]
    assert told(sizes_do_not_broadcast=proof(False)) == [MATMUL]
    assert told(sizes_do_not_broadcast=proof(True)) == [SIZES, MATMUL]
    assert told(sizes_do_not_broadcast=proof(None)) == [SIZES, MATMUL]


BOUNDS, TARGETS = "index-out-of-bounds", "cross-entropy-target-shape"
OUT_OF_BOUNDS = "index 1 is out of bounds for dimension 0 with size 1"
MULTI_TARGET = "0D or 1D target tensor expected, multi-target not supported"


def through(*files: str) -> str:
    """A traceback through these files, outermost first."""
    return "".join(f'  File "{name}", line 1, in f\n    x\n' for name in files)


@pytest.mark.parametrize(
    ("files", "slugs"),
    [
        (["snippet.py"], [BOUNDS]),
        (["torch/a.py", "snippet.py"], [BOUNDS]),
        (["snippet.py", "torch/nn/modules/rnn.py"], []),
        ([], [BOUNDS]),
    ],
)
def test_index_is_explained_where_the_snippet_wrote_it(files: list[str], slugs: list[str]) -> None:
    run = failed(OUT_OF_BOUNDS, "IndexError", traceback=through(*files))
    assert chosen(known(hit(BOUNDS, "real"), run=run), index_out_of_bounds=None) == slugs


def test_other_errors_are_explained_wherever_they_are_raised() -> None:
    run = failed(BROADCAST, traceback=through("snippet.py", "torch/nn/functional.py"))
    assert chosen(known(hit(SIZES, "real"), run=run), sizes_do_not_broadcast=None) == [SIZES]


@pytest.mark.parametrize(
    ("layer", "slugs"),
    [
        ("CrossEntropyLoss", [TARGETS]),
        ("CosineEmbeddingLoss", []),
        ("Sequential", [TARGETS]),
        (None, [TARGETS]),
    ],
)
def test_article_of_some_losses_explains_no_other(layer: str | None, slugs: list[str]) -> None:
    seen = layer and Layer(name="f", type=layer, repr="", line=1, input=None, dtype=None)
    run = failed(MULTI_TARGET, layer=seen or None)
    diagnosis = known(hit(TARGETS, "real"), run=run)
    assert chosen(diagnosis, cross_entropy_target_shape=None) == slugs


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("it gives wrong predictions", ["softmax-before-cross-entropy"]),
        ("the accuracy is always 0", ["softmax-before-cross-entropy"]),  # it has a look of its own
        ("it raises an error", [MATMUL, "softmax-before-cross-entropy"]),
        ("how do I load the tokenizer?", ["softmax-before-cross-entropy"]),  # another library's
        ("my tokenizer raises", [MATMUL, "softmax-before-cross-entropy"]),
    ],
)
def test_a_symptom_is_of_no_error(text: str, slugs: list[str]) -> None:
    """Where nothing was raised, only articles of silent mistakes may be about it."""
    hits = hit(MATMUL), hit("softmax-before-cross-entropy")
    assert chosen(known(*hits, text=text)) == slugs


@pytest.mark.parametrize(
    ("code", "slugs"),
    [
        ("(g,) = torch.autograd.grad(y, x, create_graph=True)", ()),
        ("(g,) = torch.autograd.grad(y, x)", ("gradients-of-gradients",)),
        ("(g,) = torch.autograd.grad(y, x, create_graph=False)", ("gradients-of-gradients",)),
        ("", ("gradients-of-gradients",)),
    ],
)
def test_what_the_code_does_already_is_no_answer(code: str, slugs: tuple[str, ...]) -> None:
    """The article's own setting stands in what was posted: the trouble is another one."""
    question = Question(text="what is the correct way to do a gradient penalty?")
    if code:
        question = question.model_copy(update={"snippets": (Snippet(code=code),)})
    seen = SearchResult((hit("gradients-of-gradients"),), 0.9, 0.5)
    diagnosis = replace(Diagnosis(question, RunWith()), passages=seen)

    assert asked(diagnosis, ARTICLES) == slugs


@pytest.mark.parametrize(
    ("text", "code", "is_told"),
    [
        ("interpolate is off\nI tried align_corners True and False.", "align_corners=True", False),
        ("resize\nI set it. Is align_corners right, True or False?", "align_corners=True", True),
        ("what does align_corners do\nI tried align_corners True.", "align_corners=True", True),
        ("why does interpolate differ?\nI tried align_corners True.", "mode='bilinear'", True),
    ],
)  # fmt: skip
def test_a_setting_that_was_tried_is_no_answer(text: str, code: str, is_told: bool) -> None:
    """It stands in the code, the words tell of it, and no question is about it."""
    snippet = Snippet(code=f"y = F.interpolate(x, scale_factor=2, {code})")
    question = Question(text=text, snippets=(snippet,))
    seen = SearchResult((hit("align-corners"),), 0.9, 0.5)
    told = asked(replace(Diagnosis(question, RunWith()), passages=seen), ARTICLES)

    assert (told == ("align-corners",)) is is_told, told


@pytest.mark.parametrize(
    ("slug", "text", "rule"),
    [
        (
            "softmax-before-cross-entropy",
            "Do I need a softmax before CrossEntropyLoss?",
            "`CrossEntropyLoss` takes scores and applies `log_softmax` to them itself.",
        ),
        ("stop-early", "How do I stop early?", ""),  # a recipe's title is the answer
        ("stop-early", "It stops early and I do not know why", ""),
        # Of what goes wrong the title is a guess at what it is.
        ("gradients-added-up-over-steps", "the loss is wrong after the second step", ""),
        ("dimension-out-of-range", "what is a dimension of a tensor?", "Dimensions are counted"),
    ],
)
def test_what_nobody_saw_is_not_told_as_a_mistake(slug: str, text: str, rule: str):
    """Who asks how something is hears what holds for all code, and no mistake's name."""
    (why,) = candidates(known(hit(slug), text=text), ARTICLES, ()) or ()
    assert why.rule.startswith(rule) and bool(why.rule) is bool(rule)


def test_an_error_that_is_known_keeps_its_title():
    """Then the title's mistake is the one that was seen."""
    (why,) = candidates(
        known(hit("dimension-out-of-range", "quoted"), text="what is this IndexError?"),
        ARTICLES,
        (),
    )
    assert why.rule == ""


@pytest.mark.parametrize(
    ("of", "text", "called"),
    [
        (hit("dataset-without-samples"), "my data are gone", "If so"),
        (hit("dataset-without-samples", error="quoted"), "num_samples=0", "Why"),  # it is named
        (hit("order-of-a-training-step"), "how do I train", "Why"),  # it holds for all code
    ],
)
def test_the_reason_of_what_only_resembles_is_told_under_a_condition(
    of: Hit, text: str, called: str
):
    """Nobody saw that it is this mistake, so its reason is no fact of their code."""
    why = next(candidates(known(of, text=text), ARTICLES, codemods()))
    made = Answer(status="advice", headline="This may be it", why=why)

    assert why.resembles is (called == "If so")
    titles = [part.title for part in sheet(Answered(answer=made)).parts]
    assert titles[0].startswith(f"{called}: ")


OTHERS = (hit("cat-or-stack"), hit("max-and-argmax"))
POLICY = "loss-of-a-policy-gradient"


@pytest.mark.parametrize(
    ("diagnosis", "surely"),
    [
        (known(hit(POLICY)), True),
        (known(OTHERS[0], hit(POLICY)), True),
        (known(*OTHERS, hit(POLICY)), False),  # two are nearer to the words
        (known(hit(POLICY), run=ran()), True),  # the code ran, and shows nothing else
        (known(hit(POLICY), run=ran(), missing="a name"), False),  # it may show something else
        (known(*OTHERS), False),
    ],
)
def test_an_article_that_the_words_ask_for_is_sure_only_where_it_is_nearest(
    diagnosis: Diagnosis, surely: bool
):
    """Elsewhere it is told as what may be it: words say what a post is about, not what is wrong."""
    why = next(candidates(replace(diagnosis, asked=(POLICY,)), ARTICLES, ()))

    assert why.asked and why.article == POLICY
    assert why.resembles is not surely
    assert searched.asked(why).startswith(("This may be it: ", "This may help: ")) is not surely


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("What loss does a policy gradient take?", ("loss-of-a-policy-gradient",)),
        ("Does this policy gradient agent have a mistake in its loss?", ()),
        ("Is anything wrong with this policy gradient loss?", ()),
        ("Can you check the loss of my policy gradient?", ()),
        ("Is my policy gradient loss right?", ()),
        ("My policy gradient loss: bug or fine?", ()),
        ("A loss for a policy gradient, anything wrong?", ()),
        ("Where do I go wrong with the loss of a policy gradient?", ()),
        (
            "Is anything wrong with this? I would also like to know what loss a policy gradient "
            "takes, since mine never learns to balance the pole.",
            ("loss-of-a-policy-gradient",),
        ),
    ],
)
def test_who_only_wants_it_looked_over_is_told_no_general_way(
    text: str, slugs: tuple[str, ...]
) -> None:
    """Of code that does not run here either: the way may be the one that it goes."""
    question = Question(text=text, snippets=(Snippet(code="loss = -(p * r).sum()"),))
    seen = SearchResult((hit("loss-of-a-policy-gradient"),), 0.9, 0.5)
    diagnosis = replace(Diagnosis(question, RunWith()), passages=seen)

    assert asked(diagnosis, ARTICLES) == slugs


@pytest.mark.parametrize(
    ("title", "text", "code", "is_told"),
    [
        ("The loss of REINFORCE", "What loss does a policy gradient take?", "reinforce(p)", True),
        ("`F.fold` of it", "What loss does a policy gradient take? I fold.", "f(p)", True),
        ("The loss of REINFORCE", "What loss does a policy gradient take?", "f(p)", False),
        ("`F.fold` of it", "What loss does a policy gradient take?", "unfolded(p)", False),
        ("The log_softmax of it", "What loss does a policy gradient take?", "softmax(p)", False),
        ("The loss of REINFORCE", "How do I write a policy gradient's loss?", "f(p)", True),
        ("The loss", "What loss does a policy gradient take?", "f(p)", True),
    ],
)
def test_an_article_on_what_it_names_is_told_of_code_that_has_it(
    title: str, text: str, code: str, is_told: bool
) -> None:
    """Where the code ran, and nobody asks for a way."""
    question = Question(text=text, snippets=(Snippet(code=code),))
    seen = SearchResult((hit(POLICY),), 0.9, 0.5)
    diagnosis = replace(known(run=ran()), question=question, passages=seen)
    named = {POLICY: replace(ARTICLES[POLICY], title=title)}

    assert asked(diagnosis, named) == ((POLICY,) if is_told else ())
