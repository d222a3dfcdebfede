"""Read attachments as text, or hand them on as files for the snippet's working folder."""

from __future__ import annotations

import base64
import codecs
import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.errors import QuestionError
from executor.protocol import File

MIB = 1024 * 1024
MAX_MESSAGE_BYTES = MIB
MAX_ATTACHMENT_BYTES = 5 * MIB

PYTHON_SUFFIXES = frozenset({".py", ".pyw"})
NOTEBOOK_SUFFIXES = frozenset({".ipynb"})
TEXT_SUFFIXES = frozenset({".log", ".txt", ".out", ".err", ".md"})
READABLE = PYTHON_SUFFIXES | NOTEBOOK_SUFFIXES | TEXT_SUFFIXES
# What can neither be read as text nor be of use to a snippet, unless that opens it.
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".heic", ".svg", ".tiff"})
_PAPERS = frozenset({".pdf", ".docx", ".doc", ".odt", ".rtf", ".pptx", ".mp4", ".mov", ".webm"})
_TEXT_BYTES = MIB  # read of an attached log; more would take too long
_ZIP_FILES = 20


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


class Unreadable(QuestionError):  # noqa: N818 (a fact about a file, no fault)
    """A file cannot be read; the text names it and what to do."""


@dataclass(frozen=True)
class Accepted:
    """What came of one attached file."""

    files: tuple[Attachment, ...]
    notes: tuple[str, ...] = ()


def accept(attachment: Attachment) -> Accepted:
    """One attached file as the files that are read or handed to the snippet.

    Raises:
        Unreadable: it cannot be read; the text names it and what to do.
    """
    name = attachment.plain_name
    if reason := too_large(name, len(attachment.data)):
        raise Unreadable(reason)
    if attachment.suffix in _PICTURES | _PAPERS:
        # A snippet may open it; whoever sent it for us to read is told that we do not.
        return Accepted((attachment,), (f"I cannot read {name}; paste its text",))
    if attachment.suffix == ".zip":
        return _unpacked(attachment)
    if attachment.suffix in TEXT_SUFFIXES and len(attachment.data) > _TEXT_BYTES:
        # The error is at the end of a log.
        cut = Attachment(attachment.name, attachment.data[-_TEXT_BYTES:])
        return Accepted((cut,), (f"of {name} only the last MiB was read",))
    if attachment.suffix not in READABLE:
        return Accepted((attachment,), (f"{name} lies beside your code",))
    return Accepted((attachment,))


def _unpacked(attachment: Attachment) -> Accepted:
    """The files of a zip: programs, notebooks and logs to read, the others beside the code."""
    name, files = attachment.plain_name, []
    left = MAX_ATTACHMENT_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(attachment.data)) as archive:
            inside = [i for i in archive.infolist() if not i.is_dir() and not _hidden(i.filename)]
            if len(inside) > _ZIP_FILES:
                raise Unreadable(
                    f"{name} holds {len(inside)} files, more than the {_ZIP_FILES} that I read; "
                    "attach the one that fails"
                )
            for info in inside:
                if info.flag_bits & 1:
                    raise Unreadable(f"{name} is encrypted; attach its files without a password")
                with archive.open(info) as file:
                    data = file.read(left + 1)  # what it says of its size may be a lie
                left -= len(data)
                if left < 0:
                    raise Unreadable(
                        f"{name}: unpacked it is more than the {MAX_ATTACHMENT_BYTES // MIB} MiB "
                        "that I read; attach the file that fails"
                    )
                files.append(Attachment(info.filename, data))
    except (zipfile.BadZipFile, NotImplementedError, zlib.error, EOFError, OSError) as e:
        raise Unreadable(f"{name} is no zip that I can read; attach its files one by one") from e
    names = ", ".join(f.plain_name for f in files) or "nothing"
    # A script that others import is one of them, so only the programs' text is put together.
    return Accepted(tuple(files), (f"{name} holds {names}",))


def _hidden(path: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in path.split("/"))


def too_large(name: str, size: int) -> str:
    """Why a file of this size is not read; empty if it is."""
    if size <= MAX_ATTACHMENT_BYTES:
        return ""
    return (
        f"{name}: {size / MIB:.1f} MiB is more than the {MAX_ATTACHMENT_BYTES // MIB} MiB that I "
        "read; cut it down to the smallest part that fails"
    )


def refuse_oversize(attachment: Attachment) -> None:
    """Raise QuestionError if the file is larger than we read."""
    if reason := too_large(attachment.plain_name, len(attachment.data)):
        raise QuestionError(reason)


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
