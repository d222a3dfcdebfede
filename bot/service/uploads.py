"""Files to hand out of an answer: everything that was printed, the program with its fix."""

from __future__ import annotations

from bot.models import Answer
from bot.service.seam import Upload


def full_output(answer: Answer) -> Upload | None:
    """Everything the snippet printed, as a file; None if it printed nothing."""
    run = answer.run
    if run is None or not (run.stdout or run.stderr):
        return None
    text = run.stdout
    if run.stderr:
        text += f"\n--- stderr ---\n{run.stderr}" if text else run.stderr
    if run.dropped_bytes:
        text += f"\n--- {run.dropped_bytes} bytes more were not kept ---\n"
    return Upload(name="output.txt", data=text.encode("utf-8", "replace"))


def fixed_file(answer: Answer) -> Upload | None:
    """The asker's program with the fix in it; None if there is no verified fix."""
    if answer.fix is None:
        return None
    return Upload(
        name="fixed.py", data=answer.fix.code.encode("utf-8", "replace"), mime="text/x-python"
    )
