"""Classify single lines: whether they are Python, and what string or bracket is open before them.

Nothing here parses: a stranger's code is read one line at a time, in linear time.
The main rule: English puts words side by side, Python never does
(`this fails` is no expression), unless one of the two is a keyword.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import NamedTuple


class LineState(NamedTuple):
    """The string and brackets that are still open where a line begins."""

    quote: str = ""  # the quote that ends the string we are in
    depth: int = 0  # brackets
    joined: bool = False  # the line before ended in a backslash

    @property
    def at_statement(self) -> bool:
        """A new statement may begin here."""
        return not (self.quote or self.depth or self.joined)


START = LineState()

_TOKEN = re.compile(r"""#|"{3}|'{3}|["'\[\](){}]""")
# What follows an opening quote, up to and including the closing one. The quantifiers are
# possessive (*+): they never backtrack, so a string that does not end costs one pass.
STRING_REST = {
    '"': re.compile(r'(?:[^"\\]|\\.)*+"'),
    "'": re.compile(r"(?:[^'\\]|\\.)*+'"),
    '"""': re.compile(r'(?:[^"\\]|\\.|\\$|"(?!""))*+"""'),
    "'''": re.compile(r"(?:[^'\\]|\\.|\\$|'(?!''))*+'''"),
}
# None of these can occur inside brackets: a bracket of an earlier line was never closed.
_STARTS_AFRESH = re.compile(r"\s*(?:(?:async )?def \w+\(|class \w+[:(]|import \w|from \S+ import )")


def scan(line: str, state: LineState = START) -> tuple[str, LineState]:
    """Read one line.

    Returns:
        masked: the line without comment; a closed string is `""`, one that stays open `"`.
        state: how the next line begins.
    """
    quote, depth = state.quote, state.depth
    if not line:
        return "", LineState(quote if len(quote) == 3 else "", depth)
    if depth and not quote and _STARTS_AFRESH.match(line):
        depth = 0
    masked: list[str] = []
    commented = False
    pos = 0
    while True:
        if quote:
            closed = STRING_REST[quote].match(line, pos)
            if closed is None:
                masked.append('"')
                break
            masked.append('""')
            quote, pos = "", closed.end()
        token = _TOKEN.search(line, pos)
        if token is None:
            masked.append(line[pos:])
            break
        masked.append(line[pos : token.start()])
        pos = token.end()
        mark = token.group()
        if mark == "#":
            commented = True
            break
        if mark[0] in "\"'":
            quote = mark
            continue
        masked.append(mark)
        depth = depth + 1 if mark in "([{" else max(0, depth - 1)

    backslash = line.endswith("\\") and not commented
    if len(quote) == 1 and not backslash:
        quote = ""  # never closed: Python ends it with its line, and so do we
    return "".join(masked), LineState(quote, depth, backslash and not quote)


def walk(lines: Iterable[str]) -> Iterator[tuple[LineState, str, str]]:
    """Each line with the state it begins in: (state, line, masked)."""
    state = START
    for line in lines:
        masked, after = scan(line, state)
        yield state, line, masked
        state = after


def indent_of(line: str) -> int:
    """Columns of leading whitespace, a tab counting as 8 like in Python itself."""
    return len(line[: len(line) - len(line.lstrip())].expandtabs(8))


class Shape(IntEnum):
    """How much a line looks like a statement of Python."""

    BLANK = 0
    PROSE = 1  # no Python, or English that Python would happen to accept
    BARE = 2  # may be Python, proves nothing: a comment, a literal, a magic, `pass`, `x.shape`
    SIMPLE = 3  # Python, but also written within prose: `lr = 0.1`
    SOLID = 4  # an import, a definition, a call, an assignment from one


PROMPT = re.compile(r"\s*(?:>>>(?= |$)|In ?\[\d*\]:|\.\.\.:)")
MAGIC = re.compile(r"\s*(?:%%?[A-Za-z]|!\s*[A-Za-z./]|\w+ *= *[!%][A-Za-z])")

_KEYWORD_LIST = (
    "and as assert async await break class continue def del elif else except finally for from "
    "global if import in is lambda nonlocal not or pass raise return try while with yield"
)
KEYWORDS = frozenset(_KEYWORD_LIST.split())
_PREFIXES = r"(?:[rbfut]|[rR][bfBF]|[bfBF][rR]|[RBFUT])"

