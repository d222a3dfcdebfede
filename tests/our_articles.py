"""The articles as they are on the disk, read once for all tests of a process."""

from __future__ import annotations

from knowledge.articles.reading import load_articles

OUR_ARTICLES = {article.slug: article for article in load_articles()}
