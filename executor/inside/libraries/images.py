"""Read and write images for `torchvision.io` with Pillow; its compiled operators may not load."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

SCHEMAS = {
    "read_file": "(str filename) -> Tensor",
    "write_file": "(str filename, Tensor data) -> ()",
    "decode_image": "(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor",
    "decode_png": "(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor",
    "decode_jpeg": "(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor",
    "decode_webp": "(Tensor data, int mode) -> Tensor",
    "decode_gif": "(Tensor data) -> Tensor",
    "encode_png": "(Tensor data, int compression_level) -> Tensor",
    "encode_jpeg": "(Tensor data, int quality) -> Tensor",
}
# The numbers of torchvision.io.ImageReadMode, as Pillow names them; 0 leaves the image as it is.
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def _read_file(filename: str) -> Tensor:
    return _bytes(Path(filename).read_bytes())


def _write_file(filename: str, data: Tensor) -> None:
    Path(filename).write_bytes(data.numpy().tobytes())


def _decode(data: Tensor, mode: int, apply_exif_orientation: bool = False) -> Tensor:
    """A picture as a uint8 tensor of shape (channels, height, width)."""
    import numpy as np
    from PIL import Image, ImageOps

    try:
        picture: Any = Image.open(io.BytesIO(data.numpy().tobytes()))
        picture.load()
    except OSError as e:
        raise RuntimeError(
            "Unsupported image file. Only jpeg, png, webp and gif are currently supported."
        ) from e
    if apply_exif_orientation:
        picture = ImageOps.exif_transpose(picture)
    wanted = _MODES.get(mode) or ("RGB" if picture.mode in {"P", "CMYK", "1"} else picture.mode)
    pixels = np.array(picture.convert(wanted))
    return torch.from_numpy(pixels if pixels.ndim == 3 else pixels[:, :, None]).permute(2, 0, 1)


def _encode(data: Tensor, **how: Any) -> Tensor:
    from PIL import Image

    pixels = data.permute(1, 2, 0).contiguous().numpy()  # (height, width, channels)
    file = io.BytesIO()
    Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels).save(file, **how)
    return _bytes(file.getvalue())


def _encode_png(data: Tensor, compression_level: int) -> Tensor:
    return _encode(data, format="PNG", compress_level=compression_level)


def _encode_jpeg(data: Tensor, quality: int) -> Tensor:
    return _encode(data, format="JPEG", quality=quality)


def _bytes(raw: bytes) -> Tensor:
    return torch.frombuffer(bytearray(raw), dtype=torch.uint8) if raw else torch.empty(0).byte()


COMPUTED: dict[str, Callable[..., Any]] = {
    "read_file": _read_file,
    "write_file": _write_file,
    "decode_image": _decode,
    "decode_png": _decode,
    "decode_jpeg": _decode,
    "decode_webp": _decode,
    "encode_png": _encode_png,
    "encode_jpeg": _encode_jpeg,
}
