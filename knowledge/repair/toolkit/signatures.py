"""What a failing call calls, and the arguments that it takes: the live signature.

For a C function, which has none, the forms that its error lists. Read in the jail, where the
program has just failed.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import libcst as cst

from executor.errors import offered_forms
from knowledge.repair.toolkit.lazily import torch

if TYPE_CHECKING:
    from knowledge.repair.operator import Failure

_SAID = re.compile(r"(?<![\w.])(?P<name>[\w.]+)\(\) (?:got|missing|takes|received)")
_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True)
class Called:
    """A call that failed for its arguments, and what it calls."""

    call: cst.Call
    target: Any  # the function, the class, or the module whose forward it is
    parameters: tuple[inspect.Parameter, ...]  # without `self`

    @property
    def names(self) -> list[str]:
        """The names that an argument may be given by."""
        return [
            p.name
            for p in self.parameters
            if p.kind not in _MANY
            and p.kind is not inspect.Parameter.POSITIONAL_ONLY
            and not p.name.startswith("_")
        ]

    @property
    def positional(self) -> list[str]:
        """The names of those that may be given by their place, in order."""
        return [p.name for p in self.parameters if p.kind in _BY_POSITION]

    @property
    def takes_any(self) -> bool:
        """Whether it takes any number of positional arguments, or any keyword."""
        return any(p.kind in _MANY for p in self.parameters)

    @property
    def takes_any_keyword(self) -> bool:
        """Whether it takes keywords that it does not name."""
        return any(p.kind is inspect.Parameter.VAR_KEYWORD for p in self.parameters)

    def free(self) -> list[str]:
        """The names that this call gives no value, neither by place nor by keyword."""
        plain = [a for a in self.call.args if a.keyword is None and not a.star]
        if any(a.star for a in self.call.args):
            return []
        given = {a.keyword.value for a in self.call.args if a.keyword is not None}
        return [n for n in self.names if n not in given and n not in self.positional[: len(plain)]]

    def parameter(self, name: str) -> inspect.Parameter:
        """The parameter of a name."""
        return next(p for p in self.parameters if p.name == name)

    def required(self, names: Sequence[str]) -> list[str]:
        """Those of the names that have no default."""
        return [n for n in names if self.parameter(n).default is inspect.Parameter.empty]


def required(target: Any) -> set[str] | None:
    """The arguments without which something cannot be called; None where it has no signature."""
    parameters = _parameters(target)
    if parameters is None:
        return None
    return {p.name for p in parameters if p.default is p.empty and p.kind not in _MANY}


def _parameters(target: Any) -> tuple[inspect.Parameter, ...] | None:
    try:
        return tuple(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        return None


def called(failure: Failure) -> Called | None:
    """What the failing expression calls; None where it is no call, or nothing is known of it."""
    call = failure.node
    if not isinstance(call, cst.Call):
        return None
    said = _SAID.search(str(failure.live.error))
    target = _target(failure, call)
    if target is failure.missing:
        return None
    signature = _signature(target, said["name"] if said else "")
    if signature is not None:
        return Called(call, target, signature)
    forms = list(_forms(failure.error.message))
    return Called(call, target, forms[0]) if forms else None


def of_call(failure: Failure, call: cst.Call) -> Called | None:
    """What another call of the program calls, as far as its name means something there."""
    target = failure.value(call.func)
    signature = None if target is failure.missing else _signature(target, "")
    return None if signature is None else Called(call, target, signature)


def _target(failure: Failure, call: cst.Call) -> Any:
    if isinstance(call.func, cst.Attribute) and isinstance(call.func.value, cst.Call):
        inner = call.func.value.func
        if isinstance(inner, cst.Name) and inner.value == "super":
            return failure.missing  # an operator of its own knows what is meant there
    return failure.value(call.func)


def _signature(target: Any, said: str) -> tuple[inspect.Parameter, ...] | None:
    bound = False
    if inspect.isclass(target):
        maker = "__new__" if said.endswith(".__new__") else "__init__"
        target, bound = _method(target, maker, said), True
    elif isinstance(target, torch.nn.Module):
        target, bound = _method(type(target), "forward", said), True
    target = target.__func__ if isinstance(target, staticmethod) else target  # `__new__`
    if not isinstance(target, (types.FunctionType, types.MethodType)):
        return None
    parameters = _parameters(target)
    return parameters[1:] if bound and parameters is not None else parameters


def _method(cls: type, name: str, said: str) -> Any:
    """A class's method, as the ancestor of the class has it that the error names."""
    holders = [c for c in cls.__mro__ if name in vars(c)]
    owner = said.rpartition(".")[0].rpartition(".")[2]
    named = [c for c in holders if c.__name__ == owner]
    # A library's that hands everything on (`LSTM.__init__(*args, **kwargs)`) takes what the next
    # one takes; one of the program's own may use what it is given.
    library = cls.__module__ != "__main__"
    closed = [c for c in holders if library and not _hands_on(vars(c)[name])]
    return vars((named or closed or holders or [cls])[0]).get(name)


def _hands_on(function: Any) -> bool:
    return any(p.kind is inspect.Parameter.VAR_KEYWORD for p in _parameters(function) or ())


def _forms(message: str) -> Iterator[tuple[inspect.Parameter, ...]]:
    """The forms of a C function, all of whose names are taken as those of one: `(Tensor input, *)`.

    Which of them the call is meant to be is not known, so none is left without a default.
    """
    names: dict[str, inspect.Parameter] = {}
    for form in offered_forms(message):
        is_keyword = False
        for part in form.split(","):
            if part.strip() == "*":
                is_keyword = True
                continue
            words = part.partition("=")[0].split()
            if words and words[-1].isidentifier():
                kind = (
                    inspect.Parameter.KEYWORD_ONLY
                    if is_keyword
                    else inspect.Parameter.POSITIONAL_OR_KEYWORD
                )
                names.setdefault(words[-1], inspect.Parameter(words[-1], kind, default=None))
    if names:
        yield tuple(sorted(names.values(), key=lambda p: p.kind))


def is_alive(failure: Failure, name: str) -> bool:
    """Whether a variable of that name holds something other than None where the program failed."""
    value = failure.tried(name)
    return value is not None and value is not failure.missing
