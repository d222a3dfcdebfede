"""What a run was made with, for who wants to know: kept off the card."""

from __future__ import annotations

from bot.models import Answer, RunWith
from bot.words import harmless

_DIFF = 1_200  # characters of a diff that are shown; all of it is in the fixed file


def details(answer: Answer, run_with: RunWith) -> str:
    """Versions, device, jail, memory, times and the diff, as a text with a fence."""
    e = answer.evidence
    if e is None:
        return "Nothing was run for this answer."
    lines = [f"torch {e.torch}, Python {e.python}, {e.device}, {e.isolation}"]
    seed = "none" if run_with.seed is None else str(run_with.seed)
    lines.append(f"seed {seed}, {'fresh' if run_with.cold else 'warm'} interpreter")
    if e.peak_memory_bytes:
        lines.append(f"peak memory {e.peak_memory_bytes / 2**20:.0f} MiB")
    took = {"read": answer.timings_ms.parse, "run": answer.timings_ms.run,
            "search": answer.timings_ms.search, "fix": answer.timings_ms.fix}  # fmt: skip
    lines.append(", ".join(f"{name} {ms:.0f} ms" for name, ms in took.items()))
    if answer.why is not None and answer.why.url:
        lines.append(answer.why.url)
    text = "\n".join(lines)
    if answer.fix is None:
        return harmless(text)
    diff = harmless(answer.fix.diff).strip().replace("```", "`\u200b``")
    cut = diff if len(diff) <= _DIFF else diff[:_DIFF].rpartition("\n")[0] + "\n…"
    return f"{harmless(text)}\n```\n{cut}\n```"
