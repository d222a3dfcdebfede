"""knowledge/repair/checks/code/elided.py: what is not shown decides sizes too."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.code.elided import check
from tests.knowledge.repair.checks.code.changed import refused

NET = (
    "class Net:\n    def __init__(self):\n        {}\n        self.fc = Linear(512, 10)\n{}x = 1\n"
)


def net(comment: str, after: str = "") -> str:
    """A network with a comment before its layer, and one after the class."""
    return NET.format(comment, after)


@pytest.mark.parametrize(
    "comment",
    ["# ... conv layers ...", "# … ", "# conv, pool, …", "# more layers", "# other conv blocks",
     "# rest of the network", "# encoder omitted here", "# conv1, conv2, etc."],
)  # fmt: skip
def test_a_part_is_left_out(comment: str) -> None:
    assert refused(check, net(comment), net(comment).replace("512", "768"))
    assert not refused(check, net(comment), net(comment).replace("self.fc", "self.head"))
    assert not refused(check, net(comment), net(comment).replace("x = 1", "x = 2"))


@pytest.mark.parametrize("comment", ["# the layers", "# 1...5 are labels", "pass", "# restored"])
def test_nothing_is_left_out(comment: str) -> None:
    assert not refused(check, net(comment), net(comment).replace("512", "768"))


def test_what_another_class_leaves_out() -> None:
    code = net("pass", "# ... training loop ...\n")
    assert not refused(check, code, code.replace("512", "768"))
    with_another = "class Data:\n    # ...\n    n = 3\n\n" + net("pass")
    assert not refused(check, with_another, with_another.replace("512", "768"))
