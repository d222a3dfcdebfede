"""knowledge/articles/article.py: an error that is quoted under "If that was not it"."""

from __future__ import annotations

import pytest

from knowledge.articles.article import Article
from tests.our_articles import OUR_ARTICLES as ARTICLES

CONV = "Expected {} (unbatched) or {} (batched) input to {}, but got input of size: [2, 3]"
EXPAND = (
    "expand(torch.LongTensor{[5, 2, 1]}, size=[2, 2]): the number of sizes provided (2) must be "
    "greater or equal to the number of dimensions in the tensor (3)"
)


@pytest.mark.parametrize(
    ("slug", "type", "message", "told"),
    [
        # The number of dimensions, where the article is about a size.
        ("conv-input-channels", "RuntimeError", CONV.format("3D", "4D", "conv2d"), "dimensions"),
        ("conv-input-channels", "RuntimeError", CONV.format("2D", "3D", "conv1d"), "dimensions"),
        ("expand-sizes", "RuntimeError", EXPAND, "more dimensions than"),
        ("normalization-size", "ValueError", "expected 4D input (got 3D input)", "unsqueeze(0)"),
        ("normalization-size", "ValueError", "expected 4D input (got 2D input)", "unsqueeze(0)"),
        ("rnn-hidden-state-size", "RuntimeError",
         "For unbatched 2-D input, hx should also be 2-D but got 3-D tensor", "no batch dimension"),
        # Not told the wrong way round.
        ("normalization-size", "ValueError", "expected 3D input (got 4D input)", ""),
        ("normalization-size", "ValueError", "expected 2D or 3D input (got 4D input)", ""),
        ("rnn-hidden-state-size", "RuntimeError",
         "For batched 3-D input, hx should also be 3-D but got 2-D tensor", ""),
        # The article's own error, and one that is quoted of another thing.
        ("conv-input-channels", "RuntimeError",
         "Given groups=1, weight of size [4, 3, 3, 3], expected input[1, 5, 6, 6] to have 3 "
         "channels, but got 5 channels instead", ""),
        ("tensor-called-like-a-function", "TypeError",
         "'builtin_function_or_method' object is not subscriptable", ""),
        ("integer-tensor-where-floats-are-needed", "NotImplementedError",
         '"softmax_lastdim_kernel_impl" not implemented for \'Long\'', ""),
        ("integer-tensor-where-floats-are-needed", "NotImplementedError",
         '"normal_kernel_cpu" not implemented for \'Long\'', "randn_like"),
        ("softmax-before-cross-entropy", "RuntimeError", "it failed", ""),
    ],
)  # fmt: skip
def test_what_is_said_of_an_error_of_another_cause(slug: str, type: str, message: str, told: str):
    """The paragraph that quotes it; nothing where the article is about the error itself."""
    said = ARTICLES[slug].other_cause(type, message)

    assert told in said
    assert bool(said) is bool(told)


@pytest.mark.parametrize(
    ("slug", "type", "message", "opposite"),
    [
        ("normalization-size", "ValueError", "expected 3D input (got 4D input)", True),
        ("normalization-size", "ValueError", "expected 3D input (got 5D input)", True),
        ("normalization-size", "ValueError", "expected 4D input (got 3D input)", False),
        ("normalization-size", "RuntimeError",
         "running_mean should contain 5 elements not 4", False),
        ("normalization-size", "RuntimeError", "it failed", False),
        ("softmax-before-cross-entropy", "ValueError", "expected 3D input (got 4D input)", False),
    ],
)  # fmt: skip
def test_the_opposite_of_an_error_is_no_reason(slug: str, type: str, message: str, opposite: bool):
    """Better none than one that is told the wrong way round."""
    assert ARTICLES[slug].has_only_the_opposite(type, message) is opposite


@pytest.mark.parametrize("article", ARTICLES.values(), ids=lambda a: a.slug)
def test_the_own_error_of_an_article_has_no_other_cause(article: Article):
    """Its reason is the article's."""
    own = article.expected_error
    assert own is None or article.other_cause(own.type, own.message) == ""
