#!/usr/bin/env python3
"""Count the mutants that the unit tests kill; fail where a survivor has no reason written down.

Run it after `mutmut run`, in the environment that mutmut is installed in (`make mutants` does
both). In the modules of `LISTED` every survivor needs a reason: it stands in
benchmarks/results/mutants.md, each below the change it is about. Of the other modules the survivors
are counted, and those that change no more than what a check says are counted apart.
"""

from __future__ import annotations

import ast
import difflib
import re
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "mutants.md"
MUTATED = ROOT / "mutants"  # where mutmut writes the sources with all their mutants
LEAST_KILLED = 0.85
# A mutant that never ends has been noticed as well as one that fails.
KILLED = {"killed", "timeout"}
LISTED = {
    "knowledge.repair.verify",
    "knowledge.repair.engine",
    "knowledge.signature",
    "bot.diagnosis.completion",
    "bot.diagnosis.missing",
    "bot.service.manners",
}

_TEXT = r'"(?:[^"\\]|\\.)*"'
_SENTENCE = r'"(?:[^"\\ ]+ ){2,}[^"\\ ]+"'
# Text that only says something: a check's name and detail, and a sentence that is given back whole.
_SAID = (
    (re.compile(rf"\bCheck\(name={_TEXT}"), "Check(name=_"),
    (re.compile(rf"\bdetail=(?:{_TEXT})"), "detail=_"),
    (re.compile(rf"^(\s*)detail = {_TEXT}$"), r"\1detail = _"),
    (re.compile(rf"^(\s*(?:return|yield)) {_SENTENCE}$"), r"\1 _"),
)
_DETAIL = re.compile(rf", detail=(?:f?{_TEXT}|[\w.]+)\)")


def results() -> list[tuple[str, str]]:
    """The name of each mutant, and what became of it."""
    command = [str(Path(sys.executable).with_name("mutmut")), "results", "--all", "true"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = (line.strip().partition(": ") for line in printed.splitlines())
    return [(mutant, state) for mutant, found, state in rows if found]


def module_of(mutant: str) -> str:
    """`bot.diagnosis.missing` of `bot.diagnosis.missing.x__limit__mutmut_4`."""
    return mutant.partition(".x")[0]


@cache
def functions(module: str) -> dict[str, list[str]]:
    """The lines of every function in a mutated module: the originals and the mutants."""
    path = MUTATED.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    source = file.read_text(encoding="utf-8")
    lines = source.splitlines()
    return {
        node.name: lines[node.lineno - 1 : node.end_lineno]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def change(mutant: str) -> str:
    """The lines that a mutant takes out and puts in, as in a diff."""
    of_module = functions(module_of(mutant))
    changed = mutant.rpartition(".")[2]
    name = changed.rpartition("__mutmut_")[0]
    old, new = (
        [line.replace(made, name) for line in of_module[made]]
        for made in (f"{name}__mutmut_orig", changed)
    )
    lines = difflib.unified_diff(old, new, lineterm="", n=0)
    return "\n".join(s for s in lines if s[:1] in ("-", "+") and s[:3] not in ("---", "+++"))


def only_words(text: str) -> bool:
    """Whether a change is one of the words that a check says, or leaves them out."""
    old, new = ([s[1:] for s in text.splitlines() if s[0] == sign] for sign in "-+")
    if [_unsaid(line) for line in old] == [_unsaid(line) for line in new]:
        return True
    without_detail = [_DETAIL.sub(")", line) for line in old]
    return without_detail != old and without_detail == [s.replace(", )", ")") for s in new]


def _unsaid(line: str) -> str:
    for pattern, instead in _SAID:
        line = pattern.sub(instead, line)
    return line


def main() -> int:
    """Print the table and the survivors; the exit code says whether all is as it should be."""
    states: dict[str, Counter[str]] = defaultdict(Counter)
    survivors: list[str] = []
    for mutant, state in results():
        survived = state not in KILLED
        words = survived and only_words(change(mutant))
        kind = "words" if words else "survived" if survived else "killed"
        states[module_of(mutant)][kind] += 1
        if survived and module_of(mutant) in LISTED:
            survivors.append(mutant)
    total: Counter[str] = sum(states.values(), Counter())
    if not total:
        print("there are no mutants; run `mutmut run` first", file=sys.stderr)
        return 1
    print("| module | mutants | killed | | only words | other survivors |")
    print("|---|--:|--:|--:|--:|--:|")
    for module, n in [*sorted(states.items()), ("all", total)]:
        share = f"{n['killed'] / n.total():.1%}".replace("%", " %")
        print(
            f"| {module} | {n.total()} | {n['killed']} | {share} | {n['words']} | {n['survived']} |"
        )

    known = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    unknown = [text for mutant in survivors if (text := change(mutant)) not in known]
    for text in unknown:
        print(f"\nsurvived, and {RESULTS.name} does not say why:\n{text}")
    return 1 if unknown or total["killed"] / total.total() < LEAST_KILLED else 0


if __name__ == "__main__":
    sys.exit(main())
