"""The comments of a snippet, and which of them are about a statement."""

import ast
import io
import re
import tokenize
from functools import lru_cache

_QUOTES_AN_ERROR = re.compile(r"\w(?:Error|Exception|Warning)\b")
# Who says of a line that it is wrong does not state what is meant.
OF_A_MISTAKE = re.compile(
    r"(?i)mismatch|incorrect|incompatible|wrong|error|\bbug|fail|problem|should|instead|invalid"
    r"|not match"
)
# Who assumes a size, or says that it depends on another one, leaves it open.
OF_AN_ASSUMPTION = re.compile(
    r"(?i)\bassum|\bdepend|\badjust|\bplaceholder|\bguess|\bapprox|\be\.g\.|\bfor example\b"
    r"|\bchange (?:this|to|it|if)\b|\bupdate (?:this|to|it|if)\b"
)
# Who works out what a convolution or a pooling leaves may have miscounted.
OF_A_SUM = re.compile(
    r"(?i)\b(?:pool|conv|reduc|halv|downsampl|shrink)\w*|\d ?x ?\d+ ?(?:->|→|=>) ?\d+ ?x ?\d"
)
# Who writes of a precision has chosen it.
ABOUT_PRECISION = re.compile(
    r"(?i)\b(double|single|half|full|high(?:er)?|low(?:er)?|reduced|mixed|numerical)[- ]precision\b"
    r"|\bprecision\b(?!\s*[,@=:]|\s+(?:and|score|recall))|\bfloat(?:16|64)\b"
)
_MOST_ABOVE = 3  # lines of comment above a statement that are about it


@lru_cache(maxsize=4)
def commented(code: str) -> dict[int, str]:
    """Each line's comment, with its `#`."""
    found: dict[int, str] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass  # broken code: what stands above the break was read
    return found


def about(statement: ast.stmt, comments: dict[int, str], code: str) -> list[str]:
    """The comments on a statement's own lines, and those right above it.

    Of a statement that holds others, those on its first line and above. One that quotes an error
    says what happens there, not what is meant.
    """
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    last = max(last, statement.lineno)
    beside = [comments[n] for n in range(statement.lineno, last + 1) if n in comments]
    found = [*above(statement.lineno, comments, code), *beside]
    return [said for said in found if not _QUOTES_AN_ERROR.search(said)]


def above(line: int, comments: dict[int, str], code: str) -> list[str]:
    """The lines of comment that stand directly above a line."""
    lines = code.splitlines()
    found: list[str] = []
    for n in range(line - 1, max(0, line - 1 - _MOST_ABOVE), -1):
        if n not in comments or not lines[n - 1].lstrip().startswith("#"):
            break
        found.insert(0, comments[n])
    return found
