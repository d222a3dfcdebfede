"""Note what a run asked for outside of this machine, or of its devices, and did not get.

A program may take that in its stride: its handler goes on, or a loop over a camera's frames is
never entered. Then the run says nothing about the lines that would have worked on it.
"""

from __future__ import annotations

import ast
import socket
from typing import Any

from executor.inside.probes.source import SnippetSource

_HOSTS = 3  # that are told
_DEVICES = {
    "VideoCapture": "there is no camera here",
    "InputStream": "there is no microphone here",
    "Microphone": "there is no microphone here",
}


class Outside:
    """What one run asked for."""

    def __init__(self, source: SnippetSource) -> None:
        self._source = source
        self._hosts: dict[str, int | None] = {}
        self._tree: ast.Module | None = None

    def listen(self, tree: ast.Module) -> None:
        """Hear of every host that is asked for, from now on."""
        self._tree = tree
        look_up: Any = socket.getaddrinfo
        connect: Any = socket.socket.connect

        def getaddrinfo(host: Any, *args: Any, **named: Any) -> Any:
            self._note(host)
            return look_up(host, *args, **named)

        def connect_noting(one: Any, address: Any) -> Any:
            if isinstance(address, tuple) and address:
                self._note(address[0])
            return connect(one, address)

        socket.getaddrinfo = getaddrinfo
        socket.socket.connect = connect_noting  # type: ignore[method-assign]

    def _note(self, host: object) -> None:
        name = host.decode(errors="replace") if isinstance(host, bytes) else str(host or "")
        if name and not _is_here(name):
            self._hosts.setdefault(name, self._source.line_now())

    def assumptions(self, ended_at: int | None) -> tuple[str, ...]:
        """What was not there, a sentence each.

        Args:
            ended_at: the line of the error that ended the run: that one is told anyway.
        """
        hosts = {h: n for h, n in self._hosts.items() if n is None or n != ended_at}
        told = [
            f"there is no network here: `{host}`{f' (line {line})' if line else ''} was not "
            "reached, and what would follow from its answer was not run"
            for host, line in list(hosts.items())[:_HOSTS]
        ]
        for node in ast.walk(self._tree) if self._tree is not None else ():
            if not isinstance(node, ast.Call) or not _is_number_or_nothing(node):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in _DEVICES:
                told.append(
                    f"{_DEVICES[name]}: `{ast.unparse(node)}` (line {node.lineno}) opens nothing, "
                    "and what would work on its data was not run"
                )
        return tuple(dict.fromkeys(told))


def _is_number_or_nothing(call: ast.Call) -> bool:
    """Whether its first argument can be a device's number, and no file's name."""
    first = call.args[0] if call.args else None
    return first is None or (isinstance(first, ast.Constant) and isinstance(first.value, int))


def _is_here(host: str) -> bool:
    return host in ("localhost", "0.0.0.0", "::", "::1", socket.gethostname()) or (
        host.startswith("127.")
    )
