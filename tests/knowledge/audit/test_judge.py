"""What a run says of a claim, and when it says nothing: real runs of the smallest programs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.commands.audit import AsAnAnswer
from executor.service.client import ExecutorClient
from knowledge.audit.block_runner import BlockRunner
from knowledge.audit.judge import verdict
from knowledge.audit.model import ANY, BlockRun, Claim, ClaimKind, Raised
from knowledge.documents.verdict import Verdict

HOLDS, REFUTED, PARTLY = Verdict.HOLDS, Verdict.REFUTED, Verdict.PARTLY
CANNOT, NONE = Verdict.CANNOT_RUN, Verdict.NO_CLAIM


_RUNS: dict[str, BlockRun] = {}


async def _kept(key: str, make: Any) -> BlockRun:
    """A program of these tables is run once."""
    if key not in _RUNS:
        _RUNS[key] = await make()
    return _RUNS[key]


@pytest.fixture
def run(executor: ExecutorClient) -> Any:
    """Runs a block as an audit does."""
    runner = BlockRunner(AsAnAnswer(executor, has_gpu=False), 10, _kept)

    async def ran(code: str, **changed: Any) -> BlockRun:
        return (await runner.run(code, [])).model_copy(update=changed)

    return ran


def raises(type: str = "", line: int | None = None, end: int | None = None, **more: Any) -> Claim:
    """A claim that it raises; its words name an error, unless `text` says otherwise."""
    told = {"kind": ClaimKind.ERROR, "text": "This fails.", "type": type, "line": line}
    return Claim.model_validate(told | {"end_line": end or line} | more)


def works(line: int | None = None, end: int | None = None) -> Claim:
    """A claim that it runs."""
    return Claim(kind=ClaimKind.RUNS, text="It works.", line=line, end_line=end or line)


def prints(value: str, line: int | None = None, end: int | None = None, **more: Any) -> Claim:
    """A claim about what is printed."""
    told = {"kind": ClaimKind.PRINTS, "text": f"Output: {value}", "printed": value, "line": line}
    return Claim.model_validate(told | {"end_line": end or line} | more)


def shape(name: str, *sizes: int, line: int | None = None, pointed: bool = True) -> Claim:
    """A claim about a tensor's shape."""
    return Claim(
        kind=ClaimKind.SHAPE, text="…", name=name, shape=sizes, line=line, end_line=line,
        pointed=pointed,
    )  # fmt: skip


INDEX = "x = [1]\nx[2]\n"
CAUGHT = "x = [1]\ntry:\n    x[2]\nexcept IndexError as e:\n    print(e)\n"
OTHER = "x = [1]\ntry:\n    x['a']\nexcept IndexError as e:\n    print(e)\n"
FINE = "x = [1]\ntry:\n    x[0]\nexcept IndexError as e:\n    print(e)\n"
BROAD = FINE.replace("IndexError", "Exception")
BY_HAND = "x = [1]\nraise ValueError('too many rows of it')\n"
UNCALLED = "def f(x):\n    return x[9]\ny = 1\n"
BRANCH = "n = 0\nif n:\n    y = n + 1\nz = 2\n"
GUARDED = "n = 0\nif n:\n    raise ValueError(n)\nfor i in []:\n    print(i)\n"
LOUD = FINE.replace("x[0]", "print(x[0])").replace("print(e)", "y = 2")
SIZES = "import torch\ntorch.ones(2).view(3)\n"
TENSORS = "import torch\nx = torch.ones(2, 3)\ny, z = x.T, x.sum()\nx = x[0]\nw = z[None]\n"
TOLD = "print('Error: too many rows of it')\n"
INVALID = "It fails: shape [{}] is invalid for input of size {}."
WRONG = "Incorrect rows"  # called wrong, and no word of an error

UNSPOKEN = raises(line=3, text=WRONG, pointed=False)


