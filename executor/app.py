"""The executor over HTTP: a job in, a result out; a full queue says when to come back."""

from __future__ import annotations

import asyncio
import hmac
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from executor.errors import StartError
from executor.job import Job, JobResult, Model
from executor.supervisor import Supervisor

_BEARER = HTTPBearer(auto_error=False)


class Capabilities(Model):
    """What this executor can do."""

    tier: str
    refused_tiers: dict[str, str]
    landlock_abi: int
    torch: str
    python: str
    cuda: str | None
    devices: tuple[str, ...]
    slots: int


class Health(Model):
    """Whether it takes jobs."""

    status: str  # "ok" | "failed"
    detail: str
    waiting: int
    running: int
    unhealthy_slots: dict[int, str]


def build(supervisor: Supervisor, token: str | None) -> FastAPI:
    """The application.

    Args:
        supervisor: started with the application, closed with it.
        token: the bearer token that every request must carry; None on a Unix socket, where the
            folder's permissions decide who may ask.
    """
    threads = ThreadPoolExecutor(supervisor.settings.slots, thread_name_prefix="run")
    started = threading.Event()
    failure: list[str] = []
    waiting = running = 0

    def start() -> None:
        try:
            supervisor.start()
        except StartError as e:
            failure.append(str(e))
        finally:
            started.set()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        threading.Thread(target=start, name="start", daemon=True).start()
        yield
        threads.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(supervisor.close)

    def allowed(sent: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]) -> None:
        given = sent.credentials if sent else ""
        if token is not None and not hmac.compare_digest(given.encode(), token.encode()):
            raise HTTPException(401, "the executor's bearer token is missing or wrong")

    app = FastAPI(
        title="Torchmedic executor", version="1", lifespan=lifespan, dependencies=[Depends(allowed)]
    )

    async def ready() -> None:
        await asyncio.to_thread(started.wait)
        if failure:
            raise HTTPException(503, failure[0])

    @app.post("/v1/run")
    async def run(job: Job, request: Request) -> JobResult:
        """Run a snippet in the jail and say what happened."""
        nonlocal waiting, running
        await ready()
        if waiting - running >= supervisor.settings.queue:
            raise HTTPException(
                429,
                f"{waiting - running} jobs are waiting already; try again in a moment",
                headers={"Retry-After": "5"},
            )
        cancel = threading.Event()

        def work() -> JobResult:
            nonlocal running
            running += 1
            try:
                return supervisor.run(job, cancel)
            finally:
                running -= 1

        waiting += 1
        try:
            return await _unless_gone(work, request, cancel, threads)
        finally:
            waiting -= 1

    @app.get("/v1/capabilities")
    async def capabilities() -> Capabilities:
        """Tier, versions, devices, slots; waits for the warm server."""
        await ready()
        here = supervisor.ready
        assert here is not None
        return Capabilities(
            tier=here.tier,
            refused_tiers=supervisor.refused_tiers,
            landlock_abi=here.landlock_abi,
            torch=here.torch,
            python=here.python,
            cuda=here.cuda,
            devices=("cpu",),
            slots=supervisor.settings.slots,
        )

    @app.get("/health")
    async def health() -> Health:
        """Whether it takes jobs; answers at once."""
        return Health(
            status="failed" if failure else "ok" if started.is_set() else "starting",
            detail=failure[0] if failure else "",
            waiting=max(0, waiting - running),
            running=running,
            unhealthy_slots=supervisor.unhealthy_slots,
        )

    return app


async def _unless_gone(
    work: Callable[[], JobResult],
    request: Request,
    cancel: threading.Event,
    threads: ThreadPoolExecutor,
) -> JobResult:
    """Do the work in a thread; end it when the client hangs up."""
    task = asyncio.get_running_loop().run_in_executor(threads, work)
    while True:
        done, _ = await asyncio.wait({task}, timeout=0.5)
        if done:
            return task.result()
        if await request.is_disconnected():
            cancel.set()
