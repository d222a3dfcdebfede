"""Measure the configured model on failing blocks, beside the engine alone.

    python -m benchmarks.proposer --corpus DIR --runs runs.jsonl.xz [--blocks 40]

Blocks that failed for a reason of their own are drawn in a fixed order. Each is answered without
a model and, where the bot's own ways offer nothing, with the model of `proposer.url`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import logging
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.corpus import Block, read_blocks
from bot.diagnosis.assemble import open_pipeline
from bot.diagnosis.pipeline import Pipeline
from bot.diagnosis.proposer.interface import Nobody
from bot.models import Answer, Question, Snippet
from bot.platforms.plugins import load_settings


class _Facts(logging.Handler):
    """Keeps what the proposer logs of each round."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.rounds.append(getattr(record, "facts", {}))


async def main(blocks: list[Block], config: Path | None) -> int:
    """Answer each block both ways and print what came of the proposals."""
    settings = load_settings(config)
    if not settings.proposer.url:
        print("no model is configured: set proposer.url and proposer.model (docs/model.md)")
        return 2
    seen = _Facts()
    log = logging.getLogger("bot.diagnosis.proposer.proposer")
    log.addHandler(seen)
    log.setLevel(logging.INFO)
    alone, proposed, asked = 0, 0, 0
    refused: Counter[str] = Counter()
    seconds: list[float] = []
    async with open_pipeline(settings) as pipeline:
        without = replace(pipeline, proposer=Nobody())
        for block in blocks:
            question = Question(text="", snippets=(Snippet(code=block.code),))
            if _offers(await _answer(without, question)):
                alone += 1
                continue
            answer = await _answer(pipeline, question)
            if "propose" not in answer.timings_ms.stages:
                continue
            asked += 1
            proposed += _offers(answer)
            seconds.append(answer.timings_ms.stages["propose"] / 1000)
            refused.update(
                next(c.name for c in fix.checks if not c.passed)
                for fix in answer.refused
                if fix.proposed_by
            )
    tokens = sum(r.get("tokens", 0) for r in seen.rounds)
    print(f"{len(blocks)} failing blocks, model {settings.proposer.model}")
    print(f"offers of the engine alone: {alone}; further ones by the model: {proposed}")
    print(
        f"asked about {asked}: {sum(r.get('proposed', 0) for r in seen.rounds)} proposals, "
        f"{sum(r.get('dropped', 0) for r in seen.rounds)} dropped unread, "
        f"{sum(r.get('verified', 0) for r in seen.rounds)} verified"
    )
    if asked:
        print(f"a question: {median(seconds):.1f} s in the median, {tokens / asked:.0f} tokens")
    for name, count in refused.most_common():
        print(f"  refused by {name}: {count}")
    return 0


async def _answer(pipeline: Pipeline, question: Question) -> Answer:
    async for said in pipeline.answer(question):
        if isinstance(said, Answer):
            return said
    raise AssertionError("the last thing said is always the answer")


def _offers(answer: Answer) -> bool:
    return answer.fix is not None or bool(answer.alternatives)


def _drawn(blocks: list[Block], number: int) -> list[Block]:
    """Failing blocks in an order that no document's name decides."""
    real = [b for b in blocks if b.record.get("group") == "real"]
    real.sort(key=lambda b: hashlib.sha256(f"{b.document}:{b.number}".encode()).digest())
    return real[:number]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=40)
    parser.add_argument("--config", type=Path)
    a = parser.parse_args()
    sys.exit(asyncio.run(main(_drawn(read_blocks(a.corpus, a.runs), a.blocks), a.config)))