@pytest.mark.parametrize(
    ("code", "claim", "word"),
    [
        # The type, the message and the line that are named are the ones that came.
        (INDEX, raises("IndexError"), HOLDS),
        (INDEX, raises("IndexError", line=2), HOLDS),
        (INDEX, raises("LookupError"), HOLDS),
        (INDEX, raises(message="list index out of range"), HOLDS),
        (INDEX, raises("KeyError"), PARTLY),
        # Of the class that is named it may be the one: nothing is decided.
        (INDEX, raises("IndexError", message="no such row in the table"), CANNOT),
        (INDEX, raises(), HOLDS),
        (CAUGHT, raises("IndexError"), HOLDS),
        (CAUGHT, raises(line=3), HOLDS),
        (FINE, raises("IndexError"), REFUTED),
        # Who catches a class expects that one.
        (OTHER, raises(line=3), PARTLY),
        (OTHER, raises(line=2, end=5), PARTLY),
        (BY_HAND, raises("ValueError"), HOLDS),
        (BY_HAND, raises(message="too many rows of it"), HOLDS),
        (BY_HAND, raises(), HOLDS),
        # A line that was never carried out raised nothing.
        (UNCALLED, raises("IndexError", line=2), CANNOT),
        (UNCALLED, raises("IndexError"), CANNOT),
        ("x = [1]\nx['a']\nx[2]\n", raises("IndexError", line=3), CANNOT),
        # A mistake in one line may raise in another.
        (INDEX, raises("IndexError", line=1), NONE),
        (INDEX, raises("KeyError", line=1), REFUTED),
        # `A common mistake` need not raise; of the only `try` it is said.
        ("x = 1\n", raises(), NONE),
        ("x = 1\n", raises(line=1), REFUTED),
        ("x = 1\n", raises(line=1, text=WRONG), NONE),
        (FINE, raises(line=1, text=WRONG), REFUTED),
        (FINE, raises(line=3, text=WRONG), REFUTED),
        (BROAD, raises(line=3, text=WRONG), REFUTED),
        (BROAD, raises(line=1, text=WRONG), NONE),
        (FINE + FINE, raises(line=1, text=WRONG), NONE),
        (CAUGHT, raises(line=1, text=WRONG), HOLDS),
        (FINE + BROAD, raises(line=1, text=WRONG), NONE),
        (INDEX, raises("IndexError", line=2, text=WRONG), HOLDS),
        (INDEX, raises(message="list index out of range", line=2, text=WRONG), HOLDS),
        # In prose nothing is expected by the class that is caught; elsewhere it is another error.
        (OTHER, raises(), HOLDS),
        # What came before the line that is meant is another one.
        ("try:\n    [][1]\n    [][2]\nexcept IndexError:\n    pass\n", raises(line=3), CANNOT),
        ("try:\n    [][1]\n    [][2]\nexcept IndexError:\n    pass\n", raises(line=2), HOLDS),
        (CAUGHT + "y = 2\n", raises("IndexError", line=6), NONE),
        # What is not surely said has to be something of its own.
        (INDEX, raises("IndexError", pointed=False), HOLDS),
        (INDEX, raises(message="list index out of range", pointed=False), HOLDS),
        (INDEX, raises(line=2, pointed=False), HOLDS),
        (INDEX, raises(pointed=False), NONE),
        (SIZES, raises("RuntimeError", pointed=False), NONE),
        (SIZES, raises("RuntimeError"), HOLDS),
        # A missing name is not the error that a document announces.
        ("try:\n    g(1)\nexcept Exception as e:\n    print(e)\n", raises("ValueError"), CANNOT),
        ("try:\n    g(1)\nexcept Exception as e:\n    print(e)\n", raises("NameError"), HOLDS),
        ("try:\n    g(1)\nexcept Exception as e:\n    print(e)\n", raises(line=2), CANNOT),
        ("try:\n    g(1)\nexcept NameError as e:\n    print(e)\n", raises(line=2), CANNOT),
        # A comment below all of the code speaks of what comes last.
        (INDEX, raises(end=2), HOLDS),
        (INDEX + "y = 2\n", raises(end=3), CANNOT),
        # What another version takes is not the error that is shown, unless that is named.
        ("def f(x): pass\nf()\n", raises(line=2), CANNOT),
        ("def f(x): pass\nf()\n", raises("TypeError", line=2), HOLDS),
        ("def f(x): pass\nf(y=1)\n", raises(line=2), CANNOT),
        ("def f(x): pass\nf(1, 2)\n", raises(line=2), CANNOT),
        ("import torch\ntorch.no_such()\n", raises(line=2), CANNOT),
        # Most of the words are enough.
        (INDEX, raises(message="index out of the range of the list"), HOLDS),
        # What it names was printed.
        (TOLD, raises(message="too many rows of it", line=1), HOLDS),
        (TOLD, raises(message="too many sheets in that", line=1), REFUTED),
        (TOLD, raises(line=1, text="Output: Error: too many rows of it"), HOLDS),
        (TOLD, raises(line=1, text="Output: Error: too many sheets"), REFUTED),
        (TOLD, raises(line=1, text="Output: Error"), REFUTED),
        # An error about something else is another one.
        (SIZES, raises(line=2, text="It fails by the shape."), HOLDS),
        (SIZES, raises(line=2, text="It fails by the dtype."), CANNOT),
        (SIZES, raises(line=2, text="It fails on a 2-D tensor."), HOLDS),
        (SIZES, raises(line=2, text="It fails by shape and dtype."), HOLDS),
        (INDEX, raises(line=2, text="It fails by the dtype."), CANNOT),
        # So is one of other sizes, where its words are told with sizes.
        (SIZES, raises(line=2, text=INVALID.format(3, 2)), HOLDS),
        (SIZES, raises(line=2, text=INVALID.format(4, 2)), CANNOT),
        (SIZES, raises(line=2, text=INVALID.format("n", "m")), HOLDS),
        (SIZES, raises(line=2, text="3 rows, 4 of them by shape, fail."), HOLDS),
        # What is only called wrong, where whatever comes is caught and nobody speaks of an error.
        (CAUGHT.replace("IndexError", "Exception"), raises(line=3, text=WRONG), HOLDS),
        (CAUGHT.replace("IndexError", "Exception"), UNSPOKEN, NONE),
        (CAUGHT, UNSPOKEN, HOLDS),
        (FINE, UNSPOKEN, NONE),
        # A `try` that shows what comes of it expects no error.
        (FINE.replace("x[0]", "print(x[0])"), raises(line=3, text=WRONG), NONE),
        (FINE.replace("x[0]", "print(x[0])"), raises(line=3), REFUTED),
        # Of two errors the one that ended it is meant, where no line is named.
        (CAUGHT + INDEX.replace("2", "'a'"), raises("TypeError"), HOLDS),
    ],
)  # fmt: skip
async def test_an_error_is_the_one_that_is_named(run: Any, code: str, claim: Claim, word: Verdict):
    """Its class, its message, its place; and nothing that a run did not come to."""
    assert verdict([claim], await run(code))[0] is word


