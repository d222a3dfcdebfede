"""The way of one question: run it, look it up, try to mend it, say what was seen.

question ─▶ job ─▶ result ─▶ search ─▶ fixes ─▶ jobs ─▶ Answer
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.diagnosis import devices, wording
from bot.diagnosis.missing import missing
from bot.diagnosis.posted_traceback import reading
from bot.diagnosis.reproduction import Reproduced, on_gpu, reproduce
from bot.models import (
    Answer,
    AnswerError,
    Evidence,
    Progress,
    Proof,
    Question,
    RunWith,
    Source,
    Timings,
    Why,
)
from executor.protocol import Job, JobResult, Outcome
from executor.service.client import ExecutorClient
from knowledge.articles.article import Article
from knowledge.repair.codemod import Codemod
from knowledge.repair.engine import Repair, applicable, repair
from knowledge.repair.fix import Fix
from knowledge.repair.rerun import rerun_with_probes
from knowledge.repair.verify import Mistake, mistake
from knowledge.search.search import Hit, SearchResult

Look = Callable[[str, tuple[str, str] | None], SearchResult]


@dataclass(frozen=True)
class Medic:
    """Everything an answer needs."""

    executor: ExecutorClient
    look: Look  # (text, real error) → passages
    articles: Mapping[str, Article]
    has_gpu: Callable[[], Awaitable[bool]]  # whether the executor has one
    prove: Callable[[Article], Awaitable[Proof]]  # run what it claims, unless that was done
    codemods: Sequence[Codemod]
    wall_s: float = 10

    async def answer(
        self, question: Question, parse_ms: float = 0.0, run_with: RunWith | None = None
    ) -> AsyncIterator[Progress | Answer]:
        """Say what is being done while it is done; the last thing said is the Answer.

        Args:
            question: one message understood.
            parse_ms: how long understanding it took, for the Answer's timings.
            run_with: device, seed and interpreter, where the asker wants others.

        Raises:
            ExecutorError: the executor is gone or full.
        """
        watch = _Watch(parse_ms)
        run: JobResult | None = None
        seen: Reproduced | None = None
        wrong = Mistake(None, frozenset())

        if question.code.strip():
            yield Progress(step="reproducing", text="running your snippet")
            job = self._job(question, run_with or RunWith())
            seen = await reproduce(self.executor, question, job)
            if devices.wants_gpu(seen.run, question.code):
                yield Progress(step="reproducing", text="running it as on a GPU")
                has_gpu = await self.has_gpu()
                seen = await on_gpu(self.executor, question, job, seen, has_gpu=has_gpu)
            run = seen.run
            wrong = mistake(run)
            watch.lap("run")

        yield Progress(step="searching", text="looking it up")
        error = _error(question, run, wrong)
        found = await asyncio.to_thread(self.look, _query(question, run), error)
        watch.lap("search")

        repaired = Repair()
        if seen is not None and not missing(seen.run, question):
            chosen = applicable(self.codemods, seen.run)
            if chosen.codemods:
                yield Progress(step="fixing", text="trying fixes on your code")
                repaired = await self._repair(seen, question)
            else:
                repaired = Repair(problems=chosen.problems)
            watch.lap("fix")

        why = self._why(found, repaired, error, run)
        proofs = {}
        if why is not None and (article := self.articles.get(why.article)) is not None:
            proofs[article.slug] = await self.prove(article)
        answer = self._compose(question, run, wrong, found, repaired, why, proofs, watch.done())
        yield wording.also_on_cpu(answer) if seen is not None and seen.only_on_gpu else answer

    def _job(self, question: Question, run_with: RunWith) -> Job:
        return Job(
            code=question.code, files=question.files, wall_s=self.wall_s,
            device=run_with.device or "cpu", seed=run_with.seed, cold=run_with.cold,
        )  # fmt: skip

    async def _repair(self, seen: Reproduced, question: Question) -> Repair:
        """Try what the codemods propose, where the mistake was seen."""
        reference = seen.reference
        if reference is None:
            _, reference = await rerun_with_probes(self.executor, seen.job, seen.run)
        return await repair(
            self.executor, self.codemods, seen.job, seen.run, reference, question.text
        )

    # -- the Answer --------------------------------------------------------------------------

    def _compose(
        self,
        question: Question,
        run: JobResult | None,
        wrong: Mistake,
        found: SearchResult,
        repaired: Repair,
        why: Why | None,
        proofs: Mapping[str, Proof],
        timings: Timings,
    ) -> Answer:
        if why is not None:
            why = why.model_copy(update={"proof": proofs.get(why.article)})
        known = Answer(
            status="unsure",
            headline="",
            assumptions=(*question.notes, *_joined(question), *(run.assumptions if run else ())),
            why=why,
            sources=tuple(self._source(h, proofs) for h in _leaned_on(found)),
            run=run,
            evidence=_evidence(run, repaired) if run is not None else None,
            timings_ms=timings,
        )
        if run is None:
            return self._unrun(question, found, known)
        if reason := missing(run, question):
            return _say(known, "not_run", wording.not_run(reason, run))
        told = known.model_copy(
            update={
                "error": AnswerError.of(wrong.error) if wrong.error is not None else None,
                "explanation": wording.explanation(wrong, run) or None,
                "culprit": wording.culprit(question, run),
                "findings": run.findings,
                "refused": repaired.refused,
                "problems": repaired.problems,
            }
        )
        if repaired.fix is not None:
            told = told.model_copy(update={"fix": repaired.fix})
            return _say(told, "fixed", wording.fixed(wrong, run, repaired))
        if run.outcome is Outcome.KILLED:
            return _say(told, "reproduced", wording.crashed(run))
        if wrong.is_there and not _ended_itself(run):
            told = told.model_copy(update={"alternatives": repaired.alternatives})
            return _say(told, "reproduced", wording.reproduced(wrong, run, repaired))
        return _say(
            told.model_copy(update={"error": None, "explanation": None}),
            "runs",
            wording.runs(question, run),
        )

    def _unrun(self, question: Question, found: SearchResult, known: Answer) -> Answer:
        if found.abstained or known.why is None:
            if question.traceback is not None and reading(question.traceback):
                return _say(known, "advice", wording.traceback_alone(question.traceback))
            best = found.hits[0].title if found.hits else ""
            text = wording.unsure(question, best, found.confidence, found.threshold)
            return _say(known, "unsure", text)
        text = known.why.title
        if question.traceback is not None:
            text = f"{text}. {wording.traceback_alone(question.traceback)}"
        return _say(known, "advice", text)

    def _why(
        self,
        found: SearchResult,
        repaired: Repair,
        error: tuple[str, str] | None,
        run: JobResult | None,
    ) -> Why | None:
        """The best explanation; where a fix was verified, its own article's."""
        hit = None if found.abstained or not found.hits else found.hits[0]
        fixes = [repaired.fix] if repaired.fix else list(repaired.alternatives)
        if fixes and (hit is None or hit.why != "signature"):
            article = self.articles.get(fixes[0].codemod)
            if article is not None:
                return self._why_of(article, 1.0)
        if hit is None:
            return None
        article = self.articles.get(hit.source)
        if article is not None:
            why = self._why_of(article, hit.score)
            mended = any(f.codemod == article.slug for f in fixes)  # its own mistake after all
            aside = article.says_of(*error) if error is not None and not mended else ""
            if run is not None and run.autograd is not None and not mended and (
                (run.autograd.modified_code or "").rstrip().endswith(".step()")
            ):  # fmt: skip
                aside = article.aside_on("optimizer.step()")
            return why.model_copy(update={"text": aside, "remedy": ""}) if aside else why
        return Why(
            text=wording.quoted(hit.passage, hit.verdict), article=hit.source, title=hit.title,
            url=None, score=hit.score, proof=None,
        )  # fmt: skip

    def _why_of(self, article: Article, score: float) -> Why:
        return Why(
            text=" ".join(article.why.split("\n\n")[0].split()),
            remedy=article.fix,
            article=article.slug,
            title=article.title,
            url=article.sources[0] if article.sources else None,
            score=score,
            proof=None,
        )

    def _source(self, hit: Hit, proofs: Mapping[str, Proof]) -> Source:
        article = self.articles.get(hit.source)
        return Source(
            id=hit.source,
            title=hit.title,
            url=article.sources[0] if article is not None and article.sources else None,
            score=hit.score,
            proof=proofs.get(hit.source),
        )


