"""Prove articles: run what they claim, and keep when and where it held."""

from __future__ import annotations

import asyncio
import datetime
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from bot.models import Proof
from executor.protocol import Environment, Job, JobResult, Outcome
from executor.service.client import ExecutorClient
from knowledge.articles.article import Article
from knowledge.repair.codemod import Codemod
from knowledge.repair.engine import applicable, repair
from knowledge.repair.mistake import mistake
from knowledge.repair.rerun import rerun_with_probes

_WALL_S = 30


@dataclass(frozen=True)
class ArticleCheck:
    """Whether an article does what it says; every problem names the file and the next step."""

    slug: str
    problems: tuple[str, ...]
    proof: Proof


async def prove(
    executor: ExecutorClient, article: Article, codemods: Sequence[Codemod]
) -> ArticleCheck:
    """Run an article: the broken program breaks as promised, the fixed one runs, the codemod heals.

    Raises:
        ExecutorError: the executor is gone.
    """
    if article.needs == "cuda":
        env = (await executor.run(Job(code="import torch"))).env
        return ArticleCheck(article.slug, (), _proof(env, holds=None))
    simulate: Literal["cuda"] | None = "cuda" if article.needs == "simulated-cuda" else None
    job = Job(code=article.broken, wall_s=_WALL_S, simulate=simulate)
    broken, fixed = await asyncio.gather(
        _run(executor, job), _run(executor, job.model_copy(update={"code": article.fixed}))
    )
    for run in (broken, fixed):
        # Neither a run that was not made nor one on a machine that is busy says that it is false.
        if run.outcome in (Outcome.SETUP_ERROR, Outcome.UNAVAILABLE, Outcome.TIMEOUT):
            problem = f"{article.folder}: could not be run here: {run.detail or _ended(run)}"
            return ArticleCheck(article.slug, (problem,), _proof(run.env, holds=None))
    if article.needs == "cpu-build" and broken.env.cuda is not None:
        return ArticleCheck(article.slug, (), _proof(broken.env, holds=None))
    problems = [*_broken(article, broken), *_fixed(article, fixed)]
    own = [c for c in codemods if c.slug == article.slug]
    if own and not problems:
        healed = await _heals(executor, article, own, job, broken)
        if healed is None:
            problem = f"{article.folder}/codemod.py: the time was up before a fix was found"
            return ArticleCheck(article.slug, (problem,), _proof(broken.env, holds=None))
        problems += healed
    return ArticleCheck(article.slug, tuple(problems), _proof(broken.env, holds=not problems))


async def _run(executor: ExecutorClient, job: Job) -> JobResult:
    """A run; once more where its time was up: a worker process may hang on a machine that is busy.

    That a program never ends is no promise of an article's.
    """
    run = await executor.run(job)
    return await executor.run(job) if run.outcome is Outcome.TIMEOUT else run


def _broken(article: Article, run: JobResult) -> list[str]:
    path = article.folder / "broken.py"
    error = run.error
    expected = article.expected_error
    if error is None:
        return [f"{path}: promises to fail, and {_ended(run)}"]
    if expected is None:
        if error.type != "AssertionError":
            return [f"{path}:{error.line}: should end in its assert, and raises {error.type}"]
        lines = enumerate(article.broken.splitlines(), start=1)
        last = max((n for n, line in lines if line.startswith("assert ")), default=0)
        if error.line != last:
            return [f"{path}:{error.line}: an assert fails before the last one, in line {last}"]
        return []
    if not expected.matches(error.type, error.message):
        return [
            f"{path}:{expected.line}: promises {expected.type}: {expected.message}, and what comes "
            f"is {error.type}: {error.message.splitlines()[0][:120]}"
        ]
    if error.line != expected.line:
        return [
            f"{path}:{expected.line}: the error comes from line {error.line}; move the "
            "`# error:` comment there"
        ]
    return []