@pytest.mark.parametrize(
    ("code", "claim", "word"),
    [
        ("x = 1\ny = 2\n", works(), HOLDS),
        ("x = 1\ny = 2\n", works(line=2), HOLDS),
        (INDEX, works(), REFUTED),
        (INDEX, works(line=1, end=2), REFUTED),
        (BY_HAND, works(), NONE),
        # Only what was carried out ran.
        (UNCALLED, works(), CANNOT),
        (UNCALLED, works(line=1), CANNOT),
        (UNCALLED + "f(range(10))\n", works(line=1), HOLDS),
        (BRANCH, works(), CANNOT),
        (BRANCH, works(line=2, end=3), CANNOT),
        (BRANCH, works(line=4), HOLDS),
        (INDEX + "y = 2\n", works(line=3), CANNOT),
        # What ends something, or only tells, need not come up; a handler neither.
        (GUARDED, works(), HOLDS),
        (GUARDED, works(line=5), CANNOT),
        (FINE, works(), HOLDS),
        (LOUD, works(), HOLDS),
        ("n = 1\nif n:\n    y = 2\nelse:\n    print(n)\n", works(), HOLDS),
        (BRANCH, works(line=1), HOLDS),
        # A block that catches an error shows one; what works may be the rest.
        (CAUGHT, works(), NONE),
        (CAUGHT + "y = 2\n", works(line=6), HOLDS),
        (CAUGHT, works(line=3), REFUTED),
    ],
)  # fmt: skip
async def test_what_works_was_carried_out(run: Any, code: str, claim: Claim, word: Verdict):
    """All of it, without an error."""
    assert verdict([claim], await run(code))[0] is word


