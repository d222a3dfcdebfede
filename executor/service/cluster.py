"""The executor on several machines: the same HTTP edge, with Ray Serve to carry the slots.

A replica is one slot: one supervisor with its warm server and at most one run. The front is one
replica of the FastAPI app that an executor of one machine serves too; only the front holds the
token.

    serve deploy executor/cluster.yaml      # or: torchmedic cluster up
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import ray
from pydantic import TypeAdapter, ValidationError
from ray import serve
from ray.exceptions import RayActorError, RayError, TaskCancelledError
from ray.serve.config import HTTPOptions
from ray.serve.exceptions import BackPressureError, RayServeException, RequestCancelledError
from ray.serve.handle import DeploymentHandle, DeploymentResponse

from executor.exceptions import ExecutorBusyError, StartError
from executor.jail.limits import MIB
from executor.protocol import Job, JobResult, Outcome
from executor.service.app import build
from executor.service.engine import Capabilities, Health
from executor.service.local import LocalEngine
from executor.service.supervisor import Supervisor, SupervisorSettings
from executor.service.verdict import not_run
from executor.version import version

APP = "torchmedic-executor"
_START_S = 300.0  # a replica imports torch on a cold disk, then tries its walls
_GRACE_S = 60.0  # for the run in hand when a replica is taken away
_LOOK_S = 0.1  # how often a waiting job is checked
_AGAIN_AFTER_S = 5.0  # the least `Retry-After` of an answer that the queue is full
_BEYOND_S = 300.0  # beyond a job's longest time: the queue, and a replacement that starts
_DEATHS = 2  # slots that may die while running one job; it is not tried a third time
_POISON_S = 3600.0  # how long such a job is remembered
_EVERY_REQUEST = 100_000  # the front itself refuses no request: the slots' queue does
_HEAD = "node:__internal_head__"  # Ray's own name for the machine that keeps the cluster together


@dataclass(frozen=True)
class ClusterSettings:
    """How many slots there are, and what each may use.

    ClusterSettings(cpu_slots=(2, 8), queue=64)   # between two and eight slots, by load
    """

    __pydantic_config__ = {"extra": "forbid"}

    cpu_slots: tuple[int, int] = (1, 1)  # at least, at most
    gpu_slots: tuple[int, int] = (0, 0)
    cpus: float = 1.0  # cores of a slot
    memory_mib: int = 0  # that Ray counts for a slot; 0: nothing is counted
    queue: int = 32  # jobs that may wait for each device
    executor: dict[str, Any] = field(default_factory=dict)  # each slot's SupervisorSettings


def settings_from(words: dict[str, Any]) -> ClusterSettings:
    """Settings from plain JSON or YAML.

    Raises:
        ValueError: names the word that is unknown or of the wrong kind.
    """
    try:
        settings = TypeAdapter(ClusterSettings).validate_python(words)
        TypeAdapter(SupervisorSettings).validate_python(settings.executor)
    except ValidationError as e:
        wrong = e.errors()[0]
        name = ".".join(map(str, wrong["loc"]))
        raise ValueError(f"{name}: {wrong['msg']} (it is {wrong['input']!r})") from e
    for low, high in (settings.cpu_slots, settings.gpu_slots):
        if not 0 <= low <= high:
            raise ValueError(f"slots: at least {low} and at most {high} cannot both be")
    return settings


# -- a slot --------------------------------------------------------------------------------------


class Slot:
    """A supervisor with one slot, in a process of Ray."""

    def __init__(self, settings: dict[str, Any], device: str) -> None:
        """Start it; where that fails, Serve starts the replica on another node."""
        own = TypeAdapter(SupervisorSettings).validate_python(settings)
        gpus = tuple(int(n) for n in ray.get_gpu_ids()) if device == "cuda" else ()
        self._supervisor = Supervisor(replace(own, slots=int(device == "cpu"), gpus=gpus))
        self._supervisor.start()

    async def run(self, job: str) -> str:
        """Run a job given as JSON; return its result as JSON. Cancelling ends the run."""
        cancel = threading.Event()
        try:
            result = self._supervisor.submit(Job.model_validate_json(job), cancel)
            return (await asyncio.wrap_future(result)).model_dump_json()
        finally:
            cancel.set()

    async def describe(self) -> str:
        """Its Capabilities and Health as a JSON list."""
        local = LocalEngine(self._supervisor)
        return (
            TypeAdapter(tuple[Capabilities, Health])
            .dump_json((local.capabilities(), local.health("ok", "")))
            .decode()
        )

    async def check_health(self) -> None:
        """Serve replaces a replica that raises here.

        Raises:
            StartError: the supervisor takes no jobs any more.
        """
        if reason := self._supervisor.refuses:
            raise StartError(reason)

    def __del__(self) -> None:
        """Called by Serve when the replica is taken away, after the run in hand."""
        if supervisor := getattr(self, "_supervisor", None):
            supervisor.close()


# -- the front -----------------------------------------------------------------------------------


@dataclass(eq=False)
class _Pending:
    """A job that is not answered yet."""

    job: Job
    result: Future[JobResult]
    cancel: threading.Event


class Cluster:
    """The engine whose slots are replicas: routes jobs, and reruns a job whose slot died."""

    def __init__(self, slots: dict[str, DeploymentHandle], settings: ClusterSettings) -> None:
        self._slots = slots
        self._settings = settings
        self._body_bytes = (
            TypeAdapter(SupervisorSettings).validate_python(settings.executor).body_bytes
        )
        self._pending: list[_Pending] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._poison: dict[str, float] = {}  # a job's hash → when it is forgotten
        self._about: tuple[Capabilities, Health] | None = None
        self._outcomes: dict[str, int] = {}
        self._again = 0  # jobs that were run a second time

    @property
    def body_bytes(self) -> int:
        """The most bytes of a request, from the slots' settings."""
        return self._body_bytes

    def start(self) -> None:
        """Wait for a slot, and ask for its capabilities.

        Raises:
            StartError: no slot starts.
        """
        handle = next(iter(self._slots.values()))
        try:
            # Not the event loop's thread, so this may wait.
            told = asyncio.run_coroutine_threadsafe(_described(handle), self._loop).result(_START_S)
        except (RayError, RayServeException, TimeoutError) as e:
            raise StartError(f"no slot of the cluster answers: {e}") from e
        about = TypeAdapter(tuple[Capabilities, Health]).validate_json(told)
        if about[0].version != version():
            raise StartError(
                f"a slot of the cluster is version {about[0].version}, and its front is "
                f"{version()}; install the same version on every node, and start the cluster again"
            )
        self._about = about

    def on(self, loop: asyncio.AbstractEventLoop) -> Cluster:
        """Set the event loop that serves the requests; return the cluster."""
        self._loop = loop
        return self

    def close(self) -> None:
        """Do nothing: Serve removes the slots."""

    def submit(self, job: Job, cancel: threading.Event) -> Future[JobResult]:
        """Give a job to the slots of its device."""
        pending = _Pending(job, Future(), cancel)
        if job.device not in self._slots:
            detail = "this cluster has no GPU slots; set gpu_slots, or ask for device cpu"
            pending.result.set_result(not_run(Outcome.UNAVAILABLE, detail))
        elif self._is_poison(job):
            pending.result.set_result(_poisoned())
        else:
            self._pending.append(pending)
            self._keep(self._see_through(pending))
        return pending.result

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)  # the loop itself holds tasks weakly
        task.add_done_callback(self._tasks.discard)

    async def _see_through(self, pending: _Pending) -> None:
        try:
            result = await self._run(pending)
            self._outcomes[result.outcome] = self._outcomes.get(result.outcome, 0) + 1
            pending.result.set_result(result)
        except BaseException as e:  # the caller waits for this future
            pending.result.set_exception(e)
        finally:
            self._pending.remove(pending)

    async def _run(self, pending: _Pending) -> JobResult:
        job = pending.job
        handle = self._slots[job.device]
        end = time.monotonic() + job.longest_s + _BEYOND_S
        for _ in range(_DEATHS):
            response = handle.run.remote(job.model_dump_json())
            try:
                return await self._follow(response, pending, end)
            except BackPressureError as e:
                waiting = len(self._pending) - 1
                slots = max(1, self._running_slots())
                again = max(_AGAIN_AFTER_S, waiting / slots)
                raise ExecutorBusyError(
                    f"{waiting} jobs are waiting already; try again in a moment", again, waiting
                ) from e
            except RayActorError:
                self._again += 1  # its replica or its node is dead: once more, elsewhere
            except (RayError, RayServeException) as e:
                return not_run(Outcome.SETUP_ERROR, f"the cluster failed: {e}")
        self._poison[_hash(job)] = time.monotonic() + _POISON_S
        return _poisoned()

    async def _follow(
        self, response: DeploymentResponse, pending: _Pending, end: float
    ) -> JobResult:
        waiting = asyncio.ensure_future(_answer(response))
        while not (await asyncio.wait({waiting}, timeout=_LOOK_S))[0]:
            if pending.cancel.is_set() or time.monotonic() > end:
                response.cancel()
                break
        try:
            return JobResult.model_validate_json(await waiting)
        except (RequestCancelledError, TaskCancelledError, asyncio.CancelledError):
            if pending.cancel.is_set():
                return not_run(Outcome.KILLED, "cancelled by whoever asked")
            return not_run(Outcome.SETUP_ERROR, "no slot of the cluster took this job in time")

    def _is_poison(self, job: Job) -> bool:
        now = time.monotonic()
        self._poison = {key: until for key, until in self._poison.items() if until > now}
        return _hash(job) in self._poison

    def _running_slots(self) -> int:
        """The least number of slots asked for: only Serve knows how many there are now."""
        return self._settings.cpu_slots[0] + self._settings.gpu_slots[0]

    def position(self, result: Future[JobResult]) -> int | None:
        """How many jobs of its device came before it and do not run yet."""
        mine = next((p for p in self._pending if p.result is result), None)
        if mine is None:
            return None
        line = [p for p in self._pending if p.job.device == mine.job.device]
        low = self._settings.cpu_slots if mine.job.device == "cpu" else self._settings.gpu_slots
        ahead = line.index(mine) - max(1, low[0])
        return ahead if ahead >= 0 else None

    @property
    def refuses(self) -> str:
        """Always empty: in a cluster without slots jobs wait for new ones."""
        return ""

    def capabilities(self) -> Capabilities:
        """The capabilities of one slot, with the number of all slots."""
        assert self._about is not None
        return self._about[0].model_copy(
            update={
                "devices": tuple(self._slots),
                "slots": self._settings.cpu_slots[1],
                "gpu_slots": self._settings.gpu_slots[1],
            }
        )

    def health(self, status: str, detail: str) -> Health:
        """The shared queue, and the self-test of one slot."""
        running = min(len(self._pending), self._running_slots())
        about = self._about[1] if self._about else _UNKNOWN
        return about.model_copy(
            update={
                "status": status,
                "detail": detail,
                "waiting": len(self._pending) - running,
                "running": running,
            }
        )

    def metrics(self) -> str:
        """What the front counts; Ray has its own metrics of replicas and nodes."""
        from executor.service import metrics  # 0.1 s that no start waits for

        return metrics.cluster_text(
            self._outcomes,
            again=self._again,
            pending=len(self._pending),
            up=self._about is not None,
        )


