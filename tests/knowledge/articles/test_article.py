"""Facts about knowledge/articles/, and about every article there is."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.diagnosis.pipeline import Pipeline
from bot.diagnosis.proof import prove
from executor.errors import family_of
from knowledge.articles.article import Article
from knowledge.articles.conditions import facts_of
from knowledge.articles.new import new_article
from knowledge.articles.reading import load_article, load_articles
from knowledge.articles.slugs import ARTICLES, folder_of, slug_of
from knowledge.documents.markdown import split_markdown
from knowledge.errors import ArticleError

SLUGS = sorted(
    slug_of(path.name) for path in ARTICLES.iterdir() if (path / "explanation.md").exists()
)
RAISES = "non-leaf-tensor-in-optimizer"
SILENT = "plain-tensor-attribute-not-a-parameter"


@pytest.fixture
def copy(tmp_path: Path):
    """A writable copy of an article."""

    def make(slug: str = RAISES) -> Path:
        return Path(shutil.copytree(folder_of(slug), tmp_path / slug))

    return make


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.daily  # `test_every_article_holds` asks the same of all of them, by the command
@pytest.mark.parametrize("slug", SLUGS)
async def test_an_article_does_what_it_says(medic: Pipeline, slug: str):
    """What `torchmedic article check` asks: broken.py fails as promised, fixed.py runs, and the
    codemod, if there is one, makes a verified fix of the one."""
    article = load_article(folder_of(slug))

    verdict = await prove(medic.executor, article, medic.codemods)

    assert not verdict.problems, "\n".join(verdict.problems)
    assert verdict.proof.holds or article.needs == "cuda"


@pytest.mark.parametrize("slug", SLUGS)
def test_an_article_reads_like_the_others(slug: str):
    """One sentence a line, people's words for it, and PyTorch's own documentation as a source."""
    article = load_article(folder_of(slug))
    sections = (article.what_you_see, article.why, article.fix, article.if_that_was_not_it)

    for section in sections:
        prose, code = split_markdown(section)
        for line in "\n".join(paragraph.text for paragraph in prose).split("\n"):
            without_code = re.sub(r"`[^`]*`", "code", line)
            assert not re.search(r"[a-z)][.!?] [A-Z]", without_code), line
        for block in code:
            ast.parse(block.code)
    assert 8 <= len(article.also_asked_as) <= 14
    assert any("pytorch.org/docs/stable" in source for source in article.sources)
    assert article.torch.startswith("2.13")


# Words that need something said before them, and an answer begins with the reason.
MID_THOUGHT = re.compile(
    r"(?:It|Its|They|Their|Them|This|That|These|Those|And|But|So|Or|Nor|Then|Also|Here|Otherwise"
    r"|Usually|Mostly|Often|Thus|Hence|Therefore|However|Because|Since|Such|Both|Either|Neither|One"
    r"|Another|The (?:two|three|other|others|same|former|latter|rest))\b"
)


def shown(article: Article) -> str:
    """The reason as an answer about one of its own errors shows it."""
    first = next(iter(article.errors), None)
    if first is None:
        return article.reason()
    kind, _, message = first.partition(": ")
    return article.reason(facts_of((kind, message))) or article.reason()


@pytest.mark.parametrize("slug", SLUGS)
def test_a_reason_stands_by_itself(slug: str):
    """It begins with a subject, ends with a sentence, and leans on nothing that is not shown: no
    list below it, and no variable of the article's own program."""
    article = load_article(folder_of(slug))
    reason = shown(article)

    assert not MID_THOUGHT.match(reason), reason
    assert re.search(r"[.?]$", reason) and "|---" not in reason, reason
    tree = ast.parse(article.broken)
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and type(n.ctx) is ast.Store}
    named = {
        w for code in re.findall(r"`([^`]+)`", reason) for w in re.findall(r"[A-Za-z_]\w+", code)
    }
    assert not {name for name in stored if len(name) > 1} & named, reason


