"""Propose what a name stands for, from the way it is used and from the posted error.

The planners of `executor.inside.placeholders` are asked first. They give up where a use leaves the
kind open; here a guess is allowed, because only a run that raises the posted error counts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import torch

from executor.inside.placeholders import imports
from executor.inside.placeholders.decide import PlaceholderPlans
from executor.inside.placeholders.losses import TARGET
from executor.inside.placeholders.noted import noted
from executor.inside.placeholders.numbers import NumberPlaceholders
from executor.inside.placeholders.plans import (
    BatchesPlan,
    DevicePlan,
    LossPlan,
    ModelPlan,
    NumberPlan,
    OptimizerPlan,
    Plan,
    TensorPlan,
)
from executor.inside.placeholders.program import ScopedName, last_name, method
from executor.inside.placeholders.run_placeholders import NEW
from executor.inside.placeholders.shapes import Choices, TensorSpec
from executor.inside.rebuild import stubs
from executor.inside.rebuild.candidate import Given
from executor.inside.rebuild.dictated import COLLATES, OF_RANK
from executor.inside.rebuild.drive import is_function_of_autograd
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.layers import layer
from executor.inside.rebuild.name_uses import (
    LOSS_NAME,
    MODEL_NAME,
    NameUses,
    Uses,
    facts,
    takes_a_tensor,
)
from executor.inside.rebuild.values import Batches, Tensor, Text, Value

_MODEL_METHODS = frozenset({"parameters", "state_dict", "load_state_dict", "train", "eval",
                            "forward", "named_parameters", "modules", "children", "named_modules",
                            "generate", "named_children", "register_forward_hook"})  # fmt: skip
_OPTIMIZER = re.compile(r"(?i)^(opt\w*|\w*optim\w*|sgd|adam)$")
_OF_OPTIMIZER = frozenset(dir(torch.optim.Optimizer)) | {"param_groups", "state", "defaults"}
_SCHEDULER = re.compile(r"(?i)sched")
_SCALER = re.compile(r"(?i)^(grad_?)?scaler$")
_NAMESPACE = re.compile(r"(?i)^(self|args?|cfg|conf|config|opts?|hparams|params|flags|options)$")
_SETTING = re.compile(
    r"(?i)^(lr|wd|bs|arch|backbone|width|depth|dropout|seed|clip|accum|warmup|gamma|momentum|root|path"
    r"|device|workers|n_\w+|num_\w+|epochs?|batch)$|learning_?rate|batch_?size|weight_?decay"
    r"|_(dim|size|path|root|dir|file|rate|steps|epochs)$"
)
_TRANSFORM = re.compile(r"(?i)transforms?(_\w+)?$|tfms?$")
_DEVICE = re.compile(r"(?i)^(\w*device\w*|dev)$")
_PATH = re.compile(r"(?i)(path|file|fname|filename|dir|folder|root|checkpoint|ckpt|weights_name)")
_INTEGER_USE = frozenset({"range", "Linear", "Conv2d", "Conv1d", "Embedding", "zeros", "ones"})
_LOADS = frozenset({"load", "open", "read_csv", "imread", "loadtxt"})
_OF_TABLES = frozenset({"iloc", "loc", "iterrows", "columns"})
_PICTURES = re.compile(r"(?i)(image|img|picture)_?(names?|paths?|files?|list|ids)$")
_LENGTHS = re.compile(r"(?i)(^|_|[a-z])len(gth)?s$|_len$")
_PICTURE = re.compile(r"(?i)^(img|image|pic|picture|photo|frame)s?$")
_OF_CLASSES = frozenset({"CrossEntropyLoss", "NLLLoss"})
_WIDTHS = frozenset(stubs.Backbone.WIDTHS)
_OF_LISTS = frozenset({"append", "extend", "insert"})
_PREDICTED = re.compile(r"(?i)^(y_?)?(preds?|predicted|predictions?)$")
_TWO = 2
_ROWS = re.compile(r"^[xX](_|$)|(?i:^(inputs?|features?|samples?)(_|$))")
# What a function measures: one number of a whole data set.
_MEASURED = re.compile(r"(?i)loss|acc|score|error|metric|f1|precision|recall|auc|iou|psnr")
_NUMPY_USE = frozenset({"from_numpy", "asarray"})
_INDEX_NAME = re.compile(r"(?i)^(ind|index|indices|idxs?|ids|input_ids|tokens|labels?|targets?)$")


class Proposals:
    """A value for every name that a program does not define."""

    def __init__(self, tree: ast.Module, undefined: Iterable[str], posted: Posted) -> None:
        self.posted = posted
        self.undefined = frozenset(undefined)
        self.told = noted(posted.code)
        self.decided = PlaceholderPlans(tree, self.undefined, Choices(), told=self.told)
        self.tree = self.decided.program
        self.uses = NameUses(tree, self.tree)
        self.models = self.uses.models

    def all(self) -> dict[str, Given]:
        """For every undefined name."""
        return {name: self.of(name) for name in sorted(self.undefined)}

    def of(self, name: str) -> Given:
        """For one name, or for an attribute such as `args.lr`."""
        if name.startswith(NEW) and (cls := self.tree.classes.get(name.removeprefix(NEW))):
            return Given(Text(self.construct(cls), f"an instance of your class `{cls.name}`"))
        path, _, last = name.rpartition(".")
        cls = self.tree.classes.get(path)
        made_by = "forward" if cls is not None and is_function_of_autograd(cls) else "__init__"
        if cls is not None and (init := method(cls, made_by)):
            return Given(self._parameter(init, last))
        uses = self.uses.of(name)
        plan = self.decided.plans.get(name)
        value = self._value(name, last, uses, plan)
        if self.posted.id == "loss_sizes":  # of a loss that compares number by number
            value = _of_floats(value)
        return self._as_shown(name, value)

    def _as_shown(self, name: str, value: Value) -> Given:
        """A value as the message prints it, or with the parts of a batch that it prints."""
        shown = self.posted.shown.get(name)
        if isinstance(value, Tensor) and shown is not None:
            return Given(shown.of(value), "posted")
        parts = list(value.parts) if isinstance(value, Batches) else []
        names = [self.uses.name_of_key(key) for key, _ in parts]
        printed = [self.posted.shown.get(name) for name in names]
        rows = next((p.shape[0] for p in printed if p is not None and p.shape), None)
        if not isinstance(value, Batches) or rows is None:
            return Given(value, "use")
        made = [
            (key, seen.of(tensor) if seen is not None else tensor.with_rows(rows))
            for (key, tensor), seen in zip(parts, printed, strict=True)
        ]
        return Given(replace(value, parts=tuple(made)), "posted")

    def attributes(self) -> list[str]:
        """The attributes that the program reads of `self` and of its namespaces."""
        roots = {"self"} | {
            name
            for name in self.undefined
            if self.of(name).value.expression.startswith("_stubs.Namespace")
        }
        return sorted(n for n in self.uses.attributes if n.partition(".")[0] in roots)

    def expression(self, name: str) -> str | None:
        """For an attribute that nobody foresaw."""
        return self.of(name).value.expression if "." in name else None

    # -- by kind -----------------------------------------------------------------------------

    def _value(self, name: str, last: str, uses: Uses, plan: Plan | None) -> Value:
        for rule in (self._special, self._planned, self._number, self._callable, self._data):
            value = rule(name, last, uses, plan)
            if value is not None:
                return value
        root = name.partition(".")[0]
        is_setting = _NAMESPACE.match(root) or _are_settings(self.uses.of(root).keys)
        if "." in name and root != "self" and is_setting:
            return Text("4")  # a setting, and most are numbers
        return self.tensor(name, last, uses)

    def _wants_grad(self, name: str) -> bool:
        return "grad" in self.uses.of(name).attributes

    def _planned(self, name: str, last: str, uses: Uses, plan: Plan | None) -> Value | None:
        match plan:
            case NumberPlan():
                return Text(str(plan.value))
            case DevicePlan():
                return self._device_text()
            case LossPlan():
                return self._loss_text(plan.name)
            case OptimizerPlan():
                return _sgd(plan.model)
            case TensorPlan():
                return _tensor(plan.spec)
            case BatchesPlan():
                parts = [(key, _tensor(spec)) for key, spec in plan.parts]
                if (
                    self.posted.loss in _OF_CLASSES
                    and len(parts) > 1
                    and not _is_index(parts[-1][1])
                ):
                    parts[-1] = (parts[-1][0], Tensor(parts[-1][1].shape[:1], "int64"))
                return Batches(tuple(parts), plan.form)
            case ModelPlan(is_class=False) if self._makes_models(name):
                return self._maker(last)
            case ModelPlan(is_class=False) if self.models:
                return self.model(last)
            case ModelPlan():
                sizes = ", ".join(map(str, plan.output.shape[1:]))
                made = f"_stubs.Model({sizes}{', bounded=True' if plan.probability else ''})"
                return Text(f"lambda *_, **__: {made}" if plan.is_class else made, plan.words)
        return None

    def _special(self, name: str, last: str, uses: Uses, plan: Plan | None) -> Value | None:
        if uses.words and not uses.called:
            return Text(repr(uses.words[0]))
        if (uses.looped or "iter" in uses.passed_to) and (made := self._own_loader()):
            return made
        if name in imports.KNOWN and imports.KNOWN[name][1] is None and self.uses.is_a_module(name):
            return Text(f'_stubs.StubModule("{name}")', "a module that is not installed here")
        is_alias = "." not in name and not _NAMESPACE.match(name)
        if is_alias and (module := self.uses.alias(name)):
            return Text(f'__import__("importlib").import_module("{module}")', f"`{module}`")
        if set(uses.passed_to) & _LOADS and not uses.attributes:
            return Text(f'"{last}"', f'the file name "{last}"')
        if "backward" in uses.attributes:
            leaves = [n for n in sorted(self.undefined) if n != name and self._wants_grad(n)]
            if applied := self._applied():
                return applied
            if leaves:
                parts = " + ".join(f"({leaf} ** 2).sum()" for leaf in leaves)
                return Text(parts, f"a loss computed from {', '.join(leaves)}")
            return Tensor((), grad=True)
        if "grad" in uses.attributes and not name.startswith("self."):
            return Tensor((8, 20), grad=True)
        if plan is None and _DEVICE.match(last) and not uses.called:
            return self._device_text()
        if _SCALER.match(last) and uses.attributes:
            return Text('torch.amp.GradScaler("cpu")')
        if "step" in uses.attributes and _SCHEDULER.search(last):
            return Text("_stubs.Stub()", "a learning-rate scheduler that does nothing")
        is_named = _OPTIMIZER.match(last) and uses.attributes & _OF_OPTIMIZER
        if "step" in uses.attributes or is_named:
            return _sgd(self._model_name())
        if uses.attributes & _MODEL_METHODS:
            return self.model(last)
        if _NAMESPACE.match(last) and not uses.called and uses.attributes:
            return _namespace(name)
        return None

    def _number(self, name: str, last: str, uses: Uses, plan: Plan | None) -> Value | None:
        if uses.called or uses.attributes or uses.indexed or uses.looped:
            return None
        if any(takes_a_tensor(function) for function in uses.passed_to):
            return None
        table = NumberPlaceholders(ast.Module(body=[], type_ignores=[]), (), Choices())
        number = table._number(last.lower())
        if number is not None:
            return Text(str(number))
        if re.search(r"(?i)kernel", last):
            return Text("3")
        if set(uses.passed_to) & {"range"}:
            return Text("4")
        if re.search(
            r"(?i)(rate|gamma|alpha|beta|lambda|decay|momentum|temperature|thresh(old)?|\beps)$",
            last,
        ):
            return Text("0.1")
        if re.search(r"(?i)(ignore_index)", last):
            return Text("255")
        if re.search(r"(?i)^(use|is|has|no|do|with)_|^(verbose|train|training|debug|cuda)$", last):
            return Text("True")
        if re.search(r"(?i)^(n|num|max|min|in|out)_|_(size|dim|len|length|num|channels)$", last):
            return Text("4")
        if last in {"i", "j", "k", "epoch", "ep", "step", "batch_idx", "idx", "iteration"}:
            return Text("0")
        if uses.is_a_flag:
            return Text("False")
        if set(uses.passed_to) & _INTEGER_USE and not self._at_posted_line(name):
            return Text("4")
        return None

    def _callable(self, name: str, last: str, uses: Uses, plan: Plan | None) -> Value | None:
        if uses.is_base:
            return Text(f'_stubs.stub_class("{last}")', f"a class `{last}` that does nothing")
        if not uses.called:
            return None
        if self._makes_models(name):
            return self._maker(last)
        if (LOSS_NAME.search(last) or self.uses.is_loss(name)) and uses.arguments > 2:
            return Text("_stubs.loss", "a loss of all that it is given")
        if several := self._several(name, last):
            return several
        if LOSS_NAME.search(last) or self.uses.is_loss(name):
            return self._loss_text("")
        if self.uses.feeds_a_loss(name):
            return self.model(last)
        if "." not in name and last[:1].islower() and self.uses.makes_an_attribute(name):
            if self.uses.asked & _WIDTHS:
                return Text(
                    "_stubs.Backbone", f"`{last}` makes a small module that knows its width"
                )
            return Text("torch.nn.Identity", f"`{last}` makes a layer that gives back its input")
        if "." not in name and last[:1].isupper() and not self.uses.is_model(name, last):
            if parts := self.uses.names_of_loaded(name):
                return Batches(tuple((item, _sample(item)) for item in parts), "dataset", n=8)
            return self._class(last)
        if MODEL_NAME.match(last) or (len(last) == 1 and last.isupper()):
            return self.model(last)
        at_line = name in self.posted.names
        if "." in name and (made := layer(self.posted, last, at_line=at_line)) is not None:
            return made
        for place, said in ((torch.nn.functional, "torch.nn.functional"), (torch, "torch")):
            if callable(getattr(place, last, None)):
                return Text(f"{said}.{last}")
        if (made := layer(self.posted, last, at_line=at_line)) is not None:
            return made
        if "." in name:  # a layer of a class that was not posted
            return Text("_stubs.same", "a layer that gives back its input")
        return Text("_stubs.same", f"a function `{last}` that gives back what it is given")

    def _several(self, name: str, last: str) -> Text | None:
        """A function whose result is unpacked: its arguments again, or numbers by their names."""
        names, given = self.uses.names_of_results(name)
        if len(names) < _TWO or MODEL_NAME.match(last):
            return None
        if len(given) >= len(names) and not any(map(_MEASURED.search, names)):
            return Text("_stubs.all_again", f"a function `{last}` that gives back what it is given")
        kinds = ", ".join(str(_MEASURED.search(n) is not None) for n in names)
        return Text(f"_stubs.several({kinds})", f"a function `{last}` of {len(names)} results")

    def _makes_models(self, name: str) -> bool:
        """Whether what its calls give is used as a model is."""
        given = facts(self.uses.results(name), self.tree.parents).attributes
        return bool(given & _MODEL_METHODS) and "backward" not in given

    def _maker(self, last: str) -> Text:
        model = self.model(last)
        return Text(f"lambda *_, **__: {model.expression}", f"a function: {model.words}")

    def _data(self, name: str, last: str, uses: Uses, plan: Plan | None) -> Value | None:
        if any(map(_is_of_arrays, uses.attributes)):
            return Tensor((8, 20), form="numpy")
        if uses.attributes & _OF_TABLES:
            return Text("_stubs.Rows()", "a table of four file names and labels")
        if uses.indexed and not (uses.keys or uses.computed or uses.attributes):
            if _PATH.search(last) or _PICTURES.search(last):
                return Text(f'[f"{last}_{{n}}.png" for n in range(4)]', "four file names")
            of_tensors = uses.least or any(hasattr(torch.Tensor, a) for a in uses.of_items)
            if TARGET.search(last) and of_tensors and len(uses.least) < _TWO:
                return Tensor((8,), "int64")
            if TARGET.search(last) and "len" not in uses.passed_to and not of_tensors:
                return Text("[0, 1, 0, 1]", "four class numbers")
        rows = uses.indexed and _ROWS.search(last)  # the samples, however they are counted
        counted = uses.passed_to and set(uses.passed_to) <= {"len"} and not uses.attributes
        if counted and not rows:
            return Text("range(10)", "10 classes")
        if uses.looped and _PATH.search(last) and not (uses.attributes or uses.computed):
            return Text(f'["{last}_0.png", "{last}_1.png"]', "two file names")
        path_like = _PATH.search(last) and not (uses.attributes or uses.indexed)
        if _TRANSFORM.search(last) and not uses.attributes:
            made = '__import__("torchvision").transforms.ToTensor()'
            return Text(made, "`transforms.ToTensor()`")
        if uses.plain or path_like or set(uses.passed_to) & _LOADS:
            return Text(f'"{last}"', f'the file name "{last}"' if path_like else f'"{last}"')
        if "." in name and uses.only_formatted:
            return Text(f'"{last}"')
        if uses.indexed and "len" in uses.passed_to and not (uses.computed or rows):
            return Text('["item"] * 4', "a list of four texts")
        if uses.keys and (_NAMESPACE.match(last) or _are_settings(uses.keys)):
            return _namespace(name)
        if _LENGTHS.search(last):
            return Text("torch.arange(1, 9)", "the lengths 1 to 8")
        key, names = self.uses.names_of_samples(name)
        if names:
            return Batches(tuple((item, _sample(item)) for item in names), n=4, key=key)
        if uses.keys:
            return Batches(self._parts(uses.keys), "dict", n=0)
        if uses.attributes & _OF_LISTS and not any(
            hasattr(torch.Tensor, a) for a in uses.attributes
        ):
            return Text("[]", "an empty list")
        if "values" in uses.attributes:
            label = re.search(r"(?i)(^y|label|target)", last) is not None
            return Tensor((8,) if label else (8, 20), "float64", form="table")
        if len(uses.unpacked) > 1 and not uses.computed:
            return Batches(self._parts(uses.unpacked), n=0)
        if uses.looped and (keys := self.uses.keys_of_items(name)):
            return Batches(self._parts(keys), "dict")
        if (uses.looped or "iter" in uses.passed_to) and (names := self.uses.names_of_items(name)):
            return Batches(self._parts(names))
        if uses.looped and not uses.computed:
            return Batches((("", Tensor((8, 20))),), "tensor")
        if uses.attributes and not any(hasattr(torch.Tensor, a) for a in uses.attributes):
            return _namespace(name)
        return None

    def _parts(self, names: Iterable[str]) -> tuple[tuple[str, Tensor], ...]:
        """What is unpacked from one batch, by its names, and the sizes that comments give."""
        made = {name: _by_key(name) for name in names}
        told = {n: sizes for n in made if (sizes := self._sizes(n))}
        batch = {sizes[0] for sizes in told.values()}
        if len(batch) == 1:
            rows = batch.pop()
            made = {n: replace(t, shape=(rows, *t.shape[1:])) for n, t in made.items()}
        made |= {n: replace(made[n], shape=sizes) for n, sizes in told.items()}
        return tuple(made.items())

    def _sizes(self, name: str) -> tuple[int, ...]:
        """The sizes that a comment gives of a name, where it gives each."""
        told = self.told.get(name, ())
        sizes = tuple(size for size in told if size is not None)
        return sizes if len(sizes) == len(told) else ()

    def tensor(self, name: str, last: str, uses: Uses) -> Tensor:
        """The tensor for a name of which nothing else is known."""
        array = bool(set(uses.passed_to) & _NUMPY_USE)
        shape: tuple[int, ...] = (8, 20)
        dtype = "float32"
        wanted = None if "." in name else self._wanted(name)
        if wanted is not None:
            shape, dtype = wanted.shape, "int64" if wanted.high is not None else "float32"
        elif _INDEX_NAME.match(last) or (_PREDICTED.match(last) and "eq" in uses.attributes):
            shape, dtype = (8,), "int64"
        if len(uses.least) > 1:  # whatever its name, more than one number is read of a row
            usual = OF_RANK.get(len(uses.least), ())
            shape = tuple(map(max, zip(uses.least, usual, strict=False))) or shape
            dtype = "float32" if wanted is None else dtype
        shape = self._sizes(last) or shape
        if self._at_posted_line(name):
            ranks = [s for s in self.posted.shapes if s]
            shape = ranks[0] if len(ranks) == 1 else shape
        return Tensor(shape, dtype, form="numpy" if array else "torch")

    def _wanted(self, name: str) -> TensorSpec | None:
        """The tensor that the posted layers want of a name, or of what is converted from it."""
        places = [ScopedName(None, name)]
        for use in self.tree.uses(ScopedName(None, name)):
            above = self.tree.parents.get(use)
            while isinstance(above, (ast.Call, ast.Attribute)):
                above = self.tree.parents.get(above)
            if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
                places.append(self.tree.variable(above.targets[0]))
        specs = (self.decided.shapes.of(place) for place in places)
        return next((spec for spec in specs if spec is not None), None)

    def _at_posted_line(self, name: str) -> bool:
        return name.partition(".")[0] in self.posted.names

    def _device_text(self) -> Text:
        cuda = self.posted.speaks_of_devices
        return Text('torch.device("cuda")' if cuda else 'torch.device("cpu")')

    def _loss_text(self, planned: str) -> Text:
        kind = self.posted.loss or planned or "CrossEntropyLoss"
        return Text(f"torch.nn.{kind}()")

    def _model_name(self) -> str:
        for name in ("model", "net"):
            if name in self.undefined:
                return name
        for node in self.tree.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                made = self.tree.within(node.value)
                cls = isinstance(made, ast.Call) and last_name(made.func)
                if cls in {m.name for m in self.models} and isinstance(node.targets[0], ast.Name):
                    return node.targets[0].id
        return ""

    def model(self, last: str) -> Text:
        """An instance of the posted class that a name means, else a module that takes anything."""
        models = [m for m in self.models if last not in _asked_for(m)]
        if not models:
            at_line = last in self.posted.names or not self.posted.lines
            made = layer(self.posted, "model", at_line=at_line)
            if made is not None:
                return made
            if self.uses.keeps_a_state(last):
                return Text(
                    "_stubs.Recurrent(10)", "a small module that gives an output and a state"
                )
            names, _ = self.uses.names_of_results(last)
            if len(names) < _TWO:
                return Text("_stubs.Model(10)", "a small module that takes any batch")
            kinds = ", ".join(str(LOSS_NAME.search(n) is not None) for n in names)
            words = f"a small module that gives {len(names)} results for any batch"
            return Text(f"_stubs.Model(10, gives=({kinds}))", words)
        named = [m for m in models if m.name.lower().replace("_", "") in last.lower()]
        cls = (named or models)[-1]
        return Text(self.construct(cls), f"an instance of your class `{cls.name}`")

    def construct(self, cls: ast.ClassDef) -> str:
        """The call that makes an instance, with arguments for what its signature asks."""
        given = [f'{name}=_stubs.given("{cls.name}.{name}")' for name in _asked_for(cls)]
        return f"{cls.name}({', '.join(given)})"

    def _applied(self) -> Text | None:
        """What the posted autograd.Function gives, where nothing posted applies it."""
        functions = [c for c in self.tree.classes.values() if is_function_of_autograd(c)]
        if len(functions) != 1 or "apply" in self.uses.asked:
            return None
        forward = method(functions[0], "forward")
        names = [a.arg for a in forward.args.args[2:]] if forward is not None else []
        name = functions[0].name
        rest = "".join(f', _stubs.given("{name}.{asked}")' for asked in names)
        made = f"{name}.apply(torch.rand(8, 20, requires_grad=True){rest}).sum()"
        return Text(made, f"a loss of what your `{name}` gives")

    def _own_loader(self) -> Text | None:
        """A loader over the posted data set, where the error comes out of one."""
        classes = [cls for cls in self.tree.classes.values() if method(cls, "__getitem__")]
        if len(classes) != 1 or not self.posted.below & COLLATES:
            return None
        made = f"torch.utils.data.DataLoader({self.construct(classes[0])}, batch_size=4)"
        return Text(made, f"a DataLoader over your class `{classes[0].name}`, 4 samples a batch")

    def _parameter(self, function: ast.FunctionDef, name: str) -> Value:
        nodes = [
            *self.tree.uses(ScopedName(function, name)),
            *self.uses.attributes.get(f"self.{name}", []),
        ]
        uses = facts(nodes, self.tree.parents)
        value = self._value(name, name, uses, None)
        of_data = uses.attributes or uses.indexed or uses.looped or uses.unpacked
        return Text("4") if isinstance(value, Tensor) and not of_data else value

    def _class(self, last: str) -> Text:
        if self.posted.id == "matmul_shapes" and re.search(r"(?i)layer|linear|fc|full|dense", last):
            return Text("torch.nn.Linear", f"`{last}` as a plain nn.Linear")
        if re.search(r"(?i)batch_?norm", last):
            return Text("torch.nn.BatchNorm2d", f"`{last}` as a plain nn.BatchNorm2d")
        base = ', "Module"' if self.uses.makes_a_layer(last) else ""
        return Text(f'_stubs.stub_class("{last}"{base})', f"a class `{last}` that does nothing")


def _asked_for(cls: ast.ClassDef) -> list[str]:
    """What a class's signature asks for."""
    init = method(cls, "__init__")
    if init is None:
        return []
    names = [a.arg for a in init.args.args[1:]]
    only_named = zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True)
    return [
        *names[: len(names) - len(init.args.defaults)],
        *(a.arg for a, default in only_named if default is None),
    ]


