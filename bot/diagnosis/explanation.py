"""Choose what explains a diagnosis: the article of its very mistake, or nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.diagnosis import how_to
from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.how_to import asks_beside_code, is_near_enough, related
from bot.diagnosis.loss_course import loss_course
from bot.diagnosis.next_step import next_step
from bot.diagnosis.own_error import (
    posted,
    reports_no_error,
    speaks_of_an_error,
    tells_of_a_symptom,
)
from bot.diagnosis.resemblance import is_about
from bot.diagnosis.wording import searched
from bot.models import Proof, Question, Source, Why
from executor.errors import family_of, is_a, is_written, untried
from executor.protocol import SNIPPET, Outcome
from knowledge.articles.article import Article
from knowledge.articles.conditions import Facts, facts_of
from knowledge.repair.codemod import Codemod
from knowledge.repair.mistake import only
from knowledge.repair.operator import choose
from knowledge.search.off_field import is_foreign
from knowledge.search.search import Hit, SearchResult

# Whether what they have made is right, is said of what they have made.
_JUDGES = re.compile(
    r"\b(?:is|are) my (?:\w+ ){0,4}(?:right|wrong|correct|valid|incorrect)\b", re.IGNORECASE
)
# … and so is what it does that looks wrong to them, where it was run and shows no mistake, or
# where nothing else is asked.
_LOOKED_OVER = re.compile(
    r"\b(?:please|(?:could|can|would) (?:you|someone|anyone)) (?:please )?"
    r"(?:check|review|look over)\b"
    r"|\bis (?:this|that|it)\b[^.?!\n]{0,60}\b(?:right|wrong|correct|a mistake|valid)\b"
    r"|\banything wrong\b|\b(?:bug|mistake|error) or (?:fine|right|ok\w*|not)\b"
    r"|\bwhere do I go wrong\b|\bwhat (?:am I|do I) miss(?:ing)?\b"
    r"|\b(?:is|are) (?:my|the|this|that|these) (?:\w+ ){0,4}"
    r"(?:ok|okay|right|fine|correct|wrong)(?=[?!])"
    r"|\b(?:does|do|is there|are there)\b[^.?!\n]{0,60}\b(?:mistakes?|bugs?)\b",
    re.IGNORECASE,
)
# What a title calls by its name: `F.fold`, `log_softmax`, `SequentialLR`, DQN.
_NAMES = re.compile(r"\b(?:\w+\.)+(\w+)|\b([a-z]+_\w+|[A-Z][a-z]+[A-Z]\w*|[A-Z]{3,})\b")
_SET = re.compile(r"\b([a-z]\w+)=(?=[\w'\"])")  # `align_corners=False`
_ASKED = re.compile(r"[^.?!\n]*\?")
_NEAREST = 2  # hits among which an article is that is told as the answer
_BRIEF = 15  # words of one sentence, beside code: it asks for nothing else
_ENDS = re.compile(r"[.?!](?=\s|$)")


def asked(known: Diagnosis, articles: Mapping[str, Article]) -> tuple[str, ...]:
    """The articles that answer just what the words ask, the nearest first; most often none.

    They are about questions, and not about errors: of one that was posted, or that the run shows
    and the words speak of, its own article is told. An error whose message was cut off says
    nothing, and beside one that None was where a value should be the title may still ask. What
    the posted code does already is no answer.
    """
    question = known.question
    pasted = posted(question)
    if is_foreign(question.text) or _JUDGES.search(question.text):
        return ()
    ran = known.run is not None and known.run.outcome is Outcome.OK and not known.missing
    alone = len(_ENDS.findall(question.text)) <= 1 and len(question.text.split()) <= _BRIEF
    brief = bool(question.code.strip()) and alone
    if (ran or brief) and _LOOKED_OVER.search(question.text):
        return ()
    if pasted is not None and pasted.message:
        title = next((line for line in question.text.splitlines() if line.strip()), "")
        if not is_a(pasted, "none_attribute", "none"):
            return ()
        return tuple(slug for slug, article in articles.items() if article.is_asked(title))
    wrong = known.told
    theirs = wrong.error is None or speaks_of_an_error(question)
    if wrong.is_there and not known.missing and theirs:
        return ()
    near = {hit.source: hit.score for hit in known.found.hits}
    looked_at = articles
    seeks = not ran or how_to.asks_for_a_way(question.text)
    if question.code.strip():  # its words may be about anything in the code
        looked_at = {
            slug: article
            for slug, article in articles.items()
            if slug in near
            and untried(article.title, code=question.code)
            and not _is_settled(question, article.title)
            and (seeks or _has_its_names(question, article.title))
        }
    fitting = (slug for slug, article in looked_at.items() if article.is_asked(question.text))
    return tuple(sorted(fitting, key=lambda slug: -near.get(slug, 0.0)))


def _has_its_names(question: Question, title: str) -> bool:
    """Whether a post has one of the things that a title calls by name, if there are any.

    An article on others is about other code, whatever the words resemble.
    """
    named = {name.lower() for match in _NAMES.findall(title) for name in match if name}
    post = f"{question.text} {question.code}".lower()
    return not named or any(re.search(rf"(?<![a-z]){re.escape(n)}(?![a-z])", post) for n in named)


def _is_settled(question: Question, title: str) -> bool:
    """Whether the code has the setting of a title, and the words tell of it and ask nothing of it.

    What they tell ("I tried True and False, nothing helped") is then what was tried: the trouble
    is another one.
    """
    first, _, rest = question.text.strip().partition("\n")
    asked = first + " ".join(_ASKED.findall(rest))
    set_ = [name for name in _SET.findall(title) if re.search(rf"\b{name}\s*=", question.code)]
    return any(name in rest for name in set_) and not any(name in asked for name in set_)


def _is_surely_asked(known: Diagnosis, slug: str) -> bool:
    """Whether an article that the words ask for is told as the answer, and not as what may be it.

    Words say what a post is about, not what is wrong there. Of 29 fresh posts that asked for an
    article so, 13 were led away, with code that was not run 5 of 11: the cause may stand in it.
    """
    if known.question.code.strip() and known.missing:
        return False
    return slug in [hit.source for hit in known.found.hits[:_NEAREST]]


def candidates(
    known: Diagnosis, articles: Mapping[str, Article], codemods: Sequence[Codemod]
) -> Iterator[Why]:
    """The explanations that are about this very mistake, the best first; there may be none.

    What only resembles the question explains no code: of code that was run, an explanation is of
    the real error, or of the pasted one, or of the finding.
    """
    found, fixes = known.found, known.fixes
    error = known.error_to_look_up
    for slug in known.asked if not fixes else ():
        why = _as_a_rule(_of_article(articles[slug], 1.0), articles[slug], asked=True)
        yield why.model_copy(update={"resembles": not _is_surely_asked(known, slug)})
    if known.functions:
        yield from (_of_hit(h, articles) for h in related(known.functions, found, articles))
        return
    beside = asks_beside_code(known.question, known.missing)
    if beside or (not known.question.code.strip() and known.question.traceback is None):
        if loss_course(known.question) is not None:
            return  # the posted numbers say more than what resembles the words
        text = known.question.text
        near = (h for h in found.hits if is_near_enough(known.question, h, found))
        near = (
            h
            for h in near
            if h.evidence.error
            or (a := articles.get(h.source)) is None
            or is_about(text, a, articles, is_nearest=h is found.hits[0])
        )
        if beside:  # what only resembles its words says nothing of the code
            near = (
                h
                for h in near
                if h.evidence.error
                or (a := articles.get(h.source)) is None
                or (a.is_recipe and how_to.is_surely_wanted(known.question, h))
            )
        if tells_of_a_symptom(known.question) or next_step(known.question) is not None:
            # nothing was raised
            near = (h for h in near if (a := articles.get(h.source)) is None or a.is_silent)
        if is_foreign(text) and reports_no_error(known.question):  # nor is it about PyTorch's own
            near = (
                h
                for h in near
                if (a := articles.get(h.source)) is None or a.is_silent or a.is_recipe
            )
        for hit in near:
            why, of = _of_hit(hit, articles), articles.get(hit.source)
            if of is None or hit.evidence.error:
                yield why
            elif how_to.asks_plainly(text):
                yield _as_a_rule(why, of)
            else:
                yield why.model_copy(update={"resembles": of.names_a_mistake})
        return
    scores = {hit.source: hit.score for hit in found.hits}
    own = [fix.codemod for fix in fixes[:1]]
    if error is not None:
        of_it = [a.slug for a in articles.values() if a.promises(*error)]
        narrowest = family_of(*error)
        closest = [s for s in of_it if narrowest and narrowest.id in articles[s].families] or of_it
        # What search does not know the error of is about it only if nothing else is.
        knowing = [h.source for h in found.hits if h.evidence.error or closest == [h.source]]
        knowing.sort(key=lambda slug: slug not in closest)
        raised = known.told.error
        is_of_the_run = raised is not None and error == (raised.type, raised.message)
        run = known.run if is_of_the_run and not known.missing else None
        applying = None if run is None else [c.slug for c in choose(codemods, run)[0]]
        about = [
            slug
            for slug in (*own, *knowing)
            if slug in of_it and _is_its(articles[slug], error, applying)
        ]
        # A silent mistake's article promises no error: that its codemod mends this one is enough.
        about += [slug for slug in own if slug in articles and articles[slug].is_silent]
    elif known.told.is_there and known.run is not None and not _is_of_the_place(known):
        applying = [c.slug for c in choose(codemods, only(known.run, known.told))[0]]
        about = own + sorted(applying, key=lambda slug: -scores.get(slug, 0.0))
    else:  # the error is quoted in the words around the code
        about = [h.source for h in found.hits if h.evidence.error and h.kind == "article"]
    facts = _facts(known)
    # Where its own remedy was tried and does not mend this code, it is of a neighbouring mistake.
    failed = {fix.codemod for fix in known.repairs.refused} - {fix.codemod for fix in fixes}
    for slug in dict.fromkeys(about):
        if (article := articles.get(slug)) is None or slug in failed:
            continue
        why = _of_article(article, scores.get(slug, 1.0), facts)
        if error is not None and (
            article.has_only_the_opposite(*error) or _is_of_another_place(known, article)
        ):
            continue
        # Of two causes in one article the error says which it is.
        aside = article.other_cause(*error) if error is not None else ""
        if not aside and slug not in own:
            aside = _aside(known, article)
        if not aside and error is not None and article.is_silent and slug not in own:
            continue  # it names that error, and says nothing of it
        if aside:
            yield why.model_copy(update={"text": aside, "remedy": ""})
        elif why.text or (slug in own and error is not None):  # its mistake is what was mended
            yield why if why.text else why.model_copy(update={"text": article.reason()})


def _is_of_the_place(known: Diagnosis) -> bool:
    """Whether the run's error comes of what is missing here: no article is about that."""
    return bool(known.missing) and known.told.error is not None


