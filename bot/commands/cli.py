"""The command `torchmedic`: ask, chat, index, search, audit, gaps and more."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands.cluster import app as cluster_app
from bot.errors import BotError, QuestionError
from bot.platforms.plugins import load_settings, plugins
from bot.words import listed
from executor.exceptions import ExecutorError
from knowledge.errors import KnowledgeError

if TYPE_CHECKING:
    from rich.console import Console

    from bot.diagnosis.library import Library
    from bot.models import Question
    from bot.operations.gaps.groups import Gap
    from bot.service.plugin import PlatformPlugin
    from bot.settings import Settings

app = typer.Typer(
    help="A troubleshooting bot for PyTorch that runs the code before it answers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
article_app = typer.Typer(help="Write and prove articles.", no_args_is_help=True)
app.add_typer(article_app, name="article")
app.add_typer(cluster_app, name="cluster")

_OURS = (BotError, KnowledgeError, ExecutorError)
_READ_BYTES = 16 * 1024 * 1024  # far more than any message may have: the refusal names its size

ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="Settings file (./config.yaml if there is one).")
]


def main() -> None:
    """Entry point: our own errors are printed as one line with a next step, without traceback."""
    try:
        app()
    except _OURS as e:
        _complain(str(e))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)  # `torchmedic ask … | head`


def _complain(text: str) -> None:
    print(f"torchmedic: {text}", file=sys.stderr)


def _say(text: str) -> None:
    print(f"torchmedic: {text}", file=sys.stderr, flush=True)


def _settings(path: Path | None) -> Settings:
    return load_settings(path)


@app.command()
def ask(
    files: Annotated[
        list[str] | None, typer.Argument(help="One question each; - or none: standard input.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One Answer as JSON a line.")] = False,
    explain: Annotated[bool, typer.Option(help="Also show the fixes that were refused.")] = False,
    show_prompt: Annotated[
        bool, typer.Option(help="Also show what the configured model would be sent; send nothing.")
    ] = False,
    config: ConfigOption = None,
) -> None:
    """Answer questions from files: a message as you would post it, a .py, a .ipynb or a log."""
    show = _say if show_prompt else None
    names = files or ["-"]
    sys.exit(
        asyncio.run(_ask(names, _settings(config), json=json, explain=explain, show_prompt=show))
    )


async def _ask(
    names: list[str],
    settings: Settings,
    *,
    json: bool,
    explain: bool,
    show_prompt: Callable[[str], None] | None = None,
) -> int:
    questions: list[tuple[Question, float]] = []
    failed = 0
    for name in names:
        began = time.perf_counter()
        try:
            question = _read_question(name)
            questions.append((question, (time.perf_counter() - began) * 1000))
        except QuestionError as e:
            _complain(f"{name}: {e}" if name != "-" else str(e))
            failed = 1
    if not questions:
        return failed
    from bot.diagnosis.assemble import open_pipeline
    from bot.platforms.console.card import ConsoleCard
    from bot.platforms.console.follow import follow

    console = _console()
    async with open_pipeline(settings, _say, show_prompt=show_prompt) as pipeline:
        for i, (question, parse_ms) in enumerate(questions):
            card = _JsonCard() if json else ConsoleCard(console, explain=explain)
            if i and not json:
                console.rule()
            try:
                await follow(pipeline.answer(question, parse_ms), card)
            except _OURS as e:
                card.clear()
                _complain(str(e))
                failed = 1
    return failed


class _JsonCard:
    """One Answer as one line of JSON; the steps are not shown."""

    async def step(self, progress: object) -> None:
        """Do nothing: only answers are printed."""

    async def finish(self, answer: Any) -> None:
        """Print it."""
        print(answer.model_dump_json(), flush=True)

    def clear(self) -> None:
        """Do nothing: nothing is shown that could be removed."""


def _read_question(name: str) -> Question:
    """Read a file as a question.

    Raises:
        QuestionError: it cannot be read, or holds no question.
    """
    from bot.messages.question import Attachment, read_message

    if name == "-":
        data = sys.stdin.buffer.read(_READ_BYTES)
    else:
        try:
            with Path(name).open("rb") as f:
                data = f.read(_READ_BYTES)
        except OSError as e:
            raise QuestionError(f"cannot be read ({e.strerror}); check the path") from e
    suffix = Path(name).suffix.lower()
    if suffix in (".py", ".ipynb", ".log", ".out"):
        return read_message("", [Attachment(Path(name).name, data)])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise QuestionError(
            "is no text (not UTF-8); paste the message, or give a .py, .ipynb or .log file"
        ) from e
    return read_message(_without_front_matter(text))


def _without_front_matter(text: str) -> str:
    """A document's title is its question; the rest of its front matter is not prose."""
    import yaml

    if not text.startswith("---\n") or (end := text.find("\n---\n", 4)) < 0:
        return text
    try:
        front = yaml.safe_load(text[4:end])
    except yaml.YAMLError:
        return text
    title = front.get("title", "") if isinstance(front, dict) else ""
    return f"{title}\n\n{text[end + 5 :]}"


