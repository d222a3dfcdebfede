"""Read attachments as text, or hand them on as files for the snippet's working folder."""

from __future__ import annotations

import base64
import codecs
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.errors import QuestionError
from executor.protocol import File

MIB = 1024 * 1024
MAX_MESSAGE_BYTES = MIB
MAX_ATTACHMENT_BYTES = 5 * MIB

PYTHON_SUFFIXES = frozenset({".py", ".pyw"})
NOTEBOOK_SUFFIXES = frozenset({".ipynb"})
TEXT_SUFFIXES = frozenset({".log", ".txt", ".out", ".err"})


@dataclass(frozen=True)
class Attachment:
    """A file that came with a message."""

    name: str
    data: bytes

    @property
    def suffix(self) -> str:
        """`.py`, in lower case."""
        return PurePosixPath(self.plain_name).suffix.lower()

    @property
    def plain_name(self) -> str:
        """The name without folders, control characters or more than 100 characters."""
        name = re.split(r"[\\/]", self.name)[-1]
        name = "".join(c for c in name if c.isprintable()).strip()
        stem, dot, suffix = name.rpartition(".")
        if len(name) > 100:
            name = f"{stem[:80]}{dot}{suffix[:19]}"
        return name if name.strip(".") else "attachment"


def refuse_oversize(attachment: Attachment) -> None:
    """Raise QuestionError if the file is larger than we read."""
    size = len(attachment.data)
    if size > MAX_ATTACHMENT_BYTES:
        raise QuestionError(
            f"{attachment.plain_name}: {size / MIB:.1f} MiB is more than the "
            f"{MAX_ATTACHMENT_BYTES // MIB} MiB that I read; "
            "cut it down to the smallest part that fails"
        )


def decode(attachment: Attachment) -> tuple[str, str]:
    """The file's text, and a note if its encoding had to be guessed.

    Raises:
        QuestionError: the content is binary; the message names the file.
    """
    data = attachment.data
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # What `python x.py > log.txt` writes in PowerShell.
        try:
            return _refuse_binary(data.decode("utf-16"), attachment), ""
        except UnicodeDecodeError as error:
            raise _binary(attachment) from error
    try:
        return _refuse_binary(data.decode("utf-8-sig"), attachment), ""
    except UnicodeDecodeError:
        text = _refuse_binary(data.decode("latin-1"), attachment)
        return text, f"{attachment.plain_name} is not UTF-8; it was read as Latin-1"


def _refuse_binary(text: str, attachment: Attachment) -> str:
    if "\0" in text or looks_binary(text):
        raise _binary(attachment)
    return text


def _binary(attachment: Attachment) -> QuestionError:
    return QuestionError(
        f"{attachment.plain_name}: this is binary data, not text; "
        "attach the source as a UTF-8 .py, .ipynb, .log or .txt file"
    )


_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")


def looks_binary(text: str) -> bool:
    """Whether more than a tenth of the characters are control characters."""
    return len(_CONTROLS.findall(text)) > len(text) / 10


def as_file(attachment: Attachment) -> File:
    """The attachment as a file for the snippet's working folder."""
    return File(
        name=attachment.plain_name, base64=base64.b64encode(attachment.data).decode("ascii")
    )
