"""Find the line that saved a tensor for backward and the line that then changed it in place.

It hooks every tensor that autograd saves, and logs every write. When backward needs a saved
tensor whose version has changed, the first write to its storage after the saving is the culprit.
If the version is the same but the values are not, PyTorch itself says nothing: that is a finding.

The hooks switch PyTorch's own check off, and wrong values would be backpropagated in silence, so
the check is made here and raises PyTorch's error.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

import torch

from executor.errors import is_a
from executor.inside import torch_private as private
from executor.inside.probes.inplace.hidden import Hidden
from executor.inside.probes.inplace.spots import Spot, layer_name, parameter_name, span_of, spot
from executor.inside.probes.inplace.suspects import suspects
from executor.inside.probes.inplace.values import digest, storage, version
from executor.inside.probes.inplace.writes import Write, Writes
from executor.inside.probes.kinds import finding
from executor.inside.probes.operators import listener
from executor.inside.probes.saved import SavedHooks
from executor.inside.probes.source import SnippetSource
from executor.protocol import Culprit, ErrorSeen, Finding, TensorRef

__all__ = ["InplaceProbe", "suspects"]

# The second is what torch.func says to our hooks.
_FAMILIES = ("modified_in_place", "saved_tensor_hooks")
_FINDINGS = 8


@dataclass(frozen=True)
class _SavedTensor:
    tensor: torch.Tensor
    version: int
    digest: int | None
    moment: int
    spot: Spot
    memory: torch.UntypedStorage | None  # kept alive, so that its address is not used again


class InplaceProbe:
    """Active while the snippet runs; `culprit` is the first saved tensor found changed."""

    def __init__(
        self, source: SnippetSource, *, compiles: bool = False, suspicious: bool = True
    ) -> None:
        """Args: the snippet, and what its text says of it.

        compiles: it uses torch.compile, which a dispatch mode switches off.
        suspicious: it may change memory without a new version, so values are compared too.
        """
        self.source = source
        self.findings: list[Finding] = []
        self._loud: Culprit | None = None
        self._silent: Culprit | None = None
        self._compiles = compiles
        self._suspicious = suspicious
        self._stack = ExitStack()

    @property
    def culprit(self) -> Culprit | None:
        """The change that PyTorch reports, else one that it does not notice."""
        return self._loud or self._silent

    def start(self) -> None:
        """Listen."""
        self.writes = Writes(self.source)
        self._stack.enter_context(listener(self.writes.note, compiles=self._compiles))
        self.writes.listen_beside()
        self._stack.callback(self.writes.stop_listening_beside)
        self.hidden = Hidden(self.source, self._keep, self._check_hidden)
        self.hidden.start()
        self._stack.callback(self.hidden.stop)
        self._stack.enter_context(SavedHooks(self._pack, self._unpack))

    def stop(self, error: ErrorSeen | None = None) -> None:
        """Stop listening; for an error of this kind that the hooks missed, note just that."""
        self._stack.close()
        out_of_sight = error is not None and is_a(error, *_FAMILIES)
        if error is not None and out_of_sight and self._loud is None:
            note = (
                "neither end can be known: what keeps this tensor for backward (hooks of another "
                "kind, torch.func, compiled code) is out of sight"
            )
            self._loud = Culprit(needed_line=error.line, note=note)

    # -- saving ------------------------------------------------------------------------------

    def _pack(self, t: torch.Tensor) -> _SavedTensor:
        return self._keep(t, self.hidden.spot_of(t))

    def _keep(self, t: torch.Tensor, at: Spot | None) -> _SavedTensor:
        self.writes.moment += 1
        moment = self.writes.moment
        memory = t.untyped_storage() if storage(t) is not None else None
        values = digest(t) if self._suspicious else None
        return _SavedTensor(t, version(t), values, moment, at or spot(self.source, t), memory)

    def _write_after(self, saved: _SavedTensor) -> Write | None:
        if saved.memory is None:
            return None
        return self.writes.first_after(private.storage_id(saved.memory), saved.moment)

    # -- backward needs it -------------------------------------------------------------------

    def _unpack(self, saved: _SavedTensor) -> torch.Tensor:
        t = saved.tensor
        write = self._write_after(saved)
        if version(t) == saved.version:
            if write is not None and _differs(saved):
                self._report(saved, write, "")
            return t
        if self._loud is None:
            self._loud = self._name(saved, write)
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace "
            f"operation: [{t.type()} {list(t.shape)}], is at version {private.version(t)}; "
            f"expected version {saved.version} instead."
        )

    def _check_hidden(self, saved: _SavedTensor, by: str) -> None:
        write = self._write_after(saved)
        if write is not None and _differs(saved):
            self._report(saved, write, by)

    # -- reporting ---------------------------------------------------------------------------

    def _report(self, saved: _SavedTensor, write: Write, by: str) -> None:
        culprit = self._name(saved, write, _why_unnoticed(write, by))
        self._silent = self._silent or culprit
        name = culprit.tensor.name if culprit.tensor and culprit.tensor.name else ""
        what = f"`{name}`" if name else f"a saved tensor {list(saved.tensor.shape)}"
        line = culprit.modified_line
        through = {".data =": " by assigning to .data", "NumPy": " through a NumPy array"}.get(
            write.how, " through .data" if ".data" in self.source.line(line or 0) else ""
        )
        backward = self._backward_line()
        writes = f"line {line} writes into {what}{through}" if line else f"{what} is changed"
        seen = finding(
            "silent_inplace_write",
            line,
            name,
            f"{writes} after line {culprit.saved_line} saved it for backward: the "
            f"gradients of line {backward} are computed with the new values, and "
            "PyTorch does not notice",
            saved_line=culprit.saved_line,
            needed_line=backward,
        )
        known = {(f.line, f.facts["saved_line"]) for f in self.findings}
        if (line, culprit.saved_line) not in known and len(self.findings) < _FINDINGS:
            self.findings.append(seen)

    def _backward_line(self) -> int | None:
        """The line that called backward, also from inside a custom Function's backward."""
        frame = self.source.frame()
        while frame is not None and (
            frame.f_code.co_filename != self.source.filename
            or frame.f_code.co_name in ("backward", "vjp")
        ):
            frame = frame.f_back
        return frame.f_lineno if frame is not None else None

    def _name(self, saved: _SavedTensor, write: Write | None, why: str = "") -> Culprit:
        saver = span_of(self.source, saved.spot)
        writer = span_of(self.source, write.spot) if write else None
        t = saved.tensor
        notes = [why] if why else []
        if saver is None:
            notes.append("which line saved it cannot be known: no line of the snippet was running")
        if writer is None:
            notes.append(
                f"which line changed it cannot be known: its version went from {saved.version} to "
                f"{version(t)} outside the operators of PyTorch"
                if write is None
                else "which line changed it cannot be known: no line of the snippet was running"
            )
        elif write is not None and write.how == "NumPy":
            notes.append("NumPy names no expression: only the line of the change is known")
        if self._compiles:
            notes.append("torch.compile was off in the run that found this")
        return Culprit(
            saved_line=saver.line if saver else None,
            saved_end_line=saver.end_line if saver else None,
            saved_col=saver.col if saver else None,
            saved_end_col=saver.end_col if saver else None,
            saved_code=saver.text if saver else None,
            saved_layer=layer_name(self.source, saved.spot.layer),
            saved_call_line=saved.spot.call_line,
            modified_line=writer.line if writer else None,
            modified_end_line=writer.end_line if writer else None,
            modified_col=writer.col if writer else None,
            modified_end_col=writer.end_col if writer else None,
            modified_code=writer.text if writer else None,
            modified_op=write.how if write else None,
            modified_layer=layer_name(self.source, write.spot.layer) if write else None,
            modified_call_line=write.spot.call_line if write else None,
            needed_line=self.source.line_now(),
            tensor=TensorRef(
                name=saved.spot.name
                or (write.spot.name if write else None)
                or parameter_name(self.source, saved.spot.layer, t),
                shape=tuple(t.shape),
                dtype=str(t.dtype).removeprefix("torch."),
                is_view=private.is_view(t),
                saved_version=saved.version,
                found_version=version(t),
            ),
            note="; ".join(notes),
        )


def _differs(saved: _SavedTensor) -> bool:
    return saved.digest is not None and digest(saved.tensor) != saved.digest


def _why_unnoticed(write: Write, by: str) -> str:
    if by.startswith("ctx."):
        return f"PyTorch does not notice: it checks save_for_backward, not `{by}`"
    if by:
        return "PyTorch does not notice: checkpoint(use_reentrant=False) checks no versions"
    return "PyTorch does not notice: a write past autograd does not count as a version"
