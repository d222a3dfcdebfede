"""The welcome: what a newcomer is told, and three questions that one click asks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.models import Reply


@dataclass(frozen=True)
class Prompt:
    """A question that is asked by pressing its button."""

    label: str  # of the button
    text: str  # the question


WELCOME = (
    "I run PyTorch code before I answer. Post code that fails, an error, or a question, and I show "
    "what is wrong, with a fix only where it has run. Try one:"
)
PROMPTS = (
    Prompt(
        "Run a broken snippet",
        "Why does backward fail?\n```python\nimport torch\n\n"
        "x = torch.ones(3, requires_grad=True)\ny = x.exp()\ny += 1\ny.sum().backward()\n```",
    ),
    Prompt(
        "Explain an error",
        "What does this error mean?\n```\nRuntimeError: mat1 and mat2 shapes cannot be multiplied "
        "(32x400 and 120x84)\n```",
    ),
    Prompt("Show how to do something", "How do I get the k largest values of a tensor?"),
)

# What people write to see whether somebody is there; none of it is a question.
_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|hiya|yo|hallo|moin|servus|salut|hola|help|help me|help please|please help|"
    r"good (?:morning|afternoon|evening|day)|greetings|start|test|testing|ping|"
    r"(?:are )?you there|anybody there|anyone here|who are you|what are you|"
    r"what can (?:you|i) (?:do|ask)(?: here)?|what do you do|how do you work|"
    r"how (?:do|can|does) (?:i|one|we|this|it)(?: (?:use|ask))?"
    r"(?: (?:you|this|this bot|the bot|work))?|"
    r"can you help(?: me)?|i need help|there|all|everyone|everybody|bot|torchmedic)"
    r"[\s,.!?:)👋🙂-]*)+",
    re.IGNORECASE,
)
_LONGEST = 80  # characters


def is_greeting(text: str) -> bool:
    """Whether a message, its mentions taken out, only greets, or asks what this is."""
    plain = " ".join(text.split())
    return not plain or (len(plain) <= _LONGEST and _GREETING.fullmatch(plain) is not None)


def asks_for_help(greeting: str) -> bool:
    """Whether a greeting calls for help, with something that may stand above it."""
    return re.search(r"\bhelp\b", greeting, re.IGNORECASE) is not None


def welcome() -> Reply:
    """What a newcomer is told."""
    return Reply(text=WELCOME, offers_prompts=True)
