"""The docs lead to what is there: every page is found, every link and every named path exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("bot", "knowledge", "executor", "benchmarks", "tests", "docs", "examples", "ops",
           "scripts", ".ci")  # fmt: skip
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
RESULTS = tuple(sorted((ROOT / "benchmarks" / "results").glob("*.md")))  # name paths of their day

LINK = re.compile(r"\]\((?!https?:|#)([^)\s#]+)(?:#[^)]*)?\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
IN_A_COMMAND = re.compile(
    rf"(?<![\w/.:-])(?:{'|'.join(map(re.escape, FOLDERS))})/[\w./-]*[\w/]"
)  # also in prose
QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?:\.ci|[\w-][\w.-]*)(?:/[\w.-]+)*/?")
FILE = re.compile(r"[\w-]+\.(?:py|md|ya?ml|json|toml|txt|tsv|jsonl)")
PAGE_IN_CODE = re.compile(r"(?<![\w/])docs/[\w-]+\.md")

# Files that are named and are no files of ours.
ELSEWHERE = {
    "audit.json": "written by an audit",
    "audit/runs.jsonl": "written by an audit, in the state folder",
    "ledger.json": "written by ingestion, in the state folder",
    "native_functions.yaml": "comes with PyTorch",
}


def page(path: Path) -> str:
    """`docs/fixes.md`."""
    return path.relative_to(ROOT).as_posix()


def links(text: str) -> list[str]:
    """The targets of a page's links that lead to files."""
    return LINK.findall(text)


def named_paths(text: str) -> Iterator[str]:
    """What a page names as a file or a folder: in backticks, and ours in commands and prose too."""
    yield from IN_A_COMMAND.findall(text)
    for quoted in QUOTED.findall(FENCE.sub("", text)):
        if PATH.fullmatch(quoted) and (
            quoted.split("/")[0] in FOLDERS or FILE.fullmatch(quoted.split("/")[-1])
        ):
            yield quoted


@cache
def file_names() -> frozenset[str]:
    """The names of all files that are ours, wherever they are."""
    inside = (file.name for folder in FOLDERS for file in (ROOT / folder).rglob("*"))
    return frozenset(inside) | {file.name for file in ROOT.iterdir()}


def is_there(named: str) -> bool:
    """Whether a path exists; of a bare name, whether any file has it."""
    return (ROOT / named).exists() or ("/" not in named and named in file_names())


def test_every_page_is_linked_from_the_readme():
    """Whoever adds a page says in the README who reads it."""
    linked = set(links((ROOT / "README.md").read_text(encoding="utf-8")))

    assert not {page(path) for path in PAGES[1:]} - linked


def test_every_result_is_listed():
    """benchmarks/results/README.md says what each file measures."""
    folder = ROOT / "benchmarks" / "results"
    listed = set(links((folder / "README.md").read_text(encoding="utf-8")))

    assert listed == {file.name for file in folder.iterdir()} - {"README.md"}


@pytest.mark.parametrize("path", [*PAGES, *RESULTS], ids=page)
def test_every_link_leads_to_a_file(path: Path):
    """Links are relative to the page they stand in."""
    text = path.read_text(encoding="utf-8")

    assert not [target for target in links(text) if not (path.parent / target).exists()]


@pytest.mark.parametrize("path", PAGES, ids=page)
def test_every_named_path_exists(path: Path):
    """Paths are named from the repository's top."""
    named = set(named_paths(path.read_text(encoding="utf-8"))) - set(ELSEWHERE)

    assert not [each for each in sorted(named) if not is_there(each)]


def test_code_and_settings_name_pages_that_exist():
    """A message that sends an operator to a page sends them to one that is there."""
    folders = set(FOLDERS) - {"tests"}  # which name pages that they make themselves
    files = [file for folder in sorted(folders) for file in (ROOT / folder).rglob("*.py")]
    for file in [*files, *ROOT.glob("*.y*ml")]:
        for named in PAGE_IN_CODE.findall(file.read_text(encoding="utf-8")):
            assert (ROOT / named).exists(), f"{page(file)} names {named}"


def test_the_glossary_explains_each_word_once():
    """One word for one thing, with the module that owns it."""
    glossary = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Glossary")[1]
    words = re.findall(r"^\| (?!word |---)([^|]+) \| [^|]+ \| [^|]*\|$", glossary, re.MULTILINE)

    assert len(words) > 40
    assert len(words) == len({word.lower() for word in words})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`bot/nowhere.py`", {"bot/nowhere.py"}),
        ("`executor/jail/`", {"executor/jail/"}),
        ("see docs/gone.md.", {"docs/gone.md"}),
        ("`pytest tests/gone.py -k killed`", {"tests/gone.py"}),
        ("```sh\ncat executor/gone.yaml `gone.py`\n```", {"executor/gone.yaml"}),
        ("`verify.py` and `.ci/run`", {"verify.py", ".ci/run"}),
        ("`audit/gone.md`", {"audit/gone.md"}),
        ("`.py`, `x/y`, `/proc/self`, `torchmedic ask`, `a.b.c`, `q@2x.json`", set()),
        ("https://example.org/docs/a.md, our-docs/a.md, /usr/bot/x", set()),
    ],
)
def test_what_is_taken_for_a_path(text: str, found: set[str]):
    """Folders of ours and names of files; not suffixes, addresses or other people's folders."""
    assert set(named_paths(text)) == found


def test_a_dead_link_is_seen():
    """Addresses and places in the same page are not looked at."""
    text = "[a](docs/a.md) [b](b.md#part) [c](https://example.org/c) [d](#part)"

    assert links(text) == ["docs/a.md", "b.md"]
