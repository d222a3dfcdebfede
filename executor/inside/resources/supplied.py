"""What was supplied to one run, and what that means for its error and its findings."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from types import FrameType, TracebackType

from executor.errors import is_a
from executor.inside.placeholders.blame import dependents, expression_at, touches
from executor.inside.placeholders.program import last_name
from executor.inside.probes import kinds
from executor.protocol import ErrorSeen, Finding, Placeholder

_OURS = f"{Path(__file__).parent}/"
_OF_COUNTS = (IndexError, KeyError, ValueError, ZeroDivisionError, StopIteration)
# What `torch.load` gives here, in a message of Python's: at home it may be anything.
_OF_NO_KNOWN_CONTENT = re.compile(r"\bAbsent\b")
_OF_TYPES = (AttributeError, TypeError, KeyError, IndexError, ValueError)
# Errors that say how many dimensions something has, and nothing of their sizes.
_OF_RANKS = ("dimensions", "conv_dimensions", "pool_dimensions", "adaptive_pool_dimensions",
             "padding_dimensions", "rnn_dimensions", "permute_dimensions", "dimension_out_of_range",
             "index_dimensions", "expand_fewer_dimensions", "bmm_dimensions")  # fmt: skip
_DOWNLOADED = ("data", "weights", "tokenizer", "file")
_TOLD = 6  # resources that are told one by one


class Supplied:
    """The resources of one run that are placeholders, in the order in which they were asked for."""

    def __init__(self, filename: str, tree: ast.Module) -> None:
        self._filename = filename
        self._certificates = any(
            alias.name in ("ssl", "certifi")
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
        )
        self._tried = {
            line
            for node in ast.walk(tree)
            if isinstance(node, ast.Try) and node.handlers
            for part in node.body
            for line in range(part.lineno, (part.end_lineno or part.lineno) + 1)
        }
        self._tree = tree
        self._texts: dict[str, frozenset[str]] = {}  # a file of free text → what is read from it
        self._rank_known = True
        self._of_unknown_types = ""  # the first resource whose parts may be of another type
        self.handled: int | None = None  # the line of a `try` in which something was supplied
        self.shortened = False  # a loader gave less than its epoch
        self._told: dict[tuple[str, str], Placeholder] = {}

    def add(
        self,
        name: str,
        kind: str,
        what: str,
        *,
        exact: bool,
        rank_known: bool = True,
        types_known: bool = True,
    ) -> None:
        """Note a resource.

        Args:
            name: as the snippet names it.
            kind: "data", "file", "folder", "weights", "checkpoint" …
            what: what stands for it.
            exact: sizes, types and labels are those of the real thing; only its values are not.
            rank_known: how many dimensions its content has is certain: of a picture, a column.
            types_known: of which types its parts are is certain.
        """
        if not types_known:
            self._of_unknown_types = self._of_unknown_types or name
        line = self.line()
        if kind in _DOWNLOADED and line in self._tried:
            self.handled = self.handled or line
        self._rank_known = self._rank_known and rank_known
        self._told.setdefault(
            (name, kind), Placeholder(name=name, line=line, what=what, kind=kind, exact=exact)
        )

    def free_text(self, name: str) -> None:
        """Note that the line being run asks for a file of lines whose layout nobody knows."""
        line = self.line()
        statement = expression_at(self._tree, ErrorSeen(type="", message="", line=line))
        if statement is None:
            return
        calls = [n for n in _header(statement) if isinstance(n, ast.Call)]
        sources = {
            last_name(c.func)
            for c in calls
            if sum(isinstance(n, ast.Call) for n in ast.walk(c)) == 1
        }
        sources |= {
            n.id
            for n in _header(statement)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        self._texts[name] = dependents(self._tree, sources)

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """Each of them; of many files of one kind the first few."""
        told = list(self._told.values())
        return tuple(told[:_TOLD] + [p for p in told[_TOLD:] if p.kind not in ("file", "folder")])

    @property
    def any(self) -> bool:
        """Whether anything was supplied."""
        return bool(self._told)

    @property
    def exact(self) -> bool:
        """Whether all that was supplied has the form of the real thing."""
        return all(p.exact for p in self._told.values())

    @property
    def assumptions(self) -> tuple[str, ...]:
        """One sentence for each."""
        more = len(self._told) - len(self.placeholders)
        rest: tuple[str, ...] = ()
        if more:
            rest = (f"{more} other files and folders are not here either",)
        if self.shortened:
            rest += ("of each epoch over them only the first batches and the last one are run",)
        if self.handled is not None:
            rest += (
                f"nothing is downloaded here, so no download failed at line {self.handled}, and "
                "its handler was not tried",
            )
        if self._certificates and any(p.kind in _DOWNLOADED for p in self._told.values()):
            rest += ("nothing is downloaded here, so no certificate was checked",)
        return tuple(sentence(p) for p in self.placeholders) + rest

    def line(self) -> int | None:
        """The snippet's line that is being run."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self._filename:
                return frame.f_lineno
            frame = frame.f_back
        return None

    def at_fault(self, error: BaseException, seen: ErrorSeen) -> str:
        """The placeholder that an error came out of; empty if it came out of none.

        Parts of unknown types have other attributes and items, and add up otherwise, than the real
        thing's may. An `assert` of the snippet's own tests values. What a list lacks, or a count
        that is zero, may come of the batches that were left out, or of files that are called
        otherwise.
        """
        tb: TracebackType | None = error.__traceback__
        last = ""
        while tb is not None:
            last = tb.tb_frame.f_code.co_filename
            tb = tb.tb_next
        if _OF_NO_KNOWN_CONTENT.search(str(error)) and isinstance(error, _OF_TYPES):
            return next((p.name for p in self._told.values() if p.kind == "checkpoint"), last)
        folder = next((p.name for p in self._told.values() if p.kind == "folder"), "")
        if folder and is_a(seen, "no_samples"):
            return folder
        of_values = isinstance(error, AssertionError) or (
            bool(self.shortened or folder) and isinstance(error, _OF_COUNTS)
        )
        if self._of_unknown_types and isinstance(error, _OF_TYPES):
            return self._of_unknown_types
        if last.startswith(_OURS) or (last == self._filename and of_values):
            return next((p.name for p in self._told.values()), "")
        return ""

    def misread(self, error: BaseException, seen: ErrorSeen) -> str:
        """The file of made-up lines that an error takes apart otherwise than the real one."""
        expression = expression_at(self._tree, seen)
        if expression is None or not isinstance(error, (IndexError, KeyError, ValueError)):
            return ""
        return next((f for f, names in self._texts.items() if touches(expression, names)), "")

    def depends(self, seen: ErrorSeen) -> bool:
        """Whether an error may come of a size or a value that the real thing does not have."""
        return not (self.exact or (self._rank_known and is_a(seen, *_OF_RANKS)))

    def counts(self, finding: Finding) -> bool:
        """Whether a finding says something of the code, whatever the real data are."""
        if finding.kind in kinds.OF_VALUES:
            return False
        if finding.kind in kinds.OF_RANKS:
            return self.exact or self._rank_known
        return self.exact or finding.kind not in kinds.OF_SIZES


def _header(statement: ast.AST) -> list[ast.AST]:
    """The parts of a statement, of a compound one without its body."""
    found: list[ast.AST] = []
    todo = [statement]
    while todo:
        found += (
            parts := [n for n in ast.iter_child_nodes(todo.pop()) if not isinstance(n, ast.stmt)]
        )
        todo += parts
    return found


def sentence(placeholder: Placeholder) -> str:
    """The assumption in words."""
    return f"`{placeholder.name}` is not here: {placeholder.what}"
