"""Codemods: programs that rewrite a snippet to remove one mistake, found beside their articles.

An article's `codemod.py` defines

    ERRORS = ("a family of errors",)  # or `applies` and what else knowledge/repair/applies.py reads
    def rewrite(program: Failed, result: JobResult) -> Rewrites
    KEEPS = (computed(), layers)  # what has to stay (knowledge/repair/toolkit/keeps.py); or
    def checks(before: JobResult, after: JobResult, rewrite: Proposal) -> list[Check]

Which runs it is for, and `checks`, go by what runs said. `rewrite` reads a stranger's code, so it
is called inside the jail, by a job like any other: `proposal_job` makes that job, `propose` is what
it runs, `read_proposals` takes its answer.

Our own codemods are ordinary modules, imported by name in the bot and in the jail. Those of a
team's own folders are no part of what the executor has installed, so their source goes along.

A codemod that raises does not silence the others: it is named (`choose`, `Proposed.problems`,
`knowledge.repair.verify.checks_of`), and the rest go on.
"""

from __future__ import annotations

import base64
import importlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, TypedDict, cast

from pydantic import ValidationError

from executor.errors import is_a
from executor.protocol import Caught, ErrorSeen, File, Job, JobResult, Model, Probe, Trial
from knowledge.articles.slugs import ARTICLES, folder_of, slug_of
from knowledge.errors import ArticleError
from knowledge.repair.applies import is_for, says_when
from knowledge.repair.check import Check as Check  # codemods import it from here

if TYPE_CHECKING:
    import libcst as cst

    from knowledge.repair.operator import Operator
    from knowledge.repair.toolkit.failed import Failed

_READ_BYTES = 128 * 1024  # of code: a codemod's syntax tree takes 40 ms a KiB
_MOST_REWRITES = 12  # of one codemod for one snippet
_WALL_S = 20.0
_SEE = "see knowledge/repair/codemod.py"
ORDER, PROPOSALS = "order.json", "proposals.json"
# All the code of a proposal job.
PROPOSE = "from knowledge.repair.codemod import propose\npropose()\n"


class Settings(TypedDict, total=False):
    """The further fields of a Rewrite."""

    subjects: tuple[str, ...]
    said: str
    new_name: str
    as_one: bool
    supposes: bool
    by_text: bool


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
    supposes: bool = False  # an alternative, unless the code states what it then prints
    by_text: bool = False  # only the text shows what it mends: an alternative, unless a probe does
    cost: float = 0.0  # of an operator's: the lower, the likelier (knowledge/repair/operator.py)


Rewrites = Iterator[Rewrite]  # as a generator yields them, the best first


class Proposal(Model):
    """A Rewrite on its way out of the jail: text instead of trees."""

    codemod: str  # the article's slug; the operator's, if one made it
    title: str
    intent: str = ""
    subjects: tuple[str, ...] = ()
    said: str = ""
    new_name: str = ""
    as_one: bool = False
    supposes: bool = False
    by_text: bool = False
    cost: float = 0.0
    code: str
    form: str = ""  # of its code in one spelling: equal if codes differ in form alone
    checks: tuple[Check, ...] = ()  # what the two codes say, before any run
    trial: Trial | None = None  # what it did when it was tried among others; of an operator's

    @classmethod
    def of(cls, maker: str, rewrite: Rewrite) -> Proposal:
        """A rewrite as text, not yet checked."""
        told = {f.name: getattr(rewrite, f.name) for f in fields(rewrite) if f.name != "module"}
        return cls(codemod=maker, code=rewrite.module.code, **told)

    def checked(self, old: str, result: JobResult, asked: str) -> Proposal:
        """With what the two codes say, and its one spelling. Parses them: jail only."""
        from knowledge.repair.checks.code import Change, checks_of_code
        from knowledge.repair.toolkit.comparison import form

        change = Change(old, self.code, result, asked, self.title, self.intent)
        spelling = sha256(form(self.code).encode()).hexdigest()
        checks = tuple(checks_of_code(change))
        return self.model_copy(update={"form": spelling, "checks": checks})


