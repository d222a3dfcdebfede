"""knowledge/repair/applies.py: which runs a codemod or an operator is for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from executor.inside.probes.kinds import finding
from executor.protocol import Caught, JobResult, Layer
from knowledge.repair.applies import says_when
from knowledge.repair.codemod import Codemod
from knowledge.repair.operator import Operator
from tests.built import failed, ran

SIZES = "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"
OTHER = "a view of a leaf Variable that requires grad is being used in an in-place operation."


def layer(kind: str) -> Layer:
    return Layer(name="fc", type=kind, repr=f"{kind}()", line=1, input=(2, 3), dtype="float32")


OF_SIZES = failed(SIZES)
OF_TWENTY = failed("mat1 and mat2 shapes cannot be multiplied (20x3 and 4x5)")
OF_MM = failed(SIZES, code="mm(a, b)")
OF_TYPES = failed("'int' object is not callable", type="TypeError")
IN_A_LINEAR = OF_SIZES.model_copy(update={"layer": layer("Linear")})
IN_A_LIKE = OF_SIZES.model_copy(update={"layer": layer("LazyLinear")})
CAUGHT = ran(caught=(Caught(type="RuntimeError", message=SIZES),))
FOUND = ran(findings=(finding("loss_broadcasts", 1, "loss", ""),))


@pytest.mark.parametrize(
    ("says", "here", "elsewhere"),
    [
        ({"ERRORS": ("matmul_shapes",)}, [OF_SIZES, CAUGHT], [failed(OTHER), ran()]),
        ({"ERRORS": ("matmul_shapes", "leaf_in_place")}, [OF_SIZES, failed(OTHER)], [ran()]),
        (
            {"ERRORS": ("matmul_shapes",), "LAYERS": "Linear"},
            [IN_A_LINEAR],
            [OF_SIZES, IN_A_LIKE, ran()],
        ),
        ({"ERRORS": ("matmul_shapes",), "LAYERS": ""}, [OF_SIZES], [IN_A_LINEAR]),
        ({"TYPES": {"RuntimeError"}}, [OF_SIZES, CAUGHT, failed(OTHER)], [ran(), OF_TYPES]),
        (
            {"ERRORS": ("matmul_shapes",), "TYPES": {"TypeError"}},
            [OF_SIZES, OF_TYPES],
            [failed(OTHER), ran()],
        ),
        ({"ERRORS": ("matmul_shapes",), "CODE": r"^mm\("}, [OF_MM], [OF_SIZES, failed(OTHER)]),
        (
            {"ERRORS": ("matmul_shapes",), "SAYS": {"rows": "2|3", "columns": "5", "which": ""}},
            [OF_SIZES, CAUGHT],
            [OF_TWENTY, failed(OTHER), ran()],
        ),
        ({"ERRORS": ("matmul_shapes",), "SAYS": {"which": "bias"}}, [], [OF_SIZES]),
        (
            {"ERRORS": ("matmul_shapes",), "TYPES": {"TypeError"}, "SAYS": {"rows": "2"}},
            [OF_SIZES],
            [OF_TYPES],
        ),
        ({"SPEAKS": "shapes"}, [OF_SIZES, CAUGHT], [OF_TYPES, ran()]),
        ({"SPEAKS": ""}, [OF_SIZES, OF_TYPES], [ran()]),
        (
            {"ERRORS": ("leaf_in_place",), "TYPES": {"TypeError"}, "SPEAKS": "shapes"},
            [OF_SIZES, OF_TYPES, failed(OTHER)],
            [failed("an error of no family"), ran()],
        ),
        ({"SPEAKS": "shapes", "LAYERS": "Linear"}, [IN_A_LINEAR], [OF_SIZES, IN_A_LIKE]),
        ({"FINDINGS": {"loss_broadcasts"}}, [FOUND], [ran(), OF_SIZES]),
        ({"FINDINGS": {"graph_kept"}}, [], [FOUND]),
        ({"applies": lambda result: result.stdout == "1\n"}, [ran(stdout="1\n")], [ran()]),
        (
            {"ERRORS": ("matmul_shapes",), "applies": lambda result: result.layer is not None},
            [IN_A_LINEAR],
            [OF_SIZES, FOUND.model_copy(update={"layer": layer("Linear")})],
        ),
    ],
)
def test_all_that_a_module_says_must_hold(
    says: dict[str, object], here: list[JobResult], elsewhere: list[JobResult]
) -> None:
    codemod = Codemod("a", SimpleNamespace(**says))

    assert says_when(codemod.module)
    assert all(map(codemod.applies, here))
    assert not any(map(codemod.applies, elsewhere))


def test_one_that_says_nothing_is_for_no_run() -> None:
    assert not says_when(SimpleNamespace(LAYERS="Linear"))


def test_an_operator_is_for_what_ended_the_run() -> None:
    """What the program caught has no frames that are still there."""
    operator = Operator("a", SimpleNamespace(ERRORS=("matmul_shapes",)))

    assert operator.applies(OF_SIZES) and not operator.applies(CAUGHT)
