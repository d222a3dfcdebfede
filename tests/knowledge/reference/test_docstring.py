"""knowledge/reference/docstring.py: what a docstring says, whatever it looks like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.reference.docstring import Docstring, plain, read_docstring

TOPK = r"""
topk(input, k, dim=None, *,
     out=None) -> (Tensor, LongTensor)

Returns the :attr:`k` largest elements of :class:`~torch.Tensor` ``input``. If k is
too large, it raises.

A second paragraph.

.. warning::
    Not this one.

Args:
    input (Tensor): nothing of this is prose

Example::

    >>> x = torch.arange(1., 6.)
    >>> x
    tensor([ 1.,  2.,  3.,  4.,  5.])
    >>> for i in x:
    ...     print(i)
    tensor(1.)

Text between.

    >>> # xdoctest: +SKIP
    >>> torch.topk(x, 3)
"""


def test_signature_prose_and_examples_are_told_apart():
    """The call is one line, markup is gone, arguments and warnings are no prose."""
    read = read_docstring(TOPK, "topk")

    assert read.signature == "topk(input, k, dim=None, *, out=None) -> (Tensor, LongTensor)"
    assert read.paragraphs == (
        "Returns the `k` largest elements of `torch.Tensor` `input`. If k is too large, it raises.",
        "A second paragraph.",
    )
    assert read.summary == "Returns the `k` largest elements of `torch.Tensor` `input`."
    assert read.examples == (
        "x = torch.arange(1., 6.)\nx\nfor i in x:\n    print(i)",
        "torch.topk(x, 3)",
    )
    assert not read.deprecated and not read.alias_of


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Alias for :func:`torch.clamp`.", "torch.clamp"),
        ("See :func:`torch.topk`", "torch.topk"),
        ("In-place version of :meth:`~Tensor.add`", "Tensor.add"),
        ("Out-of-place version of :meth:`torch.Tensor.scatter_`", "torch.Tensor.scatter_"),
        ("``self.where(c, y)`` is equivalent to ``torch.where(c, self, y)``.", "torch.where"),
        ("Seeds the generator; see :func:`torch.seed`.", ""),
        ("Returns an alias for the tensor.", ""),
    ],
)
def test_what_only_points_to_another_function_is_a_twin(text: str, other: str):
    """The other function's text says what it does."""
    assert read_docstring(text).alias_of == other


@pytest.mark.parametrize(
    ("text", "deprecated"),
    [
        (".. deprecated:: 1.8\n    Use another.\n\nComputes.", True),
        ("Computes.\n\n.. warning::\n    :func:`torch.svd` is deprecated in favor of that.", True),
        ("This function is deprecated and will go.", True),
        ("Computes.\n\n.. note::\n    The argument ``some`` is deprecated.", False),
        ("Computes.\n\n.. warning::\n    ``torch.qr`` is deprecated, this one is not.", False),
        ("Computes.", False),
    ],
)
def test_a_deprecated_function_is_known_by_its_own_word(text: str, deprecated: bool):
    """An argument, or another function, that is deprecated is another matter."""
    assert read_docstring(text, "svd").deprecated is deprecated


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", Docstring()),
        ("\n\n", Docstring()),
        ("other(x) -> y\n\nText.", Docstring(paragraphs=("other(x) -> y", "Text."))),
        (
            "A loop, for one::\n\n    code\n\nMore.",
            Docstring(paragraphs=("A loop, for one:", "More.")),
        ),
    ],
)
def test_small_texts(text: str, read: Docstring):
    """Another function's call is no signature, and what `::` announces is no prose."""
    assert read_docstring(text, "mine") == read


def test_links_become_their_text():
    """`:ref:` with a target shows what a reader sees."""
    assert plain(":ref:`the notes <some-anchor>` on ``x`` and :math:`n`") == (
        "`the notes` on `x` and `n`"
    )


_MARKUP = st.sampled_from(
    [":func:`", "`", "``", ">>> ", "... ", ".. warning::", "Args:", "::", "\n", "\n\n", "    ", "("]
)


@given(st.lists(st.one_of(_MARKUP, st.text(max_size=12)), max_size=60).map("".join))
def test_any_text_is_read(text: str):
    """Nothing is raised, and nothing is found that is not there."""
    read = read_docstring(text, "f")

    assert not read.examples or ">>>" in text
    assert sum(map(len, read.paragraphs)) <= len(text)
    assert "\n" not in read.signature


@pytest.mark.parametrize("piece", ["`", ":func:`a", "(", "a" * 50, " ", "``x", "\n.. a", ">>> \n"])
def test_a_long_text_takes_no_longer_than_its_length(piece: str):
    """Twenty times as much takes at most a hundred times as long: a square would be 400."""
    import timeit

    def seconds(times: int) -> float:
        text = piece * times
        return min(timeit.repeat(lambda: read_docstring(text, "f"), number=1, repeat=3))

    assert seconds(10_000) < 100 * seconds(500) + 0.05
