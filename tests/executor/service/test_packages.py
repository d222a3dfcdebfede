"""executor/service/packages.py: what snippets may import is an environment of its own."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from executor.exceptions import StartError
from executor.protocol import Outcome
from executor.service.local import LocalEngine
from executor.service.packages import LIBRARIES, SnippetPackages, snippet_packages
from tests.executor.conftest import House

ROOT = Path(__file__).parents[3]
IMPORTED_AS = {
    "pillow": "PIL",
    "scikit-learn": "sklearn",
    "opencv-python-headless": "cv2",
    "pytorch-lightning": "pytorch_lightning",
    "torch-geometric": "torch_geometric",
}
WHOLE_SET = snippet_packages(None).prefix != Path(sys.prefix)
needs_whole_set = pytest.mark.skipif(
    not WHOLE_SET, reason="NOT TESTED HERE: `make snippets` brings the libraries"
)


def environment(folder: Path, *installed: str) -> Path:
    """A folder that looks like a virtual environment."""
    site = SnippetPackages(folder).site
    site.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(sys.executable)
    for name in ("torchmedic-0.1.0", *installed):
        (site / f"{name}.dist-info").mkdir()
    return folder


def test_the_environment_beside_ours_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is none the executor's own is; the settings may name another."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "own"))

    assert snippet_packages(None).prefix == tmp_path / "own"
    assert snippet_packages(None).python == Path(sys.executable)
    (tmp_path / "own-snippets").mkdir()  # half made
    assert snippet_packages(None).prefix == tmp_path / "own"
    (tmp_path / "own-snippets").rmdir()
    beside = environment(tmp_path / "own-snippets")
    assert snippet_packages(None).prefix == beside
    assert snippet_packages(None).python == beside / "bin" / "python"
    another = environment(tmp_path / "another")
    assert snippet_packages(another).prefix == another


def test_a_named_environment_without_our_python_is_refused(tmp_path: Path) -> None:
    """It is not quietly replaced by another one."""
    with pytest.raises(StartError, match="is not complete"):
        snippet_packages(tmp_path)


def test_versions_are_those_of_the_installed_libraries(tmp_path: Path) -> None:
    found = environment(tmp_path, "torch-2.13.0+cpu", "scikit_learn-1.9.1", "requests-2.34.2")

    assert SnippetPackages(found).versions() == {"torch": "2.13.0+cpu", "scikit-learn": "1.9.1"}


def test_both_environments_have_one_version_of_what_both_have() -> None:
    """A snippet that runs in one gives the same in the other; each library is pinned."""
    ours, theirs = (_pins(ROOT / name) for name in ("constraints.txt", "constraints-snippets.txt"))

    assert set(LIBRARIES) <= theirs.keys()
    assert {n: v for n, v in theirs.items() if n in ours} == {
        n: v for n, v in ours.items() if n in theirs
    }
    assert {"torch", "torchvision", "numpy", "pydantic", "libcst"} <= ours.keys() & theirs.keys()


def _pins(path: Path) -> dict[str, str]:
    lines = [line.split("==") for line in path.read_text().splitlines() if "==" in line]
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in lines}


def test_the_executor_says_what_snippets_may_import(any_house: House) -> None:
    here = LocalEngine(any_house.supervisor).capabilities()

    assert {"torch", "torchvision", "numpy", "matplotlib"} <= here.libraries.keys()
    assert {*here.libraries, *here.libraries_missing} == set(LIBRARIES)
    assert not (here.libraries_missing and WHOLE_SET)


@needs_whole_set
def test_every_library_of_the_set_can_be_imported(any_house: House) -> None:
    """And none of them prints anything at its import."""
    names = [IMPORTED_AS.get(name, name) for name in LIBRARIES]
    code = "\n".join(f"import {name}" for name in [*names, "torch.utils.tensorboard"])
    result = any_house.run(f"{code}\nprint('all there')", wall_s=60)

    assert (result.outcome, result.stdout) == (Outcome.OK, "all there\n"), result.stderr


@needs_whole_set
def test_a_snippet_neither_imports_nor_reads_what_the_bot_needs(any_house: House) -> None:
    """The clients of Slack and Discord, the server, our own environment: nothing of it is there."""
    result = any_house.run(
        f"""
        import importlib.util, os
        names = ("slack_sdk", "discord", "fastapi", "sqlalchemy", "sentence_transformers", "ray")
        print([n for n in names if importlib.util.find_spec(n)])
        try:
            print(os.listdir({sys.prefix!r}))
        except OSError as e:
            print(type(e).__name__)
        """
    )

    assert result.stdout in {"[]\nFileNotFoundError\n", "[]\nPermissionError\n"}, result