def _fixed(article: Article, run: JobResult) -> list[str]:
    path = article.folder / "fixed.py"
    if run.outcome is not Outcome.OK:
        return [f"{path}: should run, and {_ended(run)}"]
    wrong = mistake(run)
    if wrong.is_there:
        seen = run.findings[0].message if run.findings else f"it catches {run.caught[0].type}"
        return [f"{path}: runs, but the probes see a mistake: {seen}"]
    return []


def _ended(run: JobResult) -> str:
    if run.error is not None:
        return f"ends with {run.error.type} at line {run.error.line}: {run.error.message[:120]}"
    return f"ends with {run.outcome.value}" + (f": {run.detail}" if run.detail else "")


async def _heals(
    executor: ExecutorClient, article: Article, own: Sequence[Codemod], job: Job, broken: JobResult
) -> list[str] | None:
    """What is wrong with the article's codemod; None if its time was up."""
    path = article.folder / "codemod.py"
    broken, reference = await rerun_with_probes(executor, job, broken)
    chosen = applicable(own, broken)
    if not chosen.codemods:
        return [f"{path}: does not apply to broken.py; look at applies()", *chosen.problems]
    repaired = await repair(executor, own, job, broken, reference)
    if repaired.cut:
        return None
    if repaired.fix is None and not repaired.alternatives:
        why = "; ".join(
            f"{c.name}: {c.detail}" for f in repaired.refused for c in f.checks if not c.passed
        )
        why = why or "; ".join(repaired.problems) or "it proposes nothing"
        return [f"{path}: makes no verified fix of broken.py ({why})"]
    return []


def _proof(env: Environment, *, holds: bool | None) -> Proof:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return Proof(torch=env.torch.partition("+")[0], device=env.device, date=today, holds=holds)


# -- kept between runs -----------------------------------------------------------------------


class Proofs:
    """The verdicts of articles as they are now; one that changed since has none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: dict[str, tuple[str, Proof]] = {}
        try:
            self._kept = _FORMAT.validate_json(path.read_bytes())
        except (OSError, ValidationError):
            pass  # never written, or by another version: then nothing is proved

    def of(self, articles: Sequence[Article]) -> Mapping[str, Proof]:
        """What holds of these articles, word for word as they are."""
        found = {}
        for article in articles:
            digest, proof = self._kept.get(article.slug, ("", None))
            if proof is not None and digest == _digest(article):
                found[article.slug] = proof
        return found

    async def prove(
        self, executor: ExecutorClient, article: Article, codemods: Sequence[Codemod]
    ) -> Proof:
        """The article's proof: the kept one, or one made now and kept.

        Raises:
            ExecutorError: the executor is gone.
        """
        known = self.of([article])
        if article.slug in known:
            return known[article.slug]
        verdict = await prove(executor, article, codemods)
        if verdict.proof.holds is None:
            return verdict.proof
        try:
            self.keep([article], [verdict])
        except OSError:
            pass  # then it is proved again next time
        return verdict.proof

    def keep(self, articles: Sequence[Article], verdicts: Sequence[ArticleCheck]) -> None:
        """Remember verdicts; that an article does not hold only until this process ends.

        What went wrong may have been the machine's, so the next process tries it again.

        Raises:
            OSError: the folder cannot be written.
        """
        by_slug = {a.slug: a for a in articles}
        for v in verdicts:
            self._kept[v.slug] = (_digest(by_slug[v.slug]), v.proof)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_suffix(".new")
        lasting = {slug: kept for slug, kept in self._kept.items() if kept[1].holds is not False}
        temporary.write_bytes(_FORMAT.dump_json(lasting))
        temporary.replace(self.path)


_FORMAT = TypeAdapter(dict[str, tuple[str, Proof]])


def _digest(article: Article) -> str:
    codemod = article.codemod
    parts = [article.broken, article.fixed, codemod.read_text() if codemod else ""]
    parts += [article.needs] if article.needs else []
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
