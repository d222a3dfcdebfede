"""What is read of a model's reply: data of one schema, and whatever else it says is dropped."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.diagnosis.proposer.redaction import Redaction
from bot.diagnosis.proposer.reply import MOST_CANDIDATES, read_candidates, read_example
from tests.bot.fakes.chat_server import edits

CODE = "import torch\nx = torch.ones(2, 3)\ny = torch.ones(2, 3)\nprint(x @ y)\n"


def programs(reply: str, code: str = CODE) -> tuple[str, ...]:
    return read_candidates(reply, code, Redaction()).programs


def test_edits_become_programs_in_the_order_they_were_given() -> None:
    reply = edits([("x @ y", "x @ y.T")], [("x @ y", "x.T @ y")])
    assert programs(reply) == (CODE.replace("x @ y", "x @ y.T"), CODE.replace("x @ y", "x.T @ y"))


def test_several_edits_of_one_candidate_make_one_program() -> None:
    reply = edits([("x @ y", "x @ z"), ("y = torch.ones(2, 3)", "z = torch.ones(3, 2)")])
    (program,) = programs(reply)
    assert program == "import torch\nx = torch.ones(2, 3)\nz = torch.ones(3, 2)\nprint(x @ z)\n"


@pytest.mark.parametrize("around", ["```json\n{}\n```", "Sure! {} I hope it helps.", "{{}} \n{}"])
def test_a_reply_in_a_fence_or_in_words_is_read(around: str) -> None:
    inside = edits([("x @ y", "x @ y.T")])
    read = programs(around.replace("{}", inside, 1) if "{{" not in around else f"note\n{inside}")
    assert read == (CODE.replace("x @ y", "x @ y.T"),)


@pytest.mark.parametrize(
    "candidate",
    [
        {"edits": [{"search": "not there", "replace": "z"}]},
        {"edits": [{"search": "torch", "replace": "numpy"}]},  # stands there several times
        {"edits": [{"search": "", "replace": "z"}]},
        {"edits": [{"search": "x @ y", "replace": "x @ y"}]},  # changes nothing
        {"edits": [{"search": "x @ y"}]},
        {"edits": [{"search": 1, "replace": 2}]},
        {"edits": [{"search": "x @ y", "replace": "z", "more": 1}]},
        {"edits": [{"search": "x @ y", "replace": "z" * 3_000}]},  # enormous
        {"edits": [{"search": "x @ y", "replace": "a" * 7_000}]},
        {"edits": [{"search": "x @ y", "replace": "x"}] * 9},
        {"edits": []},
        {"edits": "x"},
        {},
        "detach everything",
        None,
    ],
)
def test_a_candidate_that_is_no_edit_of_the_program_is_dropped(candidate: Any) -> None:
    right = {"edits": [{"search": "x @ y", "replace": "x @ y.T"}]}
    read = read_candidates(json.dumps({"candidates": [candidate, right]}), CODE, Redaction())
    assert read.programs == (CODE.replace("x @ y", "x @ y.T"),)
    assert read.dropped == 1


def test_at_most_five_candidates_are_read() -> None:
    many = [[("x @ y", f"x @ y.T  # {n}")] for n in range(9)]
    read = read_candidates(edits(*many), CODE, Redaction())
    assert len(read.programs) == MOST_CANDIDATES
    assert read.dropped == 9 - MOST_CANDIDATES


def test_what_was_redacted_is_put_back_into_the_program() -> None:
    code = 'import torch\nw = torch.load("/home/anna/w.pt")\n'
    hidden = Redaction()
    sent = hidden.hide_code(code)
    line = sent.splitlines()[1]
    reply = edits([(line, line.replace(")", ", weights_only=True)"))])
    read = read_candidates(reply, code, hidden)
    assert read.programs == (code.replace('.pt")', '.pt", weights_only=True)'),)


@pytest.mark.parametrize("reply", ["", "no", "[]", "{", '{"candidates": 3}', "{" * 5000, "null"])
def test_a_reply_without_candidates_is_none(reply: str) -> None:
    assert programs(reply) == ()


@given(st.text(max_size=300))
def test_no_reply_raises(reply: str) -> None:
    assert all(p != CODE for p in programs(reply))
    read_example(reply, Redaction(), 3)


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["candidates", "edits", "search", "replace"]), inner)
    ),
    max_leaves=12,
)


@given(json_like)
def test_no_json_raises(value: Any) -> None:
    programs(json.dumps({"candidates": value}))
    programs(json.dumps(value))
    read_example(json.dumps(value), Redaction(), 1)


def test_an_example_leans_on_passages_that_were_sent() -> None:
    reply = {"text": "Use torch.stack.", "code": "print(1)", "sources": [2, 2, 9, 0]}
    example = read_example(json.dumps(reply), Redaction(), 3)
    assert example is not None
    assert example.sources == (2,)


@pytest.mark.parametrize(
    "reply",
    [
        {"text": "", "sources": [1]},
        {"text": "It is so.", "sources": []},
        {"text": "It is so.", "sources": [7]},
        {"text": "x" * 1_000, "sources": [1]},
        {"code": "print(1)", "sources": [1]},
    ],
)
def test_an_answer_without_text_or_passages_is_none(reply: dict[str, Any]) -> None:
    assert read_example(json.dumps(reply), Redaction(), 3) is None
