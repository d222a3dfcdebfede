"""Reduce an error message to its signature, which is the same whatever the numbers in it."""

from __future__ import annotations

import re
from functools import lru_cache

MAX_MESSAGE_CHARS = 2_000  # what identifies an error comes long before this
MAX_TEXT_CHARS = 20_000  # prose that is searched for quoted messages
MIN_QUOTED_WORDS = 3  # shorter quotations are names, not messages
_MAX_SIGNATURE_CHARS = 600
_MAX_PASSES = 8  # one is enough for real messages; hostile ones settle in three

_DTYPE_WORDS = (
    "Byte Char Short Int Long Half Float Double BFloat16 Bool ComplexHalf ComplexFloat "
    "ComplexDouble UInt16 UInt32 UInt64 QInt8 QUInt8 QInt32 Float8_e4m3fn Float8_e5m2"
)
_DTYPES = (
    "float16 float32 float64 bfloat16 half float double int8 int16 int32 int64 short int long "
    "uint8 uint16 uint32 uint64 bool complex32 complex64 complex128 float8_e4m3fn float8_e5m2"
)
_SIZED_DTYPES = " ".join(name for name in _DTYPES.split() if name[-1].isdigit())

# In this order: what is wide (a path, a quotation) goes before the numbers inside it. Every
# quantifier is bounded or unambiguous, so that a hostile message costs no more than a long one.
_PARTICULARS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), placeholder)
    for pattern, placeholder in (
        (r"\s+", " "),
        # Advice, not the error: it changes with anomaly mode and with the version.
        (r"\bHint: .*$", ""),
        (r"\bhttps?://[^\s<>]{1,500}", "<url>"),
        (r"(?<![\w<'\"])'[^'\n]{0,300}'(?!\w)", "<q>"),
        (r'(?<![\w<"])"[^"\n]{0,300}"(?!\w)', "<q>"),
        (r"`[^`\n]{0,300}`", "<q>"),
        (r"<q>(?:, ?<q>)+", "<q>"),
        (r"(?<![\w.<])(?:[A-Za-z]:)?(?:[\\/][\w.+@~-]{1,100}){2,}", "<path>"),
        (r"\b[\w-]{1,100}(?:/[\w-]{1,100})*\.(?:py|cpp|cc|cu|h|pt|pth|so)\b(?::\d+)?", "<path>"),
        (r"\b0x[0-9a-fA-F]+\b", "<n>"),
        (r"\btorch\.(?:cuda\.|sparse\.|mps\.)*\w{0,40}Tensor\b", "<type>"),
        (rf"\btorch\.(?:{_DTYPES.replace(' ', '|')})\b", "<type>"),
        (rf"\b(?:{_DTYPE_WORDS.replace(' ', '|')}|{_SIZED_DTYPES.replace(' ', '|')})\b", "<type>"),
        (r"(?<![\w<.-])(?:cuda|cpu|mps|meta|xla|xpu|hpu)(?::\d+)?(?![\w.(>-])", "<device>"),
        (r"\b([Oo]utput) <n> of (?!<op>)\w{1,100}", r"\1 <n> of <op>"),
        (r"\b[A-Z]\w{0,100}Backward\d*\b", "<op>"),
        (r"\bstate_dict for \w{1,100}", "state_dict for <name>"),
        (r"\bsize mismatch for [\w.]{1,200}", "size mismatch for <name>"),
        (r"\b[A-Z]\w{0,100}\.(\w{1,100}\(\))", r"<name>.\1"),
        (r"\b[A-Z]\w{0,100}\(\) takes no arguments", "<name>() takes no arguments"),
        (r"\bpositional arguments\b", "positional argument"),
        (r"\bwas given\b", "were given"),
        (r"(?<![\w.])[-+]?\d+(?:x\d+)+\b", "<n>"),
        (r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)", "<n>"),
        (r"<n> ?(?:bytes|[KMGT]i?B)\b", "<n> bytes"),
        (r"<n>(?:[,x*] ?<n>)+", "<n>"),
        (r"\[ ?(?:<n>,?)? ?\]", "[<n>]"),
        (r"\(<n>,?\)", "(<n>)"),
    )
)

_TYPE = r"(?:\w{1,60}\.){0,6}\w{0,60}(?:Error|Exception|Interrupt|Exit|Iteration|Warning)"
_TYPED = re.compile(rf"(?<![\w.])({_TYPE}) ?: ?([^\n]{{3,{MAX_MESSAGE_CHARS}}})")
_TYPED_SIGNATURE = re.compile(rf"({_TYPE})(?:: |$)")
_QUOTED = re.compile(
    r"`([^`\n]{8,400})`|`[^`\n]{1,7}`|“([^”\n]{8,400})”|‘([^’\n]{8,400})’|«([^»\n]{8,400})»"
    r"|\"([^\"\n]{8,400})\"|(?<!\w)'([^\n]{8,400}?)'(?!\w)"
)
_IN_QUOTES = re.compile(r"(['\"])(\S{1,200} \S[^\n]*)\1")
_GAP = re.compile(r" ?(?:\.\.\.|…) ?")


