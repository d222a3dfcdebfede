"""One Answer as a Discord message: plain JSON, every limit kept before anything is drawn."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bot.models import Answer, AnswerError, Fix, Status
from bot.platforms.base import STATUS, harmless, proof_in_words
from bot.platforms.discord_text import ELLIPSIS, code, cut_end, fence, prose, tame, units, words
from executor.job import File

# https://discord.com/developers/docs/components/reference
# https://discord.com/developers/docs/resources/message
V2 = 1 << 15  # the message is made of components; it can carry no content and no embeds
SHOWN = 4_000  # units of text in all components of a message
COMPONENTS = 40  # components of a message, nested ones counted
TITLE, DESCRIPTION, FIELD, FOOTER, EMBED = 256, 4_096, 1_024, 2_048, 6_000
CONTENT = 2_000  # units of a message that is only text
LABEL, CUSTOM_ID, ALT = 80, 100, 1_024
FILES = 10  # of one message

Json = dict[str, Any]
Style = Literal["components", "embeds"]

_COLOUR: dict[Status, int] = {
    "fixed": 0x2DA44E, "reproduced": 0xCF222E, "runs": 0x0969DA, "advice": 0x1B7C83,
    "unsure": 0xBF8700, "not_run": 0xBF8700,
}  # fmt: skip
_WAITING = 0x6E7781
_LINK = re.compile(r"https?://[^\s<>()\x00-\x20]{1,400}")
_ALTERNATIVES = 3
_FIGURES = 6
_FIGURE_BYTES = 4 * 1024 * 1024
_OUTPUT_BYTES = 4 * 1024 * 1024
_PRIMARY, _SECONDARY, _SUCCESS, _DANGER = 1, 2, 3, 4
_ROW, _BUTTON, _TEXT, _GALLERY, _FILE, _RULE, _CONTAINER = 1, 2, 10, 12, 13, 14, 17


@dataclass(frozen=True)
class Upload:
    """A file that goes along with a message; `alt` says in words what a picture shows."""

    name: str
    data: bytes
    alt: str = ""


@dataclass(frozen=True)
class Drawn:
    """A message as Discord's API takes it, and the files that it names."""

    payload: Json
    uploads: tuple[Upload, ...] = ()


@dataclass(frozen=True)
class _Part:
    """A piece of the card that can be drawn in less room; `floor` is what it is worth reading in.

    A part that is drawn in no room is left out.
    """

    draw: Callable[[int], str]
    floor: int
    name: str = ""


# -- whole messages ------------------------------------------------------------------------------


def answer_card(
    answer: Answer, question_id: str, *, style: Style = "components", note: str = ""
) -> Drawn:
    """The answer as one message.

    Args:
        answer: what there is to say.
        question_id: goes into the buttons.
        style: components, or the embed that old clients can show as well.
        note: a last line, e.g. what the asker said about the answer.
    """
    if style == "embeds":
        return _embed(answer, question_id, note)
    figures = _figures(answer)
    row = _rows(answer, question_id)
    labels = sum(units(b["label"]) for r in row for b in r["components"])
    parts = [
        _Part(_headline(answer), 600), *_seen(answer), *_explained(answer), *_fixes(answer),
    ]  # fmt: skip
    small = [_Part(_footer(answer), 420)]
    if note:
        small.append(_Part(_note(note), 200))
    texts, below, whole = _fill(parts, small, SHOWN - labels - sum(units(f.alt) for f in figures))
    inside: list[Json] = [{"type": _TEXT, "content": t} for t in texts]
    if figures:
        inside.append(_gallery(figures))
    if below:
        inside += [{"type": _RULE}, *({"type": _TEXT, "content": t} for t in below)]
    uploads = list(figures)
    if (output := _output_file(answer)) is not None and not whole:
        uploads.append(output)
        inside.append({"type": _FILE, "file": {"url": f"attachment://{output.name}"}})
    container = {
        "type": _CONTAINER, "accent_color": _COLOUR[answer.status], "components": inside,
    }  # fmt: skip
    return Drawn(_message([container, *row]), tuple(uploads))


