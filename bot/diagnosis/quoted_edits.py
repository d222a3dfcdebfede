"""Mend the line that a traceback quotes, where no code was posted with it.

The line is run alone, with values that the message gives. So only an error of two dtypes is mended:
the message names both, and what makes the line work with them works with the person's values too.
Nothing behind the line is known, so an edit is shown in part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.diagnosis.diagnosis import Diagnosis
from executor.errors import is_a
from executor.service.client import ExecutorClient
from knowledge.repair import engine
from knowledge.repair.codemod import Codemod
from knowledge.repair.fix import Fix
from knowledge.repair.operator import Operator

_OF_TWO_DTYPES = (
    "argument_scalar_type", "layer_dtypes", "matmul_dtypes", "matvec_dtypes", "dot_dtypes",
    "rnn_dtypes", "scalar_type",
)  # fmt: skip
_AT = re.compile(r"\bline 1: ")


async def mend_quoted(
    executor: ExecutorClient,
    known: Diagnosis,
    codemods: Sequence[Codemod],
    operators: Sequence[Operator],
) -> Diagnosis:
    """The diagnosis with the edits of the quoted line that were run.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    seen = known.quoted
    if seen is None or seen.run is None or seen.job is None or seen.run.error is None:
        return known
    if seen.made_up or not seen.exact or not is_a(seen.run.error, *_OF_TWO_DTYPES):
        return known
    found = await engine.repair(
        executor, codemods, seen.job, seen.run, None, known.question.text, operators
    )
    offered = (found.fix,) if found.fix is not None else found.alternatives
    in_part = tuple(_in_part(fix) for fix in offered if fix.verified)
    return replace(known, repairs=replace(found, fix=None, alternatives=in_part))


def _in_part(fix: Fix) -> Fix:
    title = _AT.sub("", fix.title)
    stops = "behind this line, as no more of the code was posted"
    return fix.model_copy(
        update={"verified": False, "shown": "partly", "stops": stops, "title": title}
    )