TWO = "print('a:', 1)\nprint('b:', 2)\n"
PASSED_BY = "try:\n    if 0:\n        print(7)\nexcept OSError:\n    pass\n"
IN_LOOP = "for i in (1, 2):\n    print(i)\n"


@pytest.mark.parametrize(
    ("code", "claim", "word"),
    [
        # The print that is meant wrote it, not another one.
        (TWO, prints("1", line=1), HOLDS),
        (TWO, prints("1", line=2), REFUTED),
        (TWO, prints("1", line=1, end=2), HOLDS),  # it stands below both
        (TWO, prints("3", line=1, end=2), REFUTED),
        (TWO, prints("3", line=2, pointed=False), NONE),
        (TWO, prints("3"), NONE),  # of no print
        ("def f():\n    print(7)\nf()\n", prints("7", line=2), HOLDS),
        ("def f():\n    print(7)\nf()\n", prints("8", line=2), REFUTED),
        # Printed more than once, it may be meant of another time.
        (IN_LOOP, prints("2", line=2), HOLDS),
        (IN_LOOP, prints("3", line=2), NONE),
        # A print that was never come to.
        ("def f():\n    print(7)\n", prints("7", line=2), CANNOT),
        (INDEX + "print(7)\n", prints("7", line=3), REFUTED),
        (BY_HAND + "print(7)\n", prints("7", line=3), CANNOT),
        (FINE, prints("list index out of range", line=5), CANNOT),
        (OTHER, prints("list index out of range", line=5), REFUTED),
        (INDEX + "def f():\n    print(7)\n", prints("7", line=4), CANNOT),
        (PASSED_BY, prints("7", line=3), CANNOT),
        ("def f():\n    print(7)\n" + IN_LOOP, prints("7", line=2, pointed=False), NONE),
        ("import sys\nprint(7, file=sys.stderr)\n", prints("8", line=2), NONE),
        # Blanks, quotes and the last decimals are a matter of taste.
        ("print([1.5, 2.00004])\n", prints("[1.50, 2]", line=1), HOLDS),
        ("print((2, 3))\n", prints("torch.Size([2, 3])", line=1), HOLDS),
        ("print((2, 3))\n", prints("(3, 2)", line=1), REFUTED),
        ("print('rows: 12')\n", prints("2", line=1), REFUTED),
        ("print('[[1, 2],\\n [3, 4.]]')\n", prints("tensor([[1, 2], [3, 4]])", line=1), HOLDS),
        ("print([[1, 2], [3, 5]])\n", prints("[[1, 2], [3, 4]]", line=1), REFUTED),
        # A value is one of several of its line, all of which are told.
        ("print('a: True, b: 1')\n", prints("True", line=1, text="Output: a: True, b: 1"), HOLDS),
        ("print('a: True, b: 1')\n", prints("True", line=1, text="Output: a: True, b: 2"), REFUTED),
        ("print('cpu')\n", prints("cuda:0", line=1), CANNOT),
    ],
)  # fmt: skip
async def test_a_value_is_what_its_own_print_wrote(
    run: Any, code: str, claim: Claim, word: Verdict
):
    """Whatever another one wrote."""
    assert verdict([claim], await run(code))[0] is word


