"""knowledge/search/plain_words.py: a question in the documentation's words, and spelt right."""

from __future__ import annotations

import pytest

from knowledge.search.plain_words import in_words_of_documentation, spelt_right, with_letters

KNOWN = {"length", "matrix", "rows", "average", "learn", "learns"}


@pytest.mark.parametrize(
    ("said", "documented"),
    [
        ("average of the largest axis", "mean of the maximum dimension"),
        ("an overaveraged thing", "an overaveraged thing"),  # whole words only
        ("glue two tensors together", "concatenate two tensors together"),
        ("Whole numbers", "integers"),
        ("the k largest of all, the largest", "the k largest of all, the maximum"),
        ("the gradient of a loss", "the gradient of a loss"),
    ],
)
def test_everyday_words_are_said_as_documentation_says_them(said: str, documented: str):
    """What a docstring has other words for is searched in those."""
    assert in_words_of_documentation(said) == documented


@pytest.mark.parametrize(
    ("said", "documented"),
    [
        ("the 3 largest values", "the k largest values"),
        ("the top five scores", "the k largest scores"),
        ("lowest 10 of a row", "k smallest of a row"),
        ("the largest value of 3 rows", "the largest value of 3 rows"),
    ],
)
def test_a_number_of_extremes_is_called_k(said: str, documented: str):
    """What is asked of three is documented of k."""
    assert with_letters(said) == documented


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("lenght of a row", "length of a row"),  # two letters exchanged
        ("lengh of a row", "length of a row"),  # one is missing
        ("lengtth of a row", "length of a row"),  # one too many
        ("lemgth of a row", "length of a row"),  # another one
        ("length of a row", "length of a row"),  # it is known
        ("zzzzz of a row", "zzzzz of a row"),  # nothing is near
        ("learnx", "learnx"),  # two are near
        ("matri", "matrix"),
        ("row", "row"),  # too short to guess
    ],
)
def test_a_wrong_letter_is_put_right(written: str, meant: str):
    """A word that nobody knows is the one known word that is a letter away, or stays."""
    assert spelt_right(written, KNOWN) == meant
