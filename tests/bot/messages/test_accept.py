"""bot/messages/attachments.py: every attached file is read, carried or named."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest

from bot.messages.attachments import MAX_ATTACHMENT_BYTES, MIB, Attachment, Unreadable, accept


def zipped(*files: tuple[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Attachment:
    """A zip with these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return Attachment("all.zip", data.getvalue())


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("a.py", ""),
        ("a.IPYNB", ""),
        ("notes.md", ""),
        ("run.log", ""),
        ("screenshot.png", "I cannot read screenshot.png; paste its text"),
        ("paper.pdf", "I cannot read paper.pdf; paste its text"),
        ("data.csv", "data.csv lies beside your code"),
    ],
)
def test_each_kind_of_file(name: str, note: str):
    """What is not read as text is still there for the code to open."""
    found = accept(Attachment(name, b"x"))

    assert [f.name for f in found.files] == [name]
    assert found.notes == ((note,) if note else ())


def test_a_zip_is_its_files():
    """Folders and what systems put beside them do not count."""
    found = accept(zipped(("src/a.py", b"print(1)"), ("__MACOSX/a", b""), (".git/x", b"")))

    assert [(f.plain_name, f.data) for f in found.files] == [("a.py", b"print(1)")]
    assert found.notes == ("all.zip holds a.py",)


def test_a_bomb_is_not_unpacked():
    """Neither one that says how large it is, nor one that lies about it."""
    honest = zipped(("a.txt", bytes(MAX_ATTACHMENT_BYTES + MIB)))
    at = honest.data.rindex(b"PK\x01\x02")
    small = struct.pack("<I", 10)
    liar = Attachment("all.zip", honest.data[: at + 24] + small + honest.data[at + 28 :])
    for bomb in (honest, liar):
        with pytest.raises(Unreadable, match=r"all\.zip"):
            accept(bomb)


@pytest.mark.parametrize(
    ("attachment", "says"),
    [
        (Attachment("all.zip", b"no zip"), "no zip that I can read"),
        (zipped(*((f"{n}.py", b"") for n in range(21))), "holds 21 files"),
        (Attachment("a.log", bytes(MAX_ATTACHMENT_BYTES + 1)), "more than the 5 MiB that I read"),
    ],
)
def test_what_cannot_be_read_is_named(attachment: Attachment, says: str):
    """With the next step."""
    with pytest.raises(Unreadable, match=says):
        accept(attachment)


def test_of_a_long_log_the_end_is_read():
    """The error is there."""
    found = accept(Attachment("a.log", b"x" * 2 * MIB + b"end"))
    assert found.files[0].data.endswith(b"end") and len(found.files[0].data) == MIB
    assert found.notes == ("of a.log only the last MiB was read",)
