"""What a rebuilt error assumes is told as a person would write it."""

from __future__ import annotations

import pytest

from executor.inside.placeholders.run_placeholders import NEW, assumptions_of
from executor.protocol import Bound, Glue


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("Net()", "added behind it: `net = Net()`"),
        ("Net(3, 10)", "added behind it: `net = Net(3, 10)`"),
        ("Net(_stubs.Lazy())", "added behind it: `net = Net(…)`"),
    ],
)
def test_an_instance_is_told_as_the_call_that_makes_it(expression: str, told: str) -> None:
    """The name that the glue gives it is nobody's."""
    made = Bound(name=f"{NEW}Net", expression=expression, what="an instance of Net")
    x = Bound(name="x", expression="1", what="the number 1")
    glue = Glue(before=(made, x), after=(f"net = {NEW}Net", "net(x)"))

    assert assumptions_of(glue) == (
        "`x`: stands for the number 1, from its use",
        told,
        "added behind it: `net(x)`",
    )
