"""Draw an Answer as a Discord message: plain JSON within all of Discord's limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bot.models import Answer, Status
from bot.platforms.buttons import BUTTONS, button_id, case_buttons, case_head
from bot.platforms.card import NOT_TRIED, Sheet, article_advice, sheet
from bot.platforms.discord.text import ELLIPSIS, cut_end, fence, prose, tame, units, words
from bot.platforms.parts import CardPart
from bot.service.seam import Answered, Case, Upload, Verb, View, Waiting, Working
from bot.service.uploads import full_output
from bot.service.welcome import PROMPTS, WELCOME
from bot.words import ADVICE, UNSURE_ADVICE

# https://discord.com/developers/docs/components/reference
# https://discord.com/developers/docs/resources/message
V2 = 1 << 15  # the message is made of components; it can carry no content and no embeds
SHOWN = 4_000  # units of text in all components of a message
TITLE, FIELD, EMBED = 256, 1_024, 6_000
CONTENT = 2_000  # units of a message that is only text
LABEL, ALT = 80, 1_024
UPLOAD_BYTES = 9 * 1024 * 1024  # of one message; Discord takes 10 MiB, form included

Json = dict[str, Any]
Style = Literal["components", "embeds"]

_COLOUR: dict[Status, int] = {
    "fixed": 0x2DA44E,
    "reproduced": 0xCF222E,
    "runs": 0x0969DA,
    "advice": 0x1B7C83,
    "unsure": 0xBF8700,
    "not_run": 0xBF8700,
}
_WAITING = 0x6E7781
_PICTURES, _FILES = 6, 3
_PICTURE_BYTES = 4 * 1024 * 1024
_ALTERNATIVES = 3
_SECONDARY, _SUCCESS, _DANGER = 2, 3, 4
_ROW, _BUTTON, _SELECT = 1, 2, 3
_TEXT, _GALLERY, _FILE, _RULE, _CONTAINER = 10, 12, 13, 14, 17
_STYLES: dict[Verb, int] = {"solved": _SUCCESS, "delete": _DANGER}
_LINK = re.compile(r"https?://[^\s<>()]{1,400}")
# The least room in which each part is readable; the first parts get what is left over.
_FLOORS = {
    "error": 500,
    "seen": 300,
    "printed": 400,
    "assumed": 240,
    "use": 700,
    "why": 420,
    "try": 500,
    "fix": 800,
}


@dataclass(frozen=True)
class Drawn:
    """A message as Discord's API takes it, and the files that it names."""

    payload: Json
    uploads: tuple[Upload, ...] = ()


@dataclass(frozen=True)
class _Piece:
    """A piece of the card that can be shortened; `floor` is the least room for it to be readable.

    A piece that gets no room is left out.
    """

    draw: Callable[[int], str]
    floor: int
    name: str = ""


# -- whole messages ------------------------------------------------------------------------------


def draw(view: View, question: str, style: Style = "components") -> Drawn:
    """Draw a view as one message; the question's id goes into its buttons."""
    if isinstance(view, Answered):
        made = sheet(view)
        drawn = _components if style == "components" else _embed
        return drawn(view.answer, made, question)
    text = _waiting(view)
    return text_message(text, style=style, rows=[_row([_button("delete", question)])])


def _waiting(view: Waiting | Working) -> str:
    if isinstance(view, Working):
        return f"⏳ {view.text} {ELLIPSIS}"
    if not view.ahead:
        return f"⏳ reading your question {ELLIPSIS}"
    before = "1 question is" if view.ahead == 1 else f"{view.ahead} questions are"
    return f"⏳ in the queue: {before} before yours"


