"""torchaudio's data sets: a folder of short tones, named as the real data set's files are."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import torch

from executor.inside.libraries.torchaudio_codec import write
from executor.inside.resources.supplied import Supplied

_COMMANDS = (  # noqa: SIM905
    "backward bed bird cat dog down eight five follow forward four go happy house learn left "
    "marvin nine no off on one right seven sheila six stop three tree two up visual wow yes zero"
).split()
_GENRES = (  # noqa: SIM905
    "blues classical country disco hiphop jazz metal pop reggae rock"
).split()
_EACH = 6  # files of a class
_TEXT = "THE MODEL READS THE FIRST BATCH AND COMPUTES A LOSS"


def install(supplied: Supplied) -> None:
    """Let the data sets of the table be made where they are not here."""
    import torchaudio.datasets as module

    for name, make in _MAKERS.items():
        _wrap(getattr(module, name), make, supplied)


def _wrap(cls: Any, make: Callable[..., int], supplied: Supplied) -> None:
    original = cls.__init__

    @functools.wraps(original)
    def initialise(self: Any, root: Any, *args: Any, **named: Any) -> None:
        made = make(os.fspath(root), *args, **named)
        if made:
            what = f"{made} short tones, named as its files are, stand in"
            supplied.add(cls.__name__, "data", what, exact=False)
        original(self, root, *args, **named)

    cls.__init__ = initialise


def _tone(path: str, number: int, seconds: float, rate: int) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    time = torch.arange(int(seconds * rate)) / rate
    write(path, (0.3 * torch.sin(6.283 * (200 + 40 * number) * time)).unsqueeze(0), rate)


def _commands(root: str, url: str = "speech_commands_v0.02", folder_in_archive: str =
              "SpeechCommands", download: bool = False, **_: Any) -> int:  # fmt: skip
    version = os.path.basename(url).removesuffix(".tar.gz")
    folder = os.path.join(root, folder_in_archive, version)
    if os.path.isdir(folder):
        return 0
    lists: dict[int, list[str]] = {0: [], 1: []}
    for n, word in enumerate(_COMMANDS):
        for k in range(_EACH):
            name = f"{word}/{n:04x}{k:04x}_nohash_0.wav"
            _tone(os.path.join(folder, name), n, 1.0, 16_000)
            if k in lists:
                lists[k].append(name)
    for k, listed in enumerate(("validation_list.txt", "testing_list.txt")):
        with open(os.path.join(folder, listed), "w") as f:
            f.write("\n".join(lists[k]) + "\n")
    return len(_COMMANDS) * _EACH


def _yes_no(root: str, url: str = "", folder_in_archive: str = "waves_yesno", *_: Any,
            **__: Any) -> int:  # fmt: skip
    folder = os.path.join(root, folder_in_archive)
    if os.path.isdir(folder):
        return 0
    for n in range(60):
        name = "_".join(f"{n * 5:08b}")
        _tone(os.path.join(folder, f"{name}.wav"), n, 2.0, 8_000)
    return 60


def _books(root: str, url: str = "train-clean-100", folder_in_archive: str = "LibriSpeech",
           *_: Any, **__: Any) -> int:  # fmt: skip
    folder = os.path.join(root, folder_in_archive, os.path.basename(url).partition(".")[0])
    if os.path.isdir(folder):
        return 0
    for speaker in (19, 26, 27, 32):
        chapter = os.path.join(folder, str(speaker), "198")
        names = [f"{speaker}-198-{n:04d}" for n in range(_EACH)]
        for n, name in enumerate(names):
            _tone(os.path.join(chapter, f"{name}.flac"), n + speaker, 2.0, 16_000)
        with open(os.path.join(chapter, f"{speaker}-198.trans.txt"), "w") as f:
            f.writelines(f"{name} {_TEXT}\n" for name in names)
    return 4 * _EACH


def _genres(root: str, url: str = "", folder_in_archive: str = "genres", download: bool = False,
            subset: Any = None, **_: Any) -> int:  # fmt: skip
    folder = os.path.join(root, folder_in_archive)
    if os.path.isdir(folder) or subset is not None:
        return 0
    for n, genre in enumerate(_GENRES):
        for k in range(_EACH):
            _tone(os.path.join(folder, genre, f"{genre}.{k:05d}.wav"), n, 3.0, 22_050)
    return len(_GENRES) * _EACH


_MAKERS: dict[str, Callable[..., int]] = {
    "SPEECHCOMMANDS": _commands,
    "YESNO": _yes_no,
    "LIBRISPEECH": _books,
    "GTZAN": _genres,
}
