"""What the jail imports of knowledge/repair has to be in the snippets' environment too."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["codemod", "proposing", "operator"])
def test_what_proposes_edits_imports_no_client_of_the_executor(module: str):
    """The jail's Python may be another one, in which neither an HTTP client nor a server is."""
    code = (
        f"import sys, knowledge.repair.{module}\n"
        "print(*{'httpx', 'aiohttp', 'starlette', 'uvicorn'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
