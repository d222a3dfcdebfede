"""Start a snippet as a script is started: its arguments, its input, its place among processes."""

from __future__ import annotations

import ast
import builtins
import os
import sys
from typing import Any

from executor.protocol import Job

_LAUNCHED = {
    "MASTER_ADDR": "127.0.0.1",
    "MASTER_PORT": "29500",
    "RANK": "0",
    "LOCAL_RANK": "0",
    "WORLD_SIZE": "1",
    "LOCAL_WORLD_SIZE": "1",
}


class Script:
    """What is done for one run before its first line, and what was assumed by it."""

    def __init__(self, job: Job, filename: str) -> None:
        self._job = job
        self._filename = filename
        self._given: list[str] = []
        self._other_backend = False

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What its author may do otherwise, a sentence each."""
        told = [f"started with the arguments `{given}`, which it requires" for given in self._given]
        if self._job.launched:
            gloo = ", with gloo in place of nccl" if self._other_backend else ""
            told.append(f"started as `torchrun --nproc_per_node=1` starts it{gloo}")
        return tuple(told)

    def start(self, tree: ast.Module) -> None:
        """Get ready; the snippet's text says what it needs."""
        self._answer_input(tree)
        if "argparse" in self._job.code:
            self._give_arguments()
        if self._job.launched:
            self._launch()

    def _answer_input(self, tree: ast.Module) -> None:
        """Let `input()` go on where nobody looks at its value; elsewhere raise EOFError at once."""
        waits = {
            node.value.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Name)
            and node.value.func.id == "input"
        }

        def no_input(prompt: object = "", /) -> str:
            if prompt:
                print(prompt, end="", flush=True)
            caller = sys._getframe(1)
            if caller.f_code.co_filename == self._filename and caller.f_lineno in waits:
                return ""
            raise EOFError(
                "EOF when reading a line: nobody can type here; put a value in its place"
            )

        builtins.input = no_input

    def _give_arguments(self) -> None:
        """Give a parser without a command line the arguments that it requires."""
        import argparse

        parse = argparse.ArgumentParser.parse_known_args

        def parse_with_required(
            parser: argparse.ArgumentParser, args: Any = None, namespace: Any = None
        ) -> Any:
            if args is None and len(sys.argv) == 1 and (args := required_arguments(parser)):
                self._given.append(" ".join(args))
            return parse(parser, args or None, namespace)

        argparse.ArgumentParser.parse_known_args = parse_with_required  # type: ignore[method-assign,assignment]

    def _launch(self) -> None:
        """Be the one process that `torchrun` would start."""
        import torch.distributed as dist

        for name, value in _LAUNCHED.items():
            os.environ.setdefault(name, value)
        init: Any = dist.init_process_group

        def init_process_group(backend: Any = None, *args: Any, **named: Any) -> Any:
            import torch

            if "nccl" in str(backend) and not torch.cuda.is_available():
                self._other_backend = True
                backend = "gloo"
            return init(backend, *args, **named)

        dist.init_process_group = init_process_group
        dist.distributed_c10d.init_process_group = init_process_group


def required_arguments(parser: Any) -> list[str]:
    """A command line with what the parser cannot do without, each of its own type."""
    given: list[str] = []
    positional: list[str] = []
    groups = [g._group_actions[0] for g in parser._mutually_exclusive_groups if g.required]
    for action in parser._actions:
        if not (action.required or action in groups):
            continue
        many = action.nargs if isinstance(action.nargs, int) else 1
        values = [_value(action)] * many
        if action.option_strings:
            given += [max(action.option_strings, key=len), *values]
        else:
            positional += values
    return given + positional


def _value(action: Any) -> str:
    if action.choices:
        return str(next(iter(action.choices)))
    if action.type in (int, float):
        return "1"
    return str(action.dest) if action.type in (None, str) else "1"
