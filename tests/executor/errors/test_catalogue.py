"""executor/errors/: every family is raised by its sample on the installed torch, and read back."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from executor.errors import ErrorFamily, SeenError, all_families, families_of, family_of, prepare
from executor.errors.family import MAX_CHARS
from tests.executor.conftest import House
from tests.rows import some

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "errors.md"
FAMILIES = {family.id: family for family in all_families()}
RAISED_HERE = [f.id for f in all_families() if f.sample and f.device == "cpu"]
RAISED_ON_CUDA = [f.id for f in all_families() if f.sample and f.device == "cuda"]

# Runs programs, each in a module of its own, and prints what each raised.
RUN_ALL = """
import contextlib, io, json, sys, warnings
warnings.simplefilter("ignore")
raised = {}
for name, program in json.load(sys.stdin).items():
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(program, name, "exec"), {"__name__": "__main__"})
    except BaseException as error:
        raised[name] = (type(error).__name__, str(error))
print(json.dumps(raised))
"""


@cache
def raised() -> dict[str, tuple[str, str]]:
    """What each sample raises: id → type and message. One process runs them all."""
    programs = json.dumps({name: FAMILIES[name].program for name in RAISED_HERE})
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL], input=programs, text=True, capture_output=True, check=True
    )
    return {name: (error[0], error[1]) for name, error in json.loads(done.stdout).items()}


def split(example: str) -> tuple[str, str]:
    """An example's type and message."""
    type_, _, message = example.partition(": ")
    return type_, message


def assert_alone(found: tuple[SeenError, ...], message: str) -> None:
    """No two families of one breadth claim the message: then their order would be chance."""
    breadths = [FAMILIES[seen.id].breadth for seen in found]
    assert len(set(breadths)) == len(breadths), (message, [seen.id for seen in found])


@pytest.mark.parametrize("name", RAISED_HERE)
def test_a_sample_raises_its_family_on_the_installed_torch(name: str):
    """An upgrade of torch that words an error anew fails here, under the family's id."""
    assert name in raised(), f"the sample of {name} raises nothing: it may have come to work"
    type_, message = raised()[name]
    found = families_of(type_, message)

    assert found and found[0].id == name, (type_, message, [seen.id for seen in found])
    assert type_ in FAMILIES[name].types
    assert_alone(found, message)


def test_the_simulated_device_raises_the_families_of_a_gpu(any_house: House):
    """What needs CUDA is raised by the simulated device, in PyTorch's words."""
    for name in RAISED_ON_CUDA:
        result = any_house.run(FAMILIES[name].program, simulate="cuda")
        assert result.error is not None, name

        assert result.error.family == name, result.error.message
        assert result.error.type in FAMILIES[name].types


@pytest.mark.parametrize(
    ("name", "example"), [(f.id, e) for f in all_families() for e in f.examples]
)
def test_an_example_of_an_older_wording_is_read_as_its_family(name: str, example: str):
    """A pasted traceback of torch 0.4 is of the same family as today's error."""
    type_, message = split(example)
    found = families_of(type_, message)

    assert found and found[0].id == name, [seen.id for seen in found]
    assert_alone(found, message)


@pytest.mark.parametrize("family", all_families(), ids=lambda f: f.id)
def test_a_family_is_whole(family: ErrorFamily):
    """It has a plain id, one sentence, a sample or the reason why not, and explained values."""
    groups: set[str] = set()
    for pattern in (*family.today, *family.older, *family.details):
        groups |= set(re.compile(pattern).groupindex)

    assert re.fullmatch(r"[a-z][a-z0-9_]+", family.id)
    assert family.says.endswith(".") and "\n" not in family.says
    assert family.types
    assert groups == set(family.values), groups ^ set(family.values)
    assert bool(family.sample) != bool(family.needs), "a sample, or what it would need"
    assert family.sample or family.examples


def test_ids_are_given_once():
    """An id is a name for good: no two families share one."""
    ids = [family.id for family in all_families()]

    assert sorted(ids) == sorted(set(ids))


def test_broad_families_have_an_order_of_their_own():
    """Two families that gather what others leave would claim one message sooner or later."""
    breadths = [f.breadth for f in all_families() if f.breadth]

    assert sorted(breadths) == sorted(set(breadths))