LATER = "import torch\ndef f():\n    x = torch.ones(2)\nfor i in (1, 2):\n    print(i)\n"


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (shape("y", 3, 2), HOLDS),
        (shape("y", 2, 3), NONE),  # no line is named: of which time is it said?
        (shape("y", 2, 3, line=3), REFUTED),
        (shape("y", 2, 3, line=3, pointed=False), NONE),
        (shape("y", 2, 3, line=2), NONE),  # that line makes another one
        (shape("y", 3, ANY), HOLDS),
        (shape("y", ANY, 3, line=3), REFUTED),
        (shape("y", 3, line=3), REFUTED),
        (shape("x", 2, 3), HOLDS),  # at its time
        (shape("x", 9), NONE),  # it had two: which is meant?
        (shape("x", 2, 3, line=2), HOLDS),
        (shape("x", 3, line=2), REFUTED),
        (shape("", 3, line=4), HOLDS),
        (shape("", 3, 2, line=3), NONE),  # that line makes two
        (shape("v", 3), NONE),
        (shape("y", 3, 2, line=2), HOLDS),  # it is made below
        (shape("y", 3, 2, line=3), HOLDS),
        (shape("y", ANY, ANY), HOLDS),
        (shape("y", ANY, ANY, ANY, line=3), REFUTED),
        (shape("z"), HOLDS),
    ],
)
async def test_a_tensor_has_the_shape_that_it_had_there(run: Any, claim: Claim, word: Verdict):
    """Where a comment stands, or wherever the block gives it that name."""
    assert verdict([claim], await run(TENSORS))[0] is word


async def test_a_tensor_that_was_never_made_has_no_shape(run: Any):
    """The function was not called."""
    assert verdict([shape("x", 2, line=3)], await run(LATER))[0] is CANNOT


PLACEHOLDERS = {"stand_ins": ("model",)}
SILENT = {"assumed": ("`x` is not installed here: what is called of it does nothing",)}
SIMULATED = {"device": "simulated cuda:0"}


@pytest.mark.parametrize("code", ["x = 1\nprint(x)\n", INDEX])
@pytest.mark.parametrize("claim", [works(), raises("IndexError"), prints("1", line=2)])
@pytest.mark.parametrize("unreal", [PLACEHOLDERS, SILENT])
async def test_what_is_not_the_real_thing_decides_nothing(
    run: Any, code: str, claim: Claim, unreal: dict[str, Any]
):
    """Neither for a claim nor against it."""
    assert verdict([claim], await run(code, **unreal))[0] in (CANNOT, NONE)


@pytest.mark.parametrize(
    ("code", "claim", "word"),
    [
        ("x = 1\n", works(), HOLDS),
        (INDEX, works(), REFUTED),
        (INDEX, raises("IndexError"), HOLDS),
        ("x = 1\n", raises("IndexError"), CANNOT),  # it has not all of a driver's errors
        ("print(True)\n", prints("True", line=1), CANNOT),
    ],
)
async def test_a_simulated_device_decides_what_it_computes(
    run: Any, code: str, claim: Claim, word: Verdict
):
    """And not what a GPU says of itself."""
    assert verdict([claim], await run(code, **SIMULATED))[0] is word


