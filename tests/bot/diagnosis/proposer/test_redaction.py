"""What leaves the house names no person, no secret and no folder, and comes back whole."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.diagnosis.proposer.redaction import Redaction


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my key is hf_abcdefghijKLMNOP1234", "hf_abcdefghijKLMNOP1234"),
        ("xoxb-1234567890-abcdefgh", "xoxb-1234567890-abcdefgh"),
        ("ghp_0123456789abcdefghij", "ghp_0123456789abcdefghij"),
        ('wandb.login(key="0123456789abcdef0123456789abcdef01234567")', "0123456789abcdef"),
        ('api_key = "swordfish"', "swordfish"),
        ("{'password': 'swordfish'}", "swordfish"),
        ("export WANDB_API_KEY=swordfish", "swordfish"),
        ("http://joe:swordfish@host/x", "swordfish"),
        ("mail me at anna.b+x@uni-x.de", "anna.b"),
        ("it runs on 10.20.30.40:8080", "10.20.30.40"),
        ('open("/home/anna/thesis/data.csv")', "anna"),
        ('open("/home/anna/thesis/data.csv")', "thesis"),
        (r"C:\Users\Anna\thesis\run.py", "Anna"),
        (r"C:\Users\Anna\thesis\run.py", "thesis"),
        ('File "/mnt/lab7/secret_project/train.py", line 3', "secret_project"),
        ('open("../client_x/data.csv")', "client_x"),
    ],
)
def test_secrets_and_folders_are_taken_out_of_code_and_put_back(text: str, secret: str) -> None:
    hidden = Redaction()
    sent = hidden.hide_code(text)
    assert secret not in sent
    assert hidden.restore(sent) == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ask <@U12345> about it", "U12345"),
        ("cc @anna please", "anna"),
        ("Hi Peter, my loss is NaN", "Peter"),
        ("It fails.\nThanks,\nAnna Miller", "Miller"),
        ("It fails.\n-- Anna", "Anna"),
        ("My name is Anna Miller and it fails", "Miller"),
        ("I am Anna Miller from Ulm", "Anna"),
        ("my folder is /home/anna/x/y.py, I am anna", "anna"),
    ],
)
def test_people_are_taken_out_of_prose_and_put_back(text: str, name: str) -> None:
    hidden = Redaction()
    sent = hidden.hide_prose(text)
    assert name not in sent
    assert hidden.restore(sent) == text


@pytest.mark.parametrize(
    "text", ["I am Using torch 2.13", "This is Strange", "my name is not defined", "I'm New here"]
)
def test_ordinary_words_are_nobodys_name(text: str) -> None:
    assert Redaction().hide_prose(text) == text


@pytest.mark.parametrize(
    "code",
    [
        "y = a @ b\n",
        "y = a @b\n",
        "@torch.no_grad()\ndef f(): ...\n",
        "loss = criterion(model(x).view(-1, 10), y) / 2\n",
        "very_long_name_of_a_function_that_is_no_secret(x)\n",
        "x = torch.nn.functional.cross_entropy(logits, target)\n",
        "torch.Size([64, 2304]) and [1600, 128], 0.693147\n",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x2304 and 1600x128)\n",
        "f'{epoch}/{epochs}'\n",
    ],
)
def test_ordinary_code_stays_as_it_is(code: str) -> None:
    assert Redaction().hide_code(code) == code


def test_the_same_text_gets_the_same_word() -> None:
    hidden = Redaction()
    one = hidden.hide_code('torch.save(m, "/data/a/m.pt")')
    two = hidden.hide_code('torch.load("/data/a/m.pt")')
    assert one[one.index('"') :] == two[two.index('"') :].replace(")", ")")


@given(st.text(max_size=200), st.text(max_size=200))
def test_whatever_is_taken_out_comes_back(prose: str, code: str) -> None:
    hidden = Redaction()
    sent = hidden.hide_prose(prose), hidden.hide_code(code)
    if "redacted" not in prose + code:
        assert (hidden.restore(sent[0]), hidden.restore(sent[1])) == (prose, code)


def test_long_texts_take_linear_time() -> None:
    def seconds(n: int) -> float:
        texts = ["/a" * n, "a." * n + "@", "A1" * n, "x@" * n, "token = '" + "b" * n, "1." * n]
        best = float("inf")
        for _ in range(3):
            began = time.perf_counter()
            for text in texts:
                Redaction().hide_prose(text)
            best = min(best, time.perf_counter() - began)
        return best

    assert seconds(40_000) < 4 * 4 * seconds(10_000)