def signature(type: str | None, message: str) -> str:
    """Reduce an error to the text that every occurrence of it has in common.

    Sizes, numbers, addresses, paths, quoted names, dtypes, devices and the autograd nodes' names
    become placeholders; a trailing hint goes.

    Args:
        type: the exception's class, with or without its module; None if only a message is known.
        message: the exception's text.

    Returns:
        "Type: message" or, without a type, the message. `signature(None, s) == s` for every
        signature s.
    """
    name = type.rpartition(".")[2].strip() if type else ""
    if name == "KeyError" and (sentence := _IN_QUOTES.fullmatch(message)) is not None:
        message = sentence[2]  # Python shows the key as it would be written, also where it says why
    whole = f"{name}: {message[:MAX_MESSAGE_CHARS]}" if name else message[:MAX_MESSAGE_CHARS]
    return _reduced(whole)


@lru_cache(maxsize=2048)  # one error is held against every article, and each article against many
def _reduced(whole: str) -> str:
    return _shorten(_general(whole))


def matches(pattern: str, actual: str) -> bool:
    """Whether a real error matches a signature as written in an article.

    Args:
        pattern: a signature as people write it: the beginning is enough, `...` skips anything.
        actual: the signature of the real error, or of a message that somebody quoted.
    """
    pattern_type, pattern_message = _split_type(pattern)
    actual_type, actual_message = _split_type(actual)
    if pattern_type and actual_type and pattern_type != actual_type:
        return False
    if not pattern_message:
        return bool(pattern_type) and pattern_type == actual_type and not actual_message
    return _occurs(pattern_message, actual_message, from_start=True)


def mentions(prose: str, pattern: str) -> bool:
    """Whether prose contains an error message without quoting it or naming its type.

    Args:
        prose: a text that went through `generalise`.
        pattern: a signature as in `matches`; with fewer than three words it is never found.
    """
    message = _split_type(pattern)[1]
    return len(message.split()) >= MIN_QUOTED_WORDS and _occurs(message, prose, from_start=False)


def first_piece(pattern: str) -> str:
    """The beginning, in lower case, of the messages whose signature is `pattern`.

    Up to the first `...`; empty where there is no message.
    """
    pieces = _pieces(_split_type(pattern)[1])
    return pieces[0] if pieces else ""


def generalise(text: str) -> str:
    """Replace names and numbers in a text of any length, as `signature` does in a message."""
    return _general(text[:MAX_TEXT_CHARS])


def find_signatures(text: str) -> list[str]:
    """Find the error messages that prose quotes, as signatures, in order, each once.

    A message is found after its type ("RuntimeError: …" to the end of the line) or between
    quotation marks or backticks if it has three words or more.
    """
    text = text[:MAX_TEXT_CHARS]
    found = [(m.start(), signature(m[1], m[2].rstrip("'\"`”’» "))) for m in _TYPED.finditer(text)]
    for match in _QUOTED.finditer(text):
        quoted = next((group for group in match.groups() if group is not None), "")
        if len(quoted.split()) >= MIN_QUOTED_WORDS and not _TYPED.search(quoted):
            found.append((match.start(), signature(None, quoted)))
    return list(dict.fromkeys(key for _, key in sorted(found) if key))


def _general(text: str) -> str:
    # One replacement can make another one possible, so repeat until nothing changes.
    for _ in range(_MAX_PASSES):
        before = text
        for pattern, placeholder in _PARTICULARS:
            text = pattern.sub(placeholder, text)
        text = text.strip()
        if text == before:
            break
    return text


def _shorten(text: str) -> str:
    if len(text) <= _MAX_SIGNATURE_CHARS:
        return text
    return _general(text[:_MAX_SIGNATURE_CHARS].rpartition(" ")[0])


def _split_type(key: str) -> tuple[str, str]:
    match = _TYPED_SIGNATURE.match(key)
    return (match[1], key[match.end() :]) if match else ("", key)


def _occurs(pattern: str, text: str, *, from_start: bool) -> bool:
    """Find the pattern's pieces one after the other, whole words only, whatever their case."""
    pieces = _pieces(pattern)
    if not pieces:
        return False
    text = text.casefold()
    at = 0
    for number, piece in enumerate(pieces):
        start = text.find(piece, at)
        if start < 0 or (number == 0 and from_start and start != 0):
            return False
        at = start + len(piece)
        if at < len(text) and text[at].isalnum() and piece[-1:].isalnum():
            return False
    return True


def _pieces(pattern: str) -> list[str]:
    """What stands between a pattern's gaps."""
    pieces = (piece.rstrip(" .").casefold() for piece in _GAP.split(pattern))
    return [piece for piece in pieces if piece]
