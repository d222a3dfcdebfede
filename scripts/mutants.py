#!/usr/bin/env python3
"""Count the mutants that the unit tests kill; fail where a survivor has no reason written down.

Run it after `mutmut run`, in the environment that mutmut is installed in (`make mutants` does
both). The reasons stand in benchmarks/results/mutants.md, each below the change it is about.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results" / "mutants.md"
LEAST_KILLED = 0.85
# A mutant that never ends has been noticed as well as one that fails.
KILLED = {"killed", "timeout"}


def mutmut(*arguments: str) -> str:
    """What mutmut prints."""
    command = [str(Path(sys.executable).with_name("mutmut")), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def change(mutant: str) -> str:
    """The lines that a mutant takes out and puts in, as in a diff."""
    lines = mutmut("show", mutant).splitlines()
    return "\n".join(s for s in lines if s[:1] in ("-", "+") and s[:3] not in ("---", "+++"))


def main() -> int:
    """Print the table and the survivors; the exit code says whether all is as it should be."""
    states: dict[str, Counter[str]] = defaultdict(Counter)
    survivors: list[str] = []
    for line in mutmut("results", "--all", "true").splitlines():
        mutant, found, state = line.strip().partition(": ")
        if found:
            states[mutant.partition(".x")[0]][state] += 1
            if state not in KILLED:
                survivors.append(mutant)
    total: Counter[str] = sum(states.values(), Counter())
    if not total:
        print("there are no mutants; run `mutmut run` first", file=sys.stderr)
        return 1
    print("| module | mutants | killed | |\n|---|--:|--:|--:|")
    for module, counts in [*states.items(), ("all", total)]:
        killed = sum(counts[state] for state in KILLED)
        print(f"| {module} | {counts.total()} | {killed} | {killed / counts.total():.1%} |")

    known = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    unknown = [text for mutant in survivors if (text := change(mutant)) not in known]
    for text in unknown:
        print(f"\nsurvived, and {RESULTS.name} does not say why:\n{text}")
    share = sum(total[state] for state in KILLED) / total.total()
    return 1 if unknown or share < LEAST_KILLED else 0


if __name__ == "__main__":
    sys.exit(main())