def _leaned_on(found: SearchResult) -> tuple[Hit, ...]:
    """The hits worth naming: those above the threshold, three at most."""
    return tuple(h for h in found.hits[:3] if h.score >= found.threshold)


def _say(answer: Answer, status: str, headline: str) -> Answer:
    return answer.model_copy(update={"status": status, "headline": headline})


def _query(question: Question, run: JobResult | None) -> str:
    parts = [question.text]
    if run is not None:
        parts += [f.message for f in run.findings]
    return "\n".join(parts)


def _error(question: Question, run: JobResult | None, wrong: Mistake) -> tuple[str, str] | None:
    """The error to look up: the real one unless it is ours (no GPU here), else the pasted one."""
    ours = run is not None and bool(missing(run, question))
    if wrong.error is not None and not ours:
        return wrong.error.type, wrong.error.message
    if question.traceback is not None:
        return question.traceback.type, question.traceback.message
    return None


def _ended_itself(run: JobResult) -> bool:
    return run.error is not None and run.error.type == "SystemExit"


def _joined(question: Question) -> tuple[str, ...]:
    n = len(question.snippets)
    if n < 2:
        return ()
    starts = ", ".join(str(s.first_line) for s in question.snippets)
    return (f"the {n} blocks are one program; they start at its lines {starts}",)


def _evidence(run: JobResult, repaired: Repair) -> Evidence:
    fix: Fix | None = repaired.fix or next(iter(repaired.alternatives), None)
    tier = f"jailed ({run.isolation.tier})" if run.isolation else "not run"
    return Evidence(
        torch=run.env.torch,
        python=run.env.python,
        device=run.env.device.upper() if run.env.device == "cpu" else run.env.device,
        isolation=tier,
        seconds_before=run.seconds,
        seconds_after=fix.result.seconds if fix is not None and fix.result is not None else None,
        peak_memory_bytes=run.peak_memory_bytes,
    )


class _Watch:
    """Milliseconds of each step."""

    def __init__(self, parse_ms: float) -> None:
        self._began = self._last = time.perf_counter()
        self._laps: dict[str, float] = {"parse": parse_ms}

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self._laps[name] = (now - self._last) * 1000
        self._last = now

    def done(self) -> Timings:
        total = (time.perf_counter() - self._began) * 1000 + self._laps["parse"]
        return Timings(**self._laps, total=total)
