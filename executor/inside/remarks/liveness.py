"""Say which values that are put into a variable can never be read, by the way that control goes.

A backward pass over the statements of one scope, as a compiler makes it: a variable is live where
some way on from there reads it before it is given another value. Loops are gone through until
nothing changes. In doubt a value is read: by a handler, by a function that is defined there, by
whatever looks at variables by their names. What is read only to compute what nothing reads, as
`h` is by `h = h.detach()`, is not read either.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from executor.inside.remarks.syntax import inside, walk

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_BY_NAME = {"locals", "globals", "vars", "eval", "exec", "dir"}
_ROUNDS = 3  # a loop in a loop in a loop: what is read in the next round of the outermost


def unread_stores(scope: ast.Module | ast.FunctionDef) -> list[tuple[ast.Assign, str, ast.expr]]:
    """Each `name = value` of a scope whose value nothing can read; of `a, b = c, d` each pair."""
    called = (n.func for n in walk(scope) if isinstance(n, ast.Call))
    if any(isinstance(f, ast.Name) and f.id in _BY_NAME for f in called):
        return []
    pass_ = _Pass(scope)
    pass_.block(scope.body, frozenset())
    return [found for found, is_read in pass_.stores.items() if not is_read]


_Live = frozenset[str]


class _Pass:
    """One pass over a scope, from its end to its beginning."""

    def __init__(self, scope: ast.Module | ast.FunctionDef) -> None:
        own = inside(scope)
        nested = [n for n in own if isinstance(n, _SCOPES)]
        last = [s for n in own if isinstance(n, ast.Try) for s in n.finalbody]
        shared = [n for n in own if isinstance(n, ast.Global | ast.Nonlocal)]
        self._always = _reads(last) | frozenset[str]().union(*map(_free, nested))
        self._always |= {name for n in shared for name in n.names}
        self._ends: list[_Live] = []  # what is live behind each loop
        self._heads: list[_Live] = []  # and at its head
        self.stores: dict[tuple[ast.Assign, str, ast.expr], bool] = {}  # → whether it is read

    def block(self, body: Sequence[ast.stmt], live: _Live, raised: _Live = frozenset()) -> _Live:
        """What is live before a run of statements; `raised`: what a handler around it reads."""
        for statement in reversed(body):
            live = self._before(statement, live | raised) | raised  # it may end half-way
        return live

    def _before(self, statement: ast.stmt, live: _Live) -> _Live:
        match statement:
            case ast.Assign(targets=targets, value=value):
                return self._stored(statement, targets, value, live)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                return live | {name} | _reads([value])
            case ast.If(test=test, body=body, orelse=other):
                return self.block(body, live) | self.block(other, live) | _reads([test])
            case ast.For(iter=of, body=body) | ast.AsyncFor(iter=of, body=body):
                return self._loop(body, statement, live, _stores([statement.target])) | _reads([of])
            case ast.While(test=test, body=body):
                return self._loop(body, statement, live | _reads([test]))
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                return self.block(body, live) | _reads(items)
            case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=last):
                live = self.block(last, live)
                caught = frozenset[str]().union(*(self.block(h.body, live) for h in handlers))
                return self.block(body, self.block(other, live) | caught, caught)
            case ast.Match(subject=subject, cases=cases):
                ways = [self.block(case.body, live) for case in cases]
                return live.union(*ways) | _reads([subject, *cases])
            case ast.FunctionDef() | ast.AsyncFunctionDef():  # what it reads is always live
                args = statement.args
                return live | _reads([*statement.decorator_list, *args.defaults,
                                      *filter(None, args.kw_defaults)])  # fmt: skip
            case ast.ClassDef():
                return live | _reads([*statement.decorator_list, *statement.bases])
            case ast.Return() | ast.Raise():
                return _reads([statement])
            case ast.Break():
                return self._ends[-1] if self._ends else live
            case ast.Continue():
                return self._heads[-1] if self._heads else live
        return live | _reads([statement])  # what it stores may be read: `total += x` among them

    def _stored(
        self, statement: ast.Assign, targets: list[ast.expr], value: ast.expr, live: _Live
    ) -> _Live:
        pairs: list[tuple[ast.expr, ast.expr]] = []
        match targets, value:
            case [ast.Name()], _:
                pairs = [(targets[0], value)]
            case [ast.Tuple(elts=names)], ast.Tuple(elts=values) if len(names) == len(values):
                pairs = list(zip(names, values, strict=True))
        own = {target.id: of for target, of in pairs if isinstance(target, ast.Name)}
        for name, given in own.items():
            self.stores[statement, name, given] = name in live or name in self._always
        unread = bool(own) and not own.keys() & (live | self._always)
        if unread and own.keys() == _stores(targets) and _is_plain(value):
            return live - own.keys()  # what only goes into that is read by nothing either
        return (live - _stores(targets)) | _reads([value, *targets])

    def _loop(
        self, body: Sequence[ast.stmt], loop: ast.stmt, live: _Live, taken: _Live = frozenset()
    ) -> _Live:
        behind = self.block(getattr(loop, "orelse", []), live)
        head = behind
        for _ in range(_ROUNDS):
            self._ends.append(live)
            self._heads.append(head)
            head |= self.block(body, head) - taken
            self._ends.pop()
            self._heads.pop()
        return head


def _free(node: ast.AST) -> _Live:
    """What a function or a class reads that it does not bind itself: the variables around it."""
    own = inside(node)
    names = (n for n in own if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store))
    read = frozenset(n.id for n in names).union(*(_free(n) for n in own if isinstance(n, _SCOPES)))
    if isinstance(node, ast.ClassDef):
        return read
    shared = {name for n in own if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    arguments = {n.arg for n in own if isinstance(n, ast.arg)}
    return read - (arguments | _stores(own)) | shared


_PLAIN = {"detach", "clone", "to", "cuda", "cpu", "float", "view", "reshape", "contiguous"}


def _is_plain(value: ast.expr) -> bool:
    """Whether computing it does nothing else: arithmetic, and methods that only give a tensor."""
    calls = (n.func for n in walk(value) if isinstance(n, ast.Call))
    return all(isinstance(f, ast.Attribute) and f.attr in _PLAIN for f in calls)


def _reads(nodes: Iterable[ast.AST]) -> _Live:
    names = (n for node in nodes for n in walk(node) if isinstance(n, ast.Name))
    return frozenset(n.id for n in names if not isinstance(n.ctx, ast.Store))


def _stores(targets: Iterable[ast.AST]) -> _Live:
    names = (n for t in targets for n in walk(t) if isinstance(n, ast.Name))
    return frozenset(n.id for n in names if isinstance(n.ctx, ast.Store))
