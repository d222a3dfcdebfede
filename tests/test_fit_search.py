"""Facts about benchmarks/fit_search.py: it finds what it is asked to fit."""

from __future__ import annotations

import numpy as np

from benchmarks.fit_search import weights

TRUE = np.array([20.0, 0.3])


def chosen(sources: int) -> list[tuple[np.ndarray, int]]:
    """Choices among sources, drawn by the weights `TRUE`."""
    draw = np.random.default_rng(0)
    found = []
    for _ in range(3000):
        measured = draw.normal(size=(sources, 2)) * [0.1, 5.0]
        found.append((measured, int((measured @ TRUE + draw.gumbel(size=sources)).argmax())))
    return found


def test_the_weights_that_chose_are_found():
    """Choices drawn by known weights lead back to them, whatever the measures' own scales."""
    choices = [(measured, right, np.ones(12)) for measured, right in chosen(12)]

    assert np.allclose(weights(choices), TRUE, rtol=0.1)


def test_some_sources_stand_for_many():
    """The likely sources and a fifth of the others, each for five, lead to the same weights."""
    choices = []
    for measured, right in chosen(200):
        others = np.delete(measured, right, axis=0)
        order = np.argsort(-(others @ TRUE))
        few = np.concatenate([measured[[right]], others[order[:49]], others[order[49::5]]])
        choices.append((few, 0, np.array([1.0] * 50 + [5.0] * 30)))

    assert np.allclose(weights(choices), TRUE, rtol=0.05)
