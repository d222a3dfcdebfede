"""Facts about knowledge/search/bm25.py: which words of a question count as the same."""

from __future__ import annotations

from knowledge.search.bm25 import near_pairs


def test_other_forms_and_order_are_the_same_pair():
    """`initializing weights` is found where `weight initialization` stands."""
    asked = near_pairs("initializing the weights of a layer")

    assert set(near_pairs("weight initialization")) <= set(asked)


def test_words_far_apart_are_no_pair():
    """A sentence that has both words, each about something else, does not say what was asked."""
    far = near_pairs("weights decay slowly during long training before initialization")

    assert not set(near_pairs("weight initialization")) & set(far)
