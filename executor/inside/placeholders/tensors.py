"""Placeholders for tensors, of the shape that the code around them needs."""

from __future__ import annotations

import ast
import re

from executor.inside.placeholders.losses import TARGET
from executor.inside.placeholders.models import ModelPlaceholders
from executor.inside.placeholders.plans import ModelPlan, PicturePlan, Plan, TensorPlan
from executor.inside.placeholders.program import ScopedName, last_name
from executor.inside.placeholders.shapes import CLASS_LOSSES, ELEMENTWISE, TensorSpec

_PICTURE = re.compile(r"(?i)im(age|g)|pic|photo|frame")
_OF_PICTURE = frozenset({"convert", "resize", "crop", "save", "getpixel", "mode"})
_FROM_PICTURES = frozenset({"ToTensor", "PILToTensor", "ToImage"})
_PICTURES = re.compile(r"(?i)^(imgs?|images?|pictures?|\w+_images?)$")
_INPUT = re.compile(
    r"(?i)^(x|inputs?|data|features?|images?|imgs?|batch|\w*input\w*|x_\w+|\w+_tensor)$"
)
_OUTPUT = re.compile(r"(?i)^(outputs?|logits|predictions?|preds?|y_pred|y_hat)$")
_OF_TENSOR = frozenset(
    """to cuda cpu float double half long int shape size dim ndim dtype device view reshape flatten
    squeeze unsqueeze permute transpose contiguous numel requires_grad requires_grad_ detach clone
    mean sum max min argmax item tolist numpy backward grad t T type backward""".split()  # noqa: SIM905
)


class TensorPlaceholders(ModelPlaceholders):
    """Plans inputs, outputs and targets."""

    def _picture(self, name: str) -> Plan | None:
        """An image, where it is given to a transform that takes one or used as one of Pillow's."""
        if not _PICTURE.search(name):
            return None
        for use in self.program.with_aliases(ScopedName(None, name)):
            above = self.program.parents.get(use)
            if isinstance(above, ast.Attribute) and above.attr in _OF_PICTURE:
                return self._of_size()
            if isinstance(above, ast.Call) and use in above.args[:1]:
                callee = self.shapes.callee(above.func)
                if callee is not None and callee.cls is None and _takes_pictures(callee.call):
                    return self._of_size()
        return None

    def _of_size(self) -> Plan:
        side = 8 * self.choices.colour
        return PicturePlan(width=side + 64, height=side)

    def _tensor(self, name: str) -> Plan | None:
        variable = ScopedName(None, name)
        uses = self.program.with_aliases(variable)
        grad = self.choices.with_grad
        if any(
            isinstance(self.program.parents.get(u), ast.Attribute)
            and not _fits_tensor(self.program.parents[u])
            for u in uses
        ):
            return None
        if _OUTPUT.match(name):
            for use in uses:
                call = self._call_around(use)
                if call is not None and (kind := self._kind_of_loss(call)):
                    n = self.choices.classes if kind in CLASS_LOSSES else 1
                    spec = TensorSpec((self.choices.batch, n), probability=kind == "BCELoss")
                    return TensorPlan(spec, with_grad=grad)
            return None
        target = self._target_at(uses) if TARGET.search(name) else None
        if target is not None:
            return TensorPlan(target)
        if not (_INPUT.match(name) or TARGET.search(name)):
            return None
        wanted = self.shapes.of(variable) or self._fed(uses, name)
        if wanted is None:
            return None
        return TensorPlan(wanted, with_grad=grad and wanted.high is None)

    def _tensor_for(self, variable: ScopedName, name: str) -> TensorSpec | None:
        """The tensor that one part of a batch must be; a part that is never read may be any."""
        uses = self.program.with_aliases(variable)
        spec = self.shapes.of(variable) or self._target_at(uses) or self._fed(uses, name)
        if spec is not None:
            return spec
        c = self.choices
        if TARGET.search(name) and any(map(self._is_compared, uses)):
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
        """The input of a model that is a placeholder too, and so accepts any shape."""
        c = self.choices
        for place in places:
            above = self.program.parents.get(self.program.through(place))
            if not isinstance(above, ast.Call) or not above.args:
                continue
            if not self._is_placeholder(above.func):
                continue
            if _PICTURES.match(name):
                return TensorSpec((c.batch, c.channels, c.colour, c.colour))
            if "ids" in name:
                return TensorSpec((c.batch, c.length), high=10 * c.classes)
            return TensorSpec((c.batch, c.features))
        return None

    def _target_at(self, places: list[ast.expr] | list[ast.Name]) -> TensorSpec | None:
        """The tensor for a name that a loss uses as its target."""
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
        """The first argument of a loss: the output of a model, known or a placeholder."""
        known = self.shapes.result(node)
        if known is not None:
            return known
        inner, squeezed = self._core(node)
        if isinstance(inner, ast.Name):
            values = self.program.values(self.program.variable(inner))
            if not values and inner.id in self.undefined and _OUTPUT.match(inner.id):
                plan = self._tensor(inner.id)
                return plan.spec if isinstance(plan, TensorPlan) else None
            if values:
                inner, again = self._core(values[-1])
                squeezed = squeezed or again
        if not (isinstance(inner, ast.Call) and self._is_placeholder(inner.func)):
            return None
        models = [p for p in self.plans.values() if isinstance(p, ModelPlan)]
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
                "torch",
                "F",
                "functional",
            }
            if isinstance(node.func, ast.Attribute) and not of_module:
                node = node.func.value
            elif node.args:
                node = node.args[0]
            else:
                break
        return node, squeezed


def _takes_pictures(made: ast.Call) -> bool:
    """Whether `Compose([Resize(224), ToTensor()])` or one transform makes tensors of images."""
    return any(
        isinstance(node, ast.Call) and last_name(node.func) in _FROM_PICTURES
        for node in ast.walk(made)
    )


def _fits_tensor(node: ast.AST) -> bool:
    """Whether `x.attribute` is an attribute that fragments use of tensors."""
    return isinstance(node, ast.Attribute) and node.attr in _OF_TENSOR
