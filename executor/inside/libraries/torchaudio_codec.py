"""Let torchaudio read and write WAV files where TorchCodec, which it asks for that, is not here."""

from __future__ import annotations

import importlib.util
import wave
from types import ModuleType
from typing import Any

import numpy as np
import torch

# Bytes of a sample → its type.
_WIDTHS: dict[int, np.dtype[Any]] = {
    1: np.dtype("u1"),
    2: np.dtype("<i2"),
    4: np.dtype("<i4"),
}


def complete(codec: ModuleType) -> None:
    """Put functions that read and write WAV files in the place of those that need TorchCodec."""
    if importlib.util.find_spec("torchcodec") is not None:
        return
    parts: dict[str, Any] = vars(codec)
    original = parts["load_with_torchcodec"]

    def load_with_torchcodec(
        uri: Any,
        frame_offset: int = 0,
        num_frames: int = -1,
        normalize: bool = True,
        channels_first: bool = True,
        **named: Any,
    ) -> tuple[torch.Tensor, int]:
        try:
            samples, rate = read(uri)
        except (wave.Error, EOFError):  # of another format: torchaudio says what it needs for it
            found: tuple[torch.Tensor, int] = original(uri, frame_offset, num_frames, **named)
            return found
        end = None if num_frames < 0 else frame_offset + num_frames
        samples = samples[:, frame_offset:end]
        return samples if channels_first else samples.t(), rate

    def save_with_torchcodec(
        uri: Any, src: torch.Tensor, sample_rate: int, channels_first: bool = True, **_: Any
    ) -> None:
        samples = src.detach().cpu().float()
        samples = samples.unsqueeze(0) if samples.dim() == 1 else samples
        write(uri, samples if channels_first else samples.t(), sample_rate)

    parts["load_with_torchcodec"] = load_with_torchcodec
    parts["save_with_torchcodec"] = save_with_torchcodec


def read(uri: Any) -> tuple[torch.Tensor, int]:
    """Read a WAV file.

    Returns:
        samples: float32 in [-1, 1], shape (channels, frames).
        rate: samples a second.

    Raises:
        wave.Error: it is no WAV file, or one of floats.
        EOFError: it ends too early.
    """
    with wave.open(uri if hasattr(uri, "read") else str(uri), "rb") as f:
        width, channels, rate = f.getsampwidth(), f.getnchannels(), f.getframerate()
        content = f.readframes(f.getnframes())
    if width not in _WIDTHS:
        raise wave.Error(f"samples of {width} bytes")
    raw: np.ndarray[Any, Any] = np.frombuffer(content, _WIDTHS[width]).astype(np.float32)
    raw = raw / np.float32(2 ** (8 * width - 1)) - np.float32(width == 1)
    return torch.from_numpy(raw.reshape(-1, channels).T.copy()), rate


def write(uri: Any, samples: torch.Tensor, rate: int) -> None:
    """Write a WAV file of two bytes a sample; `samples` has shape (channels, frames)."""
    content = (samples.clamp(-1, 1) * 32767).short().t().contiguous().numpy()
    with wave.open(uri if hasattr(uri, "write") else str(uri), "wb") as f:
        f.setnchannels(samples.shape[0])
        f.setsampwidth(2)
        f.setframerate(int(rate))
        f.writeframes(content.astype("<i2").tobytes())
