"""Bring coordinates into the order that grid_sample reads: the two (or three) numbers last."""

import libcst as cst

from executor.errors import read
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.sites import argument, integer

_GRID, _THETA = "grid_coordinates", "affine_matrices"  # error families
ERRORS = (_GRID, _THETA)
KEEPS = (computed(),)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`grid.permute(0, 2, 3, 1)`; one matrix as a batch of one."""
    node = program.node
    if not isinstance(node, cst.Call):
        return
    name = program.text(node.func).rpartition(".")[2]
    if (m := read(program.error, _GRID)) and name == "grid_sample":
        given = argument(node, 1, "grid")
        wanted, shape = m.number("coordinates"), m.sizes("grid")
        # Only one place may hold the coordinates: else the order is a guess.
        if given is None or len(shape) != wanted + 2 or shape[1] != wanted or wanted in shape[2:]:
            return
        arguments = [cst.Arg(integer(d)) for d in (0, *range(2, len(shape)), 1)]
        told = f"dimension 1 of {list(shape)} holds the {wanted} coordinates, which grid_sample"
        new = method(given.value, "permute", *arguments)
        yield program.edit({given.value: new}, f"{told} reads from the last one", at=node)
    elif (m := read(program.error, _THETA)) and name == "affine_grid":
        given = argument(node, 0, "theta")
        shape = (2, 3) if m["dimensions"] == "2D" else (3, 4)
        if given is None or m.sizes("given") != shape:
            return
        zero = cst.Arg(cst.Integer("0"))
        told = "one matrix is a batch of one"
        yield program.edit({given.value: method(given.value, "unsqueeze", zero)}, told, at=node)
