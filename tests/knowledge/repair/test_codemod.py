"""Facts about codemods: how they are loaded, and what becomes of one that raises."""

from __future__ import annotations

import base64
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bot.diagnosis.pipeline import Pipeline
from bot.messages.question import read_message
from executor.protocol import ErrorSeen, File, Job, JobResult, Outcome
from knowledge.articles.slugs import ARTICLES
from knowledge.errors import ArticleError
from knowledge.repair import codemod, verify
from knowledge.repair.by_finding import FindingEdits
from knowledge.repair.codemod import Codemod, Proposal, Proposed
from knowledge.repair.operator import choose
from tests.conftest import last_of

SNIPPET = "import torch\n\nx = torch.zeros(2, 3)\nprint(x.t().view(6))\n"
ERROR = ErrorSeen(
    type="RuntimeError",
    message="view size is not compatible with input tensor's size and stride",
    line=4,
    code="x.t().view(6)",
)
RESULT = JobResult(outcome=Outcome.ERROR, error=ERROR)

WORKS = """\
import libcst as cst
from knowledge.repair.codemod import Check, Rewrite


def applies(result):
    return result.error is not None


def rewrite(program, result):
    for name in program.all(cst.Name):
        if name.value == "view":
            yield Rewrite(program.replace({name: cst.Name("reshape")}), "reshape copies")


def checks(before, after, proposal):
    return [Check(name="its own", passed=True)]
"""
FIRST = {
    "applies": "def applies(result):\n",
    "rewrite": "def rewrite(program, result):\n",
    "checks": "def checks(before, after, proposal):\n",
}


def raising(function: str) -> str:
    """A codemod that works but for one function, which raises."""
    return WORKS.replace(FIRST[function], FIRST[function] + "    {}['size']\n")


def written(root: Path, slug: str, source: str) -> Codemod:
    """A codemod in a folder of articles of a team's own."""
    folder = root / slug
    folder.mkdir(parents=True)
    (folder / "codemod.py").write_text(source)
    return next(c for c in codemod.load_codemods(root) if c.slug == slug.replace("_", "-"))


def proposed(job: Job, folder: Path) -> Proposed:
    """What the job's own code writes, run here."""
    for file in job.files:
        (folder / file.name).write_bytes(base64.b64decode(file.base64))
    codemod.propose(folder)
    out = base64.b64encode((folder / "proposals.json").read_bytes()).decode()
    return codemod.read_proposals(
        JobResult(outcome=Outcome.OK, files=(File(name="proposals.json", base64=out),))
    )


def test_ours_are_ordinary_modules():
    """Imported by name, once; the executor imports the same, so no source goes along."""
    ours = codemod.load_codemods()
    of_findings = [one for one in ours if isinstance(one.module, FindingEdits)]

    assert len(ours) - len(of_findings) == len(list(ARTICLES.glob("*/codemod.py")))
    for one in ours:
        name = f"knowledge.articles.{one.slug.replace('-', '_')}.codemod"
        module = one.module
        if isinstance(module, FindingEdits):
            name, module = f"knowledge.repair.findings.{one.slug.replace('-', '_')}", module.module
        assert module is sys.modules[name] and one.source is None
    assert ours == codemod.load_codemods()
    (order,) = codemod.proposal_job(ours, SNIPPET, RESULT).files
    assert "def rewrite" not in base64.b64decode(order.base64).decode()


@pytest.mark.parametrize("slug", ["words-of-ours", "words_of_ours"])
def test_a_teams_own_codemod_travels_as_source(tmp_path: Path, slug: str):
    """No executor has it, so its source goes along; the article's name has hyphens either way."""
    own = written(tmp_path / "articles", slug, WORKS)
    job = codemod.proposal_job([own], SNIPPET, RESULT)

    (proposal,) = proposed(job, tmp_path).proposals

    assert own.slug == proposal.codemod == "words-of-ours"
    assert json.loads(base64.b64decode(job.files[0].base64))["codemods"] == {own.slug: WORKS}
    assert "x.t().reshape(6)" in proposal.code


def test_ours_are_found_by_name_where_they_run(tmp_path: Path):
    """The order names the codemod, and `propose` imports it."""
    ours = [c for c in codemod.load_codemods() if c.slug == "view-not-contiguous"]

    (proposal,) = proposed(codemod.proposal_job(ours, SNIPPET, RESULT), tmp_path).proposals

    assert proposal.codemod == "view-not-contiguous" and "x.t().reshape(6)" in proposal.code


