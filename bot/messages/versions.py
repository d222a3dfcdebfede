"""Find the versions, the GPU and the operating system that a person mentions."""

from __future__ import annotations

import re

_NOT_IN_A_PATH = r"(?<![A-Za-z0-9_./\\-])"
_GAP = r"[ \t'\"|]{0,40}+"  # `pip list` aligns its columns
_LINK = rf"(?:\.__version__)?(?: version| is)?{_GAP}(?:[:=]{{1,2}}|-)?{_GAP}v?"
_RELEASE = r"(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?(?:(?:a|b|rc)\d+)?(?:\.dev\d+)?(?:\+\w+(?:\.\w+)*)?)"
_PYTHON = r"([23]\.\d{1,2}(?:\.\d{1,2})?)"
_CUDA = r"((?:[89]|1\d)\.\d{1,2}|1\d(?![\w.]))"  # `cuda:0` is a device

_PATTERNS = {
    name: re.compile(_NOT_IN_A_PATH + pattern, re.IGNORECASE)
    for name, pattern in {
        "torch": rf"(?:py)?torch(?:-cpu|-gpu)?{_LINK}{_RELEASE}",
        "torchvision": rf"torchvision{_LINK}{_RELEASE}",
        "numpy": rf"numpy{_LINK}{_RELEASE}",
        "transformers": rf"transformers{_LINK}{_RELEASE}",
        "lightning": rf"(?:pytorch[ _-])?lightning{_LINK}{_RELEASE}",
        "python": rf"python{_LINK}{_PYTHON}",
        "cudnn": rf"cudnn{_LINK}([5-9](?:\.\d{{1,2}}){{1,3}})",
        "cuda": rf"cuda(?: toolkit| runtime| used to build pytorch)?{_LINK}{_CUDA}",
    }.items()
}


# `>>> torch.__version__` and its output, which are not in the prose.
_PRINTED = re.compile(rf"torch\.__version__\)?[ \t\n:=#>]{{0,20}}+['\"]?{_RELEASE}")


# Where the frames of a traceback are, and where old versions were built.
_PYTHON_FOLDER = re.compile(r"[\\/]python([23]\.\d{1,2})[\\/](?:site|dist)-packages")
_TORCH_FOLDER = re.compile(r"[\\/]pytorch-(\d\.\d{1,2}(?:\.\d{1,2})?)[\\/]torch[\\/]")

_GPU = re.compile(
    r"\b((?:(?:GeForce|Quadro|Tesla|Titan)[ -]?)?(?:(?:RTX|GTX)[ -]?A?\d{3,4}(?: ?Ti| Super)?"
    r"|MX ?\d{3}|[ATVPKLH]\d{1,3}[GS]?(?= ?(?:GPU|GB\b|gpu))|Titan (?:RTX|Xp?|V)))\b"
    r"|\b((?:Tesla|Quadro|GeForce) (?:RTX |GTX )?[A-Z]{0,2}\d{1,4}\w{0,3}|[AH]100|V100"
    r"|Radeon [\w ]{2,12})\b"
    r"|\b(M[1-4](?: (?:Pro|Max|Ultra))?(?= (?:Mac|chip))|Apple (?:silicon|M[1-4]))",
    re.IGNORECASE,
)
_GPU_COUNT = re.compile(
    r"\b(?:(one|single|two|four|eight|[1248]) (?:\S{1,12} ){0,2}GPUs?\b|multi(?:ple)?[- ]?(GPU)s?)",
    re.IGNORECASE,
)
_COUNTS = {"one": "1", "single": "1", "two": "2", "four": "4", "eight": "8"}
_OS = re.compile(
    r"\b(Windows(?: Server)?(?: (?:7|8\.1|8|10|11|20\d\d))?|Ubuntu(?: \d\d\.\d\d)?|CentOS(?: \d)?"
    r"|Debian(?: \d+)?|Fedora(?: \d+)?|Arch Linux|mac ?OS(?: X)?(?: \d+(?:\.\d+)*)?|OS X|WSL2?"
    r"|Linux)\b",
    re.IGNORECASE,
)
_OS_FOLDERS = (
    ("Windows", re.compile(r'File "[A-Za-z]:\\|^[a-z]:\\\S+ in \w', re.MULTILINE)),
    ("macOS", re.compile(r'File "/Users/')),
)
_PLACE = re.compile(r"\b(Google Colab|Colab|Kaggle|SageMaker|Databricks)\b", re.IGNORECASE)


def machine_in(prose: str, message: str) -> dict[str, str]:
    """What a person says of the machine: {"gpu": "RTX 3060", "os": "Windows 10"}.

    Args:
        prose: the message without code.
        message: the whole message; a traceback's folders tell the system too.
    """
    found: dict[str, str] = {}
    if gpu := _GPU.search(prose):
        found["gpu"] = next(name for name in gpu.groups() if name)
    if several := _GPU_COUNT.search(prose):
        said = (several[1] or "several").lower()
        found["gpus"] = _COUNTS.get(said, said)
    if system := _OS.search(prose):
        found["os"] = system[1]
    else:
        of_folders = [name for name, folder in _OS_FOLDERS if folder.search(message)]
        found |= {"os": of_folders[0]} if of_folders else {}
    if place := _PLACE.search(prose):
        found["service"] = place[1]
    return found


def versions_in(prose: str, message: str = "") -> dict[str, str]:
    """The first version mentioned of each: {"torch": "2.0.1+cu118", "python": "3.10"}.

    Args:
        prose: the message without code.
        message: the whole message, in which torch's version may have been printed.
    """
    found = {name: pattern.search(prose) for name, pattern in _PATTERNS.items()}
    found["torch"] = found["torch"] or _PRINTED.search(message) or _TORCH_FOLDER.search(message)
    found["python"] = _PYTHON_FOLDER.search(message) or found["python"]
    return {name: match[1] for name, match in found.items() if match}
