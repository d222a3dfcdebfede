"""executor/inside/imports_apart.py: no import of a library is the snippet's own time."""

from __future__ import annotations

import ast
import sys
from types import TracebackType
from typing import Any

import pytest

from executor.inside import imports_apart

RARE = "xdrlib"  # in the standard library, and imported by nobody


class Counted:
    """Counts how often the time of an import is taken."""

    def __init__(self) -> None:
        self.times = 0

    def __enter__(self) -> None:
        self.times += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        pass


@pytest.mark.parametrize(
    ("code", "times"),
    [
        ("import RARE", 1),
        ("from RARE import Packer as P", 1),
        ("if True:\n    import RARE\nelse:\n    import RARE.no", 1),
        ("try:\n    import RARE\nexcept ImportError:\n    import RARE.no", 1),
        ("try:\n    import RARE.no\nexcept ImportError:\n    import RARE", 2),
        ("try:\n    pass\nfinally:\n    import RARE", 1),
        ("def f():\n    import RARE\nf()\nf()", 2),
        (
            "class A:\n  def f(self):\n    with open('/dev/null'):\n      import RARE\nA().f()",
            1,
        ),
        ("for i in range(2):\n    while True:\n        import RARE\n        break", 2),
        ("match 1:\n    case 1:\n        import RARE", 1),
        ("import sys\nfrom os import path", 0),
        ("from __future__ import annotations\nx = [i for i in range(3)]", 0),
        ("f = lambda body: body\nf(1)", 0),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_import_of_what_is_new_is_taken_apart(
    code: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it stands; what is imported already costs nothing, and the code is left alone."""
    monkeypatch.delitem(sys.modules, RARE, raising=False)
    tree, counted = ast.parse(code.replace("RARE", RARE)), Counted()
    before = ast.dump(tree, include_attributes=True)
    marked: Any = imports_apart.marked(tree, counted)  # type: ignore[arg-type]
    assert (marked is tree) is (times == 0)
    exec(compile(marked, "snippet.py", "exec"), {"__name__": "snippet"})

    assert counted.times == times
    assert ast.dump(tree, include_attributes=True) == before
