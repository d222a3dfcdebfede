"""The way of one question, stage by stage: from a Question to its Answer.

reproduce ─▶ find_mistake ─▶ look_up and repair (─▶ propose) ─▶ explain ─▶ compose
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.diagnosis import devices, explanation, how_to, nearby, reproduction
from bot.diagnosis.answer import compose
from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.missing import missing, of_another_place
from bot.diagnosis.names_here import told_here
from bot.diagnosis.own_error import also_posted, asks_about, asks_about_no_gpu, posted
from bot.diagnosis.proposer.interface import Nobody, Proposer, wants
from bot.diagnosis.quoted_edits import mend_quoted
from bot.diagnosis.read_edits import mend_what_is_read
from bot.diagnosis.rebuild import quotes_its_line, rebuild_quoted
from bot.diagnosis.stopped import why_stopped
from bot.errors import BotError
from bot.models import (
    Answer,
    FunctionShown,
    Origin,
    Progress,
    Proof,
    Question,
    RunWith,
    Timings,
    Why,
)
from executor.exceptions import ExecutorError
from executor.protocol import Job
from executor.service.client import ExecutorClient
from knowledge.articles.article import Article
from knowledge.errors import KnowledgeError
from knowledge.repair import demonstration, engine
from knowledge.repair.codemod import Chosen, Codemod
from knowledge.repair.engine import Repair
from knowledge.repair.operator import Operator
from knowledge.repair.rerun import failed_in_place, rerun_with_probes
from knowledge.search.search import SearchResult, in_another_script

# (text, real error, how many) → passages
Look = Callable[[str, tuple[str, str] | None, int], SearchResult]
Consult = Callable[[str, float], Awaitable[tuple[FunctionShown, ...]]]
log = logging.getLogger(__name__)
_HITS = 5  # sources looked at
# Where an article is that the words ask for; those further off share a word in another sense.
_WIDE = 20
Stage = Callable[[Diagnosis], Awaitable[Diagnosis]]


async def _no_documentation(text: str, least: float) -> tuple[FunctionShown, ...]:
    return ()


async def _nothing() -> None:
    """Nothing has to be prepared."""


@dataclass(frozen=True)
class Pipeline:
    """The stages of an answer, and everything they need."""

    executor: ExecutorClient
    look: Look
    articles: Mapping[str, Article]
    has_gpu: Callable[[], Awaitable[bool]]  # whether the executor has one
    prove: Callable[[Article], Awaitable[Proof]]  # run what it claims, unless that was done
    codemods: Sequence[Codemod]
    wall_s: float = 10
    # (text, least confidence) → the functions that do what it asks for
    consult: Consult = _no_documentation
    # Whether the indexes are there; right after an installation they are being made.
    ready: Callable[[], bool] = lambda: True
    proposer: Proposer = field(default_factory=Nobody)
    operators: Sequence[Operator] = ()
    # Waits until the indexes are there.
    prepared: Callable[[], Awaitable[None]] = _nothing

    async def answer(
        self,
        question: Question,
        parse_ms: float = 0.0,
        run_with: RunWith | None = None,
        origin: Origin | None = None,
    ) -> AsyncIterator[Progress | Answer]:
        """Say what is being done while it is done; the last thing said is the Answer.

        Args:
            question: one message understood.
            parse_ms: how long understanding it took, for the Answer's timings.
            run_with: device, seed and interpreter, where the asker wants others.
            origin: where it was asked; a configured model is asked only where that is allowed.

        Raises:
            ExecutorError: the executor is gone or full.
        """
        watch = _Stopwatch(parse_ms)
        known = Diagnosis(question, run_with or RunWith())

        if question.code.strip():
            yield Progress(step="reproducing", text="running your snippet")
            known = await watch.time(self.reproduce, known)
            if _wants_gpu(known):
                yield Progress(step="reproducing", text="running it as on a GPU")
                known = await watch.time(self.reproduce_on_gpu, known)
            if _may_be_of_gpus(known):
                known = await watch.time(self.compare_gpus, known)
            known = await watch.time(self.find_mistake, known)
        elif quotes_its_line(question):
            yield Progress(step="reproducing", text="running the line that your traceback quotes")
            known = await watch.time(self.run_quoted, known)
            known = await watch.time(self.repair_quoted, known)

        wait = "" if self.ready() else "; the search index is being made, once"
        yield Progress(step="searching", text=f"looking it up{wait}")
        applicable = self._applicable(known)
        if not applicable.codemods and not applicable.operators:
            known = await watch.time(self.read, known)
        if applicable.codemods or applicable.operators or _shows_on_purpose(known):
            yield Progress(step="fixing", text="trying fixes on your code")
            # Neither needs the other: what is found is read in this process, fixes run in another.
            known, mended = await asyncio.gather(
                watch.time(self.look_up, known), watch.time(self.repair, known)
            )
            known = replace(known, repairs=mended.repairs)
        else:
            known = await watch.time(self.look_up, known)
            if not known.fixes:
                known = replace(known, repairs=Repair(problems=applicable.problems))

        if wants(known) and self.proposer.serves(origin or Origin()):
            yield Progress(step="proposing", text="asking the configured model")
            known = await watch.time(self.proposer.propose, known)

        known = await watch.time(self.explain, known)
        known = await watch.time(self.compose, known)
        assert known.answer is not None
        yield known.answer.model_copy(update={"timings_ms": watch.timings()})

    async def warm(self, question: Question) -> None:
        """Answer a question that nobody asked, so that the first one asked waits for nothing.

        Whatever cannot be had now (an executor that is not there yet) is left to the questions.
        """
        try:
            await self.prepared()
            async for _ in self.answer(question):
                pass
        except (ExecutorError, KnowledgeError, BotError) as e:
            log.warning("not warm yet: %s", e)

    # -- the stages ------------------------------------------------------------------------------

    async def reproduce(self, known: Diagnosis) -> Diagnosis:
        """Run the question's code, completed where names are missing."""
        job = self._job(known.question, known.run_with)
        seen = await reproduction.reproduce(self.executor, known.question, job)
        return replace(known, reproduced=seen, question=seen.question or known.question)

    async def run_quoted(self, known: Diagnosis) -> Diagnosis:
        """Run the line that a traceback quotes, where no code was posted with it."""
        return replace(known, quoted=await rebuild_quoted(self.executor, known.question))

    async def reproduce_on_gpu(self, known: Diagnosis) -> Diagnosis:
        """Run it once more on the executor's GPU, or on a simulated one; keep what says more."""
        assert known.reproduced is not None
        job = self._job(known.question, known.run_with)
        has_gpu = await self.has_gpu()
        seen = await reproduction.on_gpu(
            self.executor, known.question, job, known.reproduced, has_gpu=has_gpu
        )
        return replace(known, reproduced=seen)

    async def compare_gpus(self, known: Diagnosis) -> Diagnosis:
        """Say whether its error comes only of how many GPUs there are here, and of which kind."""
        seen = known.reproduced
        assert seen is not None
        of_gpus = await devices.are_of_gpus(self.executor, seen.job, seen.run)
        run = seen.run.model_copy(update={"of_gpus": of_gpus})
        return replace(known, reproduced=replace(seen, run=run))

    async def find_mistake(self, known: Diagnosis) -> Diagnosis:
        """Say what the run shows to be wrong, and what was missing to run the code as it is."""
        seen = known.reproduced
        assert seen is not None
        told = also_posted(known.question, seen.run.error)
        if told is not None:
            question = known.question.model_copy(update={"traceback": told})
            known = replace(known, question=question)
        return replace(
            known,
            mistake=seen.mistake,
            missing=(
                ""  # they were asked to be told of just this error
                if seen.rebuilt
                else missing(seen.run, known.question) or of_another_place(seen.run, seen.why_not)
            ),
        )

    async def look_up(self, known: Diagnosis) -> Diagnosis:
        """Search passages for the real error, for what was asked, and for what the probes saw."""
        findings = known.run.findings if known.run is not None else ()
        text = "\n".join([known.question.text, *(f.message for f in findings)])
        passages = await asyncio.to_thread(self.look, text, known.error_to_look_up, _HITS)
        known = replace(known, passages=passages)
        if known.reproduced is None or not known.reproduced.rebuilt:
            known = replace(known, here=await told_here(self.executor, known.question))
        asked = explanation.asked(known, self.articles)
        if asked and not in_another_script(known.question.text):
            wide = await asyncio.to_thread(self.look, known.question.text, None, _WIDE)
            near = {hit.source for hit in wide.hits}
            asked = tuple(slug for slug in asked if slug in near)
        known = replace(known, asked=asked)
        if asked:
            return known
        recipes = {slug for slug, article in self.articles.items() if article.is_recipe}
        least = how_to.least_confidence(known.question, passages, known.missing, recipes)
        if least is None:
            return known
        return replace(known, functions=await self.consult(known.question.text, least))

    async def repair(self, known: Diagnosis) -> Diagnosis:
        """Try what codemods and operators propose for the mistake, each in a run of its own."""
        seen = known.reproduced
        assert seen is not None
        run, reference = seen.run, seen.reference
        # What the text shows is known by now, and of a candidate nobody asks it.
        job = seen.job.model_copy(update={"remarks": False, "constructs": False})
        looking = None
        if reference is None:
            looking = asyncio.ensure_future(rerun_with_probes(self.executor, job, run))
        if looking is not None and (known.demonstrated or failed_in_place(run)):
            run, reference = await looking
        if known.demonstrated:
            offered = await demonstration.repair(
                self.executor,
                self.codemods,
                job,
                run,
                reference,
                known.question.text,
                self.operators,
            )
            return replace(known, repairs=offered)
        repairs = await engine.repair(
            self.executor,
            self.codemods,
            job,
            run,
            reference,
            known.question.text,
            self.operators,
            why_stopped(job.glue, run),
            looking,
        )
        return replace(known, repairs=repairs)

    async def repair_quoted(self, known: Diagnosis) -> Diagnosis:
        """Try edits of the line that was run alone."""
        return await mend_quoted(self.executor, known, self.codemods, self.operators)

    async def read(self, known: Diagnosis) -> Diagnosis:
        """Mend what the text shows by itself, where nothing else is known to be wrong."""
        return await mend_what_is_read(self.executor, known)

    async def explain(self, known: Diagnosis) -> Diagnosis:
        """Choose the explanation whose article's programs prove it here; run them unless known."""
        proofs: dict[str, Proof] = {}
        chosen: Why | None = None
        for why in explanation.candidates(known, self.articles, self.codemods):
            article = self.articles.get(why.article)
            if article is None:
                chosen = why
                break
            proof = proofs[article.slug] = await self.prove(article)
            if proof.holds is not False:
                if not article.runs_torch:
                    proof = proof.model_copy(update={"torch": ""})
                chosen = why.model_copy(update={"proof": proof})
                break
            log.warning(
                "the article %s does not hold on torch %s and is withheld; run `torchmedic "
                "article check %s`",
                article.slug,
                proof.torch,
                article.slug,
            )
        if chosen is not None and known.demonstrated:
            chosen = chosen.model_copy(update={"remedy": ""})  # it is shown on purpose
        told = explanation.sources(known.found, self.articles, proofs)
        known = replace(known, why=chosen, sources=told)
        if chosen is not None or not nearby.wants_near(known):
            return known
        text = known.question.text
        found = await asyncio.to_thread(self.look, text, None, nearby.LOOKED_AT)
        return replace(known, near=nearby.near(found, self.articles))

    async def compose(self, known: Diagnosis) -> Diagnosis:
        """Put together what is said: status, headline, and the parts below it."""
        return replace(known, answer=compose(known))

    def _job(self, question: Question, run_with: RunWith) -> Job:
        return Job(
            code=question.code,
            files=question.files,
            wall_s=self.wall_s,
            device=run_with.device or "cpu",
            seed=run_with.seed,
            cold=run_with.cold,
            # What stands in the code is said where no run raises the error that was posted.
            constructs=posted(question) is not None,
            remarks=True,
            cut=True,
        )

    def _applicable(self, known: Diagnosis) -> Chosen:
        seen = known.reproduced
        if seen is not None and (seen.other_numbers or seen.made_up):
            return Chosen()  # a fix would be made for what a placeholder is
        if known.run is None or known.missing:
            return Chosen()
        if known.demonstrated and not _shows_on_purpose(known):
            return Chosen()
        job = seen.job if seen is not None else None
        return engine.applicable(self.codemods, known.run, self.operators, job)


