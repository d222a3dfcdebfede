"""Hooks on saved tensors that step aside where `torch.func` takes none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.autograd import graph

from executor.inside import torch_private as private


class SavedHooks:
    """`saved_tensors_hooks` under which `torch.func.grad` and its like work as without hooks.

    They refuse any hook, which would be an error of ours; what they save is out of sight.
    """

    def __init__(
        self, pack: Callable[[torch.Tensor], Any], unpack: Callable[[Any], torch.Tensor]
    ) -> None:
        self._ours = (pack, unpack)
        self._hooks = graph.saved_tensors_hooks(pack, unpack)
        self._disable = graph.disable_saved_tensors_hooks

    def __enter__(self) -> None:
        self._hooks.__enter__()
        graph.disable_saved_tensors_hooks = self._step_aside  # type: ignore[assignment]

    def __exit__(self, *error: object) -> None:
        graph.disable_saved_tensors_hooks = self._disable
        self._hooks.__exit__(*error)

    @contextmanager
    def _step_aside(self, message: str) -> Iterator[None]:
        ours = private.top_saved_hooks(True) == self._ours  # the snippet's own are refused
        if ours:
            private.pop_saved_hooks()
        try:
            with self._disable(message):
                yield
        finally:
            if ours:
                private.push_saved_hooks(*self._ours)