# Two tokens with only blanks between: a word or number, a closing bracket, a string.
_PAIR = re.compile(
    r"""(?:(?<![\w.])(?P<left>\w[\w.]*+)|(?P<close>[)\]}"]))[ \t]++"""
    r"""(?=(?P<right>[^\W\d]\w*+|\d|"|\())"""
)
_ENGLISH = re.compile(
    r"""
      ://                             # an address
    | [`?$“”‘’„…—•]                   # Python has none of these outside strings
    | !(?!=)
    | ^\s*(?:[-*+>|/]+(?=\s|[-*>|])|\*\*|\d+[.)]\s)   # bullets, quotes, tables, numbered lists
    | [^\W\d]\.\s*$ | [)\]"]\.\s*$      # a sentence ends
    | [\w)\]]\.\.                     # so does this one...
    | => | \|\|
    | ^\s*\*.*\*\s*$                  # *italic*
    | [Α-Ωα-ω²³¹⁰⁴-⁹₀-₉√∂∇∑∏∞∈∩∪×·≤≥≠≈→]          # a formula; Python would take some of these
    | (?<![\w.])\d+(?![eEjJxXoObB_L])[^\W\d] | [)\]][^\W\d]    # 2P, (1-p)y
    | ^\s*\(\w+\):\s                  # (fc1): Linear(...) of a printed model
    | ^\s*(?:tensor|array|Out\[\d*\]: ?.*)\(     # a printed value
    | ^\s*(?:torch\.Size\(\[[\d, ]*\]\)\s*$|OrderedDict\(\[|device\(type=|Parameter\ containing)
    | [\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{3}    # Japanese, Chinese, Korean
    | ^\s*[\w.]*(?:Error|Exception|Warning):\s
    """,
    re.VERBOSE,
)
# A quote right after a word that is no string prefix: don't.
_APOSTROPHE = re.compile(rf'(?<!\w)(?!{_PREFIXES}")\w++"')
_WORDS = re.compile(r"[^\W\d][^\W\d_]*+(?:[ ,]++[^\W\d][^\W\d_]*+)*\s*$")


def reads_as_english(masked: str) -> bool:
    """Whether it contains what no Python statement does, inside brackets or outside."""
    return bool(_ENGLISH.search(masked) or _APOSTROPHE.search(masked)) or _side_by_side(masked)


def _side_by_side(masked: str) -> bool:
    start = len(masked) - len(masked.lstrip())
    may_space_calls = "=" in masked or masked.rstrip().endswith(":")
    for pair in _PAIR.finditer(masked):
        left, right = pair["left"] or pair["close"], pair["right"]
        if left in KEYWORDS or right in KEYWORDS or (left == '"' and right == '"'):
            continue
        if pair.start() == start and left in ("print", "exec", "match", "case", "type"):
            continue
        # Some people write `f (x)`, and so does English (like this).
        if right == "(" and pair["left"] and (may_space_calls or "." in left or "_" in left):
            continue
        return True
    return False


def shape_of(line: str, masked: str | None = None) -> Shape:
    """How much a line at the start of a statement looks like Python."""
    if masked is None:
        masked, _ = scan(line)
    text = masked.strip()
    if not text:
        return Shape.BARE if line.strip() else Shape.BLANK
    if PROMPT.match(line):
        return Shape.SOLID
    if MAGIC.match(masked):
        return Shape.BARE
    if reads_as_english(masked) or _FORMULA.search(masked):
        return Shape.PROSE
    shapes = [_statement(part.strip()) for part in _flatten(text).split(";") if part.strip()]
    if not shapes or Shape.PROSE in shapes:
        return Shape.PROSE
    return max(shapes)


_FORMULA = re.compile(r"\w[_^]?\{|\w\^\{|\\[a-z]{2,}\b")  # `h_{t-1}`, `\\sigma`: no Python has that
_BRACKET = re.compile(r"([\[\](){}])")


def _flatten(masked: str) -> str:
    """The line without what is in brackets: `f(a, b=2)[0] = c` becomes `f()[] = c`."""
    kept: list[str] = []
    depth = 0
    for piece in _BRACKET.split(masked):
        if piece and piece in "([{":
            if depth == 0:
                kept.append(piece)
            depth += 1
        elif piece and piece in ")]}":
            depth -= 1
            if depth <= 0:
                kept.append(piece)
        elif depth <= 0:
            kept.append(piece)
    return "".join(kept)