@pytest.mark.parametrize("slug", SLUGS)
def test_an_error_is_not_its_own_reason(slug: str):
    """The reason says more than the message that it explains."""
    article = load_article(folder_of(slug))
    words = re.findall(r"\w+", shown(article).lower())
    for error in article.errors:
        said = re.findall(r"[a-z]\w*", error.partition(": ")[2].lower())
        if len(said) < 5:
            continue
        runs = {tuple(said[n : n + 5]) for n in range(len(said) - 4)}
        repeated = runs & {tuple(words[n : n + 5]) for n in range(len(words) - 4)}
        assert not repeated, f"{error}: {repeated}"


@pytest.mark.parametrize(
    ("reason", "stands"),
    [
        ("A view has no memory of its own.", True),
        ("`stack` joins tensors.", True),
        ("These functions join tensors.", False),
        ("It has no memory.", False),
        ("So the sizes differ.", False),
        ("The two count dimensions.", False),
        ("Items are counted.", True),
    ],
)
def test_what_begins_in_mid_thought(reason: str, stands: bool):
    """A word that needs one before it."""
    assert (MID_THOUGHT.match(reason) is None) is stands


@pytest.mark.parametrize(
    ("slug", "error", "promised", "same_subject"),
    [
        ("matmul-inner-sizes",
         "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x2 and 3x4)", True, True),
        ("matmul-inner-sizes", "RuntimeError: size mismatch, m1: [1 x 2], m2: [3 x 4] at x", True,
         True),
        ("matmul-inner-sizes", "IndexError: Target 3 is out of bounds.", False, True),
        ("matmul-inner-sizes", "KeyError: no family knows it", False, True),
        ("tensor-called-like-a-function", "TypeError: 'Tensor' object is not callable", True, True),
        ("tensor-called-like-a-function", "TypeError: 'list' object is not callable", True, False),
        ("tensor-called-like-a-function", "TypeError: 'ellipsis' object is not callable", True,
         False),
        ("forward-misses-an-argument",
         "TypeError: A.forward() missing 1 required positional argument: 'y'", True, True),
        ("forward-misses-an-argument",
         "TypeError: A.__init__() missing 1 required positional argument: 'y'", True, False),
        ("no-such-name-in-torch", "AttributeError: module 'torch' has no attribute 'q'", True,
         True),
        ("no-such-name-in-torch", "AttributeError: module 'cv2' has no attribute 'q'", True, False),
        # The errors that it lists, and not the one by which its program shows the mistake.
        ("device-side-assert", "RuntimeError: CUDA error: device-side assert triggered", True,
         True),
        ("device-side-assert", "IndexError: Target 3 is out of bounds.", False, True),
        # One signature in two families: of the first the devices differ, of the second the dtypes.
        ("tensors-on-two-devices",
         "TypeError: addmm_ received an invalid combination of arguments - got (int, int, "
         "torch.FloatTensor, torch.cuda.FloatTensor)", True, True),
        ("tensors-on-two-devices",
         "TypeError: addmm_ received an invalid combination of arguments - got (int, int, "
         "torch.FloatTensor, torch.DoubleTensor)", False, True),
        # A signature that no family knows is enough.
        ("relu-inplace-integer", "RuntimeError: Boolean inputs not supported for relu", True, True),
    ],
)  # fmt: skip
def test_which_errors_an_article_is_about(
    slug: str, error: str, promised: bool, same_subject: bool
):
    """Those of the family of its own; and about the same thing, where the family is wide."""
    article = load_article(folder_of(slug))
    type, _, message = error.partition(": ")

    assert article.promises(type, message) is promised
    assert article.shares_subject(type, message) is same_subject


def test_articles_come_sorted(articles: list[Article]):
    """Every folder is found, in the order of their slugs."""
    assert [article.slug for article in articles] == SLUGS


def test_what_an_article_promises_has_a_family(articles: list[Article]):
    """The catalogue knows every error that a broken.py ends with: an answer compares families."""
    promised = [a.expected_error for a in articles if a.expected_error is not None]

    assert all(family_of(error.type, error.message) for error in promised), [
        error for error in promised if family_of(error.type, error.message) is None
    ]


def test_an_error_article_knows_its_signature(articles: list[Article]):
    """The signature is broken.py's error without its particulars; silent mistakes have none."""
    by_slug = {article.slug: article for article in articles}

    assert by_slug[RAISES].signature == "ValueError: can't optimize a non-leaf Tensor"
    assert by_slug[SILENT].signature is None
    assert by_slug[SILENT].signatures  # messages of the same mistake elsewhere


