"""Everyday words, and those that documentation uses for the same; and words with one letter wrong.

A docstring says "mean", "dimension" and "concatenate" where a beginner says "average", "axis" and
"glue together". A question is searched as it stands and once more in the documentation's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from string import ascii_lowercase

_SOME = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|few|several|k|n)"
_TOP, _LEAST = "(?:biggest|largest|highest|greatest|best|top)", "(?:smallest|lowest|worst)"
# Everyday words and phrases → words of documentation. The first that fits is taken.
_SAID: tuple[tuple[str, str], ...] = (
    (r"averages?|averaged|averaging", "mean"),
    (r"(?<!k )(?:biggest|largest|highest|greatest)", "maximum"),
    (r"(?<!k )(?:smallest|lowest)", "minimum"),
    (r"spread", "standard deviation"),
    (r"ax[ie]s", "dimension"),
    (r"(?:pictures?|photos?|pics?)", "image"),
    (r"(?:nets?|networks?|neural nets?)", "model"),
    (r"(?:graphics? cards?|gpus?|video cards?)", "cuda device gpu"),
    (r"(?:glue|join|merge|append|attach|combine|put) (?:\w+ )?together", "concatenate"),
    (r"(?:join|glue|merge|append)", "concatenate"),
    (r"(?:cut|divide|break|slice)(?: \w+)? into", "split into chunks"),
    (r"(?:mix(?:ed)? up|mix|scramble|jumble)", "random permutation shuffle"),
    (r"(?:turn (?:\w+ )?around|backwards|mirror|upside down)", "reverse flip"),
    (r"(?:positions?|places?|locations?)", "index indices"),
    (r"(?:throw (?:away|out)|get rid of|drop|delete|kick out)", "remove"),
    (r"(?:fill|filled) up", "fill pad"),
    (r"(?:enlarge|larger|bigger|make larger|blow up)", "upsample larger"),
    (r"(?:shrink|smaller)", "downsample reduce smaller"),
    (r"whole numbers?", "integers"),
    (r"(?:decimal|floating|real|comma) numbers?", "floating point"),
    (r"(?:yes/no|true/false|true and false)", "boolean bool"),
    (r"(?:how many|number of|amount of)", "count number of elements"),
    (r"(?:running|rolling) (?:total|sum)", "cumulative sum"),
    (r"(?:add(?:ed)? up|(?<!running )total)", "sum"),
    (r"(?:times|product of)", "multiply product"),
    (r"(?:limit|restrict|bound|keep between|cut off at)", "clamp limit"),
    (r"(?:put in order|from small to large)", "sort"),
    (r"(?:the same every time|reproducible|repeatable)", "seed deterministic"),
    (r"(?:store|keep|write)(?: \w+)* (?:to|on|in) (?:disk|file)", "save"),
    (r"(?:read|load)(?: \w+)* (?:from|again)", "load"),
    (r"(?:slope|derivatives?)", "gradient derivative"),
    (r"(?:steps? sizes?|speed of learning)", "learning rate"),
    (r"(?:freeze|fix|fixed|frozen)", "requires_grad freeze"),
    (r"(?:nans?|not a number)", "nan"),
    (r"(?:guess(?:es)?|scores?)", "logits"),
    (r"(?:neurons?|units)", "units elements"),
    (r"(?:texts?|sentences?|words?)", "sequence"),
    (r"(?:tables?|grids?)", "matrix grid"),
    (r"(?:lists?) of (?:numbers|values)", "one dimensional tensor"),
)
_RULES = tuple((re.compile(rf"\b(?:{words})\b", re.IGNORECASE), said) for words, said in _SAID)
_WORD = re.compile(r"[A-Za-z]{5,20}")


def with_letters(text: str) -> str:
    """The text with a number of largest or smallest elements called k, as documentation does."""
    text = re.sub(rf"\b(?:{_SOME} {_TOP}|{_TOP} {_SOME})\b", "k largest", text, flags=re.I)
    return re.sub(rf"\b(?:{_SOME} {_LEAST}|{_LEAST} {_SOME})\b", "k smallest", text, flags=re.I)


def in_words_of_documentation(text: str) -> str:
    """The text with everyday words replaced; itself if it has none."""
    for words, said in _RULES:
        text = words.sub(said, text)
    return text


def spelt_right(text: str, known: Set[str]) -> str:
    """The text with words that nobody knows replaced by the one known word a letter away.

    Args:
        text: a question.
        known: words, in lower case.
    """

    def right(found: re.Match[str]) -> str:
        word = found.group().lower()
        if word in known:
            return found.group()
        near = {other for other in _a_letter_away(word) if other in known}
        return near.pop() if len(near) == 1 else found.group()

    return _WORD.sub(right, text)


def _a_letter_away(word: str) -> Iterator[str]:
    for n in range(len(word) + 1):
        before, after = word[:n], word[n:]
        for letter in ascii_lowercase:
            yield before + letter + after
            yield before + letter + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        if after:
            yield before + after[1:]
