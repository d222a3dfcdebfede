"""Keep the interpreter's own parts, so that a run can be told whatever the snippet did to them.

A snippet may close stdout, empty `sys.modules`, delete builtins, install a trace function or lower
the recursion limit. It may; what has to be written down afterwards needs them all.
"""

from __future__ import annotations

import ast
import builtins
import dis
import io
import json
import linecache
import os
import posixpath
import re
import sys
import tokenize
import traceback
from types import BuiltinFunctionType, ModuleType
from typing import Any

# What our own code needs to describe an error and to write a report. torch is not among them: a
# snippet may patch it for good reasons, and every probe that uses it is guarded.
_NEEDED = (ast, dis, io, json, linecache, os, posixpath, re, tokenize, traceback)

# Held here because a tracer hears of every call of a Python function: these two are C functions,
# and are to be called from the frame that caught the snippet's exception.
settrace, setprofile = sys.settrace, sys.setprofile

# The name itself may be deleted from the builtins by the time it is needed.
Anything = BaseException

# Hooks that a snippet replaces for good reasons; all other functions of `sys` are ours to use.
_HOOKS = frozenset({"excepthook", "displayhook", "breakpointhook", "unraisablehook"})
_GONE = object()


class _Modules:
    """The modules that a process has imported, and those that a report imports when written.

    Of those that our own code calls, also what is in them.
    """

    def __init__(self) -> None:
        self.all = dict(sys.modules)
        self.parts = [(vars(module), dict(vars(module))) for module in _NEEDED]
        self.needed = {
            name: module
            for name, module in self.all.items()
            if name == "torch" or name.startswith("executor.")
        }


_before_the_fork: _Modules | None = None


def remember() -> None:
    """Note the modules imported so far; the warm server calls it before its first fork.

    A fork that made this list itself, or went through it, would copy the memory of every module in
    it: 9 ms a run.
    """
    global _before_the_fork
    _before_the_fork = _Modules()


class Interpreter:
    """The parts as they were before the snippet, and a way to have them back for a while.

    with interpreter.restored: everything is as it was; afterwards it is the snippet's again, for
    its exit handlers.
    """

    def __init__(self) -> None:
        """Remember them; the run's `__main__` is set later."""
        self.main: ModuleType | None = None
        self._own_modules = sys.modules
        self._imported = _before_the_fork or _Modules()
        self._builtins = vars(builtins)
        self._own_builtins = dict(self._builtins)
        functions = {
            name: value
            for name, value in vars(sys).items()
            if isinstance(value, BuiltinFunctionType) and name not in _HOOKS
        }
        self._parts = [*self._imported.parts, (vars(sys), functions)]
        self._depth = sys.getrecursionlimit()
        self.restored = _Restored(self)

    @property
    def _needed_modules(self) -> tuple[dict[str, ModuleType], dict[str, ModuleType]]:
        """`sys.modules`, and what must be in it: where some are gone, all that there were."""
        imported = self._imported
        emptied = len(self._own_modules) < len(imported.all)
        return self._own_modules, imported.all if emptied else imported.needed


class _Restored:
    """Swaps our parts in, and the snippet's out for as long."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._of = interpreter
        self._their_builtins: dict[str, Any] = {}
        self._theirs: list[tuple[dict[str, Any], str, object]] = []
        self._their_modules = sys.modules

    def __enter__(self) -> None:
        of = self._of
        # Builtins first, and without any: the snippet may have deleted every one.
        self._their_builtins = of._builtins.copy()
        of._builtins.update(of._own_builtins)
        self._theirs = []
        for now, before in (*of._parts, of._needed_modules):
            for name, value in before.items():
                if now.get(name, _GONE) is not value:
                    self._theirs.append((now, name, now.get(name, _GONE)))
                    now[name] = value
        self._their_modules = vars(sys).get("modules", of._own_modules)
        sys.modules = of._own_modules
        if of.main is not None:
            of._own_modules["__main__"] = of.main
        sys.setrecursionlimit(max(sys.getrecursionlimit(), of._depth))

    def __exit__(self, *_: object) -> None:
        for now, name, value in self._theirs:
            if value is _GONE:
                now.pop(name, None)
            else:
                now[name] = value
        sys.modules = self._their_modules
        # What the snippet had deleted stays: our own modules' exit handlers need it as well.
        self._of._builtins.update(self._their_builtins)


def without_surrogates(value: Any) -> Any:
    """The value with halves of characters spelled out, as Python prints them to stderr."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {without_surrogates(k): without_surrogates(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_surrogates(v) for v in value]
    return value
