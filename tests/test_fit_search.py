"""Facts about benchmarks/fit_search.py: it finds what it is asked to fit."""

from __future__ import annotations

import numpy as np

from benchmarks.fit_search import weights


def test_the_weights_that_chose_are_found():
    """Choices drawn by known weights lead back to them, whatever the measures' own scales."""
    draw = np.random.default_rng(0)
    true = np.array([20.0, 0.3])
    choices = []
    for _ in range(3000):
        measured = draw.normal(size=(12, 2)) * [0.1, 5.0]
        chosen = int((measured @ true + draw.gumbel(size=12)).argmax())
        choices.append((measured, chosen))

    assert np.allclose(weights(choices), true, rtol=0.1)
