"""Fingerprints are the same whether they are taken one by one or together."""

from __future__ import annotations

import torch

from executor.inside.probes.tensors import fingerprint, fingerprints
from knowledge.repair.fingerprints import same_values


def test_what_is_sparse_has_that_of_its_dense_form() -> None:
    table = torch.tensor([[0.0, 2.0], [0.0, 0.0]])

    assert same_values(fingerprint(table.to_sparse()), fingerprint(table))


def test_together_as_one_by_one() -> None:
    generator = torch.Generator().manual_seed(0)
    tensors = [
        torch.randn(3, generator=generator),
        torch.randn(5, 4, generator=generator).T,
        torch.tensor(2.5),
        torch.randn(4, generator=generator, dtype=torch.float64),
        torch.tensor([1.0, float("nan"), float("inf"), -float("inf")]),
        torch.arange(6),  # of a kind that is taken alone
        torch.empty(0),
        torch.randn(3, generator=generator, dtype=torch.cfloat),
        torch.randn(1 << 15, generator=generator),
        torch.zeros(2, 2),
    ]
    tensors.append(tensors[0])
    together, alone = fingerprints(tensors), [fingerprint(t) for t in tensors]

    assert [(f.shape, f.dtype) for f in together] == [(f.shape, f.dtype) for f in alone]
    assert all(same_values(a, b, tolerance=1e-12) for a, b in zip(together, alone, strict=True))
    assert not same_values(together[0], together[1])
    assert not same_values(fingerprints([tensors[0] * 1.01, tensors[1]])[0], together[0])