class Proposed(Model):
    """What came out of the jail: the candidates, and what went wrong with some codemods."""

    proposals: tuple[Proposal, ...] = ()
    problems: tuple[str, ...] = ()


class _Order(Model):
    """What goes into the jail: the codemods, the snippet, and what its run showed."""

    codemods: dict[str, str | None]  # slug → source; None: the executor has it
    code: str
    result: JobResult
    asked: str = ""


class CodemodModule(Protocol):
    """What a `codemod.py` has to define."""

    def rewrite(self, program: Failed, result: JobResult) -> Iterable[Rewrite]:
        """Ways to remove it, the best first."""


@dataclass(frozen=True)
class Codemod:
    """One article's codemod."""

    slug: str
    module: CodemodModule
    source: str | None = None  # None: one of ours, which the executor has too

    def applies(self, result: JobResult) -> bool:
        """Whether this run shows its mistake."""
        return is_for(self.module, result, (result.error, *result.caught))

    def checks(self, before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
        """What must hold beyond the checks that every fix has to pass."""
        families = getattr(self.module, "ERRORS", ())
        seen = (e for e in (before.error, *before.caught) if e is not None)
        error = next((e for e in seen if not families or is_a(e, *families)), None)
        return checks_of_module(self.module, error, before, after, proposal)

    def problem(self, function: str, error: Exception) -> str:
        """One of its functions raised: which, and what."""
        return f"the codemod {self.slug} raised in {function}(): {type(error).__name__}: {error}"


def checks_of_module(
    module: object,
    error: ErrorSeen | Caught | None,
    before: JobResult,
    after: JobResult,
    proposal: Proposal,
) -> list[Check]:
    """What a codemod's or an operator's module has kept, then what its own function asks."""
    found = [keep(error, before, after, proposal) for keep in getattr(module, "KEEPS", ())]
    own = getattr(module, "checks", None)
    return [*found, *(own(before, after, proposal) if own is not None else ())]


def load_codemods(root: Path = ARTICLES) -> list[Codemod]:
    """Every codemod in the articles' folders, by slug; with ours also those of findings.

    Raises:
        ArticleError: one cannot be imported or lacks a function.
    """
    ours = root.resolve() == ARTICLES.resolve()
    paths = sorted(root.glob("*/codemod.py"), key=lambda path: slug_of(path.parent.name))
    if not ours:
        return [_from_source(p.parent.name, p.read_text("utf-8"), str(p)) for p in paths]
    from knowledge.repair import by_finding

    return [*map(_import, paths), *by_finding.load()]


def _import(path: Path) -> Codemod:
    try:
        module = importlib.import_module(_module_name(path.parent.name))
    except Exception as e:
        raise _cannot_import(str(path), e) from e
    return Codemod(slug_of(path.parent.name), _whole(module, str(path)))


def _from_source(name: str, source: str, place: str) -> Codemod:
    module = ModuleType(_module_name(name))
    try:
        exec(compile(source, place, "exec", dont_inherit=True), module.__dict__)
    except Exception as e:
        raise _cannot_import(place, e) from e
    return Codemod(slug_of(name), _whole(module, place), source)


def _module_name(folder: str) -> str:
    return f"knowledge.articles.{folder.replace('-', '_')}.codemod"


def _cannot_import(place: str, error: Exception) -> ArticleError:
    return ArticleError(f"{place}: cannot be imported ({type(error).__name__}: {error})")


def _whole(module: ModuleType, place: str) -> CodemodModule:
    if not says_when(module):
        raise ArticleError(f"{place}: says of no run that it is for it; {_SEE}")
    for name in ("rewrite",) if hasattr(module, "KEEPS") else ("rewrite", "checks"):
        if not callable(getattr(module, name, None)):
            raise ArticleError(f"{place}: defines no function {name}(); {_SEE}")
    return cast(CodemodModule, module)


# -- in the bot ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chosen:
    """The codemods and operators that apply to a run, and what went wrong with the others."""

    codemods: tuple[Codemod, ...] = ()
    operators: tuple[Operator, ...] = ()
    problems: tuple[str, ...] = ()


def proposal_job(codemods: Sequence[Codemod], code: str, result: JobResult, asked: str = "") -> Job:
    """The job that applies the codemods to a snippet.

    Args:
        codemods: those to apply.
        code: the snippet.
        result: what its run showed.
        asked: the person's own words, which may say what has to stay.
    """
    order = _Order(
        codemods={c.slug: c.source for c in codemods},
        code=code,
        result=result.model_copy(update={"files": (), "values": None, "influence": None}),
        asked=asked,
    )
    return Job(
        code=PROPOSE,
        files=(_file(ORDER, order.model_dump_json()),),
        wall_s=_WALL_S,
        probes=(Probe.NONE,),
    )


def read_proposals(result: JobResult, name: str = PROPOSALS, nobody: str = "") -> Proposed:
    """What was proposed in the jail; where nothing could be, the problem that its run had.

    Args:
        result: the job's.
        name: the file that holds it.
        nobody: who proposes nothing then, and what; of `propose` where it is empty.
    """
    for file in result.files:
        if file.name == name:
            try:
                return Proposed.model_validate_json(base64.b64decode(file.base64))
            except ValidationError:
                break
    error = result.error
    why = f"{error.type}: {error.message}" if error else result.detail or result.outcome.value
    return Proposed(problems=(f"{nobody or 'no codemod could propose a fix'}: {why}",))


def _file(name: str, text: str) -> File:
    return File(name=name, base64=base64.b64encode(text.encode()).decode())


# -- in the jail -----------------------------------------------------------------------------


def propose(folder: Path = Path()) -> None:
    """Read `order.json`, apply the codemods, write `proposals.json`. Runs in the jail."""
    order = _Order.model_validate_json((folder / ORDER).read_bytes())
    proposals: list[Proposal] = []
    problems: list[str] = []
    size = len(order.code.encode(errors="replace"))
    if size > _READ_BYTES:
        order.codemods.clear()
        problems.append(
            f"no codemod was tried: the code has {size // 1024} KiB, and they read up to "
            f"{_READ_BYTES // 1024}"
        )
    for slug, source in order.codemods.items():
        try:
            codemod = (
                _ours(slug) if source is None else _from_source(slug, source, f"{slug}/codemod.py")
            )
        except ArticleError as e:
            problems.append(str(e))
            continue
        proposed = rewrites(codemod, order.code, order.result, order.asked)
        proposals += proposed.proposals
        problems += proposed.problems
    text = Proposed(proposals=tuple(proposals), problems=tuple(problems)).model_dump_json()
    (folder / PROPOSALS).write_text(text)


def _ours(slug: str) -> Codemod:
    """The codemod of one of our articles, or of findings."""
    path = folder_of(slug) / "codemod.py"
    if path.exists():
        return _import(path)
    from knowledge.repair import by_finding

    return by_finding.load_one(slug)


def rewrites(codemod: Codemod, code: str, result: JobResult, asked: str = "") -> Proposed:
    """The codemod's distinct rewrites of one snippet as text. Parses the snippet: jail only."""
    from knowledge.repair.toolkit.failed import Failed

    program = Failed(code, result, getattr(codemod.module, "ERRORS", ()))
    found: dict[str, Proposal] = {}
    problems: tuple[str, ...] = ()
    try:
        for rewrite in codemod.module.rewrite(program, result):
            proposal = Proposal.of(codemod.slug, rewrite)
            if proposal.code not in {code, *found}:
                found[proposal.code] = proposal.checked(code, result, asked)
            if len(found) >= _MOST_REWRITES:
                break
    except Exception as e:
        problems = (codemod.problem("rewrite", e),)
    return Proposed(proposals=tuple(found.values()), problems=problems)
