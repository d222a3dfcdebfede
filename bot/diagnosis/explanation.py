"""Choose what explains a diagnosis: the best passage, or the article of the fix that works."""

from __future__ import annotations

from collections.abc import Mapping

from bot.diagnosis import wording
from bot.diagnosis.diagnosis import Diagnosis
from bot.models import Proof, Source, Why
from knowledge.articles.article import Article
from knowledge.search.search import Hit, SearchResult


def choose(known: Diagnosis, articles: Mapping[str, Article]) -> Why | None:
    """The best explanation; where a fix was verified, its own article's. None: there is none."""
    found, repairs = known.found, known.repairs
    hit = None if found.abstained or not found.hits else found.hits[0]
    fixes = [repairs.fix] if repairs.fix else list(repairs.alternatives)
    if fixes and (hit is None or hit.why != "signature"):
        article = articles.get(fixes[0].codemod)
        if article is not None:
            return _of_article(article, 1.0)
    if hit is None:
        return None
    article = articles.get(hit.source)
    if article is None:
        return Why(
            text=wording.quoted(hit.passage, hit.verdict),
            article=hit.source,
            title=hit.title,
            url=None,
            score=hit.score,
            proof=None,
        )
    why = _of_article(article, hit.score)
    if any(f.codemod == article.slug for f in fixes):
        return why  # its own mistake after all
    aside = _aside(known, article)
    return why.model_copy(update={"text": aside, "remedy": ""}) if aside else why


def sources(
    found: SearchResult, articles: Mapping[str, Article], proofs: Mapping[str, Proof]
) -> tuple[Source, ...]:
    """The hits worth naming: those above the threshold, three at most."""
    leaned_on = (h for h in found.hits[:3] if h.score >= found.threshold)
    return tuple(
        _source(hit, articles.get(hit.source), proofs.get(hit.source)) for hit in leaned_on
    )


def _aside(known: Diagnosis, article: Article) -> str:
    """What an article says of a cousin of its own mistake; empty if this is no cousin."""
    run, error = known.run, known.error_to_look_up
    culprit = run.autograd if run is not None else None
    if culprit is not None and (culprit.modified_code or "").rstrip().endswith(".step()"):
        return article.aside_on("optimizer.step()")
    return article.says_of(*error) if error is not None else ""


def _of_article(article: Article, score: float) -> Why:
    return Why(
        text=" ".join(article.why.split("\n\n")[0].split()),
        remedy=article.fix,
        article=article.slug,
        title=article.title,
        url=_url(article),
        score=score,
        proof=None,
    )


def _source(hit: Hit, article: Article | None, proof: Proof | None) -> Source:
    url = _url(article) if article is not None else None
    return Source(id=hit.source, title=hit.title, url=url, score=hit.score, proof=proof)


def _url(article: Article) -> str | None:
    return article.sources[0] if article.sources else None
