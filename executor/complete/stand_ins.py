"""Decide what can stand for an undefined name, from how the name is used and from nothing else.

A name whose use does not settle it gets no stand-in: then the asker is told what to post.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import replace

from executor.complete.plans import Batches, Device, Loss, Model, Number, Optimizer, Plan, Tensor
from executor.complete.program import Program, Variable, argument, last_name
from executor.complete.shapes import CLASS_LOSSES, ELEMENTWISE, Choices, Shapes, TensorSpec

_COUNT = re.compile(
    r"(?i)^(num|n|max)_?(epochs?|iters?|iterations?|steps)$|^(epochs|iterations|num_batches)$"
)
_LEARNING_RATE = re.compile(r"(?i)^(lr|learning_rate|initial_lr|base_lr)$")
_LOADER = re.compile(
    r"(?i)(loader|batches|iterator)$|^(train|val|test|valid)_?(dl|iter)$|^dataset$"
)
_DATASET = re.compile(r"(?i)(data|dataset|_ds|trainset|testset)$")
_LOSS = re.compile(r"(?i)^(criterion|loss_?fn|loss_?func(tion)?|criterion_\w+|loss_criterion)$")
_OPTIMIZER = re.compile(r"(?i)^(optimi[sz]er|optim|opt)$")
_MODEL = re.compile(r"(?i)(model|net|network|encoder|classifier|cnn|mlp)\d?$")
_MODEL_CLASS = re.compile(r"^(?=[A-Z])\w*(Model|Net|Network|CNN|MLP|Classifier|LSTM|RNN)\d?$")
_PICTURES = re.compile(r"(?i)^(imgs?|images?|pictures?|\w+_images?)$")
_TARGET = re.compile(r"(?i)(label|target|^y$|_y$|^y_|truth)")
_INPUT = re.compile(r"(?i)^(x|inputs?|data|features?|images?|imgs?|batch|\w*input\w*|x_\w+)$")
_OUTPUT = re.compile(r"(?i)^(outputs?|logits|predictions?|preds?|y_pred|y_hat)$")
_KEYS = {"input_ids", "attention_mask", "labels", "label", "image", "images", "x", "y", "input",
         "inputs", "target", "targets", "features", "data"}  # fmt: skip
# What every torch.nn.Module, optimizer and tensor has, as far as fragments use it.
_OF_MODULE = frozenset(
    """parameters named_parameters children modules named_modules named_children train eval to cuda
    cpu float double half zero_grad state_dict load_state_dict apply training requires_grad_ buffers
    share_memory register_forward_hook""".split()  # noqa: SIM905
)
_OF_OPTIMIZER = frozenset({"zero_grad", "step", "param_groups", "state_dict", "load_state_dict"})


class StandIns:
    """The plans for one snippet's undefined names."""

    def __init__(self, tree: ast.Module, undefined: Iterable[str], choices: Choices) -> None:
        self.program = Program(tree)
        self.undefined = sorted(undefined)
        self.choices = choices
        self.plans: dict[str, Plan] = {}
        self._decide_numbers()
        sizes = {n: p.value for n, p in self.plans.items()
                 if isinstance(p, Number) and isinstance(p.value, int)}  # fmt: skip
        self.shapes = Shapes(self.program, choices, sizes)
        for decide in (self._device, self._model, self._loss, self._loader, self._dataset,
                       self._optimizer, self._tensor):  # fmt: skip
            for name in self.undefined:
                if name not in self.plans and (plan := decide(name)) is not None:
                    self.plans[name] = self._with_grad(plan)

    def _with_grad(self, plan: Plan) -> Plan:
        """Whether data requires grad is open too, so the other choice is the other one."""
        if isinstance(plan, Batches) and self.choices.with_grad:
            return replace(plan, with_grad=True)
        return plan

    def uses(self, name: str) -> list[ast.Name]:
        """Where an undefined name is read."""
        return self.program.uses(Variable(None, name))

    def line(self, name: str) -> int | None:
        """Where it is read first."""
        return min((use.lineno for use in self.uses(name)), default=None)

    # -- numbers and the device --------------------------------------------------------------

    def _decide_numbers(self) -> None:
        for name in self.undefined:
            uses = [self.program.parents.get(u) for u in self.uses(name)]
            if any(isinstance(above, (ast.Attribute, ast.Subscript, ast.For, ast.comprehension))
                   for above in uses):  # fmt: skip
                continue
            if any(isinstance(a, ast.Call) and a.func is u
                   for a, u in zip(uses, self.uses(name), strict=True)):  # fmt: skip
                continue
            value = self._number(name.lower())
            if value is not None:
                self.plans[name] = Number(value)

    def _number(self, name: str) -> int | float | None:
        c = self.choices
        if _COUNT.match(name):
            return 2
        if _LEARNING_RATE.match(name):
            return 0.01
        table: tuple[tuple[str, int | float], ...] = (
            (r"(train_|val_|test_)?batch_?size|bs", c.batch),
            (r"(num|n)_(classes|labels|categories)|output_(size|dim)|out_features", c.classes),
            (r"(input|in)_(size|dim|features)|(num|n)_(features|inputs)", c.features),
            (r"(hidden|hid)_(size|dim|units)|num_hidden", c.hidden),
            (r"(embedding|embed|emb)_(dim|size)|d_model", c.hidden),
            (r"(latent|noise|z)_(dim|size)", c.features),
            (r"(vocab|vocabulary)_size|num_embeddings", 10 * c.classes),
            (r"(max_)?(seq|sequence)_?(len|length)|max_len(gth)?", c.length),
            (r"(num|n)_layers", 2),
            (r"(num|n)_heads|nhead", 2),
            (r"(image|img)_(size|dim)", c.colour),
            (r"num_workers", 0),
            (r"dropout(_rate|_prob)?", 0.1),
            (r"momentum", 0.9),
            (r"weight_decay", 0.01),
            (r"(log|print|eval|save)_(interval|every|freq|steps)", 1),
            (r"(gradient_)?accumulation_steps", 2),
            (r"step_size", 1),
            (r"seed", 0),
        )
        return next((value for pattern, value in table if re.fullmatch(pattern, name)), None)

    def _device(self, name: str) -> Plan | None:
        if name.lower() not in {"device", "dev"}:
            return None
        for use in self.uses(name):
            above = self.program.parents.get(use)
            fits = isinstance(above, (ast.Call, ast.keyword, ast.Compare, ast.FormattedValue)) or (
                isinstance(above, ast.Attribute) and above.attr in {"type", "index"}
            )
            if not fits or (isinstance(above, ast.Call) and above.func is use):
                return None
        return Device()

    # -- models ------------------------------------------------------------------------------

    def _model(self, name: str) -> Plan | None:
        if _MODEL_CLASS.match(name):
            return self._model_class(name)
        if not _MODEL.search(name) or name[0].isupper():
            return None
        return self._module(self.program.with_aliases(Variable(None, name)))

    def _model_class(self, name: str) -> Plan | None:
        """`MyModel(…)`: a class whose instances are only used as any model is."""
        instances: list[ast.Name] = []
        for use in self.uses(name):
            above = self.program.parents.get(use)
            if not (isinstance(above, ast.Call) and above.func is use):
                return None
            assigned = self.program.parents.get(self.program.through(above))
            if not (isinstance(assigned, ast.Assign) and isinstance(assigned.targets[0], ast.Name)):
                return None
            instances += self.program.with_aliases(self.program.variable(assigned.targets[0]))
        plan = self._module(instances)
        return Model(plan.output, plan.probability, is_class=True) if plan else None

    def _module(self, uses: list[ast.Name]) -> Model | None:
        """The module that all these uses fit; None if some use asks for more than any module has.

        Its output follows from the loss that takes it in.
        """
        results: list[ast.expr] = []
        for use in uses:
            above = self.program.parents.get(use)
            if isinstance(above, ast.Attribute):
                if above.attr not in _OF_MODULE:
                    return None
            elif isinstance(above, ast.Call) and above.func is use:
                if len(above.args) != 1 or above.keywords or isinstance(above.args[0], ast.Starred):
                    return None
                results.append(above)
            elif isinstance(above, (ast.Subscript, ast.For, ast.comprehension, ast.Compare)):
                return None
        losses: list[str] = []
        for result in results:
            kind = self._loss_over(result)
            if kind is None:
                return None
            losses += [kind] if kind else []
        if len(set(losses)) > 1:
            return None
        kind = losses[0] if losses else "CrossEntropyLoss"
        c = self.choices
        if kind in CLASS_LOSSES:
            return Model(TensorSpec((c.batch, c.classes)))
        bounded = kind in {"BCELoss", "binary_cross_entropy"}
        return Model(TensorSpec((c.batch, 1)), probability=bounded)

    def _loss_over(self, result: ast.expr) -> str | None:
        """The loss that takes in a model's result: "" if none does, None if it is no tensor."""
        for place in self._places(result):
            above = self.program.parents.get(place)
            if isinstance(above, ast.Attribute) and above.attr in {
                "logits", "loss", "last_hidden_state", "pooler_output", "backward", "hidden_states",
            }:  # fmt: skip
                return None
            if isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Constant):
                return None
            if isinstance(above, (ast.For, ast.comprehension, ast.Starred)):
                return None
            if isinstance(above, ast.Assign) and isinstance(
                above.targets[0], (ast.Tuple, ast.List)
            ):
                return None
            call = self._call_around(place)
            if call is not None and (kind := self._kind_of_loss(call)):
                return kind
        return ""

    def _places(self, result: ast.expr) -> list[ast.expr]:
        """Where a value is used: in the expression around it, or as the name it is given."""
        places: list[ast.expr] = [result]
        above = self.program.parents.get(self.program.through(result))
        if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
            name = self.program.variable(above.targets[0])
            places += self.program.with_aliases(name)
        return places

    def _call_around(self, place: ast.expr) -> ast.Call | None:
        """`criterion(outputs.squeeze(), y)` for `outputs`: the call with it as first argument."""
        node: ast.AST = self.program.through(place)
        above = self.program.parents.get(node)
        while isinstance(above, ast.Attribute) and above.attr in {"squeeze", "view", "reshape"}:
            node = self.program.parents[above]
            above = self.program.parents.get(node)
        if isinstance(above, ast.Call) and above.args[:1] == [node] and len(above.args) == 2:
            return above
        return None

    def _kind_of_loss(self, call: ast.Call) -> str:
        name = last_name(call.func)
        plan = self.plans.get(name)
        if isinstance(plan, Loss):
            return plan.name
        if kind := self.shapes.loss_of(call):
            return kind
        if name in self.undefined and _LOSS.match(name):
            return self._loss_by_target(call)
        return ""

    # -- losses ------------------------------------------------------------------------------

    def _loss(self, name: str) -> Plan | None:
        if not _LOSS.match(name):
            return None
        kinds: set[str] = set()
        for use in self.program.with_aliases(Variable(None, name)):
            above = self.program.parents.get(use)
            if isinstance(above, ast.Call) and above.func is use:
                if len(above.args) != 2 or above.keywords:
                    return None
                kinds.add(self._loss_by_target(above))
            elif isinstance(above, ast.Attribute) and above.attr in {"to", "cuda"}:
                continue
            elif not isinstance(above, ast.Call):
                return None
        return Loss(kinds.pop()) if len(kinds) == 1 else None

    def _loss_by_target(self, call: ast.Call) -> str:
        """Class labels or values of the same kind, by the second argument and what is around."""
        output = self.shapes.result(call.args[0])
        if output is not None and output.shape[1:] in ((), (1,)):
            return "MSELoss"
        text = ast.dump(call.args[1])
        if "'float'" in text or "'unsqueeze'" in text or "'view_as'" in text:
            return "MSELoss"
        name = last_name(self.program.within(call.args[1]))
        if name and name == self._input_of(call.args[0]):
            return "MSELoss"  # an autoencoder's
        if _TARGET.search(name):
            return "CrossEntropyLoss" if self._is_classified() else "MSELoss"
        return "MSELoss"

    def _input_of(self, output: ast.expr) -> str:
        node = self.program.within(output)
        if isinstance(node, ast.Name):
            values = self.program.values(self.program.variable(node))
            node = self.program.within(values[0]) if len(values) == 1 else node
        if isinstance(node, ast.Call) and len(node.args) == 1:
            return last_name(self.program.within(node.args[0]))
        return ""

    def _is_classified(self) -> bool:
        """Whether the program counts classes anywhere."""
        for node in ast.walk(self.program.tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and re.search(
                r"(?i)argmax|accuracy|correct|num_classes|label|softmax|n_classes", last_name(node)
            ):
                return True
        return False

    # -- data --------------------------------------------------------------------------------

    def _loader(self, name: str) -> Plan | None:
        if not (_LOADER.search(name) or _DATASET.search(name)):
            return None
        targets: list[ast.expr] = []
        for use in self.program.with_aliases(Variable(None, name)):
            node: ast.expr = self.program.through(use)
            above = self.program.parents.get(node)
            counted = isinstance(above, ast.Call) and last_name(above.func) == "enumerate"
            if counted and isinstance(above, ast.Call):
                node = self.program.through(above)
                above = self.program.parents.get(node)
            if isinstance(above, (ast.For, ast.comprehension)) and above.iter is node:
                target = above.target
                if counted:
                    if not (isinstance(target, ast.Tuple) and len(target.elts) == 2):
                        return None
                    target = target.elts[1]
                targets.append(target)
            elif isinstance(above, ast.Call) and last_name(above.func) == "iter":
                if (item := self._drawn(above)) is None:
                    return None
                targets.append(item)
            elif (
                isinstance(above, ast.Call)
                and (last_name(above.func) == "len" or self._is_own(above))
            ) or (isinstance(above, ast.Attribute) and above.attr in {"dataset", "batch_size"}):
                continue
            else:
                return None
        items = [self._item(t) for t in targets]
        if not items or any(i is None for i in items):
            return None
        first = items[0]
        assert first is not None
        same = all(i is not None and i.form == first.form and len(i.parts) == len(first.parts)
                   for i in items)  # fmt: skip
        return first if same else None

    def _is_own(self, call: ast.Call) -> bool:
        """Whether the call is of a function of the snippet: its parameter is an alias then."""
        return isinstance(call.func, ast.Name) and call.func.id in self.program.functions

    def _drawn(self, made: ast.Call) -> ast.expr | None:
        """`x, y = next(iter(loader))`: what the batch is bound to."""
        above = self.program.parents.get(made)
        if isinstance(above, ast.Call) and last_name(above.func) == "next":
            assigned = self.program.parents.get(above)
            if isinstance(assigned, ast.Assign) and len(assigned.targets) == 1:
                return assigned.targets[0]
        return None

    def _item(self, target: ast.expr) -> Batches | None:
        """The batch that fits what it is unpacked into."""
        if isinstance(target, (ast.Tuple, ast.List)):
            names = [e for e in target.elts if isinstance(e, ast.Name)]
            if len(names) != len(target.elts) or len(names) != 2:
                return None
            return self._pair(names[0], names[1])
        if not isinstance(target, ast.Name):
            return None
        variable = self.program.variable(target)
        keys: dict[str | int, list[ast.expr]] = {}
        for use in self.program.uses(variable):
            above = self.program.parents.get(use)
            if isinstance(above, ast.Assign) and isinstance(
                above.targets[0], (ast.Tuple, ast.List)
            ):
                return self._item(above.targets[0])
            if isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Constant):
                key = above.slice.value
                if not isinstance(key, (str, int)):
                    return None
                keys.setdefault(key, []).append(above)
        if keys:
            return self._keyed(keys)
        spec = self.shapes.of(variable) or self._fed(self.program.with_aliases(variable), target.id)
        return Batches(((target.id, spec),), "tensor") if spec is not None else None

    def _pair(self, x: ast.Name, y: ast.Name) -> Batches | None:
        first = self._tensor_for(self.program.variable(x), x.id)
        second = self._tensor_for(self.program.variable(y), y.id)
        if first is None or second is None:
            return None
        return Batches(((x.id, first), (y.id, second)), "tuple")

    def _keyed(self, keys: dict[str | int, list[ast.expr]]) -> Batches | None:
        parts: list[tuple[str, TensorSpec]] = []
        for key, places in sorted(keys.items(), key=str):
            spec = None
            for place in places:
                named = [p for p in self._places(place) if isinstance(p, ast.Name)]
                variable = self.program.variable(named[0]) if named else None
                spec = spec or self.shapes.at(place) or self._target_at([place, *named])
                spec = spec or (self.shapes.of(variable) if variable else None)
                spec = spec or self._fed([place, *named], str(key))
            if spec is None:
                return None
            parts.append((str(key), spec))
        if all(isinstance(k, str) for k in keys):
            return Batches(tuple(parts), "dict") if keys.keys() <= _KEYS else None
        return Batches(tuple(parts), "tuple") if sorted(map(str, keys)) == ["0", "1"] else None

    def _tensor_for(self, variable: Variable, name: str) -> TensorSpec | None:
        """The tensor that a batch's part must be; one that is read nowhere may be anything."""
        uses = self.program.with_aliases(variable)
        spec = self.shapes.of(variable) or self._target_at(uses) or self._fed(uses, name)
        if spec is not None:
            return spec
        c = self.choices
        if _TARGET.search(name) and any(map(self._is_compared, uses)):
            return TensorSpec((c.batch,), high=c.classes)  # predicted == labels
        if all(map(self._is_indifferent, uses)):
            labels = TensorSpec((c.batch,), high=c.classes)
            return TensorSpec((c.batch, c.features)) if _INPUT.match(name) else labels
        return None

    def _is_compared(self, use: ast.expr) -> bool:
        return isinstance(self.program.parents.get(self.program.through(use)), ast.Compare)

    def _is_indifferent(self, use: ast.expr) -> bool:
        """Whether any tensor will do here: it is moved, measured or printed."""
        above = self.program.parents.get(self.program.through(use))
        if isinstance(above, ast.Attribute):
            return above.attr in {"size", "shape", "device", "dtype"}
        if isinstance(above, ast.Call):
            return last_name(above.func) in {"print", "len", "type"}
        if isinstance(above, (ast.Tuple, ast.List)):  # x, y = x.to(device), y.to(device)
            above = self.program.parents.get(above)
        return isinstance(above, (ast.Assign, ast.Expr))

    def _fed(self, places: list[ast.expr] | list[ast.Name], name: str) -> TensorSpec | None:
        """What goes into a model that is a stand-in itself: it takes anything."""
        c = self.choices
        for place in places:
            above = self.program.parents.get(self.program.through(place))
            if not isinstance(above, ast.Call) or not above.args:
                continue
            if not self._is_stand_in(above.func):
                continue
            if _PICTURES.match(name):
                return TensorSpec((c.batch, 3, c.colour, c.colour))
            if "ids" in name:
                return TensorSpec((c.batch, c.length), high=10 * c.classes)
            return TensorSpec((c.batch, c.features))
        return None

    def _is_stand_in(self, func: ast.expr) -> bool:
        if not isinstance(func, ast.Name):
            return False
        names = [func.id]
        names += [last_name(v.func) for v in map(self.program.within, self.program.values(
            self.program.variable(func))) if isinstance(v, ast.Call)]  # fmt: skip
        if any(isinstance(self.plans.get(n), Model) for n in names):
            return True
        models = [n for n, p in self.plans.items() if isinstance(p, Model) and not p.is_class]
        return any(func in self.program.with_aliases(Variable(None, m)) for m in models)

    def _target_at(self, places: list[ast.expr] | list[ast.Name]) -> TensorSpec | None:
        """What a loss compares a model's output with."""
        for place in places:
            node: ast.expr = self.program.through(place)
            above = self.program.parents.get(node)
            if not (isinstance(above, ast.Call) and len(above.args) == 2 and above.args[1] is node):
                continue
            kind = self._kind_of_loss(above)
            output = self._output(above.args[0])
            if kind and output is not None:
                return self.shapes.target(kind, output)
        return None

    def _output(self, node: ast.expr) -> TensorSpec | None:
        """What goes into a loss first: a known model's output or a stand-in's."""
        known = self.shapes.result(node)
        if known is not None:
            return known
        inner, squeezed = self._core(node)
        if isinstance(inner, ast.Name):
            values = self.program.values(self.program.variable(inner))
            if not values and inner.id in self.undefined and _OUTPUT.match(inner.id):
                plan = self._tensor(inner.id)
                return plan.spec if isinstance(plan, Tensor) else None
            if values:
                inner, again = self._core(values[-1])
                squeezed = squeezed or again
        if not (isinstance(inner, ast.Call) and self._is_stand_in(inner.func)):
            return None
        models = [p for p in self.plans.values() if isinstance(p, Model)]
        shape = models[0].output.shape
        return TensorSpec(shape[:-1] if squeezed and shape[-1] == 1 else shape)

    def _core(self, node: ast.expr) -> tuple[ast.expr, bool]:
        """What is inside `F.relu(model(x)).squeeze()`, and whether it is squeezed."""
        squeezed = False
        while isinstance(node := self.program.within(node), ast.Call):
            name = last_name(node.func)
            if name != "squeeze" and name not in ELEMENTWISE:
                break
            squeezed = squeezed or name == "squeeze"
            of_module = isinstance(node.func, ast.Attribute) and last_name(node.func.value) in {
                "torch", "F", "functional",
            }  # fmt: skip
            if isinstance(node.func, ast.Attribute) and not of_module:
                node = node.func.value
            elif node.args:
                node = node.args[0]
            else:
                break
        return node, squeezed

    def _dataset(self, name: str) -> Plan | None:
        """`DataLoader(dataset, …)`: samples that make up the batches the loader is asked for."""
        if not _DATASET.search(name):
            return None
        found: Batches | None = None
        for use in self.program.with_aliases(Variable(None, name)):
            above = self.program.parents.get(use)
            if isinstance(above, ast.keyword):
                above = self.program.parents.get(above)
            if not isinstance(above, ast.Call):
                return None
            if last_name(above.func) == "len" or self._is_own(above):
                continue
            if last_name(above.func) != "DataLoader" or argument(above, 0, "dataset") is not use:
                return None
            if argument(above, 99, "collate_fn") is not None:
                return None
            assigned = self.program.parents.get(above)
            if not (isinstance(assigned, ast.Assign) and isinstance(assigned.targets[0], ast.Name)):
                return None
            batch = self._batches_of(self.program.variable(assigned.targets[0]))
            if batch is None:
                return None
            found = found or batch
        return Batches(found.parts, found.form, samples=True) if found else None

    def _batches_of(self, loader: Variable) -> Batches | None:
        for use in self.program.with_aliases(loader):
            node: ast.expr = self.program.through(use)
            above = self.program.parents.get(node)
            counted = isinstance(above, ast.Call) and last_name(above.func) == "enumerate"
            if counted and isinstance(above, ast.Call):
                above = self.program.parents.get(self.program.through(above))
            if isinstance(above, (ast.For, ast.comprehension)):
                target = above.target
                if counted and isinstance(target, ast.Tuple) and len(target.elts) == 2:
                    target = target.elts[1]
                return self._item(target)
            if isinstance(above, ast.Call) and last_name(above.func) == "iter":
                item = self._drawn(above)
                return self._item(item) if item is not None else None
        return None

    # -- the rest ----------------------------------------------------------------------------

    def _optimizer(self, name: str) -> Plan | None:
        if not _OPTIMIZER.match(name):
            return None
        for use in self.program.with_aliases(Variable(None, name)):
            above = self.program.parents.get(use)
            if isinstance(above, ast.Attribute) and above.attr in _OF_OPTIMIZER:
                continue
            if not isinstance(above, (ast.Call, ast.keyword)) or (
                isinstance(above, ast.Call) and above.func is use
            ):
                return None
        model = self._only_model()
        return Optimizer(model) if model else None

    def _only_model(self) -> str:
        """The one module at the top that is called; empty if there are more."""
        called: set[str] = set()
        for node in ast.walk(self.program.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = node.func.id
                if self.program.variable(node.func).scope is None and self._makes_module(node.func):
                    called.add(name)
        for plan_name, plan in self.plans.items():
            if isinstance(plan, Model) and not plan.is_class:
                called.add(plan_name)
        return called.pop() if len(called) == 1 else ""

    def _makes_module(self, func: ast.Name) -> bool:
        """Whether a name is bound to a module that the snippet constructs."""
        callee = self.shapes.callee(func)
        if callee is None:
            return False
        known = callee.cls is not None and any("Module" in ast.dump(b) for b in callee.cls.bases)
        layer = callee.kind in {"Linear", "Sequential", "Conv2d"}
        return known or layer or isinstance(self.plans.get(callee.kind), Model)

    def _tensor(self, name: str) -> Plan | None:
        variable = Variable(None, name)
        uses = self.program.with_aliases(variable)
        grad = self.choices.with_grad
        if any(isinstance(self.program.parents.get(u), ast.Attribute) and not _fits_tensor(
                self.program.parents[u]) for u in uses):  # fmt: skip
            return None
        if _OUTPUT.match(name):
            for use in uses:
                call = self._call_around(use)
                if call is not None and (kind := self._kind_of_loss(call)):
                    n = self.choices.classes if kind in CLASS_LOSSES else 1
                    spec = TensorSpec((self.choices.batch, n), probability=kind == "BCELoss")
                    return Tensor(spec, with_grad=grad)
            return None
        target = self._target_at(uses) if _TARGET.search(name) else None
        if target is not None:
            return Tensor(target)
        if not (_INPUT.match(name) or _TARGET.search(name)):
            return None
        wanted = self.shapes.of(variable) or self._fed(uses, name)
        if wanted is None:
            return None
        return Tensor(wanted, with_grad=grad and wanted.high is None)


_OF_TENSOR = frozenset(
    """to cuda cpu float double half long int shape size dim ndim dtype device view reshape flatten
    squeeze unsqueeze permute transpose contiguous numel requires_grad requires_grad_ detach clone
    mean sum max min argmax item tolist numpy backward grad t T type backward""".split()  # noqa: SIM905
)


def _fits_tensor(node: ast.AST) -> bool:
    """Whether `x.attribute` is what fragments ask a tensor for."""
    return isinstance(node, ast.Attribute) and node.attr in _OF_TENSOR