def text_card(text: str, *, buttons: Sequence[Json] = (), colour: int = _WAITING) -> Drawn:
    """A message of one paragraph of our own words: a step, a refusal, a sentence of thanks."""
    rows = [_row(buttons)] if buttons else []
    room = SHOWN - sum(units(b["label"]) for b in buttons)
    shown: Json = {"type": _TEXT, "content": cut_end(text, room) or ELLIPSIS}
    container = {"type": _CONTAINER, "accent_color": colour, "components": [shown]}
    return Drawn(_message([container, *rows]))


def text_message(text: str, *, style: Style = "components", buttons: Sequence[Json] = ()) -> Drawn:
    """The same as `text_card`, in the style that the card will have."""
    if style == "components":
        return text_card(text, buttons=buttons)
    payload: Json = {"content": cut_end(text, CONTENT) or ELLIPSIS, "embeds": []}
    payload |= {"components": [_row(buttons)] if buttons else []}
    return Drawn(payload | {"allowed_mentions": {"parse": []}})


def button(label: str, custom_id: str, style: int = _SECONDARY, *, disabled: bool = False) -> Json:
    """A button; what it does when clicked is in its id."""
    made: Json = {
        "type": _BUTTON, "style": style, "label": cut_end(label, LABEL), "custom_id": custom_id,
    }  # fmt: skip
    return made | {"disabled": True} if disabled else made


def count_components(payload: Json) -> int:
    """How many components a message holds, nested ones counted."""

    def count(items: Iterable[Json]) -> int:
        return sum(1 + count(i.get("components", ())) for i in items)

    return count(payload.get("components", ()))


def _message(components: list[Json]) -> Json:
    return {"flags": V2, "components": components, "allowed_mentions": {"parse": []}}


def _row(buttons: Sequence[Json]) -> Json:
    return {"type": _ROW, "components": list(buttons[:5])}


def verb_id(verb: str, question_id: str) -> str:
    """What a button is called, so that it works for as long as the message is there."""
    return f"tm:{verb}:{question_id}"


def _rows(answer: Answer, question_id: str) -> list[Json]:
    first = [
        button("Solved", verb_id("solved", question_id), _SUCCESS),
        button("Wrong", verb_id("wrong", question_id)),
        button("Run again…", verb_id("again", question_id)),
        button("Ask a human", verb_id("human", question_id)),
    ]
    second = []
    if answer.run is not None:
        second.append(button("Full output", verb_id("output", question_id)))
    if answer.fix is not None:
        second.append(button("Fixed file (.py)", verb_id("file", question_id)))
    second.append(button("Delete", verb_id("delete", question_id), _DANGER))
    return [_row(first), _row(second)]


# -- how much room each part gets ----------------------------------------------------------------


def _fill(
    parts: Sequence[_Part], small: Sequence[_Part], room: int
) -> tuple[list[str], list[str], bool]:
    """Draw all parts in `room` units: each gets what it needs to be read, the first ones the rest.

    Returns:
        the drawn parts, the drawn small ones, and whether the output was shown whole.
    """
    every = [*parts, *small]
    wanted = [p.draw(room) for p in every]
    given = [min(units(w), p.floor) for w, p in zip(wanted, every, strict=True)]
    # Where even that is too much, the last parts go first; the small print stays.
    for i in reversed(range(1, len(parts))):
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
        d == p.draw(1 << 30) for p, d in zip(every, drawn, strict=True) if p.name == "output"
    )
    return [d for d in drawn[: len(parts)] if d], [d for d in drawn[len(parts) :] if d], whole


def _headline(answer: Answer) -> Callable[[int], str]:
    symbol, status = STATUS[answer.status]
    # A sentence that does not itself say what became of it gets the word before it.
    said = answer.headline.startswith(
        ("Fixed", "Reproduced", "It runs", "Runs", "Not sure", "Not run")
    )
    text = answer.headline if said else f"{status}: {answer.headline}"

    def draw(limit: int) -> str:
        return cut_end(f"### {symbol} {words(_flat(text))}", limit)

    return draw


