"""Dataset and DataLoader: their protocol, and errors that come out of a worker."""

from __future__ import annotations

import ast
import re
from typing import Any

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import own_dict
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import an, listed, short


def _getitem(scene: Scene, cls: str, method: str = "__getitem__") -> ast.FunctionDef | None:
    return scene.places.function_named(method, cls)


@explains("dataset", "too_many_arguments")
def without_self(scene: Scene, m: SeenError) -> Told:
    """The method as it is defined."""
    cls, _, called = m["function"].rpartition(".")
    cls = cls.rpartition(".")[2]
    if called not in ("__getitem__", "__len__") or not cls:
        return None
    method = _getitem(scene, cls, called)
    if method is None:
        return None
    args = ", ".join(a.arg for a in method.args.args)
    needs = "self and the index" if called == "__getitem__" else "self"
    return (
        f"`{cls}.{called}` at line {method.lineno} is defined as ({args}); it is called with "
        f"{needs}."
    )


@explains("worker", "worker_error")
def worker(scene: Scene, m: SeenError) -> Told:
    """The inner error, unwrapped: its message and its line."""
    text = f"{scene.kind}: {scene.message}"
    own = re.findall(r'File "[^"]*snippet\.py", line (\d+), in (\w+)', text)
    inner = [x for x in text.strip().splitlines() if re.match(r"\w*(?:Error|Exception)\b", x)]
    if not inner:
        return None
    place = f" at line {own[-1][0]}, in `{own[-1][1]}`" if own else ""
    return (
        f"The error happened in worker process {m['worker']}{place}: {inner[-1][:200]}.",
        {"inner": inner[-1][:300]},
    )


@explains("worker", "worker_died")
def worker_died(scene: Scene, m: SeenError) -> Told:
    """How many workers."""
    loader = _loader(scene)
    if loader is None:
        return None
    return (
        f"`{loader.name}`{loader.place} runs {own_dict(loader.value).get('num_workers')} "
        f"worker processes; one of them ended."
    )


def _loader(scene: Scene) -> Thing | None:
    return next((t for t in scene.operands if type(t.value).__name__ == "DataLoader"), None)


@explains("dataset", "no_length")
def no_len(scene: Scene, m: SeenError) -> Told:
    """What has no length."""
    kind = m["type"]
    cls = scene.places.class_named(kind)
    if cls is not None:
        methods = [n.name for n in cls.body if isinstance(n, ast.FunctionDef)]
        return (
            f"`{kind}` (line {cls.lineno}) defines {listed(methods) or 'no method'}, and no "
            f"`__len__`."
        )
    t = next((t for t in scene.operands if type(t.value).__name__ == kind), None)
    if t is None:
        holders = [own_dict(tb.tb_frame.f_locals.get("self")) for tb in scene.inner]
        if all(type(h.get("data_source", h.get("dataset"))).__name__ != kind for h in holders):
            return None
        return (
            f"the dataset is {an(kind)}, which has no length{_given(scene)}; a DataLoader that "
            f"takes its samples by number asks its dataset for one."
        )
    if kind == "generator":
        return (
            f"`{t.name}`{t.place} is a generator: how much it will give is known only once it "
            f"is used up."
        )
    if kind == "DataLoader":
        return f"`{t.name}`{t.place} loads from a dataset without length."
    return f"`{t.name}`{t.place} is {kind}, which has no length."


def _given(scene: Scene) -> str:
    """Which line handed the dataset over, and as what; empty if that is open."""
    calls = [
        n
        for n in scene.places.nodes
        if isinstance(n, ast.Call) and ast.unparse(n.func).endswith("DataLoader")
    ]
    if len(calls) != 1:
        return ""
    node = next(iter(calls[0].args), None)
    node = next((k.value for k in calls[0].keywords if k.arg == "dataset"), node)
    return f" (`{short(ast.unparse(node))}` in line {calls[0].lineno})" if node is not None else ""


@explains("dataset", "no_samples")
def no_samples(scene: Scene, m: SeenError) -> Told:
    """The dataset's length."""
    data = scene.argument(0, "dataset", "data_source")
    name = f"`{data.name}`{data.place}" if data else "the dataset"
    samples = m["samples"]
    return f"{name[:1].upper()}{name[1:]} has {samples} samples, and shuffle asks for at least one."


@explains("dataset", "tensor_dataset_sizes")
def tensor_dataset(scene: Scene, m: SeenError) -> Told:
    """The first dimension of each tensor."""
    things = scene.tensors
    if len(things) < 2:
        held = scene.local("tensors")
        things = tuple(Thing(f"tensor {i}", v) for i, v in enumerate(held or ()))
        things = tuple(scene.as_written(t.value) or t for t in things if t.is_tensor)
    if len(things) < 2:
        return None
    sizes = listed(str(t.shape[0]) if t.shape else "none" for t in things)
    return (
        f"{listed(map(str, things))} are to give one sample for each entry of dimension 0, "
        f"and those are {sizes} long."
    )


@explains("dataset", "dataset_without_getitem")
def no_getitem(scene: Scene, m: SeenError) -> Told:
    """Which methods the class has."""
    for tb in scene.inner:
        data: Any = tb.tb_frame.f_locals.get("self")
        cls = scene.places.class_named(type(data).__name__)
        if cls is not None:
            methods = [n.name for n in cls.body if isinstance(n, ast.FunctionDef)]
            return (
                f"`{cls.name}` (line {cls.lineno}) defines {listed(methods) or 'nothing'}, "
                f"but no `__getitem__`."
            )
    return None


@explains("dataset", "split_lengths")
def split(scene: Scene, m: SeenError) -> Told:
    """The lengths and their sum."""
    data, lengths = scene.argument(0, "dataset"), scene.argument(1, "lengths")
    whole = scene.local("lengths")
    lengths_ = lengths.value if lengths else whole
    if type(lengths_) not in (list, tuple) or not all(type(n) is int for n in lengths_):
        return None
    name = f"`{data.name}`{data.place}" if data else "the dataset"
    held: Any = data.value if data is not None else None
    size = (
        f" has {len(held)} samples" if type(held) in (list, tuple, range) else " has another length"
    )
    if data is not None and data.is_tensor:
        size = f" has {data.shape[0]} samples"
    return f"The lengths {list(lengths_)} add up to {sum(lengths_)}; {name}{size}."
