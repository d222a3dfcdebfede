"""Find critics that are trained to give real and made samples the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.syntax import (
    Found,
    dotted,
    made_of,
    tail,
    terms,
    trained_losses,
    words,
)

_REAL = re.compile(r"(?i)(^|_)(reals?|true|data|genuine|expert)(_|$)|^real")
_MADE = re.compile(r"(?i)(^|_)(fakes?|gen|generated|made|synth\w*|forged|samples?)(_|$)|^fake")
_JUDGE = re.compile(r"(?i)critic|disc|^(net)?_?D(_?net)?$|judge")


def critic_sums(tree: ast.Module) -> Found:
    """`-mean(D(real) + mean(D(fake)))`: both scores are pushed the same way."""
    for node, name, value in trained_losses(tree):
        scores: dict[str, dict[str, int]] = {}  # judge → which → sign
        for sign, judge, given in _scores(value, 1, tree):
            named = words(given)
            is_real = any(map(_REAL.search, named))
            if is_real != any(map(_MADE.search, named)):
                which = "real" if is_real else "made"
                scores.setdefault(judge, {})[which] = sign
        for judge, signs in scores.items():
            if len(signs) == 2 and signs["real"] == signs["made"]:
                way = "up" if signs["real"] < 0 else "down"
                yield (
                    "critic_sums",
                    node,
                    f"`{name or 'the loss'}` pushes the scores of `{judge}` {way} for real and for "
                    "made samples alike, so that it learns no difference between them; the two "
                    f"means are to have opposite signs, `{judge}(made).mean() - "
                    f"{judge}(real).mean()`: look at the brackets",
                )
                return


_DEEP = 4  # means and variables on the way to a judgement


def _scores(
    value: ast.expr, sign: int, tree: ast.Module, deep: int = 0
) -> Iterator[tuple[int, str, ast.expr]]:
    """Each judgement that is added up as it is, with its sign, behind means too."""
    if deep > _DEEP:
        return
    for own, term in terms(value):
        for made in made_of(term, tree):
            match made:
                case ast.Call(func=ast.Attribute(attr="mean" | "sum", value=inner), args=[]):
                    yield from _scores(inner, sign * own, tree, deep + 1)
                case ast.Call(func=ast.Attribute(attr="mean" | "sum"), args=[inner]):
                    yield from _scores(inner, sign * own, tree, deep + 1)
                case ast.Call(func=judge, args=[given]) if _JUDGE.search(tail(judge)):
                    yield sign * own, dotted(judge), given


RULES = (critic_sums,)