def test_an_article_may_answer_what_no_run_here_raises():
    """It is about the errors it lists; its own program's error, or assert, only shows them."""
    by_error = load_article(folder_of("device-side-assert"))
    by_assert = load_article(folder_of("distributed-run-hangs"))

    assert by_error.expected_error is not None and by_error.families == {"cuda_assert"}
    assert by_assert.expected_error is None and by_assert.families == {"nccl"}
    assert not by_error.is_silent and not by_assert.is_silent
    assert by_assert.says_of("RuntimeError", "NCCL error in: ProcessGroupNCCL.cpp:492") == ""


def test_an_article_that_answers_its_signatures_has_some(copy):
    """Otherwise it would answer nothing."""
    folder = copy("layers-in-a-plain-list")
    change(folder / "explanation.md", "sources:\n", "answers: signatures\nsources:\n")

    with pytest.raises(ArticleError, match=r"md:4: `answers: signatures` needs a list"):
        load_article(folder)


def test_codemod_is_found_by_looking(copy):
    """A codemod.py in the folder is the article's codemod; nothing has to list it."""
    folder = copy()
    (folder / "codemod.py").unlink(missing_ok=True)
    assert load_article(folder).codemod is None

    (folder / "codemod.py").write_text("")
    assert load_article(folder).codemod == folder / "codemod.py"


DEFECTS = [
    ("explanation.md", "title:", "titel:", r"explanation\.md:2: `titel` is no field"),
    ("explanation.md", 'torch: "2.13.0"\n', "", r"explanation\.md:1: write `torch: …`"),
    ("explanation.md", "  - https://", "  - ftp://", r"explanation\.md:4: `ftp:.*` is no address"),
    ("explanation.md", "sources:\n", "sources: none\nsignatures:\n", r"explanation\.md:"),
    ("explanation.md", "sources:\n", "needs: a GPU\nsources:\n", r"md:4: `needs` can only be cuda"),
    (
        "explanation.md",
        "sources:\n",
        "answers: all\nsources:\n",
        r"md:4: `answers` can only be sig",
    ),
    ("explanation.md", "  1: {family", "  9: {family", r"md:\d+: `Why` has no paragraph 9"),
    ("explanation.md", "  1: {family: non_leaf_parameter}", "  1: {}", r"what has to hold for 1"),
    (
        "explanation.md",
        "  1: {family: non_leaf",
        "  1: {family: (",
        r"`family: \(.*` is no pattern",
    ),
    ("explanation.md", "why_if:\n", "why_if:\n  x: 1\n", r"`Why` has no paragraph x; count"),
    ("explanation.md", "\n---\n", "\n", r"explanation\.md:1: .*never closed"),
    ("explanation.md", "## Why", "## Because", r"explanation\.md:\d+: expected .*`## Why`"),
    ("explanation.md", "## What you see", "Hm.\n## What you see", r"md:\d+: text before"),
    ("explanation.md", "## If that was not it", "## More", r"expected .*`## If that was not it`"),
    ("broken.py", "# error: ValueError", "# error: no type here", r"broken\.py:6: write `# error:"),
    ("broken.py", "  # error:", "  # mistake:", r"broken\.py:\d+: no line ends in"),
    ("broken.py", "import torch\n", "import torch  # error: E: x\n", r"broken\.py:6: a second"),
    ("fixed.py", "import torch\n", "import torch  # error: E: x\n", r"fixed\.py:1: .*cannot"),
    ("fixed.py", "import torch\n", "import\n", r"fixed\.py:1: no Python"),
]


@pytest.mark.parametrize(("file", "old", "new", "message"), DEFECTS)
def test_a_defect_is_named_by_file_and_line(copy, file: str, old: str, new: str, message: str):
    """Whoever writes an article is told where to look."""
    folder = copy()
    change(folder / file, old, new)

    with pytest.raises(ArticleError, match=message):
        load_article(folder)


def test_a_missing_file_is_named(copy):
    """A folder without fixed.py proves nothing."""
    folder = copy()
    (folder / "fixed.py").unlink()

    with pytest.raises(ArticleError, match=r"fixed\.py:1: the file is missing"):
        load_article(folder)


