"""A keyword of another library, or of another year: renamed, or left out if it did nothing.

Which names exist is asked of the torch that the snippet ran on. A keyword is dropped only where
it never changed what was computed (`verbose` of a scheduler).
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterable

import libcst as cst

from executor.job import JobResult
from knowledge.codemod import Check, Proposal, Rewrite
from knowledge.edits import Program
from knowledge.sites import failing, seen_error, without_argument

_ERROR = re.compile(r"(?:(\w+)\.__init__|(\w+))\(\) got an unexpected keyword argument '(\w+)'")

# What other libraries and people call it → what torch calls it, where torch's function has that.
_SAME = {
    "vocab_size": ("num_embeddings",), "input_dim": ("num_embeddings", "in_features", "input_size"),
    "embed_dim": ("embedding_dim", "d_model"), "embedding_size": ("embedding_dim",),
    "output_dim": ("embedding_dim", "out_features"), "embed_size": ("embed_dim", "embedding_dim"),
    "in_channels": ("in_features",), "out_channels": ("out_features",),
    "in_features": ("in_channels", "input_size"), "out_features": ("out_channels",),
    "input_features": ("in_features",), "output_features": ("out_features",),
    "filters": ("out_channels",), "strides": ("stride",), "hidden_dim": ("hidden_size",),
    "n_layers": ("num_layers",), "rate": ("p",), "dropout_rate": ("p", "dropout"),
    "prob": ("p",), "heads": ("num_heads", "nhead"), "n_heads": ("num_heads", "nhead"),
    "num_heads": ("nhead",), "nhead": ("num_heads",), "n_head": ("num_heads", "nhead"),
    "dim_ff": ("dim_feedforward",), "ffn_dim": ("dim_feedforward",), "learning_rate": ("lr",),
    "use_bias": ("bias",), "axes": ("dims",), "axis": ("dim",), "keepdims": ("keepdim",),
    "negative_slope": ("alpha",), "epsilon": ("eps",), "decay": ("weight_decay",),
    "size_average": (), "inplace": (), "num_feature": ("num_features",), "kernel": ("kernel_size",),
}  # fmt: skip


def applies(result: JobResult) -> bool:
    """A call was given a keyword that it does not know."""
    return _match(result) is not None


def _match(result: JobResult) -> re.Match[str] | None:
    error = seen_error(result, "got an unexpected keyword argument")
    return _ERROR.search(error.message) if error is not None else None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """The keyword under the name it has here."""
    error = seen_error(result, "got an unexpected keyword argument")
    match = _match(result)
    assert error is not None and match is not None
    node = failing(program, error)
    if not isinstance(node, cst.Call):
        return
    keyword = match[3]
    given = next((a for a in node.args if a.keyword and a.keyword.value == keyword), None)
    if given is None or given.keyword is None:
        return
    at = f"line {program.line(node)}"
    called = program.text(node.func).rpartition(".")[2]
    if keyword == "verbose" and hasattr(
        importlib.import_module("torch.optim.lr_scheduler"), called
    ):
        yield Rewrite(
            program.replace({node: without_argument(node, given)}),
            f"{at}: schedulers no longer print, so `verbose` is gone; get_last_lr() tells the rate",
        )
        return
    known = _keywords(program, node)
    taken = {a.keyword.value for a in node.args if a.keyword is not None}
    fitting = [n for n in _SAME.get(keyword, ()) if n in known and n not in taken]
    if len(fitting) != 1 or _filled(known, fitting[0], node):
        return
    new = given.with_changes(keyword=cst.Name(fitting[0]))
    yield Rewrite(
        program.replace({given: new}),
        f"{at}: `{called}` calls it `{fitting[0]}`",
    )


def _filled(known: list[str], name: str, node: cst.Call) -> bool:
    """Whether a positional argument has the name's place already."""
    plain = [a for a in node.args if a.keyword is None]
    return any(a.star for a in plain) or known.index(name) < len(plain)


def _keywords(program: Program, node: cst.Call) -> list[str]:
    """The parameters of what is called, if torch has it under that name."""
    name = program.text(node.func).rpartition(".")[2]
    for module in ("torch.nn", "torch.optim", "torch.optim.lr_scheduler", "torch.nn.functional",
                   "torch", "torch.utils.data"):  # fmt: skip
        thing = getattr(importlib.import_module(module), name, None)
        if thing is None:
            continue
        try:
            parameters = list(inspect.signature(thing).parameters.values())
        except (TypeError, ValueError):
            continue
        if name in {"LSTM", "GRU", "RNN"}:  # these hand everything on to their base
            base = importlib.import_module("torch.nn").RNNBase
            parameters = list(inspect.signature(base).parameters.values())[1:]
        return [p.name for p in parameters if p.kind is not inspect.Parameter.VAR_KEYWORD]
    return []


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Nothing but the keyword's name changed, so what was given is still given."""
    match = _match(before)
    error = seen_error(before, "got an unexpected keyword argument")
    if match is None or error is None or match[3] == "verbose":
        return []
    value = re.search(rf"\b{match[3]}\s*=\s*([\w.]+)", error.code)
    if value is None or error.line is None:
        return []
    text = "\n".join(proposal.code.splitlines()[error.line - 1 :])
    kept = re.search(rf"\b\w+\s*=\s*{re.escape(value[1])}\b", text) is not None
    detail = "the argument is still given" if kept else f"`{value[1]}` is no longer given"
    return [Check(name="argument", passed=kept, detail=detail)]