def _shows_on_purpose(known: Diagnosis) -> bool:
    """Whether its error may be told of, and the rest be run: whatever applies to the error."""
    seen = known.reproduced
    if seen is None or seen.other_numbers or seen.made_up or not known.demonstrated:
        return False
    return demonstration.may_be_meant_otherwise(seen.run)


def _may_be_of_gpus(known: Diagnosis) -> bool:
    """Whether the error that is told may come of this machine's GPUs; a posted one came up."""
    seen = known.reproduced
    if seen is None or seen.rebuilt or seen.run.error is None:
        return False
    if asks_about(known.question, seen.run.error) or missing(seen.run, known.question):
        return False
    return devices.may_be_of_gpus(seen.run, known.question.code)


def _wants_gpu(known: Diagnosis) -> bool:
    seen = known.reproduced
    if seen is not None and seen.rebuilt:
        return False
    if seen is not None and asks_about_no_gpu(known.question, seen.run):
        return False  # that there is no GPU is what they ask about
    return seen is not None and devices.wants_gpu(seen.run, seen.mistake, known.question.code)


_RUNS = ("reproduce", "run_quoted", "reproduce_on_gpu", "compare_gpus", "find_mistake")


class _Stopwatch:
    """Milliseconds of each stage, by the stage's name."""

    def __init__(self, parse_ms: float) -> None:
        self._began = time.perf_counter()
        self._parse_ms = parse_ms
        self._stages_ms: dict[str, float] = defaultdict(float)

    async def time(self, stage: Stage, known: Diagnosis) -> Diagnosis:
        """Carry out a stage and add up how long it took."""
        self._stages_ms[stage.__name__] += 0.0  # side by side, they are listed as they began
        began = time.perf_counter()
        known = await stage(known)
        self._stages_ms[stage.__name__] += (time.perf_counter() - began) * 1000
        return known

    def timings(self) -> Timings:
        """All of them; the steps that people are told of are sums of stages."""
        ms = self._stages_ms
        return Timings(
            parse=self._parse_ms,
            run=sum(ms[name] for name in _RUNS),
            search=ms["look_up"],
            fix=ms["repair"],
            total=(time.perf_counter() - self._began) * 1000 + self._parse_ms,
            stages={name: took for name, took in ms.items() if took},
        )
