"""Make an embedding as large as the largest index it is asked for."""

from __future__ import annotations

from collections.abc import Iterable

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.shapes import (
    as_large_as,
    indices_kept,
    layer_call,
    resized,
    same_layers,
    span_of,
    still_computed,
)
from knowledge.repair.toolkit.sites import failing, seen_error, setting

_FAMILY = "embedding_range"


def applies(result: JobResult) -> bool:
    """An embedding was asked for a row that it has not."""
    layer = result.layer
    return (
        seen_error(result, _FAMILY) is not None
        and layer is not None
        and layer.type in ("Embedding", "EmbeddingBag")
    )


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """num_embeddings := the largest index + 1, where the indices can be seen."""
    error, layer = seen_error(result, _FAMILY), result.layer
    if error is None or layer is None:
        return
    rows = setting(layer, "num_embeddings")
    called = layer_call(program, failing(program, error), layer)
    if rows is None or called is None or called.inside or called.first is None:
        return
    span = span_of(program, result, called.first)
    if span is None or span[0] < 0 or span[1] < rows:
        return
    drawn = "randint" in program.module.code or "arange" in program.module.code
    if span[1] > rows and not drawn:
        return  # a single index far outside is more likely a wrong index than a small table
    ways = resized(program, layer, 0, "num_embeddings", span[1] + 1)
    told = f"indices go up to {span[1]}, so the embedding"
    yield from as_large_as(ways, span[1], told, "rows", rows)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same indices are looked up: none is clamped, wrapped or left out."""
    kept = still_computed(seen_error(before, _FAMILY), proposal.code)
    return [kept, indices_kept(proposal.code), same_layers(before, after)]
