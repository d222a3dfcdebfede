"""What the tests of knowledge/ share: the articles, and one index over them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from knowledge.articles.article import Article
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.index import open_index
from knowledge.search.search import Search
from tests.our_articles import OUR_ARTICLES


class CountingModel:
    """The real model, which also remembers what it was asked to embed."""

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model
        self.embedded: list[str] = []

    @property
    def identity(self) -> str:
        return self._model.identity

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.embedded += texts
        return self._model.encode(texts)


@pytest.fixture
def counting(model: EmbeddingModel) -> CountingModel:
    return CountingModel(model)


@pytest.fixture(scope="session")
def articles() -> list[Article]:
    return list(OUR_ARTICLES.values())


@pytest.fixture(scope="session")
def index_folder(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(indexed / "index", tmp_path_factory.mktemp("tests") / "index")


@pytest.fixture(scope="session")
def search(model: EmbeddingModel, articles: list[Article], index_folder: Path) -> Search:
    return Search(open_index(index_folder, articles, model), model)
