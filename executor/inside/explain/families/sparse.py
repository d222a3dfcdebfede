"""Sparse tensors: their indices, sizes, and whether they are coalesced."""

from __future__ import annotations

from executor.errors import SeenError
from executor.inside import torch_private as private
from executor.inside.explain.family import Told, explains
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import dims, dtype, listed


def _sparse(scene: Scene) -> Thing | None:
    return next((t for t in scene.tensors if t.value.is_sparse), None)


@explains("sparse", "sparse_uncoalesced")
def uncoalesced(scene: Scene, m: SeenError) -> Told:
    """How many entries it has as they are."""
    t = _sparse(scene)
    if t is None:
        return None
    return (
        f"{t} is sparse with {private.nnz(t.value)} entries that may repeat a position: "
        f"is_coalesced() is False."
    )


@explains("sparse", "sparse_size", "sparse_indices_shape", "sparse_entries", "sparse_bounds")
def construction(scene: Scene, m: SeenError) -> Told:
    """The shape of indices and values, and what each row means."""
    indices, values = scene.argument(0, "indices"), scene.argument(1, "values")
    size = scene.argument(2, "size")
    if indices is None or not indices.is_tensor:
        return None
    shape = indices.shape
    text = f"{indices} are the indices"
    if len(shape) != 2:
        text += ", which would have a row for each dimension and a column for each entry"
    if len(shape) == 2:
        text += (
            f": {shape[0]} rows are {shape[0]} dimensions, {shape[1]} columns are {shape[1]} "
            f"entries"
        )
    if values is not None and values.is_tensor:
        text += f"; {values} are the values"
    if size is not None and issubclass(type(size.value), (tuple, list)):
        text += f"; the size {dims(size.value)} has {len(size.value)} dimensions"
        if len(shape) == 2 and shape[1] == len(size.value) != shape[0]:
            text += f", which is the number of columns, not of rows, of `{indices.name}`"
    return f"{text}."


@explains("sparse", "sparse")
def other(scene: Scene, m: SeenError) -> Told:
    """Which operand is sparse."""
    if not any(t.value.layout != _strided() for t in scene.tensors):
        return None
    told = [
        f"{t.ticked}{t.place} is {str(t.value.layout).removeprefix('torch.')} "
        f"{dtype(t.value)} {dims(t.shape)}"
        for t in scene.tensors[:3]
    ]
    return f"{listed(told)}."


def _strided() -> object:
    import torch

    return torch.strided
