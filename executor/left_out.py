"""Recognise that code is only a part: `# … conv layers …`, `# your training loop here`."""

from __future__ import annotations

import re

_REST = r"(?:other|more|remaining|further|additional)\s+(?:\w+\s+)?(?:layers|blocks|code)"
_HERE = (
    r"(?:your|the|some)\s+(?:\w+\s+){0,3}(?:code|logic|loop|model|data|layers)\s+(?:goes\s+)?here"
)
LEFT_OUT = re.compile(
    r"#\W*(?:\.\.\.|…)"
    r"|#[^\n]*(?:\.\.\.|…)\W*$"
    rf"|#[^\n]*\b(?:{_REST}|{_HERE}|rest of (?:the|your)|omitted|left out|etc\b)",
    re.IGNORECASE | re.MULTILINE,
)
