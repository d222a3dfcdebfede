"""Statements are read by their meaning: ways to say a thing that no list of phrases holds."""

from __future__ import annotations

import hashlib
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.fit_audit import EXAMPLES, LABELS, MORE, save
from knowledge.audit.claims import claims_of
from knowledge.audit.features import BUCKETS, Statement, hashed, is_code, parts, statements, words
from knowledge.audit.reading import FILE, KINDS, READ, SURE, Head, Reader, load
from knowledge.search.embedding import EmbeddingModel
from tests.knowledge.audit.audited import Told, block_of
from tests.knowledge.audit.paraphrases import PARAPHRASES

# Of twenty; a head that is trained anew must read as many.
READS = {
    "raises": 15, "works": 17, "equals": 20, "shape": 20, "relates": 15, "trains": 10,
    "notrain": 17, "none": 20,
}  # fmt: skip


@pytest.fixture(scope="module")
def reader(model: EmbeddingModel) -> Reader:
    """The head that is delivered."""
    return Reader(model)


@pytest.mark.parametrize("kind", PARAPHRASES)
def test_paraphrases_are_read(reader: Reader, kind: str):
    """As many as when they were counted, and of those that say nothing no more are misread."""
    code, said = PARAPHRASES[kind]
    right = 0
    for text in said:
        is_comment = text.startswith("# ")
        block = block_of(f"{code}  {text}" if is_comment else code, "" if is_comment else text)
        kinds = {kind for read in reader.read(statements(block)) for kind in read}
        right += not kinds if kind == "none" else kind in kinds

    assert right >= READS[kind]


def test_a_long_sentence_is_read_clause_by_clause(reader: Reader):
    """What one of its clauses claims is read, and not drowned by the others."""
    long = "It loads the table and its many rows one after another, and it runs without an error"
    told = Statement(long, "follow", "f(x)")

    assert [part.text for part in parts(told)] == [long, *long.split(", ")]
    assert parts(Statement("Short, and one.", "follow", "")) == [
        Statement("Short, and one.", "follow", "")
    ]
    (whole,) = reader.read([told])
    (last,) = reader.read([Statement(long.split(", ")[1], "follow", "f(x)")])
    assert whole["works"] >= last["works"] - 1e-6


@pytest.mark.parametrize(
    ("text", "is_out"),
    [
        ("y = f(x)", True),
        ("f(x)", True),
        ("return y", True),
        ("Shape (N, 1, H, W)", False),
        ("tensor([[1, 2],", False),
        ("torch.Size([2, 3])", False),
        ("y.shape = (rows, 2)", False),
        ("This fails (as it should)", False),
    ],
)
def test_code_that_was_taken_out_is_no_word_on_code(text: str, is_out: bool):
    """An output, or a shape in brackets, is said."""
    assert is_code(text) is is_out


def test_what_is_read_is_likely(reader: Reader):
    """Code that was taken out is not read at all."""
    sure = Statement("This raises a ValueError.", "follow", "f(x)", place=("follow0", "last"))
    out = Statement("raise ValueError", "comment", "f(x)", is_code=True)
    read = reader.read([sure, out])

    assert read[0]["raises"] >= SURE and read[1] == {}
    assert reader.read([]) == []
    assert all(likely >= READ for kinds in read for likely in kinds.values())


@pytest.mark.parametrize(
    "text",
    [
        "{} may raise a ValueError.", "{} might raise a ValueError.",
        "{} raises a ValueError if it is empty.", "{} raises a ValueError unless it is full.",
        "Perhaps {} raises a ValueError.", "{} will likely raise a ValueError.",
        "{} probably raises a ValueError.", "{} rarely raises a ValueError.",
        "{} sometimes raises a ValueError.", "{} often raises a ValueError.",
        "{} usually raises a ValueError.", "Check that {} raises a ValueError.",
        "- Verify that {} raises a ValueError.", "print that {} raises a ValueError",
        "Compare: {} raises a ValueError.", "Test that {} raises a ValueError.",
        "{} could raise a ValueError.", "Potentially {} raises a ValueError.",
        "A possible error: {} raises.", "Possibly {} raises.", "Assume that {} raises.",
        "{} raises as if it were empty.", "Treated as a list {} raises.", "Simulated, {} raises.",
        "A hypothetical call of {} raises.",
    ],
)  # fmt: skip
def test_what_is_open_or_bids_us_look_claims_nothing(text: str, model: EmbeddingModel):
    """Whatever the head says of it; a word that only begins so, or stands elsewhere, is read."""
    sure = Head(np.zeros((BUCKETS, len(KINDS))), np.zeros((2 * 384, len(KINDS))), np.full(7, 3.0))
    reader = Reader(model, sure)
    plain = ["Checked twice, {} raises.", "The test of {} raises.", "{} has a motif or a mayor."]
    read = reader.read([Statement(t.format("it"), "follow", "f(x)") for t in (text, *plain)])

    assert [bool(kinds) for kinds in read] == [False, True, True, True]


