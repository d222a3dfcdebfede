"""Find loaded weights that change nothing: no name matched, or they are the module's own.

`Module._load_from_state_dict` is replaced for the run: `load_state_dict` calls it for each part
of a module, and raises its errors afterwards, so that no frame of ours is in a traceback.
"""

from __future__ import annotations

import ast
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import Heard
from executor.inside.remarks.edits import operand, put, way
from executor.inside.walking import walk

_MOST = 50


@dataclass
class Load:
    """One call of load_state_dict."""

    module: str
    line: int | None
    steps: int  # of all optimizers, before it
    last_taken: int | None  # those before the module's state_dict() was last asked for
    given: frozenset[str]  # names in the dictionary; a batch norm adds to those that it lacks
    matched: int = 0
    own: int = 0  # matched by the very memory that the module has
    held: set[str] = field(default_factory=set)  # parameters that the module has


class Loads:
    """Every load of weights into a module."""

    def __init__(self, source: SnippetSource, tree: ast.Module, steps: Callable[[], int]) -> None:
        """Args: source, tree: the snippet; steps: how many steps there were so far."""
        self.source = source
        self._tree = tree
        self.seen: list[Load] = []
        self._steps = steps
        self._taken: dict[int, int] = {}  # id of a module → steps when its state was taken
        self._loaded: dict[int, weakref.ref[torch.Tensor]] = {}  # parameters

    def start(self) -> None:
        """Listen."""
        self._original = private.load_part(nn.Module)
        self._state_dict = nn.Module.state_dict
        loads, original = self, self._original

        def load(module: Any, state: Any, prefix: str, metadata: Any, *rest: Any) -> None:
            try:
                with private.DisableTorchFunction():
                    loads._hear(module, state, prefix, metadata)
            except Exception:  # ours, and no reason to stop the loading
                pass
            original(module, state, prefix, metadata, *rest)

        private.set_load_part(nn.Module, load)
        nn.Module.state_dict = Heard(self._state_dict, self._take)  # type: ignore

    def stop(self) -> None:
        """Stop listening."""
        private.set_load_part(nn.Module, self._original)
        nn.Module.state_dict = self._state_dict  # type: ignore[method-assign]

    def is_loaded(self, p: torch.Tensor) -> bool:
        """Whether a parameter has got its values by load_state_dict."""
        return id(p) in self._loaded and self._loaded[id(p)]() is p

    def _take(self, module: nn.Module) -> None:
        self._taken[id(module)] = self._steps()

    def _hear(self, module: nn.Module, state: Any, prefix: str, metadata: Any) -> None:
        if metadata.get("assign_to_params_buffers") or len(self.seen) >= _MOST:
            return
        if not prefix:
            taken = self._taken.get(id(module))
            line = self.source.line_now()
            seen = Load(type(module).__name__, line, self._steps(), taken, frozenset(state))
            self.seen.append(seen)
        if not self.seen:
            return
        load = self.seen[-1]
        load.matched += sum(prefix + name in load.given for name in private.buffers_of(module))
        for name, p in private.parameters_of(module).items():
            if p is None:
                continue
            load.held.add(prefix + name)
            new = state.get(prefix + name)
            if prefix + name in load.given and issubclass(type(new), torch.Tensor):
                load.matched += 1
                self._loaded[id(p)] = weakref.ref(p)
                load.own += new.data_ptr() == p.data_ptr() and p.numel() > 0

    def report(self, collector: FindingCollector) -> None:
        """Add the findings, after the run."""
        for i, load in enumerate(self.seen):
            call = self._call_at(load.line)
            later = (x for x in self.seen[i + 1 :] if x.module == load.module)
            if load.held and load.given and not load.matched:
                if call is not None and _is_lenient(call) and not any(x.matched for x in later):
                    collector.add(
                        "loaded_nothing", load.line, load.module, _nothing(load),
                        ways=[*_without_prefix(load, call)],
                    )  # fmt: skip
            elif load.own == len(load.held) > 0:
                to, of = _names(call)
                if to and of and to != of:
                    collector.add(
                        "shared_weights",
                        load.line,
                        to,
                        f"`{to}` and `{of}` are one and the same model, or share their weights: "
                        f"what trains one changes the other, and this copies nothing; make "
                        f"`{to}` with `copy.deepcopy({of})`",
                    )
                elif load.last_taken is None or load.last_taken < load.steps:
                    collector.add("loads_itself", load.line, load.module, _itself(load))

    def _call_at(self, line: int | None) -> ast.Call | None:
        """The call of load_state_dict on that line, if there is one only."""
        calls = [
            n
            for n in walk(self._tree)
            if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr == "load_state_dict"
            and n.lineno <= (line or 0) <= (n.end_lineno or n.lineno)
        ]
        return calls[0] if len(calls) == 1 else None


def _is_lenient(call: ast.Call) -> bool:
    """Whether names may be missing: without it, PyTorch has raised an error that was caught."""
    given = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "strict")]
    return any(isinstance(v, ast.Constant) and v.value is False for v in given)


def _names(call: ast.Call | None) -> tuple[str, str]:
    """`a` and `b` of `a.load_state_dict(b.state_dict())`; empty where it is none."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=to),
            args=[ast.Call(func=ast.Attribute(attr="state_dict", value=of))],
        ):
            return ast.unparse(to), ast.unparse(of)
    return "", ""


def _without_prefix(load: Load, call: ast.Call) -> Iterator[dict[str, Any]]:
    """The names without what stands in front of each, where all parameters have one then."""
    fronts = {name.partition(".")[0] + "." for name in load.given}
    front = fronts.pop()
    if not fronts and load.held <= {name.removeprefix(front) for name in load.given}:
        names = f"{{name.removeprefix({front!r}): value for name, value in "
        new = put(call.args[0], names, *operand(call.args[0]), ".items()}")
        yield way(f"the names are taken without `{front}`", new)


def _nothing(load: Load) -> str:
    return (
        f"load_state_dict(…, strict=False) loaded nothing: of its {len(load.given)} names none is "
        f"one of the {len(load.held)} parameters of `{load.module}`, which keeps the weights that "
        "it had; print what the call returns (missing_keys, unexpected_keys), and rename the keys "
        "(often there is a `module.` in front of each)"
    )


def _itself(load: Load) -> str:
    return (
        f"the weights that are loaded here are those of `{load.module}` itself: state_dict() "
        "returns the tensors, no copies, and each step since then has changed them too, so that "
        "this brings nothing back; keep `copy.deepcopy(model.state_dict())`"
    )
