"""The client of an executor: a child of this process, a Unix socket, or another machine."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from executor.exceptions import (
    BadJobError,
    ExecutorBusyError,
    ExecutorError,
    ExecutorGoneError,
    VersionMismatchError,
)
from executor.protocol import Job, JobResult
from executor.service.scratch import Scratch
from executor.version import HEADER, version

SAME_VERSION = (
    "install the same version for both and restart them (in containers: "
    "docker compose up --build -d)"
)
_RUN = "/v1/run"
_CONNECT_S = 5.0
_START_S = 150.0  # the warm server imports torch on a cold disk
_LOOK_S = 0.5  # how often a waiting job's position is asked for
# Of the embedded executor under one job, by a signal, before we give up. No job can end it: what
# does is outside of it, a memory killer say. A start that fails is told at once.
_DEATHS = 10
_BUSY_S = 5.0  # until a full queue is asked again, where it does not say when
_SLACK_S = 150.0  # beyond a job's longest time: start, queue, sweep


class ExecutorClient:
    """Runs jobs on an executor.

    async with ExecutorClient.embedded() as executor:
        result = await executor.run(Job(code="print(1)"))
    """

    def __init__(self, http: httpx.AsyncClient, where: str) -> None:
        self._http = http
        self._where = where

    @classmethod
    def on_socket(cls, path: Path) -> ExecutorClient:
        """An executor on a Unix socket."""
        transport = httpx.AsyncHTTPTransport(uds=str(path))
        return cls(_http("http://executor", transport=transport), str(path))

    @classmethod
    def on_tcp(cls, url: str, token: str) -> ExecutorClient:
        """An executor over TCP, with its bearer token."""
        return cls(_http(url, headers={"Authorization": f"Bearer {token}"}), url)

    @classmethod
    def embedded(cls, settings: dict[str, Any] | None = None) -> EmbeddedExecutor:
        """An executor that is a child of this process and ends with it."""
        return EmbeddedExecutor(settings or {})

    async def run(self, job: Job, ahead: Callable[[int], None] | None = None) -> JobResult:
        """Run a job.

        Args:
            job: what to run.
            ahead: called with the number of jobs before this one while it waits in the queue.

        Raises:
            ExecutorBusyError: its queue is full.
            ExecutorGoneError: it does not answer.
            VersionMismatchError: it is another version than this client.
            BadJobError: it could not read the job.
        """
        job_id = uuid.uuid4().hex
        watcher = asyncio.create_task(self._watch_queue(job_id, ahead)) if ahead else None
        try:
            answer = await self._ask(
                "POST",
                _RUN,
                content=job.model_dump_json(),
                job_id=job_id,
                timeout_s=job.longest_s + _SLACK_S,
            )
        finally:
            if watcher is not None:
                watcher.cancel()
        return JobResult.model_validate_json(answer.content, extra="ignore")

    async def _watch_queue(self, job_id: str, ahead: Callable[[int], None]) -> None:
        reported = None
        while True:
            await asyncio.sleep(_LOOK_S)
            try:
                answer = await self._ask("GET", f"/v1/queue/{job_id}", timeout_s=_CONNECT_S)
            except ExecutorError:
                continue  # not there yet, or just done
            position = answer.json()["ahead"]
            if position is not None and position != reported:
                reported = position
                ahead(position)

    async def capabilities(self) -> dict[str, Any]:
        """Tier, versions, devices and slots."""
        answer = await self._ask("GET", "/v1/capabilities", timeout_s=_START_S)
        return dict(answer.json())

    async def health(self) -> dict[str, Any]:
        """Whether it takes jobs."""
        return dict((await self._ask("GET", "/health", timeout_s=_CONNECT_S)).json())

    async def _ask(
        self,
        method: str,
        path: str,
        *,
        timeout_s: float,
        content: str | None = None,
        job_id: str = "",
    ) -> httpx.Response:
        ours = await asyncio.to_thread(version)
        headers = {"Content-Type": "application/json", "X-Job-Id": job_id, HEADER: ours}
        try:
            answer = await self._http.request(
                method,
                path,
                content=content,
                headers=headers,
                timeout=httpx.Timeout(timeout_s, connect=_CONNECT_S),
            )
        except httpx.TimeoutException as e:
            raise ExecutorGoneError(
                f"the executor at {self._where} did not answer within {timeout_s:.0f} s; "
                "look at its log, or restart it"
            ) from e
        except httpx.TransportError as e:
            raise ExecutorGoneError(
                f"the executor at {self._where} is not there ({e}); start it, or leave "
                "`executor.url` empty to have one started for you"
            ) from e
        if answer.status_code == 429:
            asked = answer.headers.get("Retry-After", "")  # seconds, from an executor of ours
            wait = float(asked) if asked.isdecimal() else _BUSY_S
            waiting = answer.headers.get("X-Queue-Length", "")
            raise ExecutorBusyError(
                f"the executor at {self._where} is full: {_detail(answer)}",
                wait,
                int(waiting) if waiting.isdecimal() else 0,
            )
        if path == _RUN and answer.status_code in (200, 409, 422):
            self._hold_versions_together(answer.headers.get(HEADER), ours)
        if answer.status_code in (400, 413, 422):
            raise BadJobError(f"the executor refused the job: {_detail(answer)}")
        if answer.status_code != 200:
            raise ExecutorGoneError(
                f"the executor at {self._where} answered {answer.status_code}: {_detail(answer)}"
            )
        return answer

    def _hold_versions_together(self, theirs: str | None, ours: str) -> None:
        # One that is older than this header runs the job, and says nothing.
        if theirs != ours:
            raise VersionMismatchError(
                f"the executor at {self._where} is version {theirs or 'unknown (an older one)'}, "
                f"and this bot is {ours}; {SAME_VERSION}"
            )

    async def close(self) -> None:
        """Close the connection."""
        await self._http.aclose()

    async def __aenter__(self) -> ExecutorClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class EmbeddedExecutor(ExecutorClient):
    """Starts `python -m executor` as a child at the first question, and again when it dies."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._child: subprocess.Popen[bytes] | None = None
        self._folder: Scratch | None = None
        self._starting = asyncio.Lock()
        super().__init__(_http("http://executor"), "this process's own child")

    async def run(self, job: Job, ahead: Callable[[int], None] | None = None) -> JobResult:
        """Run a job; if the child dies under it, again on a fresh one."""
        for death in range(_DEATHS):
            try:
                await self.start()
                return await super().run(job, ahead)
            except ExecutorGoneError:
                if death == _DEATHS - 1 or not await _was_killed(self._child):
                    raise
        raise AssertionError("unreachable")

    async def capabilities(self) -> dict[str, Any]:
        """Tier, versions, devices and slots."""
        await self.start()
        return await super().capabilities()

    async def start(self) -> None:
        """Start the child unless it runs; returns when it listens (it may still be warming up).

        Raises:
            ExecutorGoneError: it stopped at once; the message quotes its output.
        """
        async with self._starting:
            if self._child is not None and self._child.poll() is None:
                return
            await self._stop_child()
            self._folder = Scratch("socket")
            socket_path = self._folder.path / "executor.sock"
            self._child = subprocess.Popen(  # noqa: ASYNC220  (returns at once)
                [sys.executable, "-P", "-m", "executor", "--uds", str(socket_path),
                 "--settings", json.dumps(self._settings), "--until-stdin-closes"],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip
            await self._until(socket_path.exists)
            await self._http.aclose()
            transport = httpx.AsyncHTTPTransport(uds=str(socket_path))
            self._http = _http("http://executor", transport=transport)

    async def _until(self, listening: Callable[[], bool]) -> None:
        assert self._child is not None
        for _ in range(int(_START_S / 0.02)):
            if self._child.poll() is not None:
                assert self._child.stderr is not None
                said = self._child.stderr.read().decode(errors="replace").strip()
                last = said.splitlines()[-1] if said else "it said nothing"
                raise ExecutorGoneError(f"the executor could not start: {last}")
            if listening():
                return
            await asyncio.sleep(0.02)
        raise ExecutorGoneError(f"the executor did not start within {_START_S:.0f} s")

    async def close(self) -> None:
        """Stop the child and remove its folder."""
        await super().close()
        await self._stop_child()

    async def _stop_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            for pipe in (child.stdin, child.stderr):
                if pipe is not None:
                    pipe.close()
            try:
                await asyncio.to_thread(child.wait, 10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if self._folder is not None:
            self._folder.close()
            self._folder = None


async def _was_killed(child: subprocess.Popen[bytes] | None) -> bool:
    """Whether a signal ended the child, or ends it now: its sockets close a moment earlier."""
    for _ in range(20):
        if child is None:
            return True  # another job has noticed already, and is restarting it
        if child.poll() is not None:
            return child.returncode < 0
        await asyncio.sleep(0.05)
    return False


def _http(url: str, **more: Any) -> httpx.AsyncClient:
    # trust_env: a proxy from the environment would be asked for 127.0.0.1 too.
    return httpx.AsyncClient(base_url=url, trust_env=False, **more)


def _detail(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["detail"])[:500]
    except (ValueError, KeyError, TypeError):
        return answer.text[:500]