_UNKNOWN = Health(
    status="starting",
    detail="",
    waiting=0,
    running=0,
    unhealthy_slots={},
    tier=None,
    landlock_abi=None,
    seccomp=False,
    kernel="",
    driver=None,
    selftest=(),
)


async def _described(handle: DeploymentHandle) -> str:
    return str(await handle.describe.remote())


async def _answer(response: DeploymentResponse) -> str:
    return str(await response)


def _hash(job: Job) -> str:
    return hashlib.sha256(
        job.model_dump_json(include={"code", "files", "device"}).encode()
    ).hexdigest()


def _poisoned() -> JobResult:
    return not_run(
        Outcome.SETUP_ERROR,
        f"{_DEATHS} executors died while they ran this, so it is not given to another one",
    )


class Front:
    """The HTTP edge: one replica, on the node that keeps the cluster together."""

    def __init__(
        self, slots: dict[str, DeploymentHandle], settings: ClusterSettings, token: str
    ) -> None:
        self._slots, self._settings, self._token = slots, settings, token

    def __serve_build_asgi_app__(self) -> Any:
        """The same application that one machine serves."""
        cluster = Cluster(self._slots, self._settings).on(asyncio.get_running_loop())
        return build(cluster, self._token)


def application(settings: ClusterSettings, token: str) -> serve.Application:
    """The application that Serve deploys: the front and the slots.

    Args:
        settings: slots and queue.
        token: the bearer token that every request must carry.
    """
    slots: dict[str, Any] = {}
    for device, (low, high) in (("cpu", settings.cpu_slots), ("cuda", settings.gpu_slots)):
        if high:
            slots[device] = _slot(device, low, high, settings)
    if not slots:
        raise ValueError("cpu_slots and gpu_slots are both 0: there would be nothing to run on")
    front = serve.deployment(
        name="front",
        num_replicas=1,
        max_ongoing_requests=_EVERY_REQUEST,
        # A node that dies must not take the requests of the others with it; the head may not die.
        ray_actor_options={"num_cpus": 0, "resources": {_HEAD: 0.001}},
    )(serve.ingress()(Front))
    return front.bind(slots, settings, token)


