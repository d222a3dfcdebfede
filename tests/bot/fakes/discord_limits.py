"""Discord's documented limits, enforced with the codes that the real API answers.

https://discord.com/developers/docs/resources/message
https://discord.com/developers/docs/components/reference
https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
"""

from __future__ import annotations

from typing import Any

EPHEMERAL, V2, SUPPRESS = 1 << 6, 1 << 15, 1 << 2
UPLOAD_BYTES = 10 * 1024 * 1024
BUTTON, SELECT, INPUT, UPLOAD = 2, 3, 4, 19
NESTED = {1: {2, 3, 5, 6, 7, 8}, 17: {1, 9, 10, 12, 13, 14}, 9: {10}}
TOP_V2 = {1, 9, 10, 12, 13, 14, 17}


class Refused(Exception):  # noqa: N818
    """What the API answers instead."""

    def __init__(
        self, status: int, code: int, message: str, where: str = "", why: str = ""
    ) -> None:
        super().__init__(f"{status} {code} {message} {where} {why}")
        self.status = status
        self.body: dict[str, Any] = {"code": code, "message": message}
        if where:
            errors: dict[str, Any] = {"_errors": [{"code": why, "message": why}]}
            for key in reversed(where.split(".")):
                errors = {key: errors}
            self.body["errors"] = errors


def invalid(where: str, why: str) -> Refused:
    """`50035 Invalid Form Body`, with the place."""
    return Refused(400, 50035, "Invalid Form Body", where, why)


def size(text: str) -> int:
    """The stricter of the two ways to count: an emoji beyond the BMP is two."""
    return len(text.encode("utf-16-le")) // 2


def at_most(limit: int, text: Any, where: str, least: int = 0) -> None:
    """A string of `least` to `limit` characters."""
    if not isinstance(text, str):
        raise invalid(where, "BASE_TYPE_STRING")
    if size(text) > limit:
        raise invalid(where, "BASE_TYPE_MAX_LENGTH")
    if len(text.strip()) < least:
        raise invalid(where, "BASE_TYPE_REQUIRED" if least == 1 else "BASE_TYPE_BAD_LENGTH")