def test_the_head_says_what_it_was_made_from():
    """The labels that are here, and the model that is delivered; else it has to be trained anew."""
    digest = hashlib.sha256(b"".join(p.read_bytes() for p in (LABELS, MORE, EXAMPLES))).hexdigest()
    with np.load(FILE, allow_pickle=False) as kept:
        model, labels = str(kept["made_from"]).split(" ")

    assert labels == f"labels@sha256:{digest[:16]}"
    assert model.partition("+")[0] == EmbeddingModel().identity.partition("+")[0]


def test_a_head_that_is_written_is_read_again(tmp_path):
    """As plain numbers: nothing is unpickled."""
    head = load()
    path = tmp_path / "head.npz"
    save(head, EmbeddingModel(), path)

    assert np.allclose(load(path).words, head.words, atol=2e-3)
    evil = tmp_path / "evil.npz"
    np.savez(evil, words=np.array([Head], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle"):
        load(evil)


def test_words_are_told_from_code():
    """Names of the block, values, shapes and errors keep their kind and lose their letters."""
    text = "`net(x)` of `y` gives `None`, (2, n) or 3.5 as a 2D torch.int64, else a KeyError."
    found = words(Statement(text, "follow", "net(x)"))

    assert found == [
        "CALL", "of", "NAMEELSEWHERE", "gives", "none", ",", "SHAPE", "or", "NUMBER", "as", "a",
        "DIMS", "DTYPE", ",", "else", "a", "ERROR", ".",
    ]  # fmt: skip


def test_what_is_said_of_code_that_was_taken_out_is_told_apart():
    """It does not run."""
    told = statements(block_of("x = 1\n# This will raise an error\n# y = bad(x)\nz = 2  # so"))

    assert [s.is_code for s in told] == [True, True, False]


@given(st.text(alphabet="`[](){}:=,;|.-+e01 naifTEror_x×#\n", max_size=400))
@settings(max_examples=200, deadline=None)
def test_whatever_is_said_has_features_and_claims(text: str):
    """Brackets that never close, backticks without an end, numbers that are none."""
    statement = Statement(text, "follow", text)
    kinds = dict.fromkeys(("raises", "works", "equals", "shape", "relates", "trains"), 0.9)

    assert all(0 < value < 10 for value in hashed(statement).values())
    claims_of(block_of("print(1)", text.replace("```", "")), Told(**kinds).read)


EVIL = [
    "a " * 150_000, "`" * 150_000 + "raises " * 20_000, "(" * 300_000, "[1, " * 75_000,
    "tensor(" * 40_000, "a.b" * 100_000 + "Error", "about " + "1 and " * 50_000, "1x" * 150_000,
    "shape of x is (" + "a, " * 90_000, "# Output: " + "[" * 290_000, "torch.Size([" * 25_000,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(EVIL)))
def test_hostile_prose_costs_no_more_than_long_prose(number: int):
    """300 kB of it, in prose and in a comment, are through in seconds."""
    kinds = dict.fromkeys(("raises", "works", "equals", "shape", "relates", "trains"), 0.9)
    start = time.perf_counter()
    evil = EVIL[number]
    block = block_of(f"print(1)  # {evil}", evil)
    for statement in statements(block):
        hashed(statement)
    claims_of(block, Told(**kinds).read)

    assert time.perf_counter() - start < 10


@pytest.mark.parametrize(
    "text", ["It does not throw a KeyError.", "It never raises an error.", "No such error comes."]
)
def test_an_error_that_is_denied_is_not_surely_read(reader: Reader, text: str):
    """So that no run refutes it."""
    (read,) = reader.read([Statement(text, "follow", "f(x)", place=("follow0", "last"))])

    assert read.get("raises", 0.0) < SURE