@app.command()
def chat(
    explain: Annotated[bool, typer.Option(help="Also show the fixes that were refused.")] = False,
    config: ConfigOption = None,
) -> None:
    """Ask one question after another, and follow up on an answer; the executor stays warm."""
    sys.exit(asyncio.run(_chat(_settings(config), explain=explain)))


async def _chat(settings: Settings, *, explain: bool) -> int:
    from bot.diagnosis.assemble import open_pipeline
    from bot.platforms.console.chat import ConsoleChat, messages

    console = _console()
    async with open_pipeline(settings, _say) as pipeline:
        async with ConsoleChat.at(pipeline, console, explain=explain) as chat:
            async for text in messages(console):
                await chat.say(text)
                console.print()
    return 0


def _add_platform(plugin: PlatformPlugin[Any]) -> None:
    """Add the command that answers on a platform."""

    @app.command(plugin.name, help=plugin.help)
    def answer(config: ConfigOption = None) -> None:
        from bot.commands.serve import serve

        asyncio.run(serve(plugin, _settings(config), _say))


for _plugin in plugins():
    _add_platform(_plugin)
_NAMES = [plugin.name for plugin in plugins()]
_WHICH = f"{listed(_NAMES, 'or')}; none: {'both' if len(_NAMES) == 2 else 'all'}."


@app.command()
def doctor(
    fronts: Annotated[
        list[str] | None,
        typer.Argument(help=f"{', '.join(_NAMES)}: what shall run here; none: what has a token."),
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Look at everything the bot needs: what is wrong, and what to do. Changes nothing."""
    from bot.operations.doctor import examine, table

    if wrong := [f for f in fronts or () if f not in _NAMES]:
        raise typer.BadParameter(f"{wrong[0]}: there are {listed(_NAMES)}")
    rows = asyncio.run(examine(plugins(), config, fronts or ()))
    _console().print(table(rows))
    sys.exit(0 if all(row.ok for row in rows) else 1)


@app.command()
def report(
    days: Annotated[float, typer.Option(help="How far back.")] = 7,
    html: Annotated[Path | None, typer.Option(help="Also write one HTML page there.")] = None,
    config: ConfigOption = None,
) -> None:
    """Say what was asked, solved and left unanswered in the last week."""
    from bot.operations.report import write

    print(asyncio.run(write(_settings(config), days, html)))


@app.command()
def forget(
    user: Annotated[str, typer.Argument(help="The person's id on the platform, e.g. U012AB3CD.")],
    platform: Annotated[str, typer.Option(help=_WHICH)] = "",
    config: ConfigOption = None,
) -> None:
    """Delete everything that is kept of a person: questions, answers, feedback."""
    from bot.operations.retention import forget_person

    print(asyncio.run(forget_person(_settings(config), user, platform)))


@app.command()
def index(config: ConfigOption = None) -> None:
    """Embed what is new in articles and documents, and run the articles that changed."""
    sys.exit(asyncio.run(_index(_settings(config))))


async def _index(settings: Settings) -> int:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from bot.diagnosis.library import Library

    console = _console()
    library = Library(settings, _say)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        tasks = {name: bar.add_task(name, total=None) for name in ("reading", "embedding")}
        report = await asyncio.to_thread(
            library.build,
            lambda name, done, total: bar.update(tasks[name], completed=done, total=total),
        )
    console.print(
        f"{report.sources} sources, {report.passages} passages, {report.embedded} embedded now "
        f"→ {library.folder}",
        soft_wrap=True,
    )
    if report.kind != "flat":
        console.print(
            f"searched by {report.kind}, which finds {report.recall:.1%} of the ten "
            "nearest passages that comparing with each would find"
        )
    await _read_documentation(settings, library, console)
    known = library.proofs.of(library.articles)
    changed = [a.slug for a in library.articles if a.slug not in known]
    return await _prove(settings, changed) if changed else 0


async def _read_documentation(settings: Settings, library: Library, console: Console) -> None:
    """Bring the index of the executor's docstrings up to date; say so if it cannot be asked."""
    from bot.diagnosis.assemble import open_documentation, open_executor

    try:
        async with open_executor(settings.executor) as executor:
            made = await open_documentation(settings, library, executor, _say).build()
    except ExecutorError as e:
        _say(f"the documentation of torch is not indexed: {e}")
        return
    console.print(
        f"{made.sources} functions of torch, {made.passages} passages, {made.embedded} embedded "
        "now",
        soft_wrap=True,
    )


@app.command()
def gaps(
    days: Annotated[float, typer.Option(help="How far back to look.")] = 30,
    least: Annotated[int, typer.Option(help="Questions that make a gap.")] = 1,
    write: Annotated[int | None, typer.Option(help="Draft an article for this gap.")] = None,
    slug: Annotated[str, typer.Option(help="The draft's name; default: from the gap's.")] = "",
    folder: Annotated[Path | None, typer.Option(help="Where; default: Torchmedic's own.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For a program.")] = False,
    config: ConfigOption = None,
) -> None:
    """Group the questions that went unanswered or were marked wrong, and draft what is missing."""
    found = asyncio.run(_gaps(_settings(config), days, least))
    from bot.operations.gaps import display, drafts

    if write is not None:
        from knowledge.articles.slugs import ARTICLES

        made = drafts.draft_by_number(found, write, folder or ARTICLES, slug)
        print(
            f"{made}: the asked questions are people's own words, so put them into yours; write "
            "what is marked …, then `torchmedic article check "
            f"{made.name}`"
        )
    elif as_json:
        print(json.dumps(display.as_json(found), ensure_ascii=False))
    elif found:
        _console().print(display.table(found, days))
    else:
        print(f"nothing asked in the last {days:g} days is open")


async def _gaps(settings: Settings, days: float, least: int) -> list[Gap]:
    from bot.diagnosis.library import Library
    from bot.operations.gaps.unanswered import collect
    from bot.service.store.database import Database

    model = Library(settings, _say).model
    async with Database.at(settings.store.url, settings.state_folder) as database:
        return await collect(database, model, days, least)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="A question, or `Type: message` of an error.")],
    json: Annotated[bool, typer.Option("--json", help="One line of JSON.")] = False,
    explain: Annotated[bool, typer.Option(help="Why each hit ranks where it does.")] = False,
    config: ConfigOption = None,
) -> None:
    """Look a question up without running anything."""
    from bot.commands.found import as_json, as_text
    from bot.diagnosis.library import Library

    found = Library(_settings(config), _say).search().search(query)
    print(as_json(found) if json else as_text(found, explain=explain))