def test_the_values_of_a_message_are_named():
    """What a message's numbers mean is said by name, in today's wording and in an older one."""
    today = family_of(
        "RuntimeError", "mat1 and mat2 shapes cannot be multiplied (64x400 and 800x10)"
    )
    older = family_of("RuntimeError", "size mismatch, m1: [64 x 400], m2: [800 x 10] at THT.c:2")

    assert today is not None and older is not None
    assert today == older
    assert (today["inner_left"], today.number("inner_right")) == ("400", 800)
    assert today["no such value"] == ""


def test_sizes_are_read_out_of_a_value():
    """A list of sizes is read as numbers however the wording writes it."""
    seen = family_of(
        "RuntimeError",
        "stack expects each tensor to be equal size, but got [4] at entry 0 and [2, 3] at entry 1",
    )

    assert seen is not None
    assert (seen.sizes("first"), seen.sizes("other")) == ((4,), (2, 3))


@pytest.mark.parametrize(
    ("type_", "message", "family"),
    [
        ("KeyError", "'weight'", "key_missing"),  # any KeyError
        ("ValueError", "'weight'", None),  # the wording alone says nothing
        ("", "'weight'", None),  # of a pasted message the type may be missing
        ("KeyError", "tensor(1)", "tensor_as_key"),  # the narrower one
        ("torch.nn.ModuleError", "'weight'", None),
        ("builtins.KeyError", "'weight'", "key_missing"),  # as a traceback may write it
        ("RuntimeError", "nothing that is known", None),
        ("RuntimeError", "", None),
    ],
)
def test_the_type_counts_where_the_wording_does_not_tell(
    type_: str, message: str, family: str | None
):
    """A family with a telling message asks for no type; `typed` ones do."""
    seen = family_of(type_, message)

    assert (seen.id if seen else None) == family