def _by_key(key: str) -> Tensor:
    if _LENGTHS.search(key):
        return Tensor((8,), "int64", low=1, high=9)
    label = TARGET.search(key) is not None
    return Tensor((8,), "int64") if label else Tensor((8, 20))


def _are_settings(keys: list[str]) -> bool:
    """Whether keys are those of a configuration: at least half of them, by their names."""
    return bool(keys) and 2 * sum(_SETTING.search(key) is not None for key in keys) >= len(keys)


def _is_of_arrays(attribute: str) -> bool:
    """Whether arrays have it, and neither tensors nor anything plain."""
    others = (torch.Tensor, str, list, dict, torch.nn.Module)
    own = hasattr(np.ndarray, attribute) and not attribute.startswith("__")
    return own and not any(hasattr(kind, attribute) for kind in others)


def _sample(key: str) -> Tensor:
    if TARGET.search(key):
        return Tensor((), "int64")
    return Tensor((3, 32, 32)) if _PICTURE.search(key) else Tensor((20,))


def _tensor(spec: TensorSpec) -> Tensor:
    if spec.high is not None:
        return Tensor(spec.shape, "int64", high=spec.high)
    return Tensor(spec.shape)


def _of_floats(value: Value) -> Value:
    """The tensor, or the batches, without whole numbers."""
    if isinstance(value, Tensor):
        return replace(value, dtype="float32") if _is_index(value) else value
    if isinstance(value, Batches):
        parts = ((k, replace(t, dtype="float32") if _is_index(t) else t) for k, t in value.parts)
        return replace(value, parts=tuple(parts))
    return value


def _is_index(tensor: Tensor) -> bool:
    return not tensor.dtype.startswith("float")


def _sgd(model: str) -> Text:
    if not model:
        return Text(
            "torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.01)", "SGD over a parameter"
        )
    return Text(
        f"torch.optim.SGD({model}.parameters(), lr=0.01)", f"SGD over the parameters of `{model}`"
    )


def _namespace(name: str) -> Text:
    return Text(f'_stubs.Namespace("{name}")', "an object with the attributes that it needs")


def on_cuda(value: Value) -> Value:
    """The same on the simulated GPU."""
    return replace(value, device="cuda") if isinstance(value, Tensor) else value