def check_message(message: dict[str, Any], uploads: dict[str, int]) -> None:
    """Refuse a message as it would be after a create or an edit.

    Args:
        message: content, embeds, components, flags.
        uploads: its attachments' names and sizes.
    """
    components, embeds = message.get("components") or [], message.get("embeds") or []
    if len(uploads) > 10:
        raise invalid("attachments", "BASE_TYPE_MAX_LENGTH")
    if sum(uploads.values()) > UPLOAD_BYTES:
        raise Refused(413, 40005, "Request entity too large")
    v2 = bool(message.get("flags", 0) & V2)
    if v2:
        if message.get("content") or embeds:
            raise invalid("flags", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2")
        if not components:
            raise Refused(400, 50006, "Cannot send an empty message")
    else:
        if not (message.get("content") or embeds or components or uploads):
            raise Refused(400, 50006, "Cannot send an empty message")
        at_most(2_000, message.get("content") or "", "content")
        check_embeds(embeds, uploads)
    check_components(components, uploads, v2=v2)


def check_embeds(embeds: list[dict[str, Any]], uploads: dict[str, int]) -> None:
    """Ten embeds, 6,000 characters in all, each part with its own limit."""
    if len(embeds) > 10:
        raise invalid("embeds", "BASE_TYPE_MAX_LENGTH")
    total = 0
    for i, embed in enumerate(embeds):
        where = f"embeds.{i}"
        parts = [
            (embed.get("title") or "", 256, "title"),
            (embed.get("description") or "", 4_096, "description"),
            ((embed.get("footer") or {}).get("text") or "", 2_048, "footer.text"),
            ((embed.get("author") or {}).get("name") or "", 256, "author.name"),
        ]
        if len(embed.get("fields") or []) > 25:
            raise invalid(f"{where}.fields", "BASE_TYPE_MAX_LENGTH")
        for j, field in enumerate(embed.get("fields") or []):
            at_most(256, field["name"], f"{where}.fields.{j}.name", 1)
            at_most(1_024, field["value"], f"{where}.fields.{j}.value", 1)
            total += size(field["name"]) + size(field["value"])
        for text, limit, name in parts:
            at_most(limit, text, f"{where}.{name}")
            total += size(text)
        if image := (embed.get("image") or {}).get("url"):
            _media(image, uploads, f"{where}.image.url")
    if total > 6_000:
        raise invalid("embeds", "MAX_EMBED_SIZE_EXCEEDED")


def check_components(
    components: list[dict[str, Any]], uploads: dict[str, int], *, v2: bool
) -> None:
    """Kinds, nesting, 40 components and 4,000 characters in all, ids of their own."""
    seen: set[str] = set()
    count = text = 0

    def visit(item: dict[str, Any], where: str, allowed: set[int]) -> None:
        nonlocal count, text
        count += 1
        kind = item.get("type")
        if kind not in allowed:
            raise invalid(f"{where}.type", "UNION_TYPE_CHOICES")
        if kind == 10:
            at_most(4_000, item.get("content"), f"{where}.content", 1)
            text += size(item["content"])
        elif kind == 12:
            if not 1 <= len(item.get("items", [])) <= 10:
                raise invalid(f"{where}.items", "BASE_TYPE_BAD_LENGTH")
            for j, media in enumerate(item["items"]):
                at_most(1_024, media.get("description") or "", f"{where}.items.{j}.description")
                _media(media["media"]["url"], uploads, f"{where}.items.{j}.media.url")
        elif kind == 13:
            _media(item["file"]["url"], uploads, f"{where}.file.url", only_attached=True)
        elif kind == BUTTON:
            check_button(item, where)
            _once(item.get("custom_id"), seen, where)
            text += size(item.get("label") or "")  # it is displayed: counted, to be safe
        elif kind == SELECT:
            check_select(item, where)
            text += size(item.get("placeholder") or "")
            _once(item.get("custom_id"), seen, where)
        if kind == 1 and not 1 <= len(item.get("components", [])) <= 5:
            raise invalid(f"{where}.components", "BASE_TYPE_BAD_LENGTH")
        for j, inner in enumerate(item.get("components", [])):
            visit(inner, f"{where}.components.{j}", NESTED.get(int(kind), set()))

    for i, item in enumerate(components):
        visit(item, f"components.{i}", TOP_V2 if v2 else {1})
    if not v2 and len(components) > 5:
        raise invalid("components", "BASE_TYPE_BAD_LENGTH")
    if count > 40:
        raise invalid("components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED")
    if v2 and text > 4_000:
        raise invalid("components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED")


def check_button(item: dict[str, Any], where: str) -> None:
    """Label 80, custom id 100."""
    at_most(80, item.get("label"), f"{where}.label", 1)
    if item.get("style") not in (1, 2, 3, 4, 5):
        raise invalid(f"{where}.style", "BASE_TYPE_CHOICES")
    if item["style"] != 5:
        at_most(100, item.get("custom_id"), f"{where}.custom_id", 1)


def check_select(item: dict[str, Any], where: str) -> None:
    """One to 25 options, labels and values of at most 100."""
    at_most(100, item.get("custom_id"), f"{where}.custom_id", 1)
    at_most(150, item.get("placeholder") or "", f"{where}.placeholder")
    if not 1 <= len(item.get("options", [])) <= 25:
        raise invalid(f"{where}.options", "BASE_TYPE_BAD_LENGTH")
    for j, option in enumerate(item["options"]):
        at_most(100, option.get("label"), f"{where}.options.{j}.label", 1)
        at_most(100, option.get("value"), f"{where}.options.{j}.value", 1)
        at_most(100, option.get("description") or "", f"{where}.options.{j}.description")


def check_modal(modal: dict[str, Any]) -> None:
    """Title 45, one to five rows, each a labelled input."""
    at_most(45, modal.get("title"), "data.title", 1)
    at_most(100, modal.get("custom_id"), "data.custom_id", 1)
    rows = modal.get("components", [])
    if not 1 <= len(rows) <= 5:
        raise invalid("data.components", "BASE_TYPE_BAD_LENGTH")
    seen: set[str] = set()
    for i, row in enumerate(rows):
        where = f"data.components.{i}"
        if row.get("type") == 10:
            continue
        if row.get("type") == 18:
            at_most(45, row.get("label"), f"{where}.label", 1)
            at_most(100, row.get("description") or "", f"{where}.description")
            item = row["component"]
        elif row.get("type") == 1 and len(row["components"]) == 1:
            item = row["components"][0]
            at_most(45, item.get("label"), f"{where}.label", 1)
        else:
            raise invalid(f"{where}.type", "UNION_TYPE_CHOICES")
        _once(item.get("custom_id"), seen, where)
        if item["type"] == INPUT:
            at_most(100, item.get("custom_id"), f"{where}.custom_id", 1)
            at_most(100, item.get("placeholder") or "", f"{where}.placeholder")
            at_most(4_000, item.get("value") or "", f"{where}.value")
            if not 1 <= item.get("max_length", 4_000) <= 4_000:
                raise invalid(f"{where}.max_length", "NUMBER_TYPE_MAX")
        elif item["type"] == SELECT:
            check_select(item, where)
        elif item["type"] == UPLOAD and row.get("type") == 18:
            # https://discord.com/developers/docs/components/reference#file-upload
            least, most = item.get("min_values", 1), item.get("max_values", 1)
            if not 0 <= least <= 10 or not max(1, least) <= most <= 10:
                raise invalid(f"{where}.component.max_values", "NUMBER_TYPE_MAX")
            if item.get("required", True) and not least:
                raise invalid(f"{where}.component.min_values", "NUMBER_TYPE_MIN")
        else:
            raise invalid(f"{where}.component.type", "UNION_TYPE_CHOICES")


def check_command(command: dict[str, Any]) -> None:
    """Names, descriptions, at most 25 options."""
    kind = command.get("type", 1)
    at_most(32, command.get("name"), "name", 1)
    if kind == 1:
        if command["name"] != command["name"].lower() or " " in command["name"]:
            raise invalid("name", "APPLICATION_COMMAND_INVALID_NAME")
        at_most(100, command.get("description"), "description", 1)
    elif command.get("description"):
        raise invalid("description", "APPLICATION_COMMAND_DESCRIPTION_NOT_ALLOWED")
    if len(command.get("options") or []) > 25:
        raise invalid("options", "BASE_TYPE_MAX_LENGTH")
    for i, option in enumerate(command.get("options") or []):
        at_most(32, option["name"], f"options.{i}.name", 1)
        at_most(100, option["description"], f"options.{i}.description", 1)
        if len(option.get("choices") or []) > 25:
            raise invalid(f"options.{i}.choices", "BASE_TYPE_MAX_LENGTH")


def _once(custom_id: Any, seen: set[str], where: str) -> None:
    if custom_id is not None and custom_id in seen:
        raise invalid(f"{where}.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED")
    seen.add(custom_id)


def _media(url: str, uploads: dict[str, int], where: str, *, only_attached: bool = False) -> None:
    if url.startswith("attachment://"):
        if url.removeprefix("attachment://") not in uploads:
            raise invalid(where, "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND")
    elif only_attached or not url.startswith(("http://", "https://")):
        raise invalid(where, "URL_TYPE_INVALID_SCHEME")
