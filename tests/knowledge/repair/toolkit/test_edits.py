"""knowledge/repair/toolkit/edits.py: how a snippet would call what a module has."""

from __future__ import annotations

import inspect

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

from knowledge.repair import engine
from knowledge.repair.toolkit.edits import Program, buffer, keyword, padded, separated


@pytest.mark.parametrize(
    ("imports", "module", "name"),
    [
        ("import torch", "torch.nn.functional", "torch.nn.functional.pad"),
        ("import torch.nn.functional as F", "torch.nn.functional", "F.pad"),
        ("from torch import nn", "torch.nn.functional", "nn.functional.pad"),
        ("import torch\nfrom torch import nn", "torch.nn.functional", "nn.functional.pad"),
        ("from torch.nn.functional import pad", "torch.nn.functional", "pad"),
        ("import torch.utils.data", "torch.nn.functional", "torch.nn.functional.pad"),
        ("import torch", "torch", "torch.pad"),
        ("import numpy", "torch.nn", "nn.pad"),  # nothing is imported: as most would call it
        ("import numpy", "torch.nn.functional", "F.pad"),
        ("x = nn.ReLU()", "torch.nn.functional", "nn.functional.pad"),  # an import that is left out
        ("x = nn.ReLU()\ny = F.relu(x)", "torch.nn.functional", "F.pad"),
        ("x = torch.ones(2)", "torch.nn.functional", "torch.nn.functional.pad"),
        ("import torch as t\ntorch = 1", "torch", "t.pad"),
    ],
)
def test_a_name_is_called_by_what_is_imported(imports: str, module: str, name: str) -> None:
    assert Program(f"{imports}\n").name_of(module, "pad") == name


@pytest.mark.parametrize(
    "code",
    [
        inspect.getsource(engine),
        "x = (1,\n     2)\r\nif x:\n    y = 'é'\n    # c\n\nz = x\n",
        "x = 1",
        "",
    ],
)
def test_parents_and_lines_are_those_of_libcst(code: str) -> None:
    """Of every statement and expression; its own providers take much longer."""
    program = Program(code)
    wrapper = MetadataWrapper(program.module, unsafe_skip_copy=True)
    parents, positions = wrapper.resolve(ParentNodeProvider), wrapper.resolve(PositionProvider)
    kinds = (cst.BaseExpression, cst.BaseSmallStatement, cst.BaseStatement)
    nodes = [node for kind in kinds for node in program.all(kind)]  # type: ignore[type-abstract]

    assert bool(nodes) is bool(code)
    assert [program.parent(n) for n in nodes] == [parents.get(n) for n in nodes]
    lines = [(program.line(n), program.end_line(n)) for n in nodes]
    assert lines == [(positions[n].start.line, positions[n].end.line) for n in nodes]


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("import torch", "torch.nn.utils.rnn.pad_sequence"),
        ("import numpy", "torch.nn.utils.rnn.pad_sequence"),
        ("from torch.nn.utils.rnn import pad_sequence", "pad_sequence"),
        ("from torch.nn.utils import rnn", "rnn.pad_sequence"),
    ],
)
def test_rows_are_padded_by_the_name_that_the_program_has(imports: str, name: str) -> None:
    program = Program(f"{imports}\n")

    assert program.text(padded(program, cst.Name("rows"))) == f"{name}(rows, batch_first=True)"


@pytest.mark.parametrize("given", ["f(a, b,)", "f(\n    a,\n    b,\n)", "f(a)"])
def test_arguments_are_separated_anew(given: str) -> None:
    """No comma is left behind the last, and none is missing before one that came to them."""
    call = cst.ensure_type(cst.parse_expression(given), cst.Call)
    every = separated([*call.args, keyword("dim", cst.Integer("1"))])
    text = cst.Module(()).code_for_node(call.with_changes(args=every))

    assert (
        "".join(text.split())
        == "".join(given.replace(",)", ")").split())[:-1].rstrip(",") + ",dim=1)"
    )


def test_what_is_above_a_node_comes_from_the_inside() -> None:
    program = Program("def f():\n    for x in y:\n        g(x)\n")
    above = list(program.above(next(iter(program.all(cst.Call)))))
    kinds = (cst.Module, cst.FunctionDef, cst.For, cst.Expr)

    assert [type(n) for n in above if isinstance(n, kinds)] == [*reversed(kinds)]


def test_an_attribute_becomes_a_buffer_of_its_module() -> None:
    made = next(Program("self.net.x = torch.zeros(3) + 1\n").all(cst.Assign))
    target = cst.ensure_type(made.targets[0].target, cst.Attribute)

    registered = cst.Module(()).code_for_node(buffer(target, made.value))
    assert registered == 'self.net.register_buffer("x", torch.zeros(3) + 1)'