@pytest.mark.parametrize(
    ("code", "claims", "word"),
    [
        # Some so, some not.
        (TWO, [prints("1", line=1), prints("3", line=2)], PARTLY),
        # An error that nobody speaks of is half of what came; and what ran before it is nothing.
        (TWO + INDEX, [prints("1", line=1)], PARTLY),
        (TWO + INDEX, [prints("1", line=1), raises("IndexError")], HOLDS),
        (TWO + INDEX, [prints("1", line=1, pointed=False)], NONE),
        (TWO + INDEX, [works(line=1)], NONE),
        (TWO + INDEX, [works(line=1), works()], REFUTED),
        # A block that shows an error and its cure does not work as a whole.
        (CAUGHT + "y = 2\n", [raises(line=3), works(line=6), works()], HOLDS),
        (INDEX, [raises(line=2), works()], HOLDS),
        # The cure of an error that does not come is nothing to be right about.
        (FINE + "y = 2\n", [raises(line=3), works(line=6)], REFUTED),
        # What is said in passing does not halve a refutation.
        (TWO, [prints("3", line=2), prints("1", line=1, pointed=False)], REFUTED),
        # What follows an error on purpose was not meant as one program with it.
        (INDEX + "print(7)\n", [raises(line=2), prints("7", line=3)], HOLDS),
        (INDEX + "print(7)\n", [raises(line=2, text=WRONG), prints("7", line=3)], CANNOT),
        (CAUGHT + "print(7)\n", [raises(line=3), prints("8", line=6)], PARTLY),
        ("x = 1\n", [raises("KeyError", pointed=False), works()], HOLDS),
        (TWO + INDEX, [raises("IndexError"), prints("3", line=2)], PARTLY),
        # What is called wrong and ended the block was spoken of.
        (TWO + INDEX, [prints("1", line=1), raises(line=4, text=WRONG)], HOLDS),
        # One that was caught and told is not the one that ended it.
        (CAUGHT + INDEX, [raises(line=3)], PARTLY),
        (CAUGHT + INDEX, [raises(line=3), raises()], HOLDS),
        # Where what is called wrong runs too, that the right way runs decides nothing.
        ("x = 1\ny = 2\n", [raises(line=1, text=WRONG), works(line=2)], NONE),
        (TWO, [raises(line=1, text=WRONG), works(line=2), prints("1", line=1)], HOLDS),
        (CAUGHT + "y = 2\n", [raises(line=1, text=WRONG), works(line=6)], HOLDS),
        (TENSORS, [raises(line=2, text=WRONG), shape("y", 3, 2, line=3)], NONE),
        (TENSORS + INDEX, [raises(line=2, text=WRONG), shape("y", 3, 2, line=3)], PARTLY),
        # An error of what is said to work is not the one that the text announces.
        (FINE + "x[2]\n", [raises("IndexError"), works(line=6)], REFUTED),
        (CAUGHT + "x['a']\n", [raises("IndexError"), works(line=6)], PARTLY),
        (INDEX + "print(7)\n", [raises("IndexError"), prints("7", line=3)], HOLDS),
        (CAUGHT + "print(7)\n", [raises("IndexError"), prints("7", line=6)], HOLDS),
        # What is not surely read, and not so in the place it names, takes the ground from the rest.
        (TWO, [prints("1", line=1), prints("3", line=2, pointed=False)], NONE),
        (TWO, [prints("1", line=1), shape("v", 3, line=1, pointed=False)], HOLDS),
        (TWO, [prints("1", line=1), raises("KeyError", line=2, pointed=False)], NONE),
        (TWO, [prints("1", line=1), raises("KeyError", pointed=False)], HOLDS),
        (TWO, [prints("3", line=1), raises("KeyError", line=2, pointed=False)], REFUTED),
        # Nor is there a cure of an error that nobody saw.
        (UNCALLED, [raises(line=2), works(line=3)], CANNOT),
        ("x = 1\n", [], NONE),
    ],
)  # fmt: skip
async def test_a_block_is_what_its_claims_are_together(
    run: Any, code: str, claims: list[Claim], word: Verdict
):
    """Each keeps its own evidence."""
    assert verdict(claims, await run(code))[0] is word


LACKS = {"cannot": "it needs the module `x`"}
SLOW = {"outcome": "timeout"}
ABSENT = {"caught": (Raised(type="ImportError", message="m", line=1, lines=(1,), handler=1),)}