# All of these read flattened text.
_NAME = r"[^\W\d]\w*+"
# An attribute of a call can be assigned to, the call itself cannot: `f(x) = 2 * x` is a formula.
_PLACE = rf"(?:\*?(?!in\b){_NAME}(?:\.{_NAME}|\[\]|\(\))*+(?<![\w\])]\(\))|\(\)|\[\])"
_TARGETS = rf"{_PLACE}(?:\s*+,\s*+{_PLACE})*+\s*+,?\s*+"
_IMPORTED = rf"[\w.]++(?:\s++as\s++{_NAME})?+"
_IMPORT = re.compile(
    rf"import\s+{_IMPORTED}(?:\s*+,\s*+{_IMPORTED})*+\s*$"
    rf"|from\s+[\w.]+\s+import\s*(?:[*(\\]|{_IMPORTED}(?:\s*+,\s*+(?:{_IMPORTED}|\\))*+\s*+,?$)"
)
_DEFINITION = re.compile(rf"(?:async\s+)?def\s+{_NAME}\s*[(\[]|class\s+{_NAME}\s*(?:\(|\[|:\s*$)")
_FOR = re.compile(rf"(?:async\s+)?for\s+{_TARGETS}in\s*\S")
_BLOCK = re.compile(r"(if|elif|while|with|async with|except|match|case|else|try|finally)\b([^:]*):")
_COMMAND = re.compile(r"(?:return|raise|yield|await|assert|del|global|nonlocal|print|exec)\b(.*)")
_ALONE = frozenset({"pass", "break", "continue", "return", "raise", "yield"})
_DECORATOR = re.compile(rf"@{_NAME}(?:(?:\.{_NAME})+|\(\)?|$)")
_ASSIGNMENT = re.compile(rf"(?:{_TARGETS}(?:[-+*/%&|^@]|//|\*\*|>>|<<)?=(?!=)\s*)+(?P<value>.*)$")
_ANNOTATED = re.compile(r"[a-z_][\w.]*+\s*+:[^=:]++(?P<value>=\s*\S.*)?$")
_CALL = re.compile(rf"(?:await\s+)?{_NAME}(?:\.{_NAME}|\[\])*+(?:\(\)(?=\s*$|[.(\[])|\($)")
_REACHES = re.compile(rf"\[|{_NAME}\.{_NAME}")  # a subscript or an attribute


def _statement(flat: str) -> Shape:
    """The shape of one flattened statement."""
    if flat[0] in ")]}":
        return Shape.BARE
    if flat.count(")") > flat.count("(") or flat.count("]") > flat.count("["):
        return Shape.PROSE
    if _IMPORT.match(flat) or _DEFINITION.match(flat):
        return Shape.SOLID
    if _FOR.match(flat) and ":" in flat:
        return Shape.SOLID
    if block := _BLOCK.match(flat):
        return _block(block[1], block[2].strip(), flat[block.end() :].strip())
    if flat in _ALONE:
        return Shape.BARE
    if command := _COMMAND.match(flat):
        return Shape.SOLID if flat.startswith("print(") else _command(command[1])
    if "->" in flat:
        return Shape.PROSE
    if decorator := _DECORATOR.match(flat):
        return Shape.BARE if decorator.group()[1:].isidentifier() else Shape.SIMPLE
    if assignment := _ASSIGNMENT.match(flat):
        if not assignment["value"]:
            return Shape.BARE  # `model = # …yours…`
        # `out = model(x)`; but `H = floor(K / S) + 1` is arithmetic, as formulas in prose are.
        reaches = _REACHES.search(flat) or _CALL.match(assignment["value"])
        return Shape.SOLID if reaches else Shape.SIMPLE
    if annotated := _ANNOTATED.match(flat):
        return Shape.SIMPLE if annotated["value"] else Shape.BARE
    if flat.endswith((",", ":")) or re.search(r"(?<![=!<>:])=(?!=)", flat):
        return Shape.PROSE
    if _CALL.match(flat):
        return Shape.SOLID
    return Shape.PROSE if _WORDS.match(flat) else Shape.BARE


def _block(keyword: str, head: str, body: str) -> Shape:
    """The shape of `if x:` or `else:`: some keywords need a head, others must have none."""
    wants_head = keyword not in ("else", "try", "finally", "except")
    if (wants_head and not head) or (keyword in ("else", "try", "finally") and head):
        return Shape.PROSE
    if body:
        inner = _statement(body)
        return max(inner, Shape.SIMPLE) if inner != Shape.PROSE else Shape.PROSE
    return (
        Shape.SOLID
        if keyword.endswith("with") and (_REACHES.search(head) or "(" in head)
        else Shape.SIMPLE
    )


def _command(rest: str) -> Shape:
    """The shape of `return x` by its expression: subscripts and attributes are not English."""
    return Shape.SIMPLE if rest.strip() else Shape.BARE


def opens_block(masked: str) -> bool:
    """Whether the next statement must be indented further."""
    return masked.rstrip().endswith(":")
