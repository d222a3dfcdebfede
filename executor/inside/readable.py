"""Read the syntax tree of code that Python refuses, without the lines that it refuses.

Posts hold Python 2's print, dots that stand for what was left out, lines of a log, a statement
that was cut off. What the other lines say can be read all the same; nothing of it is run. Each
line that is refused becomes `pass`, or `if True:` where it opens a block, so every other line keeps
its number and its block.
"""

from __future__ import annotations

import ast
import re
import warnings

_MOST = 40  # lines that are given up
_LARGEST_SHARE = 0.34  # of the lines that say something: beyond it the text is no program
_LONGEST = 200_000  # characters; every refused line costs another reading
_PRINT = re.compile(r"^(?P<indent>\s*)print\b(?!\s*\()(?:\s*>>[^,]*,)?\s*(?P<what>.*?),?\s*$")
# What many remarks miss where it stands nowhere: of code that loses such a line nothing is said.
_TELLS = re.compile(
    r"\.\s*(?:step|backward|zero_grad|eval|train|detach|item|manual_backward|no_grad|clone)\s*\("
)
_OPENS = re.compile(
    r"\s*(?:if|elif|else|for|while|with|try|except|finally|def|class|async)\b.*:\s*(?:#.*)?$"
)


def readable_tree(code: str, filename: str = "<snippet>") -> ast.Module | None:
    """The tree of the lines that can be read; None where too few of them can be.

    Args:
        code: what was posted; Python may take it as it is.
        filename: told in warnings.
    """
    if len(code) > _LONGEST:
        return None
    lines = code.split("\n")
    said = sum(1 for line in lines if line.strip())
    given_up: set[int] = set()
    while len(given_up) <= min(_MOST, said * _LARGEST_SHARE):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of escapes in strings
                return ast.parse("\n".join(lines), filename)
        except SyntaxError as error:
            number, instead = _instead(error, lines)
        except (ValueError, RecursionError, MemoryError):
            return None
        if number in given_up or not 0 <= number < len(lines) or not lines[number].strip():
            return None
        given_up.add(number)
        if not instead.lstrip().startswith("print") and _TELLS.search(lines[number]):
            return None
        lines[number] = instead
    return None


def _instead(error: SyntaxError, lines: list[str]) -> tuple[int, str]:
    """The refused line, from 0, and what stands there instead."""
    number, said = (error.lineno or 0) - 1, str(error.msg)
    empty = re.search(r"expected an indented block .* on line (\d+)", said)
    if empty is not None:  # the line that opens it is given up
        number = int(empty[1]) - 1
    line = lines[number] if 0 <= number < len(lines) else ""
    indent = line[: len(line) - len(line.lstrip())]
    if said == "unexpected indent":
        return number, ""
    printed = _PRINT.match(line)
    if printed is not None:
        changed = f"print({printed['what'].split('#')[0].strip()})"
        try:
            ast.parse(changed)
            return number, indent + changed
        except (SyntaxError, ValueError):
            pass
    opens = empty is None and _OPENS.match(line)
    return number, f"{indent}if True:" if opens else f"{indent}pass"
