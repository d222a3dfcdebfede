"""The real FFT that torch had before 1.8, whose result ended in pairs, in today's functions."""

from collections.abc import Iterator

import libcst as cst

from knowledge.repair.toolkit.edits import Edits, Program
from knowledge.repair.toolkit.sites import argument

_ASKED = ("input", "signal_ndim", "normalized", "onesided", "signal_sizes")


def of_old_fft(program: Program, called: cst.Call, name: str) -> Iterator[tuple[Edits, str]]:
    """The edit for `torch.rfft(x, 1)` or `torch.irfft(x, 1, …)`, with what it does in words."""
    given = {n: a.value for i, n in enumerate(_ASKED) if (a := argument(called, i, n)) is not None}
    x, dims, normalized, one_sided, sizes = (
        program.text(given[n]) if n in given else "" for n in _ASKED
    )
    two = "2" if dims == "2" else ""
    if not x or dims not in ("1", "2") or normalized not in ("", "False"):
        return
    if name == "rfft":
        new = f"torch.fft.{'fft' if one_sided == 'False' else 'rfft'}{two}"
        told = f"`{new}` gives complex numbers; view_as_real makes the pairs that the old function"
        yield {called: cst.parse_expression(f"torch.view_as_real({new}({x}))")}, f"{told} gave"
    elif name == "irfft" and sizes and len(called.args) == 3:
        size = given["signal_sizes"]
        if two:
            how = f"s={sizes}"
        elif isinstance(size, (cst.Tuple, cst.List)):
            how = f"n={program.text(size.elements[0].value)}"
        else:
            return
        new = f"torch.fft.irfft{two}"
        code = cst.parse_expression(f"{new}(torch.view_as_complex({x}), {how})")
        told = f"`{new}` takes complex numbers, and view_as_complex makes them of the pairs"
        yield {called: code}, told
