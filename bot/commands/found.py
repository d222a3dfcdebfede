"""Print a search's hits, and why each one ranks where it does."""

from __future__ import annotations

import json
from dataclasses import asdict

from knowledge.search.search import Hit, SearchResult

_ERROR = {
    "real": "it knows this error",
    "quoted": "it knows an error that the question names",
    "": "",
}


def as_json(found: SearchResult) -> str:
    """All measured values as one line of JSON."""
    return json.dumps(asdict(found) | {"abstained": found.abstained}, ensure_ascii=False)


def as_text(found: SearchResult, *, explain: bool) -> str:
    """A line for each hit; with `explain` also its scores and ranks."""
    if not found.hits:
        return "nothing is indexed that could be found; see `torchmedic index`"
    lines = []
    for place, hit in enumerate(found.hits, 1):
        lines.append(f"{place}. {hit.score:.2f}  {hit.source}: {hit.title}")
        if explain:
            lines += [f"      {line}" for line in _because(hit)]
    sure = f"sure at {found.confidence:.2f}, answers from {found.threshold:.2f}"
    lines.append(f"{sure}: {'no answer' if found.abstained else 'an answer'}")
    if explain:
        around = found.surroundings
        lines.append(
            f"the question as a whole: {around.words} words that count, {around.field:.2f} from "
            f"the nearest few, {around.elsewhere:.2f} from subjects that are not ours"
        )
    return "\n".join(lines)


def _because(hit: Hit) -> list[str]:
    seen = hit.evidence
    lines = [
        f"meaning    {seen.meaning:.2f}, place {seen.meaning_rank}",
        f"words      {seen.words:.2f}, place {seen.words_rank}",
    ]
    if seen.code:
        lines.append(f"code       {seen.code:.2f}")
    lines.insert(0, f"signature  {_ERROR[seen.error] or 'none'}")
    if hit.verdict is not None:
        lines.append(f"audit      {hit.verdict}")
    passage = " ".join(hit.passage.split())
    return [*lines, f"nearest    {passage[:100]}{'…' if len(passage) > 100 else ''}"]