@app.command()
def audit(
    paths: Annotated[list[Path], typer.Argument(help="Folders of documents, or single files.")],
    out: Annotated[
        Path | None, typer.Option(help="Where the reports go; default: the state folder.")
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Run every Python block of documents, and say which of their claims are true."""
    from bot.commands.audit import run_audit

    asyncio.run(run_audit(_settings(config), paths, out, _console()))


@article_app.command("new")
def article_new(
    slug: Annotated[str, typer.Argument(help="Its name, e.g. loss-is-nan.")],
    folder: Annotated[Path | None, typer.Option(help="Where; default: Torchmedic's own.")] = None,
) -> None:
    """Write the skeleton of an article."""
    from knowledge.articles.new import new_article
    from knowledge.articles.slugs import ARTICLES, slug_of

    made = new_article(folder or ARTICLES, slug)
    print(
        f"{made}: write explanation.md, broken.py and fixed.py, then "
        f"`torchmedic article check {slug_of(slug)}`"
    )


@article_app.command("check")
def article_check(
    slugs: Annotated[list[str] | None, typer.Argument(help="Which; none: all.")] = None,
    config: ConfigOption = None,
) -> None:
    """Run articles: broken.py fails as promised, fixed.py runs, codemod.py mends the one."""
    sys.exit(asyncio.run(_prove(_settings(config), slugs or [])))


async def _prove(settings: Settings, slugs: list[str]) -> int:
    from bot.diagnosis.assemble import open_executor
    from bot.diagnosis.library import Library
    from bot.diagnosis.proof import prove
    from knowledge.articles.slugs import slug_of

    library = Library(settings, _say)
    known = {a.slug: a for a in library.articles}
    slugs = [slug_of(s) for s in slugs]
    if unknown := [s for s in slugs if s not in known]:
        _complain(f"there is no article {unknown[0]}; there are: {', '.join(known)}")
        return 1
    chosen = [known[s] for s in slugs] or library.articles
    console = _console()
    verdicts = []
    async with open_executor(settings.executor) as executor:
        for article in chosen:
            verdict = await prove(executor, article, library.codemods)
            verdicts.append(verdict)
            held = {
                True: "holds",
                False: "does not hold",
                None: "needs another build or device, not checked",
            }
            line = f"{verdict.slug}: {held[verdict.proof.holds]} (torch {verdict.proof.torch})"
            console.print(line, soft_wrap=True)
            for problem in verdict.problems:
                console.print(f"  {problem}", soft_wrap=True, markup=False)
    try:
        library.proofs.keep(library.articles, verdicts)
    except OSError as e:
        _complain(
            f"{library.proofs.path}: the proofs cannot be kept ({e.strerror}); "
            "point `state` in config.yaml to a folder of your own"
        )
        return 1
    return 1 if any(v.problems for v in verdicts) else 0


def _console() -> Console:
    from rich.console import Console

    terminal = sys.stdout.isatty()
    return Console(highlight=False, width=None if terminal else 100)


if __name__ == "__main__":
    main()