def _slot(device: str, low: int, high: int, settings: ClusterSettings) -> Any:
    options: dict[str, Any] = {"num_cpus": settings.cpus}
    if settings.memory_mib:
        options["memory"] = settings.memory_mib * MIB
    if device == "cuda":
        # A whole GPU: its memory has no wall between processes, so strangers never share one.
        options["num_gpus"] = 1
    scale: dict[str, Any] = {"num_replicas": low}
    if low < high:
        scale = {
            "autoscaling_config": {
                "min_replicas": low,
                "max_replicas": high,
                "target_ongoing_requests": 1,
                "upscale_delay_s": 5,
                "downscale_delay_s": 300,
            }
        }
    return serve.deployment(
        name=device,
        max_ongoing_requests=1,
        max_queued_requests=settings.queue,
        health_check_period_s=5,
        health_check_timeout_s=30,
        graceful_shutdown_timeout_s=_GRACE_S,
        graceful_shutdown_wait_loop_s=0.5,
        ray_actor_options=options,
        **scale,
    )(Slot).bind(settings.executor, device)


def from_config(args: dict[str, Any]) -> serve.Application:
    """For a Serve config file: `args` are ClusterSettings and the token's file."""
    words = dict(args)
    path = words.pop("token_file", "")
    if not path:
        raise ValueError("args.token_file: name the file (a mounted secret) that holds the token")
    return application(settings_from(words), Path(path).read_text(encoding="utf-8").strip())


