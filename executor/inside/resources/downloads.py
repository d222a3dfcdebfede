"""Files that are fetched over the network: `urlopen`, `urlretrieve`, `requests.get`."""

from __future__ import annotations

import io
import os
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlparse

from executor.inside.resources.files import Files
from executor.inside.resources.paths import Paths
from executor.inside.resources.supplied import Supplied

_LONGEST = 60  # characters of a URL that are told


class Downloads:
    """The downloads of one run."""

    def __init__(self, files: Files, paths: Paths, supplied: Supplied) -> None:
        self._files = files
        self._paths = paths
        self._supplied = supplied

    def install(self) -> None:
        """Let the usual functions for downloads go through here."""
        urllib.request.urlopen = self._opened(urllib.request.urlopen)
        urllib.request.urlretrieve = self._retrieved(urllib.request.urlretrieve)
        if "requests" in sys.modules:
            import requests

            session = requests.Session
            session.request = self._requested(session.request)

    def content(self, url: str) -> bytes | None:
        """What stands for the file; None where nobody can say what it holds.

        A handler of the snippet's makes no difference: where there is a network it is not needed.
        """
        name = PurePosixPath(urlparse(url).path).name or "download"
        if url not in self._files.uses.code and name not in self._files.uses.code:
            return None  # a library asks
        if not os.path.splitext(name)[1] and self._files.uses.listed_suffix() == "jpg":
            name += ".jpg"
        with tempfile.TemporaryDirectory() as folder, self._paths.without_supply():
            at = os.path.join(folder, "content")
            self._files.uses_line = self._supplied.line()
            what = self._files.write(name, at, None)
            if not what:
                return None
            with open(at, "rb") as f:
                made = f.read()
        told = url if len(url) <= _LONGEST else f"{url[: _LONGEST - 1]}…"
        self._supplied.add(told, "file", what, exact=False)
        return made

    def _opened(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def urlopen(url: Any, *args: Any, **named: Any) -> Any:
            address = url if isinstance(url, str) else getattr(url, "full_url", "")
            made = self.content(address)
            return io.BytesIO(made) if made is not None else original(url, *args, **named)

        return urlopen

    def _retrieved(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def urlretrieve(url: str, filename: Any = None, *args: Any, **named: Any) -> Any:
            made = self.content(url)
            if made is None:
                return original(url, filename, *args, **named)
            at = filename or os.path.join(tempfile.mkdtemp(), "download")
            with open(at, "wb") as f:
                f.write(made)
            return at, {}

        return urlretrieve

    def _requested(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def request(session: Any, method: str, url: str, *args: Any, **named: Any) -> Any:
            made = self.content(url) if method.upper() == "GET" else None
            if made is None:
                return original(session, method, url, *args, **named)
            from requests import Response

            response = Response()
            response.status_code = 200
            response.url = url
            response._content = made
            response.raw = io.BytesIO(made)
            return response

        return request
