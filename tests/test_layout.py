"""What holds of the folder tree and import-linter cannot say (`make lint` runs that one)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    p
    for folder in ("bot", "knowledge", "executor")
    for p in (ROOT / folder).rglob("*.py")
    if p.name not in ("broken.py", "fixed.py")
)


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module that a file imports, wherever in it."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (item.name for item in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def name(path: Path) -> str:
    """`bot/commands/cli.py`."""
    return str(path.relative_to(ROOT))


def of(folder: str) -> list[Path]:
    """The modules of one package."""
    return [p for p in MODULES if name(p).startswith(f"{folder}/")]


def test_the_top_level_holds_what_is_named_here():
    """What a run of somebody's code leaves in the folder is committed by mistake too easily."""
    kept = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if kept.returncode:
        pytest.skip("this is no checkout of git")
    assert {line.split("/")[0] for line in kept.stdout.splitlines()} == {
        ".ci", ".dockerignore", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile",
        "LICENSE", "Makefile", "README.md", "benchmarks", "bot", "config.yaml",
        "constraints-snippets.txt", "constraints.txt", "docker-compose.yml", "docs", "examples",
        "executor", "knowledge", "ops", "pyproject.toml", "scripts", "tests",
    }  # fmt: skip


def test_a_codemod_imports_only_what_repair_offers():
    """import-linter does not look into the articles' folders, which are no packages."""
    allowed = ("executor.protocol", "executor.errors", "knowledge.repair.", "knowledge.signature")
    codemods = [p for p in of("knowledge/articles") if p.name == "codemod.py"]
    assert codemods
    for path in codemods:
        ours = {m for m in imports(path) if m.split(".")[0] in ("bot", "knowledge", "executor")}
        assert all(m.startswith(allowed) for m in ours), (path, ours)


_IN_PLACE = {"in_place_write_to_a_leaf", "in_place_overwrites_saved"}  # each knows many writes


def test_a_codemod_knows_one_mistake():
    """What grows beyond 150 lines holds several: how a thing is found is for the toolkit to say."""
    codemods = [p for p in of("knowledge/articles") if p.name == "codemod.py"]
    lines = {p.parent.name: len(p.read_text().splitlines()) for p in codemods}

    assert {name for name, count in lines.items() if count > 150} == _IN_PLACE


@pytest.mark.parametrize(
    ("library", "module"),
    [
        ("faiss", "knowledge/search/nearest.py"),
        ("onnxruntime", "knowledge/search/onnx_encoder.py"),
        ("sentence_transformers", "knowledge/search/embedding.py"),
        ("bm25s", "knowledge/search/bm25.py"),
        ("markdown_it", "knowledge/documents/markdown.py"),
        ("pydantic_settings", "bot/settings.py"),
        ("tenacity", "bot/service/retry.py"),
        ("yaml", None),
        ("uvicorn", "executor/__main__.py"),
        ("fastapi", "executor/service/app.py"),
        ("httpx", "executor/service/client.py"),
        ("prompt_toolkit", "bot/platforms/console/chat.py"),
        ("discord", "bot/platforms/discord/"),
        ("slack_bolt", "bot/platforms/slack/"),
        ("slack_sdk", "bot/platforms/slack/"),
        ("sqlalchemy", "bot/service/store/"),
        ("ray", "executor/service/cluster.py"),
        ("prometheus_client", ("bot/operations/metrics.py", "executor/service/metrics.py")),
    ],
)
def test_a_library_we_might_swap_is_imported_in_one_module(
    library: str, module: str | tuple[str, ...] | None
):
    """Swapping it edits one file, or one folder."""
    users = {
        name(p)
        for p in MODULES
        if library in {m.split(".")[0] for m in imports(p)}
        # A migration is written once, for the library of its day.
        and not name(p).startswith("bot/service/store/migrations/")
    }

    if module is None:
        assert len(users) <= 3, users
    elif isinstance(module, tuple):  # one in each package, which share none
        assert users == set(module)
    elif module.endswith("/"):
        assert users and all(user.startswith(module) for user in users), users
    else:
        assert users == {module}


FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {"ast", "pickle", "marshal", "shelve", "dill", "cloudpickle", "libcst",
                     "importlib", "code", "runpy", "torch"}  # fmt: skip


def test_the_bot_never_evaluates_parses_or_unpickles():
    """All of that happens in the jail: the bot's own modules have no means to do it."""
    for path in of("bot"):
        tree = ast.parse(path.read_text())
        calls = {
            n.func.id
            for n in ast.walk(tree)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
        }
        assert not calls & FORBIDDEN_CALLS, path
        assert not {m.split(".")[0] for m in imports(path)} & FORBIDDEN_MODULES, path


def test_the_supervisor_never_imports_torch():
    """It owns sockets, clock and verdict, and must start and stay up whatever torch does."""
    for path in of("executor"):
        if name(path).startswith("executor/inside/"):
            continue
        assert "torch" not in {m.split(".")[0] for m in imports(path)}, path


def test_every_module_says_in_its_first_line_what_it_is_for():
    """One sentence; a module that needs two has two jobs."""
    for path in MODULES:
        first = (ast.get_docstring(ast.parse(path.read_text())) or "").split("\n")[0]
        assert first.endswith((".", ":", ";")) and len(first) > 20, (path, first)


def test_only_the_settings_read_the_environment():
    """Everything else gets plain arguments, so a test builds what it needs."""
    readers = {
        name(p)
        for p in [*of("bot"), *of("knowledge")]
        if "os.environ" in p.read_text() or "getenv" in p.read_text()
    }
    assert readers == {"bot/settings.py"}


_OTHERS = {
    "sys",
    "os",
    "threading",
    "atexit",
    "thread",
    "row",
    "parser",
    "g",
}  # with privates of their own


def _our_private_names() -> set[str]:
    """Whatever begins with an underscore and is made in a module of ours."""
    found: set[str] = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, (ast.Attribute, ast.Name)) and isinstance(node.ctx, ast.Store):
                found.add(node.attr if isinstance(node, ast.Attribute) else node.id)
    return found


def _is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def test_private_parts_of_torch_are_touched_in_one_module():
    """What PyTorch may change without a word is mended in executor/inside/torch_private.py."""
    one = "executor/inside/torch_private.py"
    ours = _our_private_names()
    listed = {
        node.value if isinstance(node, ast.Constant) else node.attr
        for node in ast.walk(ast.parse((ROOT / one).read_text()))
        if (isinstance(node, ast.Attribute) and _is_private(node.attr))
        or (isinstance(node, ast.Constant) and re.fullmatch(r"_[a-z_]+", str(node.value)))
    }
    assert {"_C", "_version", "_modules", "_call_impl", "_lazy_init"} <= listed

    touched = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())) if name(path) != one else ():
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("torch"):
                names = {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                names = {alias.name for alias in node.names if alias.name.startswith("torch")}
            elif isinstance(node, ast.Attribute) and _is_private(node.attr):
                owner = ast.unparse(node.value).split(".")[0]
                known = owner in {"self", "cls", *_OTHERS} or node.attr in ours - listed
                names = set() if known else {ast.unparse(node)}
            elif isinstance(node, ast.Constant) and node.value in listed:
                names = {node.value}
            else:
                continue
            touched |= {(name(path), node.lineno, n) for n in names if _is_private(n)}

    assert not touched


def test_the_runner_imports_no_torch():
    """A cold run is as fresh as Python at home: torch is there once the snippet imports it."""
    look = "import sys, executor.inside.runner; print({'torch', 'numpy'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, cwd=ROOT)

    assert done.stdout == "set()\n", done.stderr
