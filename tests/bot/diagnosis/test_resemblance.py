"""bot/diagnosis/resemblance.py: an article is for a long post only if that says what it is."""

from __future__ import annotations

import pytest

from bot.diagnosis.resemblance import is_about
from knowledge.articles.reading import load_articles
from knowledge.articles.slugs import ARTICLES

ALL = {article.slug: article for article in load_articles(ARTICLES)}
OTHER = (
    "I wrap a model in nn.DataParallel. It reads a table of constants that never changes, and only "
    "the first GPU sees that table while the other ones stop. Is there a way to give each GPU a "
    "copy of it, or do I have to pass it whenever the model is called?"
)


@pytest.mark.parametrize(
    ("text", "slug", "about"),
    [
        (OTHER, "cuda-in-a-forked-worker", False),  # it only speaks of GPUs too
        (OTHER, "torch-without-cuda", False),
        ("Is there a way to copy a tensor to each GPU?", "cuda-in-a-forked-worker", True),  # short
        (f"{OTHER} Then it runs out of memory.", "cuda-out-of-memory", True),  # its error's words
        (f"{OTHER} My memory is bad.", "cuda-out-of-memory", False),
        (
            f"{OTHER} Besides, nn.KLDivLoss takes log probabilities, and my KL divergence between "
            "two distributions is negative.",
            "kl-divergence-takes-log-probabilities",
            True,  # what its title says, in rare words
        ),
        ("accuracy is bad, loss: 2.3026, loss: 1.12", "loss-stays-at-ln-of-the-classes", False),
        ("accuracy is bad, loss: 2.31, loss: 2.3026", "loss-stays-at-ln-of-the-classes", True),
        (f"{OTHER} The loss is negative.", "kl-divergence-takes-log-probabilities", False),
    ],
)
def test_a_long_post_has_to_say_what_the_article_is_about(text: str, slug: str, about: bool):
    """Its error's phrase, or what its title says and rare words of it; a short one is trusted."""
    assert is_about(text, ALL[slug], ALL, is_nearest=True) is about


def test_only_the_nearest_article_can_be_about_a_long_post():
    """Where that is not about it, the next one resembles it even less."""
    text = f"{OTHER} Then it runs out of memory."

    assert not is_about(text, ALL["cuda-out-of-memory"], ALL, is_nearest=False)
    assert is_about("out of memory", ALL["cuda-out-of-memory"], ALL, is_nearest=False)
