"""Watch what is kept for backward without passing the hooks: on a Function's ctx, in a checkpoint.

`ctx.save_for_backward` reaches the hooks only when `forward` is over: its own line is noted here.
`ctx.x = x` never reaches them, and PyTorch checks no version of it. Inside
`checkpoint(use_reentrant=False)` the recomputed tensors are kept by the checkpoint's own hooks,
which check none either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import function

from executor.inside import torch_private as private
from executor.inside.probes.inplace.spots import Spot, spot
from executor.inside.probes.inplace.values import storage
from executor.inside.probes.source import SnippetSource

Keep = Callable[[torch.Tensor, Spot | None], Any]
Check = Callable[[Any, str], None]


class Hidden:
    """Calls `keep` for what is kept without the hooks, and `check` when backward reads it."""

    def __init__(self, source: SnippetSource, keep: Keep, check: Check) -> None:
        self.source = source
        self._keep = keep
        self._check = check
        self._pending: dict[int, tuple[torch.Tensor, Spot]] = {}
        self._attributes: dict[tuple[int, str], tuple[torch.Tensor, Any]] = {}
        self._recomputed: dict[int, tuple[torch.Tensor, Any]] = {}
        self._put_back: list[Callable[[], None]] = []

    def spot_of(self, t: torch.Tensor) -> Spot | None:
        """The line of `ctx.save_for_backward` for a tensor that the hooks are just given."""
        known = self._pending.pop(storage(t) or 0, None)
        return known[1] if known is not None else None

    def start(self) -> None:
        """Listen."""
        self._listen_to_save_for_backward()
        self._listen_to_attributes()
        self._listen_to_checkpoints()

    def stop(self) -> None:
        """Stop listening."""
        for put_back in reversed(self._put_back):
            put_back()
        self._put_back.clear()

    def _listen_to_save_for_backward(self) -> None:
        original = function.FunctionCtx.save_for_backward

        def save(ctx: Any, *tensors: Any) -> None:
            self._pending = {
                storage(t) or 0: (t, spot(self.source, t))
                for t in tensors
                if issubclass(type(t), torch.Tensor)
            }
            original(ctx, *tensors)

        function.FunctionCtx.save_for_backward = save  # type: ignore[method-assign,assignment]
        self._put_back.append(lambda: setattr(function.FunctionCtx, "save_for_backward", original))

    def _listen_to_attributes(self) -> None:
        context: Any = function.BackwardCFunction

        def set_attribute(ctx: Any, name: str, value: Any) -> None:
            if issubclass(type(value), torch.Tensor):
                self._attributes[id(ctx), name] = value, self._keep(value, spot(self.source, value))
            super(context, ctx).__setattr__(name, value)

        def get_attribute(ctx: Any, name: str) -> Any:
            value = super(context, ctx).__getattribute__(name)
            kept = self._attributes.get((id(ctx), name))
            if kept is not None and kept[0] is value:
                frame = self.source.frame()
                if frame is not None and frame.f_code.co_name in ("backward", "vjp"):
                    self._check(kept[1], f"ctx.{name}")
            return value

        context.__setattr__, context.__getattribute__ = set_attribute, get_attribute

        def put_back() -> None:
            del context.__setattr__, context.__getattribute__

        self._put_back.append(put_back)

    def _listen_to_checkpoints(self) -> None:
        forward: Any
        again: Any
        forward, again = private.checkpoint_hooks()
        if forward is None:
            return  # another torch: then such a change stays unseen, as without us
        hidden = self

        class Again(again):  # type: ignore[misc]
            pack_hook: Any

            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **kwargs)
                original = self.pack_hook

                def pack(t: torch.Tensor) -> Any:
                    t = t.detach() if t.requires_grad else t  # as the original would: the same t
                    kept = hidden._keep(t, None)
                    hidden._recomputed[id(t)] = t, kept
                    return original(t)

                self.pack_hook = pack

        class Forward(forward):  # type: ignore[misc]
            unpack_hook: Any

            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **kwargs)
                original = self.unpack_hook

                def unpack(holder: Any) -> Any:
                    t = original(holder)
                    if (known := hidden._recomputed.pop(id(t), None)) is not None:
                        hidden._check(known[1], "checkpoint")
                    return t

                self.unpack_hook = unpack

        private.set_checkpoint_hooks(Forward, Again)

        def put_back() -> None:
            private.set_checkpoint_hooks(forward, again)

        self._put_back.append(put_back)
