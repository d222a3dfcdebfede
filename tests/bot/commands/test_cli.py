"""bot/commands/cli.py: the commands as a stranger runs them, in processes of their own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import pytest_asyncio

import bot.diagnosis.library
from bot.diagnosis.library import Library
from bot.diagnosis.proof import ArticleCheck, Proofs, prove
from bot.settings import Settings
from executor.service.client import ExecutorClient
from executor.version import version
from knowledge.articles.slugs import folder_of
from tests.bot.commands.torchmedic import run as run_torchmedic
from tests.conftest import copy_state
from tests.executor.another_version import another_version
from tests.our_articles import OUR_ARTICLES

Run = Callable[..., "subprocess.CompletedProcess[str]"]

BROKEN = "why?\n```python\nimport torch\ny = torch.ones(2, requires_grad=True).exp()\n{}\n```\n"


@pytest.fixture(scope="module")
def state(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state folder of the commands."""
    return copy_state(indexed, tmp_path_factory.mktemp("cli") / "state")


OWN_EXECUTOR = {"TORCHMEDIC_EXECUTOR__URL": ""}  # a child of the command, as it is by default


@pytest.fixture(scope="module")
def torchmedic(state: Path, executor_url: str) -> Run:
    """The command, with a state folder of its own, and an executor that is there already."""
    ours = {"TORCHMEDIC_STATE": str(state), "TORCHMEDIC_EXECUTOR__URL": executor_url}

    def run(*arguments: str, stdin: str | bytes = "", **variables: str):
        environment = os.environ | ours | variables
        data = stdin.encode() if isinstance(stdin, str) else stdin
        return run_torchmedic(arguments, data, environment, state.parent)

    return run


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def checked(executor: ExecutorClient, state: Path) -> dict[str, ArticleCheck]:
    """Every article's two programs are run, once; the state folder keeps what held."""
    articles = list(OUR_ARTICLES.values())
    verdicts = [await prove(executor, article, ()) for article in articles]
    Proofs(state / "proofs.json").keep(articles, verdicts)
    return {verdict.slug: verdict for verdict in verdicts}


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """The complaint: one line, no traceback, and a failure."""
    assert done.returncode not in (0, None), done.stdout
    assert "Traceback (most recent call last)" not in done.stderr
    complaints = [x for x in done.stderr.splitlines() if not x.startswith("torchmedic: bringing")]
    assert len(complaints) == 1, done.stderr
    return complaints[0]


def test_ask_prints_one_answer_a_line(torchmedic: Run, tmp_path: Path):
    """`ask --json` over several files: an Answer each, in order, machine-readable.

    One is missing: it is named, the others are answered, the exit status says so.
    """
    (tmp_path / "a.md").write_text(BROKEN.format("y += 1\ny.sum().backward()"))
    (tmp_path / "b.py").write_text("print(1 + 1)\n")
    done = torchmedic("ask", "--json", *(str(tmp_path / n) for n in ("a.md", "no.md", "b.py")))

    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert done.returncode == 1
    assert "no.md: cannot be read (No such file or directory)" in done.stderr
    assert (first["status"], second["status"]) == ("fixed", "runs")
    assert set(first) >= {
        "status", "headline", "error", "culprit", "findings", "assumptions", "why", "fix",
        "alternatives", "sources", "run", "evidence", "timings_ms",
    }  # fmt: skip
    assert first["fix"]["verified"] is True
    timings = first["timings_ms"]
    assert set(timings) == {"parse", "run", "search", "fix", "total", "stages"}
    assert list(timings["stages"]) == [
        "reproduce",
        "find_mistake",
        "look_up",
        "repair",
        "explain",
        "compose",
    ]