@pytest.mark.parametrize(
    ("code", "changed", "claim", "word"),
    [
        (INDEX, LACKS, raises("IndexError"), HOLDS),  # it is named, so it is that one
        (INDEX, LACKS, raises(), CANNOT),
        (INDEX, LACKS, raises("KeyError"), CANNOT),
        (CAUGHT, LACKS, raises(line=3), HOLDS),
        (CAUGHT.replace("IndexError", "Exception"), LACKS, raises(line=3), CANNOT),
        (INDEX, LACKS, works(), CANNOT),
        (TWO, LACKS, prints("1", line=1), HOLDS),
        (TWO + INDEX, LACKS, prints("1", line=1), HOLDS),
        (TWO, LACKS, prints("3", line=2), CANNOT),
        (INDEX + "print(7)\n", LACKS, prints("7", line=3), CANNOT),
        (TENSORS, LACKS, shape("v", 2), CANNOT),
        (TENSORS, LACKS, Claim(kind=ClaimKind.TRAINS, text="…", name="w"), CANNOT),
        ("x = 1\n", SLOW, raises("IndexError"), CANNOT),
        ("x = 1\n", SLOW, works(), CANNOT),
        (TWO, SLOW, prints("3", line=2), CANNOT),
        (TWO, {"cut": True}, prints("3", line=2), NONE),
        (TWO, {"cut": True}, prints("1", line=1), HOLDS),
        ("print('cpu')\n", {"device": "cuda:0 A100"}, prints("cuda:0", line=1), REFUTED),
        ("x = 1\n", {}, works().model_copy(update={"text": "Right on a GPU."}), CANNOT),
        ("x = 1\n", SIMULATED, works().model_copy(update={"text": "Right on a GPU."}), HOLDS),
        ("x = 1\n", {}, raises(line=1, text="Fails on a GPU."), CANNOT),
        (INDEX, {}, raises(line=2, text="Fails on a GPU."), HOLDS),
        ("x = 1\n", ABSENT, raises("ValueError"), CANNOT),
        ("x = 1\n", ABSENT, raises("ImportError"), HOLDS),
        ("x = 1\n", {"statements": ()}, works(), CANNOT),  # of what compiles nothing is known
    ],
)  # fmt: skip
async def test_what_the_place_lacks_is_held_against_nobody(
    run: Any, code: str, changed: dict[str, Any], claim: Claim, word: Verdict
):
    """What is here all the same counts."""
    assert verdict([claim], await run(code, **changed))[0] is word


def test_training_is_judged_by_what_the_optimizer_changed():
    """Not by what the sentence says of gradients."""
    seen = BlockRun(outcome="ok", moved=("model.fc.weight",), still=("model.alpha",))
    empty = Raised(type="ValueError", message="optimizer got an empty parameter list", line=1)

    def trains(name: str, kind: ClaimKind = ClaimKind.TRAINS, seen: BlockRun = seen) -> Verdict:
        return verdict([Claim(kind=kind, text="…", name=name)], seen)[0]

    assert trains("alpha") is REFUTED
    assert trains("alpha", ClaimKind.NEVER_TRAINS) is HOLDS
    assert trains("weight") is HOLDS
    assert [trains(name) for name in ("eight", "beta", "")] == [NONE] * 3
    assert trains("alpha", seen=BlockRun(outcome="error", error=empty)) is REFUTED
    assert trains("alpha", seen=BlockRun(outcome="ok")) is NONE
    other = seen.model_copy(update={"error": Raised(type="ValueError", message="rows", line=1)})
    assert trains("alpha", ClaimKind.NEVER_TRAINS, seen=other) is PARTLY
    assert trains("weight", seen=seen.model_copy(update=LACKS)) is CANNOT


async def test_a_verdict_says_what_shows_it(run: Any):
    """In one sentence, with the line."""
    claims = [prints("7", line=3), works(line=3)]
    _, judged = verdict(claims, await run(INDEX + "print(7)\n"))

    assert {re.sub(r":.*", "", j.evidence) for j in judged} == {
        "it printed nothing there and raised IndexError in line 2",
        "line 3 was never carried out",
    }
    _, (wrong,) = verdict([prints("3", line=2, text="Output:")], await run(TWO))
    assert wrong.evidence == "it printed `b: 2`, not `3`"