def text_message(text: str, *, style: Style = "components", rows: Sequence[Json] = ()) -> Drawn:
    """A message of one paragraph, in the style that the card will have."""
    if style == "embeds":
        embed = {"description": prose(cut_end(text, CONTENT // 2)) or ELLIPSIS, "color": _WAITING}
        return Drawn(_calm({"content": None, "embeds": [embed], "components": [*rows]}))
    room = SHOWN - _shown(rows)
    shown = {"type": _TEXT, "content": cut_end(prose(text), room) or ELLIPSIS}
    container = {"type": _CONTAINER, "accent_color": _WAITING, "components": [shown]}
    return Drawn(_calm({"flags": V2, "components": [container, *rows]}))


def note(text: str) -> Json:
    """A plain message: a private note, or the line above a file."""
    return _calm({"content": cut_end(tame(text), CONTENT) or ELLIPSIS})


def draw_case(case: Case, link: str) -> Drawn:
    """A question that is handed to people, with the bot's answer and buttons of their own.

    Args:
        case: the question; its asker is shown as a name, without a ping.
        link: where it was asked; empty if nobody else can go there.
    """
    said = f"<@{case.asker.id}> {case_head(case)}" + (f", here: {link}" if link else "")
    if case.ping:
        said = f"<@&{case.ping}> {said}"
    parts = [_Piece(lambda limit: cut_end(said, limit), 300)]
    if case.answer is not None:
        made = sheet(Answered(case.answer))
        headline = made.headline
        parts.append(_Piece(lambda limit: cut_end(f"I said: {words(headline)}", limit), 400))
    parts.append(_Piece(_block("**The question**", case.text, "text", "both"), 1_000, "question"))
    if case.answer is not None:
        parts += _pieces(case.answer, made)
    rows = [_row([_button(verb, case.question) for verb in case_buttons(case)])]
    texts, _, whole = _fill(parts, [], SHOWN - _shown(rows))
    inside: list[Json] = [{"type": _TEXT, "content": t} for t in texts]
    uploads: list[Upload] = []
    if not whole:
        uploads.append(capped(Upload("question.txt", case.text.encode("utf-8", "replace"))))
        inside.append(_file(uploads[0]))
    container = {"type": _CONTAINER, "accent_color": _WAITING, "components": inside}
    payload = _calm({"flags": V2, "components": [container, *rows]})
    if case.ping:
        payload["allowed_mentions"] = {"parse": [], "roles": [case.ping]}
    return Drawn(payload, tuple(uploads))


def count_components(payload: Json) -> int:
    """How many components a message holds, nested ones counted; Discord takes 40."""

    def count(items: Iterable[Json]) -> int:
        return sum(1 + count(i.get("components", ())) for i in items)

    return count(payload.get("components", ()))


def capped(upload: Upload, limit: int = UPLOAD_BYTES) -> Upload:
    """A file of at most `limit` bytes: the end of a larger one, where the error is."""
    if len(upload.data) <= limit:
        return upload
    kept = limit - 80  # for the line that says how much is missing
    left = f"{ELLIPSIS} {len(upload.data) - kept:,} bytes above {ELLIPSIS}\n".encode()
    return Upload(upload.name, left + upload.data[-kept:], upload.mime, upload.alt)


def _calm(payload: Json) -> Json:
    """The message without pings."""
    return payload | {"allowed_mentions": {"parse": []}}


def _row(buttons: Sequence[Json]) -> Json:
    return {"type": _ROW, "components": list(buttons)}


def _rows(made: Sheet, question: str) -> list[Json]:
    """The buttons and the menu below a card; the prompts of a welcome."""
    if made.prompts:
        return [prompts()]
    rows = [_row([_button(v, question) for v in made.buttons])] if made.buttons else []
    if made.menu:
        options = [{"label": BUTTONS[v], "value": button_id(v, question)} for v in made.menu]
        menu = {
            "type": _SELECT,
            "custom_id": f"tm:more:{question}",
            "placeholder": "More…",
            "options": options,
        }
        rows.append(_row([menu]))
    return rows


def prompts() -> Json:
    """A button for each question that one click asks, and one for the form."""
    named = [(p.label, f"tm:prompt:{n}") for n, p in enumerate(PROMPTS)]
    return _row(
        [
            {"type": _BUTTON, "style": _SECONDARY, "label": label, "custom_id": id}
            for label, id in [*named, ("Paste code…", "tm:form")]
        ]
    )


def welcome(style: Style = "components") -> Drawn:
    """The welcome as a message of its own."""
    return text_message(WELCOME, style=style, rows=[prompts()])


def _shown(rows: Sequence[Json]) -> int:
    """The text that rows show, as far as Discord may count it."""
    items = [item for row in rows for item in row["components"]]
    return sum(units(i.get("label") or "") + units(i.get("placeholder") or "") for i in items)


def _button(verb: Verb, question: str) -> Json:
    return {
        "type": _BUTTON,
        "style": _STYLES.get(verb, _SECONDARY),
        "label": BUTTONS[verb],
        "custom_id": button_id(verb, question),
    }


def _file(upload: Upload) -> Json:
    return {"type": _FILE, "file": {"url": f"attachment://{upload.name}"}}


# -- the card ------------------------------------------------------------------------------------


def _components(answer: Answer, made: Sheet, question: str) -> Drawn:
    rows = _rows(made, question)
    pictures = _pictures(made)
    room = SHOWN - _shown(rows)
    room -= sum(units(p.alt) for p in pictures)
    mark = "" if made.is_reply else "### "
    headline = _Piece(lambda limit: cut_end(f"{mark}{words(made.headline)}", limit), 600)
    small = [_Piece(_small(made), 420)]
    texts, below, whole = _fill([headline, *_pieces(answer, made)], small, room)
    inside: list[Json] = [{"type": _TEXT, "content": t} for t in texts]
    if pictures:
        items = [
            {"media": {"url": f"attachment://{p.name}"}, "description": cut_end(p.alt, ALT)}
            for p in pictures
        ]
        inside.append({"type": _GALLERY, "items": items})
    if below:
        inside += [{"type": _RULE}, *({"type": _TEXT, "content": t} for t in below)]
    files = _files(answer, made, whole=whole)
    inside += [_file(f) for f in files]
    container = {"type": _CONTAINER, "accent_color": _COLOUR[answer.status], "components": inside}
    return Drawn(_calm({"flags": V2, "components": [container, *rows]}), (*pictures, *files))


def _embed(answer: Answer, made: Sheet, question: str) -> Drawn:
    """Draw an embed (title, description, fields, footer) for clients without components."""
    title = cut_end(tame(made.headline), TITLE)
    explained = ("why", "try", "fix")
    head = [_Piece(lambda limit: cut_end(words(made.headline), limit), 600)]
    seen, _, whole = _fill([*head, *_pieces(answer, made, skip=explained)], [], 2_600)
    footer = cut_end(tame(made.evidence), 500)
    description = "\n".join(seen)
    room = EMBED - units(title) - units(description) - units(footer)
    fields: list[Json] = []
    for piece in [*_pieces(answer, made, only=explained)]:
        text = piece.draw(min(FIELD, room - units(piece.name)))
        if text:
            fields.append({"name": piece.name, "value": text, "inline": False})
            room -= units(piece.name) + units(text)
    embed: Json = {
        "title": title,
        "description": description,
        "color": _COLOUR[answer.status],
        "fields": fields,
    }
    if footer:
        embed["footer"] = {"text": footer}
    pictures = _pictures(made)
    if pictures:
        embed["image"] = {"url": f"attachment://{pictures[0].name}"}
    uploads = (*pictures, *_files(answer, made, whole=whole))
    rows = _rows(made, question)
    return Drawn(_calm({"content": None, "embeds": [embed], "components": rows}), uploads)


def _pieces(
    answer: Answer, made: Sheet, *, only: Sequence[str] = (), skip: Sequence[str] = ()
) -> list[_Piece]:
    pieces: list[_Piece] = []
    fixes = 0
    for part in made.parts:
        fixes += part.kind == "fix"
        if part.kind == "try" and any(p.name in (ADVICE, UNSURE_ADVICE) for p in pieces):
            continue  # all of it was drawn with the first
        if part.kind in skip or (only and part.kind not in only) or fixes > _ALTERNATIVES:
            continue
        head = _title(part)
        name = "output" if part.kind == "printed" else cut_end(part.title, 100)
        drawing = _drawing(part, head)
        if part.kind == "try" and answer.why is not None and article_advice(answer):
            # Its code has fences of its own; here they become ours, so that a cut leaves none open.
            drawing = _markdown(f"{head}{NOT_TRIED}", answer.why.remedy)
        pieces.append(_Piece(drawing, _FLOORS[part.kind], name))
    return pieces


def _title(part: CardPart) -> str:
    if not part.title:
        return ""
    told = f"**{prose(part.title)}**"
    return f"[{told}](<{part.url}>)" if _LINK.fullmatch(part.url) else told


def _drawing(part: CardPart, head: str) -> Callable[[int], str]:
    text = "\n".join(words(line) for line in part.text[:20_000].splitlines())
    if text:
        gap = "\n" if part.kind in ("seen", "use") else " — "
        head = f"{head}{gap}{text}" if head else text
    if not part.code:
        return lambda limit: cut_end(head, limit)
    keep: Literal["both", "last"] = "last" if part.keep == "end" else "both"
    return _block(head, part.code, part.language or "text", keep)


def _small(made: Sheet) -> Callable[[int], str]:
    """The evidence: the small print at the end."""
    return lambda limit: cut_end(f"-# {prose(made.evidence)}", limit) if made.evidence else ""


def _pictures(made: Sheet) -> tuple[Upload, ...]:
    fit = [p for p in made.pictures if p.data and len(p.data) <= _PICTURE_BYTES]
    kept: list[Upload] = []
    for i, picture in enumerate(fit, 1):
        if len(kept) == _PICTURES or _size(kept) + len(picture.data) > UPLOAD_BYTES // 2:
            break
        suffix = {
            "image/png": "png",
            "image/jpeg": "jpg",
            "image/gif": "gif",
            "image/webp": "webp",
        }.get(picture.mime)
        if suffix is not None:  # a name of ours: Discord rewrites others, and then finds no file
            kept.append(Upload(f"figure-{i}.{suffix}", picture.data, picture.mime, picture.alt))
    return tuple(kept)


def _files(answer: Answer, made: Sheet, *, whole: bool) -> tuple[Upload, ...]:
    """The files for what the card shows only in part, also output whose few lines were too long."""
    files = list(made.files[:_FILES])
    output = full_output(answer)
    if not whole and output is not None and output.name not in [f.name for f in files]:
        files.append(output)
    half = UPLOAD_BYTES // 2 // max(1, len(files))
    return tuple(capped(f, half) for f in files)


def _size(uploads: Iterable[Upload]) -> int:
    return sum(len(u.data) for u in uploads)


# -- how much room each piece gets ---------------------------------------------------------------


def _fill(
    pieces: Sequence[_Piece], small: Sequence[_Piece], room: int
) -> tuple[list[str], list[str], bool]:
    """Draw all pieces in `room` units: each gets its floor, the first ones the rest.

    Returns:
        the drawn pieces, the drawn small ones, and whether all long texts were shown whole.
    """
    every = [*pieces, *small]
    wanted = [p.draw(room) for p in every]
    given = [min(units(w), p.floor) for w, p in zip(wanted, every, strict=True)]
    # If even that is too much, the last pieces are dropped first; the small print stays.
    for i in reversed(range(1, len(pieces))):
        if sum(given) <= room:
            break
        given[i] = 0
    spare = room - sum(given)
    for i, text in enumerate(wanted):
        if given[i]:
            more = min(spare, units(text) - given[i])
            given[i] += more
            spare -= more
    drawn = [
        w if units(w) <= g else p.draw(g) for w, p, g in zip(wanted, every, given, strict=True)
    ]
    whole = all(
        d == p.draw(1 << 30)
        for p, d in zip(every, drawn, strict=True)
        if p.name in ("output", "question")
    )
    return [d for d in drawn[: len(pieces)] if d], [d for d in drawn[len(pieces) :] if d], whole


def _block(
    head: str, body: str, language: str, keep: Literal["both", "last"]
) -> Callable[[int], str]:
    """A line or two with a fence below."""

    def drawn(limit: int) -> str:
        top = cut_end(head, max(0, min(limit, max(80, limit // 2))))
        box = fence(body, language, limit - units(top) - 1, keep)
        return f"{top}\n{box}" if box else top

    return drawn


def _markdown(head: str, text: str) -> Callable[[int], str]:
    """An article's advice; its fences are closed wherever it is cut."""
    pieces = re.split(r"```\w*\n?", text[:20_000])

    def drawn(limit: int) -> str:
        made, room = [head], limit - units(head)
        for i, piece in enumerate(pieces):
            if not piece.strip():
                continue
            if i % 2:
                shown = fence(piece, "py", room - 1)
            else:
                lines = [words(p) for p in piece.strip().split("\n")]
                shown = cut_end("\n".join(lines), room - 1)
            if not shown or room < 40:
                break
            made.append(shown)
            room -= 1 + units(shown)
        return "\n".join(made) if len(made) > 1 else ""

    return drawn
