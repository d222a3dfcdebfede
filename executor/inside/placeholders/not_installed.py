"""What an import that was left out binds: whatever is done with it is the import's error."""

from __future__ import annotations

import sys
import types
from types import FrameType
from typing import Any, NoReturn

# Messages of Python and of libraries name the class of a value that they refuse, so this name
# tells that a value without its module was what they refused.
CLASS_NAME = "NotInstalledHere"
_OF_A_MODULE = "_torchmedic_module"


class AbsentModule:
    """A module that is not installed, the line of its import, and the line that first used it."""

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line = name, line
        self.used: int | None = None

    def fail(self) -> NoReturn:
        """Raise what its import would have raised."""
        frame = _of_the_snippet()
        if self.used is None and frame is not None:
            self.used = frame.f_lineno
        raise ModuleNotFoundError(f"No module named {self.name!r}", name=self.name)


class NotInstalledHere:
    """A name of a module that is not installed.

    Libraries ask any object for its text, its hash and special attributes: they get what a class
    or a function would give. The snippet that asks for them, and whoever does more, needs the
    module.
    """

    def __init__(self, module: AbsentModule) -> None:
        self.__dict__["module"] = module

    def _fail(self, *_: Any, **__: Any) -> NoReturn:
        module: AbsentModule = self.__dict__["module"]
        module.fail()

    def __getattr__(self, name: str) -> Any:
        """Nothing of it is there."""
        special = name.startswith("__") and name.endswith("__")
        if special and not _asked_by_the_snippet():
            raise AttributeError(name)
        self._fail()

    def _text(self, *_: Any) -> str:
        if _asked_by_the_snippet():
            self._fail()
        return f"<{CLASS_NAME}: {self.__dict__['module'].name}>"

    def __eq__(self, other: object) -> bool:
        if _asked_by_the_snippet():
            self._fail()
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __copy__(self) -> NotInstalledHere:
        return self  # as a class, a function and a module are

    def __deepcopy__(self, memo: Any) -> NotInstalledHere:
        return self

    def __or__(self, other: Any) -> NotInstalledHere:
        if other is None or isinstance(other, (type, types.GenericAlias, types.UnionType)):
            return self  # `Block | None` as an annotation
        self._fail()

    __ror__ = __or__

    @classmethod
    def __torch_function__(
        cls, function: Any, kinds: Any, args: Any = (), kwargs: Any = None
    ) -> None:
        """What torch is given beside it makes no difference."""
        _first(cls, (*args, *(kwargs or {}).values()))._fail()

    __repr__ = __str__ = __format__ = _text


def _first(cls: type, values: Any, depth: int = 4) -> Any:
    """The first instance of a class among values, which may be lists of them."""
    for value in values:
        kind = type(value)
        if kind is cls:
            return value
        parts = value.values() if kind is dict else value if kind in (list, tuple, set) else ()
        if depth and (found := _first(cls, parts, depth - 1)) is not None:
            return found
    return None


# What else can be done with a value, as Python's data model and NumPy's protocols name it.
_OPERATIONS = """
    setattr delattr call getitem setitem delitem missing contains iter next reversed len bool
    enter exit aenter aexit await aiter anext instancecheck subclasscheck mro_entries
    class_getitem prepare bytes int float complex index round trunc floor ceil abs neg pos invert
    ior lt le gt ge fspath dir reduce reduce_ex getstate array array_ufunc array_function buffer
"""
_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor"
for _name in _OPERATIONS.split():
    setattr(NotInstalledHere, f"__{_name}__", NotInstalledHere._fail)
for _name in _BINARY.split():
    for _kind in ("", "r", "i"):
        setattr(NotInstalledHere, f"__{_kind}{_name}__", NotInstalledHere._fail)


def _asked_by_the_snippet() -> bool:
    """Whether the code that called the caller is the snippet's, and no library's."""
    return sys._getframe(2).f_globals.get("__name__") == "__main__"


def _of_the_snippet() -> FrameType | None:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") != "__main__":
        frame = frame.f_back
    return frame


def marked(cls: type, module: str) -> type:
    """The class, whose instances stand for things of a module that is not installed."""
    setattr(cls, _OF_A_MODULE, module)
    cls.__name__ = cls.__qualname__ = CLASS_NAME
    return cls


def module_of(value: object) -> str:
    """The module that is not installed and that a value stands for; empty if it is none such."""
    kind = type(value)
    if kind is NotInstalledHere:
        name: str = value.__dict__["module"].name
        return name
    # A metaclass of the snippet's is not asked.
    classes = (value,) if issubclass(kind, type) else type.__dict__["__mro__"].__get__(kind)
    own = (type.__dict__["__dict__"].__get__(cls) for cls in classes)
    return str(next((names[_OF_A_MODULE] for names in own if _OF_A_MODULE in names), ""))