def _is_its(article: Article, error: tuple[str, str], applying: Collection[str] | None) -> bool:
    """Whether an error of the article's family is its mistake.

    Args:
        article: it promises an error of that family.
        error: type and message.
        applying: the codemods that take the run for one of their own; None if none was run.
    """
    if applying is not None and article.codemod is not None:
        return article.slug in applying and article.shares_subject(*error, loosely=True)
    return article.shares_subject(*error)


def _is_of_another_place(known: Diagnosis, article: Article) -> bool:
    """Whether the error comes from a place that the article is not about.

    Of `x[i]` and `if x` an article knows what to do where the snippet wrote them; out of a
    library's own code they say that something else was handed to it. And of two losses that
    complain in the same words, an article is about those that it names.
    """
    run = known.run
    named = set(re.findall(r"\b[A-Z]\w*Loss\b", article.title))
    if known.told.error is None and named:
        theirs = set(re.findall(r"\b[A-Z]\w*Loss\b", _whole(known.question)))
        return bool(theirs) and not theirs & named
    if run is None or run.error is None or not known.told.is_there:
        return False
    places = re.findall(r'^  File "([^"]+)"', run.error.traceback, re.MULTILINE)
    if is_written(run.error) and places[-1:] not in ([], [SNIPPET]):
        return True
    loss = run.layer.type if run.layer is not None and run.layer.type.endswith("Loss") else ""
    if not loss or not re.search(r"\b[A-Z]\w*Loss\b", article.title):
        return False
    return not any(loss in part for part in (article.title, article.what_you_see, article.why))


