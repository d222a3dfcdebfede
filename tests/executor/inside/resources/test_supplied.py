"""What is said of a run with placeholders for data: rules, without a run."""

from __future__ import annotations

import ast
import io

import pytest
import torch
from torch.utils.data import BatchSampler

from executor.inside.probes import kinds
from executor.inside.probes.exceptions import describe
from executor.inside.probes.source import SnippetSource
from executor.inside.resources import loaders
from executor.inside.resources.supplied import Supplied
from executor.protocol import ErrorSeen, Finding
from tests.executor.conftest import House

SNIPPET = "/work/snippet.py"


def supplied(*, exact: bool, rank_known: bool = True) -> Supplied:
    """A run that was given one resource."""
    made = Supplied(SNIPPET, ast.parse(""))
    made.add("a", "data", "it stands in", exact=exact, rank_known=rank_known)
    return made


@pytest.mark.parametrize(
    ("kind", "exact", "rank_known", "counts"),
    [
        ("loss_not_finite", True, True, False),
        ("zero_gradient", True, True, False),
        ("targets_out_of_reach", True, True, True),
        ("targets_out_of_reach", False, True, False),
        ("loss_broadcasts", True, True, True),
        ("loss_broadcasts", False, True, True),
        ("loss_broadcasts", False, False, False),
        ("no_gradient", False, False, True),
        ("softmax_before_cross_entropy", False, False, True),
    ],
)
def test_a_finding_counts_where_the_data_cannot_decide_it(
    kind: str, exact: bool, rank_known: bool, counts: bool
) -> None:
    """Values never count, sizes where they are the real ones, ranks where they are sure."""
    finding = Finding(kind=kind, line=1, name="w", message="")
    assert supplied(exact=exact, rank_known=rank_known).counts(finding) is counts


def test_every_kind_that_hangs_on_data_is_a_kind() -> None:
    """A kind that is renamed is renamed there too."""
    assert set(kinds.KINDS).issuperset(kinds.OF_VALUES | kinds.OF_SIZES | kinds.OF_RANKS)


def _raised(code: str, filename: str = SNIPPET) -> tuple[BaseException, ErrorSeen]:
    try:
        exec(compile(code, filename, "exec"), {})
    except BaseException as error:
        return error, ErrorSeen(type=type(error).__name__, message=str(error), line=1)
    raise AssertionError("it raises nothing")


@pytest.mark.parametrize(
    ("code", "shortened", "at_fault"),
    [
        ("assert 0.5 > 0.9", False, "a"),
        ("losses = []\nlosses[-1]", True, "a"),
        ("losses = []\nlosses[-1]", False, ""),
        ("1 / 0", True, "a"),
        ("None.backward()", True, ""),
        ("import torch\ntorch.ones(2) @ torch.ones(3)", True, ""),
    ],
)
def test_an_error_of_values_or_counts_is_no_mistake(
    code: str, shortened: bool, at_fault: str
) -> None:
    """An assertion tests values; what a list lacks may be the batches that were left out."""
    made = supplied(exact=True)
    made.shortened = shortened
    assert made.at_fault(*_raised(code)) == at_fault


@pytest.mark.parametrize(
    ("code", "kind", "at_fault"),
    [
        ("import torch\ntorch.utils.data.DataLoader([], shuffle=True)", "folder", "a"),
        ("import torch\ntorch.utils.data.DataLoader([], shuffle=True)", "file", ""),
        ("[][0]", "folder", "a"),
        ("[][0]", "file", ""),
        ("None.backward()", "folder", ""),
        ("class Absent(dict): pass\nAbsent().shape", "checkpoint", "a"),
        ("class Absent(dict): pass\nAbsent() + 1", "checkpoint", "a"),
        ("{}.shape", "checkpoint", ""),
    ],
)
def test_what_something_made_up_holds_is_no_mistake(code: str, kind: str, at_fault: str) -> None:
    """A filter leaves none of its files, and at home some; a checkpoint may hold anything."""
    made = Supplied(SNIPPET, ast.parse(""))
    made.add("a", kind, "it stands in", exact=False)
    assert made.at_fault(*_raised(code)) == at_fault


