"""Run a snippet on a simulated GPU: start it before the snippet, read its limits afterwards."""

from __future__ import annotations

import re
import threading
from contextlib import ExitStack
from types import FrameType
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.source import CodePosition, SnippetSource
from executor.inside.simulated import surface
from executor.inside.simulated.devices import LARGE, Devices, Machine, machine, storage_of
from executor.inside.simulated.modes import Functions, Operators, SimulationState
from executor.protocol import DeviceSeen

DEVICE = "simulated cuda:0"


class SimulatedCuda:
    """The simulated device of one run; it stays installed until the process ends."""

    def __init__(self, source: SnippetSource, seed: int | None, gpus: int = 1) -> None:
        machine[0] = Machine() if gpus == 1 else LARGE._replace(gpus=gpus)
        self.state = SimulationState(Devices(source), seed)
        self._stack = ExitStack()

    def start(self) -> None:
        """Be there."""
        private.load_dynamo()  # before: it counts torch.cuda's functions, which are about to change
        surface.install(self.state)
        self._stack.enter_context(self._listening())
        thread: Any = threading.Thread
        begin = thread._bootstrap_inner

        def listening_too(started: threading.Thread) -> None:
            with self._listening():
                begin(started)

        thread._bootstrap_inner = listening_too

    def _listening(self) -> ExitStack:
        stack = ExitStack()
        stack.enter_context(Functions(self.state))
        stack.enter_context(Operators(self.state))
        return stack

    def stop(self) -> None:
        """Remove the listeners; tensors keep their marks."""
        self._stack.close()

    @property
    def limits(self) -> tuple[str, ...]:
        """What the run touched that the simulation cannot do, as assumptions."""
        here = machine[0]
        kind = f"compute capability {'.'.join(map(str, here.capability))}"
        kind += f", {here.memory_bytes >> 30} GiB"
        count = "one simulated CUDA device" if here.gpus == 1 else f"{here.gpus} simulated ones"
        summary = f"ran on {count} ({kind}): real values on the CPU, PyTorch's device rules"
        return (summary, *(f"simulated device: {limit}" for limit in self.state.touched))

    def devices_of(self, error: BaseException, source: SnippetSource) -> tuple[DeviceSeen, ...]:
        """The devices of a device error's operands, with the snippet's lines that put them there.

        Each is named as the innermost of the snippet's frames would; the name is empty where no
        variable holds it. Nothing for an error that the simulation did not raise.
        """
        if error.args != (self.state.refused,):
            return ()
        frames = []
        tb = error.__traceback__
        while tb is not None:
            if tb.tb_frame.f_code.co_filename == source.filename:
                frames.append(tb.tb_frame)
            tb = tb.tb_next
        names: dict[Any, str] = {}
        for frame in reversed(frames):
            for name, value in list(frame.f_locals.items()):
                _name(value, name, names)
        seen = []
        for argument, t in self.state.mixed:
            mark = self.state.devices.mark_of(t)
            device = str(self.state.devices.of(t))
            line = mark.line if mark is not None else None
            found = DeviceSeen(
                name=names.get(_key(t), ""), argument=argument, device=device, line=line
            )
            if found not in seen:
                seen.append(found)
        if frames and seen:
            seen += self._beside(seen, frames[-1], source, error)
        return tuple(seen)

    def _beside(
        self, seen: list[DeviceSeen], frame: FrameType, source: SnippetSource, error: BaseException
    ) -> list[DeviceSeen]:
        """Variables of the failing expression on a device of which no operand has a name.

        A loss, say, fails on the log-probabilities that it computed from the outputs.
        """
        tb = error.__traceback__
        while tb is not None and tb.tb_frame is not frame:
            tb = tb.tb_next
        if tb is None:
            return []
        text = source.span(CodePosition(frame.f_code, tb.tb_lasti, tb.tb_lineno)).text
        found = []
        for device in {s.device for s in seen} - {s.device for s in seen if s.name}:
            for word in re.findall(r"[A-Za-z_]\w*", text):
                value: Any = frame.f_locals.get(word)
                if not issubclass(type(value), torch.Tensor):
                    continue
                if str(self.state.devices.of(value)) == device:
                    mark = self.state.devices.mark_of(value)
                    line = mark.line if mark is not None else None
                    found.append(DeviceSeen(name=word, device=device, line=line))
                    break
        return found


def _key(t: torch.Tensor) -> Any:
    storage = storage_of(t)
    return private.storage_id(storage) if storage is not None else None


def _name(value: Any, name: str, names: dict[Any, str]) -> None:
    if issubclass(type(value), torch.Tensor):
        names.setdefault(_key(value), name)
    elif issubclass(type(value), torch.nn.Module):
        for path, t in [*value.named_parameters(), *value.named_buffers()]:
            names.setdefault(_key(t), f"{name}.{path}")
        for attribute, t in list(vars(value).items()):
            if issubclass(type(t), torch.Tensor):
                names.setdefault(_key(t), f"{name}.{attribute}")
    elif type(value) in (list, tuple) and len(value) <= 50:
        for i, t in enumerate(value):
            if issubclass(type(t), torch.Tensor):
                names.setdefault(_key(t), f"{name}[{i}]")