def _whole(question: Question) -> str:
    pasted = question.traceback.text if question.traceback is not None else ""
    return "\n".join((question.text, question.code, pasted))


def sources(
    found: SearchResult, articles: Mapping[str, Article], proofs: Mapping[str, Proof]
) -> tuple[Source, ...]:
    """The hits worth naming: above the threshold and not refuted by a run, three at most."""
    leaned_on = (h for h in found.hits[:3] if h.score >= found.threshold)
    return tuple(
        _source(hit, articles.get(hit.source), proofs.get(hit.source))
        for hit in leaned_on
        if (proof := proofs.get(hit.source)) is None or proof.holds is not False
    )


def _of_hit(hit: Hit, articles: Mapping[str, Article]) -> Why:
    article = articles.get(hit.source)
    if article is not None:
        return _of_article(article, hit.score)
    return Why(
        text=searched.quoted(hit.passage, hit.verdict),
        article=hit.source,
        title=hit.title,
        url=None,
        score=hit.score,
        proof=None,
    )


def _aside(known: Diagnosis, article: Article) -> str:
    """What an article says of a cousin of its own mistake; empty if this is no cousin."""
    run, error = known.run, known.error_to_look_up
    culprit = run.autograd if run is not None else None
    if culprit is not None and (culprit.modified_code or "").rstrip().endswith(".step()"):
        return article.aside_on("optimizer.step()")
    return article.says_of(*error) if error is not None else ""


def _facts(known: Diagnosis) -> Facts | None:
    """What is known of the error that is explained; None if it is none."""
    error, raised = known.error_to_look_up, known.told.error
    if error is None:
        return None
    if known.run is not None and raised is not None and error == (raised.type, raised.message):
        return facts_of(error, known.run)
    pasted = known.question.traceback
    return facts_of(error, traceback=pasted.text if pasted is not None else "")


def _of_article(article: Article, score: float, facts: Facts | None = None) -> Why:
    return Why(
        text=article.reason(facts),
        remedy=article.remedy(facts),
        article=article.slug,
        title=article.title,
        url=_url(article),
        score=score,
        proof=None,
    )


def _as_a_rule(why: Why, article: Article, *, asked: bool = False) -> Why:
    """An explanation with what holds for all code, where nobody saw the mistake of its title."""
    rule = searched.rule_of(why.text) if article.names_a_mistake else ""
    return why.model_copy(update={"asked": asked, "rule": rule})


def _source(hit: Hit, article: Article | None, proof: Proof | None) -> Source:
    url = _url(article) if article is not None else None
    return Source(id=hit.source, title=hit.title, url=url, score=hit.score, proof=proof)


def _url(article: Article) -> str | None:
    return article.sources[0] if article.sources else None