def test_ask_reads_standard_input(state: Path):
    """No file, or -, is standard input; plain text where there is no terminal.

    Nothing runs before it: it imports its modules and starts an executor itself.
    """
    question = BROKEN.format("y += 1\ny.sum().backward()")
    done = subprocess.run(
        [sys.executable, "-m", "bot.commands.cli", "ask"],
        input=question,
        capture_output=True,
        text=True,
        cwd=state.parent,
        env=os.environ | {"TORCHMEDIC_STATE": str(state)} | OWN_EXECUTOR,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    assert "Fixed: line 3" in done.stdout
    assert "+y = y + 1" in done.stdout
    assert "\x1b" not in done.stdout


def test_chat_follows_up_and_obeys(torchmedic: Run):
    """A message without code is about the code before it; /new, /again and the files are there.

    A message that cannot be read does not end it.
    """
    messages = [
        "/output",  # nothing was asked yet
        BROKEN.format("y += 1\ny.sum().backward()"),
        "does that also happen with y.add_(1)?",
        "/fixed",
        "thanks!",
        "/again cuda seed",
        "```python\nimport torch\nprint(torch.rand(1).item(), *range(40), sep='\\n')\n```",
        "/output",
        "/again seed 7",
        "/new",
        "/dance",
        "print('a new subject')",
        "\0\0",
        "```python\n1/0\n```",
    ]
    done = torchmedic("chat", stdin="\n/send\n".join(messages))
    said = done.stdout

    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert "none was asked yet" in said
    assert said.count("Fixed: line 3") == 1  # never the same card twice
    assert "I do not know what to change for that" in said
    assert "y = y + 1\ny.sum().backward()" in said  # the fixed file
    assert "You're welcome." in said
    assert "/again takes cpu or cuda" in said
    rand = {n: torch_rand(n) for n in (0, 7)}
    assert said.count(rand[0]) == 1 and said.count(rand[7]) == 0  # only the whole output has it
    assert "There is no /dance" in said and "a new subject" in said and "Runs here" in said
    assert "binary" in said and "ZeroDivisionError at line 1" in said


def torch_rand(seed: int) -> str:
    """The first random number from a seed."""
    import torch

    torch.manual_seed(seed)
    return str(torch.rand(1).item())


def test_unreadable_questions_get_one_clear_line(torchmedic: Run, tmp_path: Path):
    """Each is named, with the reason, and a failing exit status; a folder is said to be one."""
    unreadable = {
        "nothing.md": (b"", "nothing to read"),
        "blank.md": (b"  \n\n", "nothing to read"),
        "picture.md": (b"\x89PNG\r\n\x1a\n\x00\x00", ""),
        "huge.md": (b"x = 1\n" * 900_000, "MiB"),
        "broken.ipynb": (b'{"cells": [', "broken.ipynb"),
    }
    for name, (content, _) in unreadable.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.md").mkdir()
    done = torchmedic("ask", *(str(tmp_path / name) for name in (*unreadable, "folder.md")))
    lines = done.stderr.splitlines()

    assert done.returncode == 1 and done.stdout == ""
    reasons = [says for _, says in unreadable.values()]
    for line, name, says in zip(
        lines, (*unreadable, "folder.md"), (*reasons, "Is a directory"), strict=True
    ):
        assert name in line and says.lower() in line.lower()
    assert torchmedic("ask", str(tmp_path / "nothing.md")).returncode == 1


NOT_ROOT = """
import os, sys
import bot.messages.question
from bot.commands.cli import _read_question
if os.geteuid() == 0:  # root may read everything
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
_read_question(sys.argv[1])
"""


def test_a_file_without_permission_is_named(tmp_path: Path):
    """No permission is said as such, with the next step."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    secret = tmp_path / "secret.md"
    secret.write_text("hi")
    secret.chmod(0)
    done = subprocess.run(
        [sys.executable, "-c", NOT_ROOT, str(secret)], capture_output=True, text=True, timeout=60
    )

    assert "QuestionError: cannot be read (Permission denied); check the path" in done.stderr


def test_a_state_folder_that_cannot_be_written(torchmedic: Run, tmp_path: Path):
    """Where the index cannot go, the line names the folder and the setting."""
    (tmp_path / "file").write_text("in the way")
    line = one_line(torchmedic("index", TORCHMEDIC_STATE=str(tmp_path / "file")))

    assert str(tmp_path / "file") in line and "state" in line


def test_a_missing_index_is_said_where_it_may_not_be_built(torchmedic: Run, tmp_path: Path):
    """With auto_index off, the line names the command that builds it."""
    line = one_line(
        torchmedic(
            "ask",
            stdin="relu_ fails",
            TORCHMEDIC_STATE=str(tmp_path / "none"),
            TORCHMEDIC_KNOWLEDGE__AUTO_INDEX="false",
        )
    )

    assert "run `torchmedic index`" in line


def test_a_stale_index_says_what_changed(
    torchmedic: Run, state: Path, checked: object, tmp_path: Path
):
    """A document added since the index was built: named, with the command."""
    copy_state(state, tmp_path / "s")
    own = {"TORCHMEDIC_STATE": str(tmp_path / "s"), "TORCHMEDIC_KNOWLEDGE__AUTO_INDEX": "false"}
    documents = tmp_path / "docs"
    documents.mkdir()
    (documents / "one.md").write_text("---\ntitle: One\nid: one\n---\n\nText of it.\n")
    own["TORCHMEDIC_KNOWLEDGE__DOCUMENTS"] = f"[{documents}]"
    made = torchmedic("index", **own)
    (documents / "two.md").write_text("---\ntitle: Two\nid: two\n---\n\nMore of it.\n")

    assert made.returncode == 0 and ": holds" not in made.stdout  # all of them are proved
    assert "two" in one_line(torchmedic("ask", stdin="relu_ fails", **own))


def test_a_damaged_index_is_built_anew(
    indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """With auto_index on, a question is answered whatever happened to the index.

    Of two articles, since all of them take half a minute; in this process, since no command says
    which are Torchmedic's own.
    """
    for slug in ("relu-inplace-integer", "distributed-run-hangs"):
        shutil.copytree(folder_of(slug), tmp_path / "articles" / slug)
    shutil.copytree(indexed / "model", tmp_path / "state" / "model")
    monkeypatch.setattr(bot.diagnosis.library, "ARTICLES", tmp_path / "articles")
    settings = Settings(state=str(tmp_path / "state"))
    Library(settings).build()
    (vectors,) = (tmp_path / "state" / "index").rglob("vectors.npy")
    vectors.write_bytes(b"no")

    said: list[str] = []
    search = Library(settings, said.append).search()
    found = search.search("relu_ says unknown parameter type")

    assert said == [f"bringing the search index up to date ({tmp_path / 'state' / 'index'})"]
    assert found.hits[0].source == "relu-inplace-integer"


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("TORCHMEDIC_KNOWLEDGE__MODEL", "/no/such/model", "/no/such/model"),
        ("TORCHMEDIC_KNOWLEDGE__DOCUMENTS", "[/no/such/docs]", "/no/such/docs"),
        ("TORCHMEDIC_EXECUTOR__URL", "ftp://x", "ftp://x"),
        ("TORCHMEDIC_EXECUTOR__URL", "unix:/no/such.sock", "is not there"),
        ("TORCHMEDIC_EXECUTOR__TIER", "vault", "vault"),
        ("TORCHMEDIC_EXECUTOR__WALL_S", "soon", "executor.wall_s"),
        ("TORCHMEDIC_EXECUTOR__SPEED", "9", "executor.speed"),
    ],
)
def test_wrong_settings_are_named(torchmedic: Run, variable: str, value: str, says: str):
    """The setting, what is wrong with it, and nothing else."""
    line = one_line(torchmedic("ask", stdin="print(1)", **OWN_EXECUTOR | {variable: value}))

    assert says in line


def test_a_wrong_settings_file_is_named(torchmedic: Run, tmp_path: Path):
    """No YAML, no dictionary, no such key, no such file: the file is named."""
    for content, says in (("a: [", "YAML"), ("- 1", "settings by name"), ("mood: good", "`mood`")):
        path = tmp_path / "c.yaml"
        path.write_text(content)
        line = one_line(torchmedic("ask", "--config", str(path), stdin="print(1)"))
        assert str(path) in line and says in line
    missing = one_line(torchmedic("ask", "--config", "nowhere.yaml", stdin="print(1)"))
    assert "nowhere.yaml" in missing


def test_the_shipped_config_is_the_defaults():
    """config.yaml documents every setting, and changes none."""
    from bot.platforms.plugins import load_settings, plugins
    from bot.settings import read_yaml, settings_type

    shipped = Path(__file__).parents[3] / "config.yaml"
    defaults = settings_type({p.name: p.section for p in plugins()})()
    assert load_settings(shipped, {}) == defaults
    assert read_yaml(shipped).keys() == type(defaults).model_fields.keys()
    for name, section in read_yaml(shipped).items():
        if isinstance(section, dict):
            assert section.keys() == type(getattr(defaults, name)).model_fields.keys()


def test_slack_without_tokens_names_each_and_where_to_get_it(torchmedic: Run):
    """Which ones are needed depends on the mode; for the other one see test_slack.py."""
    none = {"SLACK_BOT_TOKEN": "", "SLACK_APP_TOKEN": "", "SLACK_SIGNING_SECRET": ""}
    line = one_line(torchmedic("slack", TORCHMEDIC_SLACK__MODE="http", **none))
    assert "SLACK_BOT_TOKEN (api.slack.com" in line and "APP_TOKEN" not in line
    assert "SLACK_SIGNING_SECRET (api.slack.com" in line


def test_an_executor_of_another_version_is_one_clear_line(torchmedic: Run, tmp_path: Path):
    """Both versions and the next step, instead of an answer by codemods that differ."""
    with another_version(tmp_path) as (socket, theirs):
        done = torchmedic("ask", "--json", stdin=BROKEN, TORCHMEDIC_EXECUTOR__URL=f"unix:{socket}")

    assert done.stdout == ""
    line = one_line(done)
    assert theirs in line and version() in line and theirs != version()
    assert "install the same version for both and restart them" in line


def test_article_new_then_check(torchmedic: Run, tmp_path: Path):
    """The skeleton says what is still to be written; a bad slug is refused."""
    made = torchmedic("article", "new", "loss-is-nan", "--folder", str(tmp_path))
    assert made.returncode == 0 and "explanation.md" in made.stdout
    line = one_line(torchmedic("article", "check", TORCHMEDIC_KNOWLEDGE__ARTICLES=f"[{tmp_path}]"))
    assert "explanation.md" in line
    assert "hyphens" in one_line(torchmedic("article", "new", "No Good", "--folder", str(tmp_path)))


def test_every_article_holds(checked: dict[str, ArticleCheck]):
    """Each broken.py breaks as promised, and each fixed.py runs."""
    expected = {a.slug: None if a.needs == "cuda" else True for a in OUR_ARTICLES.values()}

    assert not [problem for verdict in checked.values() for problem in verdict.problems]
    assert {slug: verdict.proof.holds for slug, verdict in checked.items()} == expected


# An error, a silent mistake, and a simulated device; the first two have a codemod.
SOME = ["in-place-write-to-a-leaf", "loss-broadcasts-in-silence", "gpu-number-that-is-not-there"]


@pytest.mark.parametrize(
    "slugs", [pytest.param(SOME, id="some"), pytest.param([], id="all", marks=pytest.mark.daily)]
)
def test_article_check_says_what_holds(torchmedic: Run, slugs: list[str]):
    """`article check` runs them: broken breaks as promised, fixed runs, codemods mend.

    All of them once a day: what an article's codemod makes of its broken.py changes with that
    article alone, or with what the programs of test_every_codemod.py see too.
    """
    done = torchmedic("article", "check", *slugs)
    lines = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    said = dict(line.split(": ", 1) for line in lines)
    articles = [a for a in OUR_ARTICLES.values() if a.slug in slugs or not slugs]
    expected = {a.slug: "needs a" if a.needs == "cuda" else "holds" for a in articles}

    assert done.returncode == 0, done.stdout + done.stderr
    assert said.keys() == expected.keys()
    assert all(said[slug].startswith(holds) for slug, holds in expected.items())


def test_an_article_of_a_teams_own_is_run_and_found(
    torchmedic: Run, checked: object, tmp_path: Path
):
    """A folder outside ours, codemod included, is as good as ours; `index` runs what is new."""
    folder = tmp_path / "articles" / "sum-over-wrong-axis"
    folder.mkdir(parents=True)
    (folder / "explanation.md").write_text(
        "---\ntitle: The quokka total is summed over the wrong axis\ntorch: 2.13.0\n"
        "sources:\n  - https://pytorch.org/docs/stable/generated/torch.sum.html\n"
        "also_asked_as:\n  - quokka totals come out per column\n---\n\n"
        "## What you see\n\nThe totals have the wrong length.\n\n## Why\n\nAxis 0 runs down.\n\n"
        "## Fix\n\nSum over axis 1.\n\n## If that was not it\n\nPrint the shape.\n"
    )
    (folder / "broken.py").write_text(
        "import torch\n\nt = torch.ones(2, 3).sum(0)\nassert t.shape == (2,)\n"
    )
    (folder / "fixed.py").write_text(
        "import torch\n\nt = torch.ones(2, 3).sum(1)\nassert t.shape == (2,)\n"
    )
    (folder / "codemod.py").write_text(
        "import libcst as cst\nfrom knowledge.repair.codemod import Rewrite\n"
        "def applies(result):\n    return result.error is not None and "
        "result.error.type == 'AssertionError'\n"
        "def rewrite(program, result):\n"
        "    for n in program.all(cst.Integer):\n        if n.value == '0':\n"
        "            yield Rewrite(program.replace({n: cst.Integer('1')}), 'the other axis')\n"
        "def checks(before, after, proposal):\n    return []\n"
    )
    own = {"TORCHMEDIC_KNOWLEDGE__ARTICLES": f"[{tmp_path / 'articles'}]"}
    made = torchmedic("index", **own)
    assert made.returncode == 0, made.stdout + made.stderr
    assert made.stdout.count(": holds") == made.stdout.count("sum-over-wrong-axis: holds") == 1

    done = torchmedic("ask", "--json", stdin="quokka totals per column?", **own)
    why = json.loads(done.stdout)["why"]
    assert why["article"] == "sum-over-wrong-axis" and why["proof"]["holds"] is True


def test_a_lying_article_is_caught(torchmedic: Run, tmp_path: Path):
    """The error comes from another line than promised: the place and the next step are named."""
    folder = tmp_path / "articles" / "plain_liar"
    folder.mkdir(parents=True)
    (folder / "explanation.md").write_text(
        "---\ntitle: A liar\ntorch: 2.13.0\nsources:\n  - https://pytorch.org\n---\n\n"
        "## What you see\n\nx\n\n## Why\n\nx\n\n## Fix\n\nx\n\n## If that was not it\n\nx\n"
    )
    (folder / "broken.py").write_text(
        "import torch\n\na = torch.ones(2) @ torch.ones(3)\n"
        "b = torch.ones(2)  # error: RuntimeError: inconsistent tensor size\n"
    )
    (folder / "fixed.py").write_text("import torch\n\na = torch.ones(2) @ torch.ones(2)\n")
    own = {"TORCHMEDIC_KNOWLEDGE__ARTICLES": f"[{tmp_path / 'articles'}]"}
    done = torchmedic("article", "check", "plain_liar", **own)

    assert done.returncode == 1
    assert "plain-liar: does not hold" in done.stdout
    assert "the error comes from line 3; move the `# error:` comment there" in done.stdout


def test_the_executor_killed_in_mid_run_costs_nothing(state: Path, tmp_path: Path):
    """kill -9 of the executor while a snippet runs: a new one is started, the answer comes."""
    environment = os.environ | {"TORCHMEDIC_STATE": str(state)}
    chat = subprocess.Popen(
        [sys.executable, "-m", "bot.commands.cli", "ask", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        cwd=tmp_path,
    )
    assert chat.stdin is not None and chat.stdout is not None
    chat.stdin.write(b"import time\nprint('started')\ntime.sleep(3)\nprint('done')\n")
    chat.stdin.close()
    killed = _kill_when_running(chat.pid)
    answer = json.loads(chat.stdout.readline())

    assert killed and chat.wait(60) == 0
    assert answer["status"] == "runs" and "done" in answer["run"]["stdout"]


def _kill_when_running(bot: int) -> bool:
    """Kill the bot's executor once it has a run under way."""
    import time

    for _ in range(600):
        time.sleep(0.05)
        for executor in _children(bot):
            servers = _children(executor)
            if any(_children(server) for server in servers):
                time.sleep(0.3)
                os.kill(executor, signal.SIGKILL)
                return True
    return False


def _children(pid: int) -> list[int]:
    try:
        tasks = Path(f"/proc/{pid}/task").iterdir()
        return [int(c) for t in tasks for c in (t / "children").read_text().split()]
    except OSError:
        return []


def test_search_says_why(torchmedic: Run):
    """`search` finds without running; `--explain` tells what speaks for each hit."""
    question = "should I put softmax before CrossEntropyLoss"
    said = torchmedic("search", "--explain", question)
    found = json.loads(torchmedic("search", "--json", question).stdout)

    assert said.returncode == 0, said.stderr
    assert "softmax-before-cross-entropy" in said.stdout.splitlines()[0]
    assert "meaning" in said.stdout and "words" in said.stdout and "signature" in said.stdout
    assert found["hits"][0]["source"] == "softmax-before-cross-entropy"
    assert found["hits"][0]["evidence"]["meaning_rank"] >= 1
    assert not found["abstained"]
