"""The documentation of the executor's libraries: find a function, and run its example."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

import knowledge.reference
from bot.models import FunctionShown
from executor.exceptions import ExecutorError
from executor.service.client import ExecutorClient
from knowledge.errors import IndexDamagedError, IndexMissingError, KnowledgeError, StaleIndexError
from knowledge.reference.collect import collecting_job, read_collected
from knowledge.reference.examples import EXAMPLES
from knowledge.reference.model import Documented, Reference
from knowledge.reference.session import Example, example_job, read_session
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.functions import (
    FunctionSearch,
    FunctionsFound,
    build_functions,
    open_functions,
)
from knowledge.search.index import BuildReport, replace_file

log = logging.getLogger(__name__)
Say = Callable[[str], None]
NOTHING = FunctionsFound()
_CLOSE = 2.5  # on the logistic scale: what is less likely beside the first is not named
_MOST = 3  # functions that an answer names
_TRIES = 3  # examples of a function that are run until one shows something


class Documentation:
    """What docstrings say, from the libraries of one executor; read at the first question."""

    def __init__(
        self,
        folder: Path,
        model: EmbeddingModel,
        executor: ExecutorClient,
        say: Say = lambda _: None,
        *,
        may_build: bool = True,
    ) -> None:
        """Read nothing yet.

        Args:
            folder: where the docstrings, their index and the examples' output are kept.
            model: embeds them.
            executor: runs examples; its torch is the one that is documented.
            say: told when it takes long.
            may_build: read the docstrings and embed them if that was not done for this torch.
        """
        self._folder = folder
        self._model = model
        self._executor = executor
        self._say = say
        self._may_build = may_build
        self._opening: asyncio.Task[FunctionSearch | None] | None = None
        self._sessions = _Sessions(folder / "examples.json")
        self._torch = ""

    async def find(self, text: str) -> FunctionsFound:
        """The functions that may do what a question asks for; none where there is no executor."""
        search = await self.open()
        return NOTHING if search is None else await asyncio.to_thread(search.search, text)

    async def open(self) -> FunctionSearch | None:
        """Open the index, read anew where it is missing; None where it cannot be."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        # Whoever no longer waits for an answer does not stop the reading for others.
        search = await asyncio.shield(self._opening)
        if search is None:
            self._opening = None  # the executor may be back at the next question
        return search

    def close(self) -> None:
        """Stop reading; what was embedded by then is kept."""
        if self._opening is not None:
            self._opening.cancel()

    async def show(self, found: FunctionsFound) -> tuple[FunctionShown, ...]:
        """The first function with an example and its real output, then those that may be meant.

        Raises:
            ExecutorError: the executor is gone.
        """
        shown: list[FunctionShown] = []
        for hit in found.hits[:_MOST]:
            if found.hits[0].strength - hit.strength > _CLOSE and not hit.named:
                continue
            function = hit.function
            shown.append(
                FunctionShown(
                    name=function.name,
                    signature=function.signature,
                    summary=function.summary,
                    library=f"torch {self._torch}",
                    example="" if shown else await self._example(function),
                    score=found.confidence,
                    named=hit.named,
                )
            )
        return tuple(shown)

    async def build(self, progress: Callable[[int, int], None] | None = None) -> BuildReport:
        """Read the docstrings and bring their index up to date.

        Raises:
            ExecutorError: the executor is gone.
            KnowledgeError: the model cannot be loaded.
            OSError: the folder cannot be written.
        """
        version = str((await self._executor.capabilities())["torch"])
        reference = await self._read(version)
        return await asyncio.to_thread(
            build_functions, self._folder, reference, self._model, progress
        )

    async def _open(self) -> FunctionSearch | None:
        try:
            self._torch = str((await self._executor.capabilities())["torch"]).partition("+")[0]
            reference = self._kept()
            if reference is not None:
                try:
                    return await self._open_index(reference)
                except (IndexMissingError, StaleIndexError, IndexDamagedError):
                    pass
            if not self._may_build:
                return None
            self._say(f"reading the documentation of torch {self._torch}, once")
            await self.build()
            return await self._open_index(await self._read(self._torch))
        except (ExecutorError, KnowledgeError, OSError) as error:
            log.warning("how-to questions are answered without documentation: %s", error)
            return None

    async def _open_index(self, reference: Reference) -> FunctionSearch:
        return await asyncio.to_thread(open_functions, self._folder, reference, self._model)

    async def _read(self, version: str) -> Reference:
        """The docstrings: those that were kept, or read in a job and kept.

        Raises:
            ExecutorError: the executor is gone, or could not read them.
        """
        self._torch = version.partition("+")[0]
        kept = self._kept()
        if kept is not None:
            return kept
        result = await self._executor.run(collecting_job())
        reference = read_collected(result)
        if reference is None:
            said = result.error.message if result.error else result.detail or result.outcome.value
            raise ExecutorError(f"the docstrings of torch could not be read: {said}")
        self._folder.mkdir(parents=True, exist_ok=True)
        kept_now = {"reader": _reader(), "reference": reference.model_dump(mode="json")}
        await asyncio.to_thread(replace_file, self._file, json.dumps(kept_now))
        return reference

    def _kept(self) -> Reference | None:
        """The docstrings that were read of this torch, by this code; None if there are none."""
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            if kept["reader"] != _reader():
                return None
            reference = Reference.model_validate(kept["reference"])
        except (OSError, ValueError, KeyError, TypeError):  # of which ValidationError is one
            return None
        return reference if reference.libraries.get("torch") == self._torch else None

    @property
    def _file(self) -> Path:
        return self._folder / "functions.json"

    async def _example(self, function: Documented) -> str:
        """An example as a session with its real output; empty if none runs and prints something."""
        ours = EXAMPLES.get(function.name)
        for code in [*([ours] if ours else []), *function.examples][:_TRIES]:
            example = Example(name=function.name, code=code)
            session = self._sessions.get(self._torch, example)
            if session is None:
                session = read_session(await self._executor.run(example_job(example)))
                self._sessions.keep(self._torch, example, session)
            if session:
                return session
        return ""


class _Sessions:
    """What examples printed, kept between runs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[str, str] = {}
        try:
            self._kept = _FORMAT.validate_json(path.read_bytes())
        except (OSError, ValidationError):
            pass  # never written, or by another version: then examples are run again

    def get(self, torch: str, example: Example) -> str | None:
        return self._kept.get(self._key(torch, example))

    def keep(self, torch: str, example: Example, session: str) -> None:
        self._kept[self._key(torch, example)] = session
        try:
            replace_file(self._path, _FORMAT.dump_json(self._kept).decode())
        except OSError:
            pass  # then it is run again next time

    def _key(self, torch: str, example: Example) -> str:
        parts = json.dumps([_reader(), torch, example.name, example.code])
        return hashlib.sha256(parts.encode()).hexdigest()[:16]


_FORMAT = TypeAdapter(dict[str, str])
_reader_known: list[str] = []


def _reader() -> str:
    """Names the code that reads docstrings and plays examples."""
    if not _reader_known:
        content = hashlib.sha256()
        for path in sorted(Path(knowledge.reference.__path__[0]).glob("*.py")):
            content.update(path.read_bytes())
        _reader_known.append(content.hexdigest()[:16])
    return _reader_known[0]
