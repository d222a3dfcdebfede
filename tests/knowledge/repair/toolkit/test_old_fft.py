"""knowledge/repair/toolkit/old_fft.py: the old real FFT in today's functions."""

from __future__ import annotations

import libcst as cst
import pytest

from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.old_fft import of_old_fft

PAIRS, COMPLEX = "torch.view_as_real", "torch.view_as_complex"


@pytest.mark.parametrize(
    ("call", "becomes"),
    [
        ("torch.rfft(x, 1)", f"{PAIRS}(torch.fft.rfft(x))"),
        ("torch.rfft(x, 2)", f"{PAIRS}(torch.fft.rfft2(x))"),
        ("torch.rfft(x, 1, onesided=False)", f"{PAIRS}(torch.fft.fft(x))"),
        ("torch.rfft(x, signal_ndim=1, normalized=False)", f"{PAIRS}(torch.fft.rfft(x))"),
        ("torch.rfft(x, 1, True)", None),  # other numbers
        ("torch.rfft(x, 3)", None),
        ("torch.rfft(x)", None),
        ("torch.irfft(x, 1, signal_sizes=(15,))", f"torch.fft.irfft({COMPLEX}(x), n=15)"),
        ("torch.irfft(x, 2, signal_sizes=(4, 5))", f"torch.fft.irfft2({COMPLEX}(x), s=(4, 5))"),
        ("torch.irfft(x, 2, signal_sizes=s)", f"torch.fft.irfft2({COMPLEX}(x), s=s)"),
        ("torch.irfft(x, 1, signal_sizes=s)", None),  # which number of it?
        ("torch.irfft(x, 1)", None),
        ("torch.irfft(x, 1, False)", None),
        ("torch.stft(x, 1, signal_sizes=(15,))", None),
        ("torch.rfft(signal_ndim=1)", None),
        ("torch.irfft(x, 1, onesided=True, signal_sizes=(15,))", None),
        ("torch.stft(x, 1)", None),
    ],
)
def test_the_pairs_of_the_old_function_are_kept(call: str, becomes: str | None) -> None:
    program = Program(f"{call}\n")
    (called,) = [c for c in program.all(cst.Call) if program.text(c) == call]
    name = program.text(called.func).removeprefix("torch.")
    found = [program.replace(edits).code for edits, _ in of_old_fft(program, called, name)]

    assert found == ([] if becomes is None else [f"{becomes}\n"])
