"""The executor over HTTP: a job in, a result out; a full queue answers with `Retry-After`."""

from __future__ import annotations

import asyncio
import hmac
import logging
import math
import threading
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Body, Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.models import Example
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from executor.exceptions import ExecutorBusyError, StartError
from executor.jail.limits import MIB
from executor.protocol import Job, JobResult, Model
from executor.service.engine import Capabilities, Engine, Health
from executor.version import HEADER, version

_LOG = logging.getLogger("executor")
_BEARER = HTTPBearer(auto_error=False)
_GONE_S = 0.25  # how often a waiting client's connection is checked

_JOBS = {
    "prints": Example(summary="A line", value={"code": "import torch\nprint(torch.ones(2))"}),
    "in place": Example(
        summary="An in-place error, with both its ends",
        value={
            "code": "import torch\nx = torch.ones(3, requires_grad=True)\ny = x.exp()\n"
            "y.add_(1)\ny.sum().backward()",
            "probes": ["inplace"],
        },
    ),
    "files": Example(
        summary="An attachment, and a fresh interpreter",
        value={
            "code": "print(open('data.txt').read())",
            "files": [{"name": "data.txt", "base64": "aGVsbG8="}],
            "cold": True,
            "wall_s": 30,
        },
    ),
}


Application = FastAPI  # what `build` returns, so that servers need not import FastAPI


class Position(Model):
    """A job's position in the queue."""

    ahead: int | None  # jobs before it in the queue; null once it runs


def build(engine: Engine, token: str | None) -> FastAPI:
    """Make the application.

    Args:
        engine: started with the application, closed with it.
        token: the bearer token that every request must carry; None on a Unix socket, where the
            folder's permissions decide who may ask.
    """
    started = asyncio.Event()
    failure: list[str] = []
    asked: dict[str, Future[JobResult]] = {}

    async def start() -> None:
        try:
            # The version is that of the files which are imported now, whatever comes later.
            await asyncio.gather(asyncio.to_thread(version), asyncio.to_thread(engine.start))
        except StartError as e:
            failure.append(str(e))
        except Exception as e:
            failure.append(f"the executor could not start: {e!r}")
        finally:
            if failure:  # /health says it too, but is not reachable where the server cannot start
                _LOG.error("the executor takes no jobs: %s", failure[0])
            started.set()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        starting = asyncio.create_task(start())
        yield
        await starting
        await asyncio.to_thread(engine.close)

    def allowed(sent: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]) -> None:
        given = sent.credentials if sent else ""
        if token is not None and not hmac.compare_digest(given.encode(), token.encode()):
            raise HTTPException(401, "the executor's bearer token is missing or wrong")

    app = FastAPI(
        title="Torchmedic executor", version="1", lifespan=lifespan, dependencies=[Depends(allowed)]
    )

    app.add_middleware(_BodyLimit, most_bytes=engine.body_bytes)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        # FastAPI's own answer repeats the input, and fails where that is no JSON (bytes, NaN).
        told = [{"loc": list(e["loc"]), "msg": e["msg"]} for e in error.errors()[:20]]
        return JSONResponse({"detail": told}, status_code=422, headers={HEADER: version()})

    async def same_version(
        response: Response, theirs: Annotated[str | None, Header(alias=HEADER)] = None
    ) -> None:
        # Looked at before the body: another version's job may have words that we do not know.
        response.headers[HEADER] = version()
        if theirs is not None and theirs != version():
            raise HTTPException(
                409,
                f"this executor is version {version()}, and who asks is {theirs}",
                {HEADER: version()},
            )

    async def ready() -> None:
        await started.wait()
        if failure or (refusal := engine.refuses):
            raise HTTPException(503, failure[0] if failure else refusal)

    @app.post(
        "/v1/run",
        dependencies=[Depends(same_version)],
        responses={
            409: {"description": "Who asks names another version of Torchmedic than this one."},
            413: {"description": "The body is larger than a job may be."},
            429: {"description": "The queue is full."},
        },
    )
    async def run(
        job: Annotated[Job, Body(openapi_examples=_JOBS)],
        request: Request,
        x_job_id: Annotated[str | None, Header(max_length=100)] = None,
    ) -> JobResult:
        """Run a snippet in the jail and say what happened.

        Hanging up ends the run. With a header `X-Job-Id`, `GET /v1/queue/{id}` says how many jobs
        are ahead of this one while it waits. With a header `X-Torchmedic-Version`, as the bot
        sends it, a job from another version is refused.
        """
        await ready()
        cancel = threading.Event()
        try:
            result = engine.submit(job, cancel)
            if x_job_id:
                asked[x_job_id] = result
            return await _unless_gone(result, request, cancel)
        except ExecutorBusyError as e:
            raise HTTPException(
                429,
                str(e),
                headers={
                    "Retry-After": str(math.ceil(e.retry_after_s)),
                    "X-Queue-Length": str(e.waiting),
                },
            ) from e
        finally:
            if x_job_id:
                asked.pop(x_job_id, None)

    @app.get("/v1/queue/{job_id}")
    async def queue(job_id: str) -> Position:
        """How many jobs are ahead of one that waits."""
        if job_id not in asked:
            raise HTTPException(404, "no job of this id waits or runs here")
        return Position(ahead=engine.position(asked[job_id]))

    @app.get("/v1/capabilities")
    async def capabilities() -> Capabilities:
        """Tier, versions, devices, slots; waits for the warm server."""
        await ready()
        return engine.capabilities()

    @app.get("/health")
    async def health() -> Health:
        """Whether it takes jobs, and which walls it tried; answers at once."""
        detail = failure[0] if failure else engine.refuses
        status = "failed" if detail else "ok" if started.is_set() else "starting"
        return engine.health(status, detail)

    @app.get("/metrics", response_class=PlainTextResponse)
    async def counters() -> str:
        """Counters in Prometheus' text format."""
        return engine.metrics()

    return app


class _BodyLimit:
    """ASGI middleware: answers 413 and names the limit, as soon as a body exceeds it.

    The bytes received are counted: a `Content-Length` may lie or be missing.
    """

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self._app = app
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        came = 0

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > self._most:
                # FastAPI answers it; any other exception while it reads would be a 400.
                raise HTTPException(
                    413,
                    f"a job may have {self._most / MIB:g} MiB, attachments and their base64 "
                    "included; send smaller files, or make the data up in the code",
                    {"Connection": "close"},
                )
            return message

        await self._app(scope, counted, send)


async def _unless_gone(
    result: Future[JobResult], request: Request, cancel: threading.Event
) -> JobResult:
    """Wait for the result; end the run when the client hangs up."""
    done = asyncio.wrap_future(result)
    try:
        while not (await asyncio.wait({done}, timeout=_GONE_S))[0]:
            if await request.is_disconnected():
                cancel.set()
        return done.result()
    finally:
        cancel.set()