def _note(note: str) -> Callable[[int], str]:
    return lambda limit: cut_end(f"-# {prose(_flat(note))}", limit)


def _flat(text: str) -> str:
    return " ".join(text[:8_000].split())


def _block(
    head: str, body: str, language: str, keep: str = "both", below: str = ""
) -> Callable[[int], str]:
    """A line, a fence under it, a line under that."""

    def draw(limit: int) -> str:
        if limit < 1:
            return ""
        top = cut_end(head, max(40, limit // 2)) if head else ""
        end = cut_end(below, max(40, limit // 3)) if below else ""
        room = limit - units(top) - units(end) - (1 if top else 0) - (1 if end else 0)
        made = [top, fence(body, language, room, keep), end]
        return cut_end("\n".join(m for m in made if m), limit)

    return draw


def _lines(head: str, lines: Sequence[str]) -> Callable[[int], str]:
    """A heading and as many lines as there is room for."""

    def draw(limit: int) -> str:
        shown, room = [head], limit - units(head)
        for i, line in enumerate(lines):
            left = f"-# … and {len(lines) - i} more"
            needed = 1 + units(line) + (1 + units(left) if i + 1 < len(lines) else 0)
            if needed > room:
                if len(shown) == 1:
                    line = cut_end(line, max(1, room - 1))
                    return f"{head}\n{line}" if room > 20 else ""
                return "\n".join([*shown, left])
            shown.append(line)
            room -= 1 + units(line)
        return "\n".join(shown)

    return draw


# -- what the parts say --------------------------------------------------------------------------


def _seen(answer: Answer) -> list[_Part]:
    parts: list[_Part] = []
    if answer.error is not None:
        parts.append(_Part(_error(answer.error), 500))
    if answer.culprit is not None:
        parts.append(_Part(_lines("**Both ends**", _culprit(answer)), 240))
    elif answer.error is not None and not answer.error.caught and (values := _values(answer)):
        parts.append(_Part(_lines("**As they were**", values), 240))
    if answer.findings:
        head = "Seen while it ran" if answer.error else "No exception. Seen while it ran"
        said = [
            "- " + (f"line {f.line}: " if f.line else "") + words(_flat(f.message))
            for f in answer.findings
        ]
        parts.append(_Part(_lines(f"**{head}**", said), 360))
    run = answer.run
    if run is not None and answer.status in ("runs", "not_run") and run.stdout.strip():
        parts.append(_Part(_block("**Printed**", run.stdout, "text", "last"), 400, "output"))
    if answer.assumptions:
        joined = " · ".join(_flat(a) for a in answer.assumptions[:40])
        parts.append(_Part(lambda limit: cut_end(f"**Assumed** {words(joined)}", limit), 240))
    return parts


def _error(error: AnswerError) -> Callable[[int], str]:
    where = f" at line {error.line}" if error.line else ""
    caught = " (raised, and caught by your own except)" if error.caught else ""
    head = f"**{prose(_flat(error.type))}**{where}{caught}"
    if shown := code(error.code):
        head += f" — {shown}"
    return _block(head, error.message[:40_000], "text")


def _culprit(answer: Answer) -> list[str]:
    c = answer.culprit
    assert c is not None
    said = []
    for word, line, what in (
        ("saved", c.saved_line, c.saved_code),
        ("changed", c.modified_line, c.modified_code),
    ):
        place = f"line {line}" if line else "not known: outside your code"
        said.append(f"- {word} at {place} {code(what or '')}".rstrip())
    if c.tensor:
        said.append(f"- tensor {words(_flat(c.tensor))}")
    return said


def _values(answer: Answer) -> list[str]:
    """The tensors that the failing line worked on, as they were."""
    run, error = answer.run, answer.error
    if run is None or error is None or not run.frames:
        return []
    said = []
    for name, v in run.frames[-1].locals.items():
        if v.shape is not None and re.search(rf"\b{re.escape(name)}\b", error.code):
            grad = ", requires grad" if v.requires_grad else ""
            said.append(f"- {code(name)} {prose(f'{v.type} {v.dtype} {list(v.shape)}{grad}')}")
    return said


def _explained(answer: Answer) -> list[_Part]:
    why = answer.why
    if why is None:
        return []
    said = words(_flat(why.text))
    parts = [_Part(lambda limit: cut_end(f"**Why** {said} [1]", limit), 420)]
    fixes = answer.fix is not None or bool(answer.alternatives)
    if not fixes and why.remedy and answer.status != "runs":
        parts.append(_Part(_markdown("**Try** (not tried on your code)", why.remedy), 500))
    return parts


def _markdown(head: str, text: str) -> Callable[[int], str]:
    """An article's advice: its code in fences of our own, so that a cut leaves none open."""
    pieces = re.split(r"```\w*\n?", text[:20_000])

    def draw(limit: int) -> str:
        made, room = [head], limit - units(head)
        for i, piece in enumerate(pieces):
            if not piece.strip():
                continue
            shown = (
                fence(piece, "py", room - 1)
                if i % 2
                else cut_end("\n".join(words(p) for p in piece.strip().split("\n")), room - 1)
            )
            if not shown or room < 40:
                break
            made.append(shown)
            room -= 1 + units(shown)
        return "\n".join(made) if len(made) > 1 and limit > 60 else ""

    return draw


def _fixes(answer: Answer) -> list[_Part]:
    if answer.fix is not None:
        return [_Part(_fix(answer.fix), 1_100)]
    return [_Part(_fix(f), 700) for f in answer.alternatives[:_ALTERNATIVES]]


def _fix(fix: Fix) -> Callable[[int], str]:
    """Only a run says that a fix passes: the verdict comes from the fix's own checks."""
    passed = sum(c.passed for c in fix.checks)
    verdict = "run, and it passes" if fix.verified else "run, and it does not pass"
    head = f"**Fix** — {verdict}: {passed} of {len(fix.checks)} checks"
    if fix.intent:
        head = f"**If {prose(_flat(fix.intent))}** — {verdict}"
    if fix.title:
        head += f"\n{words(_flat(fix.title))}"
    routine = {"no error", "nothing new", "batch", "nothing thrown away", "silent mistakes"}
    told = [c.detail or c.name for c in fix.checks if c.name not in routine or not c.passed]
    below = " · ".join(["no error", *told] if fix.verified else told)
    return _block(head, fix.diff, "diff", below=f"-# {words(_flat(below))}" if below else "")


def _footer(answer: Answer) -> Callable[[int], str]:
    said = []
    if evidence := evidence_line(answer):
        said.append(f"-# {prose(evidence)}")
    if answer.why is not None:
        why = answer.why
        title = prose(cut_end(_flat(why.title), 120))
        named = f"[{title}](<{why.url}>)" if _LINK.fullmatch(why.url or "") else title
        said.append(f"-# \\[1\\] {named} — {proof_in_words(why.proof)}")

    def draw(limit: int) -> str:
        shown: list[str] = []
        for line in said:
            # A link that is cut in its middle is none: without room the line goes as a whole.
            if units("\n".join([*shown, line])) <= limit:
                shown.append(line)
        return "\n".join(shown)

    return draw


def evidence_line(answer: Answer) -> str:
    """Where it ran, how walled in, how long."""
    e = answer.evidence
    if e is None:
        return ""
    bits = [f"torch {e.torch.partition('+')[0]}", e.device, e.isolation]
    if e.seconds_before is not None:
        bits.append(f"ran in {e.seconds_before:.2f} s")
    if e.seconds_after is not None:
        bits.append(f"fixed in {e.seconds_after:.2f} s")
    bits.append(f"answered in {answer.timings_ms.total / 1000:.2f} s")
    return cut_end(_flat(tame(" · ".join(bits))), 240)


# -- files ---------------------------------------------------------------------------------------


def _figures(answer: Answer) -> list[Upload]:
    """The pictures that the snippet drew, each with words for those who cannot see it."""
    found: list[Upload] = []
    for file in answer.run.files if answer.run is not None else ():
        if not file.mime.startswith("image/") or len(found) == _FIGURES:
            continue
        data = _bytes(file)
        if data and len(data) <= _FIGURE_BYTES:
            n = len(found) + 1
            suffix = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif",
                      "image/webp": "webp"}.get(file.mime)  # fmt: skip
            if suffix is None:
                continue
            name = cut_end(_flat(harmless(file.name)), 60)
            alt = f"Figure {n} that your snippet drew ({name})"
            found.append(Upload(f"figure-{n}.{suffix}", data, alt))
    return found


def _bytes(file: File) -> bytes:
    try:
        return base64.b64decode(file.base64, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _gallery(figures: Sequence[Upload]) -> Json:
    items = [
        {"media": {"url": f"attachment://{f.name}"}, "description": cut_end(f.alt, ALT)}
        for f in figures
    ]
    return {"type": _GALLERY, "items": items}


def _output_file(answer: Answer) -> Upload | None:
    return None if answer.run is None or not answer.run.stdout.strip() else output_file(answer)


def output_file(answer: Answer) -> Upload:
    """Everything the run printed and raised, its end if it is more than a message may carry."""
    run = answer.run
    assert run is not None
    said = run.stdout
    if run.stderr.strip():
        said += f"\n--- stderr ---\n{run.stderr}"
    if run.error is not None and run.error.traceback not in run.stderr:
        said += f"\n--- traceback ---\n{run.error.traceback}"
    data = said.encode("utf-8", "replace")
    dropped = run.dropped_bytes + max(0, len(data) - _OUTPUT_BYTES)
    if dropped:
        data = f"… {dropped:,} bytes are missing …\n".encode() + data[-_OUTPUT_BYTES:]
    return Upload("output.txt", data)


def fixed_file(fix: Fix) -> Upload:
    """The asker's code with the fix in it."""
    return Upload("fixed.py", fix.code.encode("utf-8", "replace"))


# -- the fallback --------------------------------------------------------------------------------


def _embed(answer: Answer, question_id: str, note: str) -> Drawn:
    symbol, status = STATUS[answer.status]
    title = cut_end(f"{symbol} {status}", TITLE)
    seen, _, whole = _fill(
        [_Part(lambda n: cut_end(words(_flat(answer.headline)), n), 600), *_seen(answer)], [], 2_600
    )
    footer = evidence_line(answer)
    if note:
        footer = f"{footer}\n{_flat(tame(note))}".strip()
    footer = cut_end(footer, 500)
    fields: list[Json] = []
    room = EMBED - units(title) - units(description := "\n".join(seen)) - units(footer)
    for name, part in _fields(answer):
        text = part.draw(min(FIELD, room - units(name)))
        if text:
            fields.append({"name": name, "value": text, "inline": False})
            room -= units(name) + units(text)
    embed: Json = {
        "title": title, "description": description, "color": _COLOUR[answer.status],
        "fields": fields,
    }  # fmt: skip
    if footer:
        embed["footer"] = {"text": footer}
    uploads = _figures(answer)
    if uploads:
        embed["image"] = {"url": f"attachment://{uploads[0].name}"}
    if (output := _output_file(answer)) is not None and not whole:
        uploads.append(output)
    payload: Json = {
        "content": None, "embeds": [embed], "components": _rows(answer, question_id),
        "allowed_mentions": {"parse": []},
    }  # fmt: skip
    return Drawn(payload, tuple(uploads))


def _fields(answer: Answer) -> list[tuple[str, _Part]]:
    named = [("Explained", p) for p in _explained(answer)]
    named += [("Fix", p) for p in _fixes(answer)]
    if answer.why is not None:
        sources = answer.model_copy(update={"evidence": None})
        named.append(("Sources", _Part(_footer(sources), 420)))
    return named