def test_a_silent_mistake_needs_the_same_assert_in_both(copy):
    """Otherwise fixed.py would not show that the mistake is gone."""
    folder = copy(SILENT)
    change(folder / "fixed.py", "assert not", "assert")

    with pytest.raises(ArticleError, match=r"fixed\.py:\d+: must end in the same assert"):
        load_article(folder)


def test_a_marker_inside_a_string_is_no_marker(copy):
    """Only a comment promises an error."""
    folder = copy()
    change(folder / "broken.py", "import torch\n", 'import torch\nx = "# error: E: x"\n')

    expected = load_article(folder).expected_error

    assert expected is not None
    assert (expected.type, expected.line) == ("ValueError", 7)


def test_a_new_article_says_what_is_still_to_write(tmp_path: Path):
    """The skeleton is no article yet, and loading it names the first gap."""
    folder = new_article(tmp_path, "loss-broadcasts")

    with pytest.raises(ArticleError, match=r"explanation\.md:2: `title` is still empty"):
        load_article(folder)
    with pytest.raises(ArticleError, match="already there"):
        new_article(tmp_path, "loss-broadcasts")


def test_a_filled_skeleton_is_an_article(tmp_path: Path):
    """Writing where the skeleton says is enough."""
    folder = new_article(tmp_path, "loss-broadcasts")
    explanation = folder / "explanation.md"
    text = explanation.read_text(encoding="utf-8").replace("  - …", "  - https://pytorch.org")
    explanation.write_text(text.replace("…", "Text."), encoding="utf-8")

    article = load_articles(tmp_path)[0]

    assert article.slug == "loss-broadcasts"
    assert article.expected_error is not None
    assert article.expected_error.matches(
        "RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"
    )


@pytest.mark.parametrize("name", ["view-not-safe", "view_not_safe"])
def test_a_folders_name_may_have_hyphens_or_underscores(copy, tmp_path: Path, name: str):
    """The slug, an article's public name, has hyphens either way."""
    copy().rename(tmp_path / name)

    (article,) = load_articles(tmp_path)

    assert article.slug == "view-not-safe"
    assert article.folder == folder_of("view-not-safe", tmp_path) == tmp_path / name
    with pytest.raises(ArticleError, match="already there"):
        new_article(tmp_path, "view-not-safe")


def test_a_new_folder_can_be_imported_from(tmp_path: Path):
    """Its name gets underscores, whichever form the author typed."""
    assert new_article(tmp_path, "loss-is-nan") == tmp_path / "loss_is_nan"
    assert new_article(tmp_path, "loss_is_inf") == tmp_path / "loss_is_inf"


def test_one_slug_is_one_article(copy, tmp_path: Path):
    """Two folders that differ only by hyphens and underscores are named."""
    shutil.copytree(copy().rename(tmp_path / "view-not-safe"), tmp_path / "view_not_safe")

    with pytest.raises(ArticleError, match="is the same article as"):
        load_articles(tmp_path)


@pytest.mark.parametrize("slug", ["", "Big", "a--b", "-a", "a__b", "a-_b", "../a", "a/b", "x" * 81])
def test_a_slug_is_a_plain_name(tmp_path: Path, slug: str):
    """A slug becomes a folder and an address, so it cannot climb out or need quoting."""
    with pytest.raises(ArticleError, match="no name for an article"):
        new_article(tmp_path, slug)

    assert list(tmp_path.iterdir()) == []


@given(explanation=st.text(max_size=300), broken=st.text(max_size=200))
def test_any_folder_is_an_article_or_a_clear_error(
    explanation: str, broken: str, tmp_path_factory: pytest.TempPathFactory
):
    """Whatever stands in the files, only ArticleError comes out."""
    folder = tmp_path_factory.getbasetemp() / "any-folder"
    folder.mkdir(exist_ok=True)
    (folder / "explanation.md").write_bytes(explanation.encode("utf-8", "surrogatepass"))
    (folder / "broken.py").write_bytes(broken.encode("utf-8", "surrogatepass"))
    (folder / "fixed.py").write_bytes(broken.encode("utf-8", "surrogatepass"))

    with pytest.raises(ArticleError):
        load_article(folder)
