"""einsum-subscript-sizes: the one order of letters in which every letter has one size."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

COLUMNS = """\
import torch

left, right = torch.rand(6, 2), torch.rand(6, 3)
print(torch.einsum("ij,jk->ik", left, right).shape)  # over the rows
"""

BATCHES = """\
import torch

maps = torch.rand(4, 5, 7, requires_grad=True)
weights = torch.rand(4, 5, 2)
mixed = torch.einsum("bij,bjk->bik", maps, weights)
mixed.sum().backward()
"""

WEIGHTED = """\
import torch


def weighted(frames, weights):
    return torch.einsum('btc,bt->bc', frames, weights)


print(weighted(torch.rand(2, 5, 3), torch.rand(2, 3)).shape)
"""

NOTHING_FITS = """\
import torch

print(torch.einsum("ij,jk->ik", torch.rand(2, 3), torch.rand(4, 5)))
"""

BOTH = """\
import torch

print(torch.einsum("ij,jk->ik", torch.rand(5, 4), torch.rand(3, 5)))
"""

CASES = Cases(
    mended={
        "over the rows": (COLUMNS, '"ji,jk->ik", left, right).shape)  # over the rows'),
        "in batches": (BATCHES, '"bji,bjk->bik"'),
        "another order of a picture": (WEIGHTED, "'bct,bt->bc'"),
    },
    refused={"nothing fits": NOTHING_FITS, "both the other way round": BOTH},
    wrong={
        "another result": ("over the rows", swap("ij,jk->ik", "ji,jk->ki")),
        "no sum": ("over the rows", swap("ij,jk->ik", "ji,jk->ijk")),
        "detach": (
            "in batches",
            swap('"bij,bjk->bik", maps,', '"bji,bjk->bik", maps.detach(),'),
        ),
        "reshape": (
            "in batches",
            swap('"bij,bjk->bik", maps', '"bij,bjk->bik", maps.reshape(4, 7, 5)'),
        ),
        "swallow it": ("in batches", swallow("mixed.sum().backward()")),
        "delete it": ("in batches", delete("mixed.sum().backward()")),
    },
)
