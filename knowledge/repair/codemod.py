"""Codemods: programs that rewrite a snippet to remove one mistake, found beside their articles.

An article's `codemod.py` defines

    def applies(result: JobResult) -> bool
    def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]
    def checks(before: JobResult, after: JobResult, rewrite: Proposal) -> list[Check]

`applies` and `checks` look at what runs said. `rewrite` reads a stranger's code, so it is called
inside the jail, by a job like any other: `proposal_job` makes that job, `propose` is what it runs,
`read_proposals` takes its answer.
"""

from __future__ import annotations

import base64
import json
import types
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from pydantic import TypeAdapter, ValidationError

from executor.protocol import File, Job, JobResult, Model
from knowledge.articles.slugs import ARTICLES, slug_of
from knowledge.errors import ArticleError

if TYPE_CHECKING:
    import libcst as cst

    from knowledge.repair.toolkit.edits import Program

_MOST_REWRITES = 12  # of one codemod for one snippet
_WALL_S = 20.0
# All the code of a proposal job.
PROPOSE = "from knowledge.repair.codemod import propose\npropose()\n"


class Check(Model):
    """One thing that must hold before a fix is called verified."""

    name: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True)
class Rewrite:
    """A candidate: the whole module rewritten, what was done, and what the person then means.

    Rewrites with different intents are alternatives: none is *the* fix.
    """

    module: cst.Module
    title: str
    intent: str = ""
    subjects: tuple[str, ...] = ()  # names the codemod's own checks are about
    said: str = ""  # a pattern for the asker's words that make this intent clear
    new_name: str = ""  # a variable that it introduces: wherever it stands is one change
    as_one: bool = False  # its places belong together: one alone would be another mistake


class Proposal(Model):
    """A Rewrite on its way out of the jail: text instead of trees."""

    codemod: str
    title: str
    intent: str = ""
    subjects: tuple[str, ...] = ()
    said: str = ""
    new_name: str = ""
    as_one: bool = False
    code: str


class CodemodModule(Protocol):
    """What a `codemod.py` has to define."""

    def applies(self, result: JobResult) -> bool:
        """Whether this run shows the mistake."""

    def rewrite(self, program: Program, result: JobResult) -> Iterable[Rewrite]:
        """Ways to remove it, the best first."""

    def checks(self, before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
        """What must hold beyond the checks that every fix has to pass."""


@dataclass(frozen=True)
class Codemod:
    """One article's codemod."""

    slug: str
    source: str
    module: CodemodModule


def load_codemods(root: Path = ARTICLES) -> list[Codemod]:
    """Every codemod in the articles' folders, by slug.

    Raises:
        ArticleError: one cannot be imported or lacks a function.
    """
    paths = sorted(root.glob("*/codemod.py"), key=lambda path: slug_of(path.parent.name))
    return [_load(slug_of(p.parent.name), p.read_text(encoding="utf-8"), str(p)) for p in paths]


def _load(slug: str, source: str, place: str) -> Codemod:
    module = types.ModuleType(f"knowledge.articles.{slug}.codemod")
    try:
        exec(compile(source, place, "exec", dont_inherit=True), module.__dict__)
    except Exception as e:
        raise ArticleError(f"{place}: cannot be imported ({type(e).__name__}: {e})") from e
    for name in ("applies", "rewrite", "checks"):
        if not callable(getattr(module, name, None)):
            raise ArticleError(
                f"{place}: defines no function {name}(); see knowledge/repair/codemod.py"
            )
    return Codemod(slug, source, cast(CodemodModule, module))


# -- in the bot ------------------------------------------------------------------------------


def proposal_job(codemods: Sequence[Codemod], code: str, result: JobResult) -> Job:
    """The job that applies the codemods to a snippet.

    The codemods travel with it, so an executor anywhere applies the ones that the bot knows.
    """
    order = {
        "codemods": {c.slug: c.source for c in codemods},
        "code": code,
        "result": result.model_dump(mode="json", exclude={"files", "values"}),
    }
    return Job(
        code=PROPOSE,
        files=(_file("order.json", json.dumps(order)),),
        wall_s=_WALL_S,
    )


def read_proposals(result: JobResult) -> list[Proposal]:
    """What `propose` wrote; nothing if it failed: `result.error` then says how."""
    for file in result.files:
        if file.name == "proposals.json":
            try:
                return TypeAdapter(list[Proposal]).validate_json(base64.b64decode(file.base64))
            except ValidationError:
                return []
    return []


def _file(name: str, text: str) -> File:
    return File(name=name, base64=base64.b64encode(text.encode()).decode())


# -- in the jail -----------------------------------------------------------------------------


def propose(folder: Path = Path()) -> None:
    """Read `order.json`, apply the codemods, write `proposals.json`. Runs in the jail."""
    order: dict[str, Any] = json.loads((folder / "order.json").read_text())
    result = JobResult.model_validate(order["result"])
    proposals = []
    for slug, source in order["codemods"].items():
        proposals += rewrites(_load(slug, source, f"{slug}/codemod.py"), order["code"], result)
    text = TypeAdapter(list[Proposal]).dump_json(proposals)
    (folder / "proposals.json").write_bytes(text)


def rewrites(codemod: Codemod, code: str, result: JobResult) -> list[Proposal]:
    """The codemod's distinct rewrites of one snippet as text. Parses the snippet: jail only."""
    from knowledge.repair.toolkit.edits import Program

    found: dict[str, Proposal] = {}
    for rewrite in codemod.module.rewrite(Program(code), result):
        text = rewrite.module.code
        if text != code and text not in found:
            found[text] = Proposal(
                codemod=codemod.slug,
                title=rewrite.title,
                intent=rewrite.intent,
                subjects=rewrite.subjects,
                said=rewrite.said,
                new_name=rewrite.new_name,
                as_one=rewrite.as_one,
                code=text,
            )
        if len(found) >= _MOST_REWRITES:
            break
    return list(found.values())
