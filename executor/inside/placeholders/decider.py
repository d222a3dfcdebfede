"""The base class of the modules that plan placeholders, one for each kind of value."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from executor.inside.placeholders.plans import Plan
from executor.inside.placeholders.program import ScopedName, SnippetTree, last_name
from executor.inside.placeholders.shapes import ELEMENTWISE, Choices, Shapes


class Decider:
    """One snippet's undefined names, and the plans made for them so far."""

    def __init__(self, tree: ast.Module, undefined: Iterable[str], choices: Choices) -> None:
        self.program = SnippetTree(tree)
        self.undefined = sorted(undefined)
        self.choices = choices
        self.plans: dict[str, Plan] = {}
        self.shapes = Shapes(self.program, choices, {})

    def uses(self, name: str) -> list[ast.Name]:
        """Every place that reads the undefined name."""
        return self.program.uses(ScopedName(None, name))

    def line(self, name: str) -> int | None:
        """The line that reads the name first (1-based); None if none does."""
        return min((use.lineno for use in self.uses(name)), default=None)

    def _places(self, result: ast.expr) -> list[ast.expr]:
        """Where a call's result is used: right where it is, or under the name it is assigned to."""
        places: list[ast.expr] = [result]
        top = self.program.through(result)
        above = self.program.parents.get(top)
        while isinstance(above, (ast.Attribute, ast.Call)) and last_name(
            above if isinstance(above, ast.Attribute) else above.func
        ) in {*ELEMENTWISE, "squeeze"}:
            call = self.program.parents.get(above) if isinstance(above, ast.Attribute) else above
            if not isinstance(call, ast.Call):
                break
            top = self.program.through(call)
            above = self.program.parents.get(top)
        if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
            name = self.program.variable(above.targets[0])
            places += self.program.with_aliases(name)
        return places

    def _call_around(self, place: ast.expr) -> ast.Call | None:
        """For `outputs` in `criterion(outputs.squeeze(), y)`: that call of two arguments."""
        node: ast.AST = self.program.through(place)
        above = self.program.parents.get(node)
        while isinstance(above, ast.Attribute) and above.attr in {"squeeze", "view", "reshape"}:
            node = self.program.parents[above]
            above = self.program.parents.get(node)
        if isinstance(above, ast.Call) and above.args[:1] == [node] and len(above.args) == 2:
            return above
        return None