# -- commands of an operator ---------------------------------------------------------------------


def up(settings: ClusterSettings, token: str, host: str, port: int, address: str = "auto") -> str:
    """Deploy to a running Ray cluster, or to a new one of this machine alone; return the URL.

    Raises:
        StartError: the slots do not start; the message quotes Serve.
    """
    _join(address, make=True)
    # Requests arrive on the front's node: the death of another node then closes no connection.
    serve.start("HeadOnly", HTTPOptions(host=host, port=port))
    try:
        serve.run(application(settings, token), name=APP, route_prefix="/", blocking=False)
    except RuntimeError as e:
        raise StartError(f"the slots do not come up: {e}") from e
    return f"http://{host}:{port}"


@dataclass(frozen=True)
class Status:
    """The state of a cluster."""

    nodes: tuple[tuple[str, bool, dict[str, float]], ...]  # address, alive, resources
    deployments: dict[str, dict[str, int]]  # name → replicas by state
    state: str
    message: str


def status(address: str = "auto") -> Status:
    """Read the state of a cluster.

    Raises:
        StartError: no cluster is there.
    """
    _join(address, make=False)
    nodes = tuple(
        (
            n["NodeManagerAddress"],
            bool(n["Alive"]),
            {k: v for k, v in n["Resources"].items() if k in ("CPU", "GPU")},
        )
        for n in ray.nodes()
    )
    here = serve.status().applications.get(APP)
    if here is None:
        return Status(nodes, {}, "NOT_STARTED", "nothing is deployed; see `torchmedic cluster up`")
    deployments = {
        name: {getattr(state, "value", state): n for state, n in d.replica_states.items()}
        for name, d in here.deployments.items()
    }
    return Status(nodes, deployments, here.status.value, here.message)


def down(address: str = "auto") -> None:
    """Remove the executor from the cluster; its runs end first.

    Raises:
        StartError: no cluster is there.
    """
    _join(address, make=False)
    serve.shutdown()


def _join(address: str, *, make: bool) -> None:
    if ray.is_initialized():
        return
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
    except ConnectionError as e:
        if not make or address != "auto":
            raise StartError(
                f"no Ray cluster answers at {address}; start one with `ray start --head`, or name "
                "its address"
            ) from e
        raise StartError(
            "no Ray cluster runs on this machine; start one with `ray start --head "
            "--include-dashboard=false`, then say `torchmedic cluster up` again"
        ) from e


def leave() -> None:
    """Disconnect from the cluster: this process may then join another one."""
    ray.shutdown()