def hostile() -> list[tuple[str, str]]:
    """Messages made to be costly: what patterns look for, again and again, and never to an end."""
    pieces = ["(", "[", "'", "1", "1, ", " ", "x", "\n", ".", "a.", "torch.Size([1, ", "got ("]
    texts = [piece * (40_000 // len(piece)) for piece in pieces]
    for family in all_families():
        for example in (*family.examples, raised().get(family.id, ("", ""))[1]):
            if example:
                half = example[: len(example) // 2]
                texts.append(half * (MAX_CHARS // len(half) + 1))
    return [("RuntimeError", text) for text in texts]


def reading_s(type_: str, message: str) -> float:
    """The processor time that it takes to read a message."""
    began = time.process_time()
    families_of(type_, message)
    return time.process_time() - began


@pytest.mark.parametrize("part", some([(slice(n, None, 8),) for n in range(8)], 8))
def test_a_hostile_message_costs_no_more_than_a_long_one(part: slice):
    """Reading takes time in proportion to the message, of which only a beginning is read."""
    prepare()
    plain = [
        (f"{word} {part.start} " * MAX_CHARS)[:MAX_CHARS]
        for word in ("word", "size", "tensor", "expected")
    ]
    usual_s = max(reading_s("RuntimeError", message) for message in plain)

    for type_, message in hostile()[part]:
        assert reading_s(type_, message) < 40 * usual_s, message[:200]


def test_the_docs_list_every_family():
    """docs/errors.md is what `python -m executor.errors` prints."""
    printed = subprocess.run(
        [sys.executable, "-m", "executor.errors"], text=True, capture_output=True, check=True
    ).stdout

    assert PAGE.read_text() == printed, "run: python -m executor.errors > docs/errors.md"


# They say such words themselves: they raise PyTorch's errors, read Python's traceback, take the
# particulars out of any message, or read what people write of errors.
SPEAKERS = (
    "knowledge/reference/asked.py",
    "executor/errors/",
    "executor/inside/simulated/",
    "executor/inside/probes/inplace/",
    # What Python says of text that it cannot read, and what PyTorch warns of: no run's errors.
    "executor/inside/readable.py",
    "executor/inside/probes/training/told.py",
    "executor/inside/probes/training/rates.py",
    "bot/messages/traceback_text.py",
    "bot/service/manners.py",
    "knowledge/signature.py",
    "knowledge/audit/",
)
# Plain English that stands in a message too, or a value that a family has read out of one.
ORDINARY = {
    "at least", "does not", "expected to", "supposed to", "no longer", "instead of", "not match",
    "must match", "but got", "list of 1", "at least one", "the output of", "Could not run",
    "it is", "at most", "only one", "the same", "number of", "list of", "rest of", "would like",
    "documentation of", "has been", "too many", "tuple of Tensors", "not recommended",
}  # fmt: skip
READERS = {"compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "split",
           "startswith", "endswith", "find", "index", "count", "partition", "rpartition",
           "removeprefix", "removesuffix"}  # fmt: skip
SPECIAL = re.compile(r"\\[a-zA-Z.]|\(\?|[.\]][*+?]|\w\|\w")  # what only a pattern has


def strings(node: ast.AST) -> Iterator[ast.Constant]:
    """The string constants in a piece of code."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part


def called(node: ast.AST) -> ast.AST | None:
    """What is called, if this is a call."""
    return node.func if isinstance(node, ast.Call) else None


def spelt(code: str, messages: str) -> list[str]:
    """Phrases of messages that a module looks for: two words where it reads, three anywhere."""
    tree = ast.parse(code)
    aside = {id(part) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for part in n.values}
    read: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            aside |= {id(part) for part in strings(node.body[0])} if is_docstring(node) else set()
        elif isinstance(node, ast.Compare) or getattr(called(node), "attr", "") in READERS:
            read |= {id(part) for part in strings(node)}
    found = []
    for text in strings(tree):
        fewest = 2 if id(text) in read or SPECIAL.search(text.value) else 3
        for piece in re.split(r"[|()\[\]{}*+?^$\n]|\\[a-zA-Z]", text.value):
            phrase = piece.replace("\\", "").strip(" .,:;'`\"")
            words = re.findall(r"[A-Za-z']{2,}", phrase) if " " in phrase else []
            if id(text) not in aside and len(words) >= fewest and phrase in messages:
                found.append(phrase)
    return [phrase for phrase in found if phrase not in ORDINARY]


def is_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it begins with one."""
    return ast.get_docstring(node) is not None


def all_messages() -> str:
    """What every family's sample raises, and its examples."""
    examples = [e for f in all_families() for e in f.examples]
    return "\n".join([m for _, m in raised().values()] + examples)


def test_no_other_module_spells_a_message():
    """Whoever wants to know what an error is asks for its family: the wording stands here alone."""
    messages = all_messages()
    for folder in ("bot", "knowledge", "executor"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if name.startswith(SPEAKERS) or path.name in ("broken.py", "fixed.py"):
                continue
            assert not spelt(path.read_text(), messages), name


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("if 'same device' in message: pass", ["same device"]),
        ("found = re.search(r'grad_fn of|same device', message)", ["same device"]),
        ("named = message.startswith('mat1 and mat2')", ["mat1 and mat2"]),
        ("PATTERNS = (r'index (\\d+) is out of bounds', r'x')", ["is out of bounds"]),
        ("WORDS = ('cannot be multiplied', 'x')", ["cannot be multiplied"]),
        ("title = 'same device'", []),  # it is only said
        ("told = f'{a} and {b} cannot be multiplied'", []),
        ("def f():\n    'Shapes cannot be multiplied.'", []),
        ("if 'inner_left' in values: pass", []),
        ("if 'the weather is fine' in message: pass", []),
    ],
)
def test_a_message_that_is_spelt_elsewhere_is_seen(code: str, found: list[str]):
    """Two words are enough where a text is read; docstrings and what is told are none."""
    assert spelt(code, all_messages()) == found


def test_a_run_reports_the_family_of_its_errors(any_house: House):
    """Of the one that ended it, and of those it caught; empty where the catalogue knows none."""
    result = any_house.run("""
        import torch
        try:
            torch.ones(2, 3) @ torch.ones(4, 5)
        except RuntimeError:
            pass
        try:
            raise RuntimeError("of my own")
        except RuntimeError:
            pass
        torch.ones(3).sum().backward()
    """)

    assert result.error is not None
    assert result.error.family == "no_graph"
    assert [c.family for c in result.caught] == ["matmul_shapes", ""]