def test_what_does_not_load_is_named(tmp_path: Path):
    """The place and the finding, whether it cannot be imported or lacks a function."""
    with pytest.raises(ArticleError, match=r"one/codemod\.py: cannot be imported \(SyntaxError"):
        written(tmp_path / "a", "one", "def")
    with pytest.raises(ArticleError, match=r"two/codemod\.py: defines no function checks\(\)"):
        written(tmp_path / "b", "two", WORKS.replace("def checks", "def check"))
    with pytest.raises(ArticleError, match=r"three/codemod\.py: says of no run that it is for it"):
        written(tmp_path / "c", "three", WORKS.replace("def applies", "def apply"))


def test_one_that_raises_in_applies_is_named(tmp_path: Path):
    """The others are still asked."""
    bad = written(tmp_path, "bad-words", raising("applies"))
    good = written(tmp_path, "good-words", WORKS)

    here, problems = choose([bad, good], RESULT)

    assert here == (good,)
    assert problems == ("the codemod bad-words raised in applies(): KeyError: 'size'",)


def test_one_that_raises_in_rewrite_is_named(tmp_path: Path):
    """The others still propose, and so does what it had yielded by then."""
    bad = written(tmp_path, "bad-words", raising("rewrite"))
    late = written(tmp_path, "late", WORKS.replace('"reshape copies")', '"copy")\n    {}["size"]'))
    good = written(tmp_path, "good-words", WORKS)

    found = proposed(codemod.proposal_job([bad, late, good], SNIPPET, RESULT), tmp_path)

    assert [p.codemod for p in found.proposals] == ["late", "good-words"]
    assert found.problems == (
        "the codemod bad-words raised in rewrite(): KeyError: 'size'",
        "the codemod late raised in rewrite(): KeyError: 'size'",
    )


def test_one_that_the_executor_cannot_import_is_named(tmp_path: Path):
    """Its source is of a team's own folder, and names a module that only the bot has."""
    good = written(tmp_path, "good-words", WORKS)
    alone = replace(good, slug="bot-only", source=f"import only_in_the_bot\n{WORKS}")

    found = proposed(codemod.proposal_job([alone, good], SNIPPET, RESULT), tmp_path)

    assert [p.codemod for p in found.proposals] == ["good-words"]
    assert found.problems[0].startswith("bot-only/codemod.py: cannot be imported (ModuleNotFound")


def test_code_that_is_too_long_is_left_alone(tmp_path: Path):
    """A syntax tree of a megabyte takes most of a minute: the answer says why no fix was tried."""
    good = written(tmp_path, "good-words", WORKS)
    job = codemod.proposal_job([good], SNIPPET + "# a comment\n" * 20_000, RESULT)

    found = proposed(job, tmp_path)

    assert not found.proposals
    assert found.problems == (
        "no codemod was tried: the code has 234 KiB, and they read up to 128",
    )


def test_one_that_raises_in_checks_proves_nothing(tmp_path: Path):
    """A check that could not be made has not passed."""
    bad = written(tmp_path, "bad-words", raising("checks"))
    proposal = Proposal(codemod=bad.slug, title="", code="")

    (check,) = verify.checks_of(bad, proposal, RESULT, RESULT, None)

    assert not check.passed
    assert check.detail == "the codemod bad-words raised in checks(): KeyError: 'size'"


def test_a_run_that_proposes_nothing_says_why():
    """It ran out of time, or its jail could not be built: all codemods are silent then."""
    late = JobResult(outcome=Outcome.TIMEOUT)
    broken = JobResult(
        outcome=Outcome.ERROR, error=ErrorSeen(type="ParserSyntaxError", message="?")
    )
    odd = JobResult(outcome=Outcome.OK, files=(File(name="proposals.json", base64="e30x"),))

    assert codemod.read_proposals(late).problems == ("no codemod could propose a fix: timeout",)
    assert "ParserSyntaxError: ?" in codemod.read_proposals(broken).problems[0]
    assert codemod.read_proposals(odd).problems and not codemod.read_proposals(odd).proposals


@pytest.mark.parametrize("function", FIRST)
async def test_an_answer_names_one_that_raises_and_goes_on(
    medic: Pipeline, tmp_path: Path, function: str
):
    """The fix of another codemod is verified all the same."""
    bad = written(tmp_path, "bad-words", raising(function))
    both = replace(medic, codemods=[bad, *medic.codemods])

    answer = await last_of(both.answer(read_message(f"why?\n```python\n{SNIPPET}```")))

    assert answer.status == "fixed" and answer.fix is not None
    assert answer.fix.codemod == "view-not-contiguous"
    named = [*answer.problems, *(c.detail for f in answer.refused for c in f.checks)]
    assert f"the codemod bad-words raised in {function}(): KeyError: 'size'" in named
