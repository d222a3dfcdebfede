"""Take out what names people, machines and secrets before a text leaves the house.

What is taken out is replaced by a word that says what stood there (`token_redacted_1`), the same
for the same text, so that code keeps its sense. `restore` puts the originals back into what the
model answered: it is only ever used on text that stays here.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# Each pattern reads a bounded number of characters from any start, so a text takes linear time.
_TOKEN = re.compile(
    r"\b(?:xox[a-z]-|gh[pousr]_|github_pat_|glpat-|hf_|sk-|pk-|AKIA|AIza|eyJ)[\w.\-]{10,400}"
)
# A value that is assigned to something called a secret: `api_key="…"`, `TOKEN: …`.
_SECRET = re.compile(
    r"(?i)((?:api_?key|secret|token|passwo?r?d|credential|auth)\w{0,20}"
    r"[\"']?\s{0,3}[=:]\s{0,3}[\"'])([^\"'\s]{6,400})(?=[\"'])"
)
_BARE_SECRET = re.compile(
    r"(?i)\b((?:[A-Z0-9_]{0,40}(?:API_?KEY|SECRET|TOKEN|PASSWO?R?D))=)([^\s\"']{6,400})"
)
_URL_LOGIN = re.compile(r"(?<=://)[^\s/@:]{1,100}:[^\s/@]{1,200}(?=@)")
_LONG = re.compile(r"(?<![\w/+\-])(?=[\w/+\-]{0,400}?\d)[A-Za-z0-9+/_\-]{32,400}={0,2}(?![\w/+\-])")
_EMAIL = re.compile(r"\b[\w.+\-]{1,64}@[\w\-]{1,64}(?:\.[\w\-]{1,64}){1,5}\b")
_ADDRESS = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?\b")
_MENTION = re.compile(r"<[@#!&]{1,2}[^<>\s]{1,80}>")
_AT_NAME = re.compile(r"(?<![\w.@])@[A-Za-z][\w.\-]{1,40}")
_HOME = re.compile(
    r"(?:/(?:home|Users|scratch|data/home)/|[A-Za-z]:\\{1,2}Users\\{1,2})([A-Za-z][\w.\-]{0,40})"
)
# The folders of a path with at least two of them; the file's name stays, for what it says.
_FOLDERS = re.compile(
    r"(?<![\w.:/\\<])(?:~|\.\.)?(?:/[\w.\-+]{1,80}){1,30}(?=/[\w.\-+]{1,80})"
    r"|\b[A-Za-z]:(?:\\{1,2}[\w.\-+ ]{1,80}){1,30}(?=\\{1,2}[\w.\-+]{1,80})"
)
_SIGNED = re.compile(
    r"(?im)^[ \t]*(?:(?:many |kind |best )?(?:thanks|thank you|cheers|regards|best|greetings)"
    r"[ \t,.!]{1,4}(?:\n[ \t]*)?|--? ?)([A-Z][a-z]{1,20}(?: [A-Z][a-z]{1,20})?)[ \t.!]{0,3}$"
)
_GREETED = re.compile(r"(?m)^[ \t]*(?:Hi|Hello|Hey|Dear)[ \t]+([A-Z][a-z]{1,20})[ \t]*[,!:]")
_INTRODUCED = re.compile(
    r"\b(?:[Mm]y name is|[Mm]y name's|(?:I am|I'm) (?=[A-Z][a-z]{1,20} [A-Z][a-z]))"
    r"[ \t]*([A-Z][a-z]{1,20}(?: [A-Z][a-z]{1,20})?)"
)
# Words that stand where a name would: nobody is called so.
_NOBODY = frozenset({"All", "Everyone", "Everybody", "There", "Guys", "Folks", "Team", "Experts"})


class Redaction:
    """What was taken out of the texts of one question."""

    def __init__(self) -> None:
        """Nothing was taken out yet."""
        self._words: dict[str, str] = {}  # original → what stands for it
        self._count: dict[str, int] = {}
        self._people: set[str] = set()

    def hide_prose(self, text: str) -> str:
        """A message's words without people, secrets, addresses and folders."""
        for pattern in (_SIGNED, _GREETED, _INTRODUCED):
            self._people |= set(pattern.findall(text)) - _NOBODY
        text = _AT_NAME.sub(self._as("person"), _MENTION.sub(self._as("person"), text))
        return self._hide(text)

    def hide_code(self, text: str) -> str:
        """Code, a message or a traceback without secrets, addresses and folders.

        An `@` there is a decorator or a product, and a word in capitals no person.
        """
        return self._hide(text)

    def restore(self, text: str) -> str:
        """Put back what was taken out."""
        originals = {word: original for original, word in self._words.items()}
        if not originals:
            return text
        longest_first = sorted(originals, key=len, reverse=True)
        words = re.compile(f"(?:{'|'.join(map(re.escape, longest_first))})(?!\\d)")
        return words.sub(lambda m: originals.get(m[0], m[0]), text)

    def _hide(self, text: str) -> str:
        self._people |= set(_HOME.findall(text))
        text = _URL_LOGIN.sub(self._as("login"), text)
        text = _TOKEN.sub(self._as("token"), text)
        text = _SECRET.sub(self._as("token", group=2), text)
        text = _BARE_SECRET.sub(self._as("token", group=2), text)
        text = _EMAIL.sub(self._as("mail"), text)
        text = _ADDRESS.sub(self._as("address"), text)
        text = _FOLDERS.sub(self._as("/path"), text)
        text = _LONG.sub(self._as("token", unless=_is_a_name), text)
        for name in sorted(self._people, key=lambda person: (-len(person), person)):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", self._as("user"), text)
        return text

    def _as(
        self, kind: str, *, group: int = 0, unless: Callable[[str], bool] = lambda _: False
    ) -> Callable[[re.Match[str]], str]:
        def word(match: re.Match[str]) -> str:
            original = match[group]
            if original in self._words.values() or unless(original):
                return match[0]
            if original not in self._words:
                self._count[kind] = self._count.get(kind, 0) + 1
                self._words[original] = f"{kind}_redacted_{self._count[kind]}"
            before = match[0][: match.start(group) - match.start()]
            return before + self._words[original]

        return word


def _is_a_name(text: str) -> bool:
    """Whether a long word is one of code and no key: parts of letters, joined by underscores."""
    parts = re.split(r"[_\-/+]", text)
    return all(part.isalpha() or part.isdigit() or not part for part in parts)
