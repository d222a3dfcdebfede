"""Call a module again with its inputs changed: which rows mix, and which slices matter at all."""

from __future__ import annotations

import torch

from executor.inside.probes.again import (
    Caller,
    Inputs,
    KeptCall,
    TooSlowError,
    alarm,
    close,
    mapped,
    tensors,
)
from executor.protocol import ModuleTrial, Slices

_TENSORS = 3  # of the inputs, those whose slices are changed
_DIMS = 4


def tried_again(call: KeptCall) -> ModuleTrial:
    """Try one call of a module again; `note` says why where that was not possible."""
    trial = ModuleTrial(module=type(call.module).__name__, line=call.line)
    try:
        with alarm():
            return _Trials(call).result(trial)
    except BaseException as e:  # the snippet's own forward may even exit
        return trial.model_copy(update={"note": f"{type(e).__name__}: {e}"[:200]})


class _Trials(Caller):
    """The trials of one module."""

    def result(self, trial: ModuleTrial) -> ModuleTrial:
        """Everything that could be found out in the time there is."""
        given = self._call.args, self._call.kwargs
        given_tensors = dict(tensors(given))
        first = next(iter(given_tensors.values()), None)
        base = self.run(given)
        if not base or first is None:
            return trial.model_copy(update={"note": "no tensor goes in, or none comes out"})
        trial = trial.model_copy(
            update={
                "inputs": tuple(tuple(t.shape) for t in given_tensors.values()),
                "output": tuple(base[0].shape),
            }
        )
        if not _alike(base, self.run(given, seed=8)):
            return trial.model_copy(update={"note": "its output is random"})
        if not _alike(base, self.run(given)):
            return trial.model_copy(update={"note": "its output changes from call to call"})
        apart, mixed = self._rows(given, first, base)
        return trial.model_copy(
            update={"apart": apart, "mixed": mixed, "slices": self._slices(given, base)}
        )

    # -- rows ---------------------------------------------------------------------------------

    def _rows(
        self, given: Inputs, first: torch.Tensor, base: list[torch.Tensor]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        apart, mixed = [], []
        if _is_graph([t for _, t in tensors(given)]):
            return (), ()
        for dim in range(min(2, first.dim())):
            rows = first.shape[dim]
            if rows < 2:
                continue
            found = [
                verdict
                # Where the sequence comes first, a mask may still have a row for each sample.
                for other in range(dim, -1, -1)
                if (verdict := self._apart(given, base, rows, (dim, other))) is not None
            ]
            if any(found):
                apart.append(dim)
            elif found:
                mixed.append(dim)
        return tuple(apart), tuple(mixed)

    def _apart(
        self, given: Inputs, base: list[torch.Tensor], rows: int, dims: tuple[int, int]
    ) -> bool | None:
        """Whether a row's output stays while all other rows change. None: nothing shows it."""
        main, side = dims
        names = [name for name, _ in tensors(given)]
        found = {d for d, size in enumerate(base[0].shape) if size == rows}
        if not found:
            return None
        for row in (0, rows - 1):

            def others_changed(name: str, t: torch.Tensor, row: int = row) -> torch.Tensor:
                candidates = (main,) if name == names[0] else (side, 1 - side)
                dim = next((d for d in candidates if d < t.dim() and t.shape[d] == rows), None)
                return t if dim is None else _with_other_rows(t, dim, row)

            try:
                now = self.run(mapped(given, others_changed))
            except TooSlowError:
                raise
            except Exception:
                return None
            if not now or now[0].shape != base[0].shape:
                return None
            found = {d for d in found if close(base[0].select(d, row), now[0].select(d, row))}
        return bool(found)

    # -- slices -------------------------------------------------------------------------------

    def _slices(self, given: Inputs, base: list[torch.Tensor]) -> tuple[Slices, ...]:
        found: list[Slices] = []
        for name, t in list(tensors(given))[:_TENSORS]:
            for dim in range(min(_DIMS, t.dim())):
                tried = used = 0
                for index in sorted({0, t.shape[dim] // 2, t.shape[dim] - 1}):
                    try:
                        matters = self._matters(given, base, name, dim, index)
                    except TooSlowError:
                        return tuple(found)
                    if matters is not None:
                        tried += 1
                        used += matters
                if tried:
                    found.append(Slices(argument=name, dim=dim, tried=tried, used=used))
        return tuple(found)

    def _matters(
        self, given: Inputs, base: list[torch.Tensor], name: str, dim: int, index: int
    ) -> bool | None:
        """Whether the output changes with a slice; None if nothing else could be put in."""
        matters = None
        for sign in (1, -1):  # what one value leaves at zero, the other does not
            changed = _changed(dict(tensors(given))[name], dim, index, sign)
            if changed is None:
                break
            inputs = mapped(given, lambda n, old, new=changed: new if n == name else old)
            try:
                matters = not _alike(base, self.run(inputs), exactly=True)
            except TooSlowError:
                raise
            except Exception:
                continue
            if matters:
                break
        return matters


def _changed(t: torch.Tensor, dim: int, index: int, sign: int) -> torch.Tensor | None:
    """The tensor with other values in one slice; None where there are none to put in."""
    if t.shape[dim] == 0 or t.numel() == 0 or t.dtype == torch.bool:
        return None
    new = t.clone()
    own = new.select(dim, index)
    if t.is_floating_point():
        wave = torch.linspace(-1.7, 2.3, own.numel(), dtype=t.dtype).reshape(own.shape)
        own.copy_(sign * (wave + own.roll(1) * 0.7))
    else:  # an index, which has to stay one that occurs
        values = torch.unique(t)
        if len(values) < 2 or t.is_complex():
            return None
        at = torch.searchsorted(values, own.contiguous())
        own.copy_(values[(at + sign) % len(values)])
    return new


def _with_other_rows(t: torch.Tensor, dim: int, row: int) -> torch.Tensor:
    """The tensor with all rows but one changed: numbers to others, the rest to rows there are."""
    new = t.roll(1, dim)
    if t.is_floating_point():
        wave = torch.linspace(-1.3, 1.9, t.numel(), dtype=t.dtype).reshape(t.shape)
        new = new * 0.6 - wave
    new.select(dim, row).copy_(t.select(dim, row))
    return new


def _is_graph(tensors: list[torch.Tensor]) -> bool:
    """Whether rows are nodes: beside them comes a square matrix, or a list of edges."""
    first, others = tensors[0], tensors[1:]
    if first.dim() != 2:
        return False
    rows = first.shape[0]
    return any(
        t.shape == (rows, rows) or (t.dim() == 2 and t.shape[0] == 2 and t.dtype == torch.long)
        for t in others
    )


def _alike(a: list[torch.Tensor], b: list[torch.Tensor], *, exactly: bool = False) -> bool:
    same = _equal if exactly else close
    return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not (a.is_floating_point() or a.is_complex()):
        return torch.equal(a, b)
    return bool(((a == b) | (a.isnan() & b.isnan())).all())
