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

from executor.errors import SeenError, read
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.sites import failing, seen_error, without_argument

_FAMILIES = ("unexpected_keyword", "missing_arguments")


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
    "n_iter": ("max_iter",), "evaluation_strategy": ("eval_strategy",),
    "training": ("train",), "size_average": (), "num_feature": ("num_features",),
    "kernel": ("kernel_size",),
}  # fmt: skip


def applies(result: JobResult) -> bool:
    """A call was given a keyword that it does not know."""
    return _match(result) is not None or _lacks_train(result)


def _lacks_train(result: JobResult) -> bool:
    """torch.dropout and its like, where `training` was given by the name of nn.functional."""
    error = seen_error(result, "missing_arguments")
    seen = read(error, "missing_arguments") if error is not None else None
    if seen is None or not seen["function"].endswith("dropout"):
        return False
    return seen["count"] == "1" and seen["names"].startswith('"train"')


def _match(result: JobResult) -> SeenError | None:
    error = seen_error(result, "unexpected_keyword")
    seen = read(error, "unexpected_keyword") if error is not None else None
    return seen if seen is not None and seen["function"] else None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """The keyword under the name it has here."""
    error = seen_error(result, *_FAMILIES)
    match = _match(result)
    node = failing(program, error)
    if not isinstance(node, cst.Call):
        return
    keyword = match["keyword"] if match is not None else "training"
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
    if keyword == "inplace" and program.text(given.value) == "True":
        yield from _in_place(program, node, given)
        return
    if called == "Sequential":
        yield from _unnamed(program, node, given)
        return
    known = ["input", "p", "train"] if match is None else _keywords(program, result, node)
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


def _in_place(program: Program, node: cst.Call, given: cst.Arg) -> Iterable[Rewrite]:
    """`torch.relu(x, inplace=True)` → `torch.relu_(x)`, where torch has that."""
    function = node.func
    if not isinstance(function, cst.Attribute) or program.text(function.value) != "torch":
        return
    name = f"{function.attr.value}_"
    if hasattr(importlib.import_module("torch"), name):
        renamed = function.with_changes(attr=cst.Name(name))
        yield Rewrite(
            program.replace({node: without_argument(node, given).with_changes(func=renamed)}),
            f"line {program.line(node)}: `torch.{name}` is the one that writes in place",
        )


def _unnamed(program: Program, node: cst.Call, given: cst.Arg) -> Iterable[Rewrite]:
    """A layer of a Sequential without its name, if nothing asks for it by that."""
    name = given.keyword.value if given.keyword is not None else ""
    named = [a for a in program.all(cst.Attribute) if a.attr.value == name]
    last = given is node.args[-1]
    if last and not named and isinstance(given.value, cst.Call):
        plain = given.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT)
        yield Rewrite(
            program.replace({given: plain}),
            f"line {program.line(node)}: a Sequential takes no keywords; names of layers go into "
            "an OrderedDict",
        )


def _keywords(program: Program, result: JobResult, node: cst.Call) -> list[str]:
    """The parameters of what is called: as torch has them, else as the run saw them."""
    name = program.text(node.func).rpartition(".")[2]
    for module in (
        "torch.nn",
        "torch.optim",
        "torch.optim.lr_scheduler",
        "torch.nn.functional",
        "torch",
        "torch.utils.data",
    ):
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
    seen = result.explanation.facts.get("takes", ()) if result.explanation is not None else ()
    return [str(name) for name in seen]


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Nothing but the keyword's name changed, so what was given is still given."""
    match = _match(before)
    error = seen_error(before, *_FAMILIES)
    if error is None or (match is not None and match["keyword"] == "verbose"):
        return []
    keyword = match["keyword"] if match is not None else "training"
    value = re.search(rf"\b{keyword}\s*=\s*([\w.]+)", error.code)
    if keyword == "inplace":
        name = re.match(r"torch\.(\w+)", error.code)
        kept = name is not None and re.search(rf"\b{name[1]}_\(", proposal.code) is not None
        detail = "it is still done in place" if kept else "it is no longer done in place"
        return [Check(name="in place", passed=kept, detail=detail)]
    if "Sequential(" in error.code and value is not None:
        kept = value[1] in "\n".join(proposal.code.splitlines()[(error.line or 1) - 1 :])
        detail = "the layer is still there" if kept else "the layer is gone"
        return [Check(name="layer", passed=kept, detail=detail)]
    if value is None or error.line is None:
        return []
    text = "\n".join(proposal.code.splitlines()[error.line - 1 :])
    kept = re.search(rf"\b\w+\s*=\s*{re.escape(value[1])}\b", text) is not None
    detail = "the argument is still given" if kept else f"`{value[1]}` is no longer given"
    return [Check(name="argument", passed=kept, detail=detail)]
