"""What can go wrong in bot/.

BotError
├── PlatformError              Slack or Discord does not do what was asked
│   ├── PlatformRefusedError   it refuses for good: the channel is gone, a right is missing
│   └── TokenRefusedError      it refuses our token: everything waits for a good one
├── NotKeptError               the store does not take a question now
├── ProposerError              the configured model cannot be asked, or says what is no answer
├── QuestionError              a message cannot be read; the text says what its author can do
├── SettingsError              a setting is unknown or makes no sense
└── StateError                 the folder for index and proofs cannot be used
"""

from __future__ import annotations


class BotError(Exception):
    """Anything bot/ gives up on; its text is fit to be shown to the person who asked."""


class PlatformError(BotError):
    """A platform did not do what was asked; it may later, and perhaps it says when."""

    def __init__(self, text: str, retry_after_s: float | None = None) -> None:
        super().__init__(text)
        self.retry_after_s = retry_after_s


class PlatformRefusedError(PlatformError):
    """A platform refuses for good; the text names the reason it gave."""


class ProposerError(BotError):
    """The configured model cannot be asked, or its server says what is no answer."""


class TokenRefusedError(PlatformError):
    """A platform refuses our token; the text names the token and where to get another."""


class NotKeptError(BotError):
    """The store does not take a question in time; `first` unless its asker was told before."""

    def __init__(self, text: str, *, first: bool) -> None:
        super().__init__(text)
        self.first = first


class QuestionError(BotError):
    """A message or an attachment cannot be read; the text names it, the limit and the next step."""


class SettingsError(BotError):
    """A setting is unknown or makes no sense; the text names the place and what it should be."""


class StateError(BotError):
    """The folder for index and proofs cannot be used."""