def test_batches_that_were_left_out_are_told() -> None:
    """A loss that is kept at each step is kept four times here, and a thousand times at home."""
    made = supplied(exact=True)
    told = made.assumptions
    made.shortened = True

    assert set(made.assumptions) - set(told) == {
        "of each epoch over them only the first batches and the last one are run"
    }


@pytest.mark.parametrize(
    ("trains", "batch", "samples", "given"),
    [
        (True, 64, 1000, [64, 64, 64, 40]),
        (False, 64, 1000, [64, 64, 64, 40]),  # a smaller one trips programs
        (True, 1000, 10000, [1000, 1000]),
        (False, 1000, 10000, [1000]),  # the last one shows nothing new
        (True, 1000, 1000, [1000]),
    ],
)
def test_an_epoch_is_its_first_batches_and_its_last(
    trains: bool, batch: int, samples: int, given: list[int]
) -> None:
    """Of batches that are as large as the first, the last is taken only for its step."""
    rows = iter(BatchSampler(range(samples), batch, drop_last=False))
    with torch.set_grad_enabled(trains):
        sizes = [len(found) for found in loaders.ends(rows, supplied(exact=True))]
    assert sizes == given


def test_many_files_are_told_in_few_sentences() -> None:
    """The first few by name, the others as a number; data and weights always by name."""
    made = Supplied(SNIPPET, ast.parse(""))
    for n in range(9):
        made.add(f"{n}.png", "file", "an image stands in", exact=False)
    made.add("MNIST", "data", "it stands in", exact=True)
    assert [p.name for p in made.placeholders] == [*(f"{n}.png" for n in range(6)), "MNIST"]
    assert made.assumptions[-1] == "3 other files and folders are not here either"
    assert not made.exact


@pytest.mark.parametrize(
    ("code", "types_known", "at_fault"),
    [
        ("''.to", False, "a"),
        ("{}['b']", False, "a"),
        ("1 + ''", False, "a"),
        ("1 / 0", False, ""),
        ("''.to", True, ""),
    ],
)
def test_an_error_of_types_says_nothing_where_types_are_guessed(
    code: str, types_known: bool, at_fault: str
) -> None:
    """The real thing may hold tensors where ours holds images."""
    made = Supplied(SNIPPET, ast.parse(""))
    made.add("a", "data", "it stands in", exact=False, types_known=types_known)
    assert made.at_fault(*_raised(code)) == at_fault


@pytest.mark.parametrize(
    ("code", "misread"),
    [
        ("f = open('a.txt')\nfor row in f:\n    row.split(',')[3]", "a.txt"),
        ("def read(f):\n    return f.read().split()\nrows = read(open('a.txt'))\nrows[9]", "a.txt"),
        ("def read(p):\n    return open(p).read()\nfloat(read('a.txt'))", "a.txt"),
        ("f = open('a.txt')\n[][0]", ""),  # it takes nothing of the file
        ("f = open('a.txt')\nf.shape", ""),  # lines are text in any file
    ],
)
def test_lines_of_an_unknown_layout_are_blamed_for_what_is_taken_of_them(
    code: str, misread: str
) -> None:
    """What a split of a made-up line lacks says nothing of the real one."""
    made = Supplied(SNIPPET, ast.parse(code))

    def opened(path: str) -> io.StringIO:
        made.free_text(path)
        return io.StringIO("one two three\n")

    source = SnippetSource(code, SNIPPET)
    try:
        exec(compile(code, SNIPPET, "exec"), {"open": opened})
    except Exception as error:
        assert made.misread(error, describe(error, source)) == misread


def test_an_iterator_keeps_the_name_that_its_workers_give_it(house: House) -> None:
    """A loader over placeholders has no workers here; the class in an error is that of theirs."""
    seen = {}
    for workers in (0, 2):
        code = (
            "import torchvision\nfrom torch.utils.data import DataLoader\n"
            "data = torchvision.datasets.MNIST('.', download=True)\n"
            f"it = iter(DataLoader(data, collate_fn=list, num_workers={workers}))\n"
            "print(len(next(it)), len(list(it)) > 0)\nit.next()\n"
        )
        result = house.run(code, stand_ins=True)
        assert result.error is not None, result
        seen[workers] = result.error.message.split("'")[1], result.stdout
    assert seen[0] == ("_SingleProcessDataLoaderIter", "1 True\n")
    assert seen[2] == ("_MultiProcessingDataLoaderIter", "1 True\n")
