"""executor/service/app.py and client.py: a real server on a socket and on a port."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import httpx
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from executor.exceptions import BadJobError, ExecutorBusyError, ExecutorGoneError
from executor.protocol import Job, Outcome
from executor.service.client import ExecutorClient
from tests.rows import some

TOKEN = "a-token-for-tests"
SLEEP = Job(code="import time; time.sleep(30)", wall_s=60)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Path]:
    """`python -m executor` on a socket, with one slot and room for two that wait."""
    path = tmp_path_factory.mktemp("served") / "executor.sock"
    process = subprocess.Popen(  # noqa: ASYNC220
        [
            sys.executable,
            "-m",
            "executor",
            "--uds",
            path,
            "--settings",
            json.dumps({"slots": 1, "queue": 2, "torch": False}),
        ],
    )
    while not path.exists():  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    yield path
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) in {0, -signal.SIGTERM}


@pytest_asyncio.fixture(loop_scope="session")
async def client(served: Path) -> AsyncIterator[ExecutorClient]:
    """A client of that server."""
    async with ExecutorClient.on_socket(served) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="session")
async def raw(served: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Plain HTTP to that server."""
    transport = httpx.AsyncHTTPTransport(uds=str(served))
    json_body = {"Content-Type": "application/json"}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://x", timeout=60, headers=json_body
    ) as raw:
        yield raw


async def test_health_names_the_walls_and_the_attacks(
    client: ExecutorClient, raw: httpx.AsyncClient
) -> None:
    await client.capabilities()
    health = await client.health()

    assert health["status"] == "ok"
    assert health["tier"] in {"namespaces", "uid", "process", "gvisor"}
    assert health["kernel"]
    assert len(health["selftest"]) >= 12
    assert all(row["passed"] for row in health["selftest"])


async def test_metrics_are_prometheus_text(client: ExecutorClient, raw: httpx.AsyncClient) -> None:
    await client.run(Job(code="1 / 0"))
    lines = (await raw.get("/metrics")).text.splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))

    assert float(values['torchmedic_executor_runs_total{outcome="error"}']) >= 1
    assert float(values["torchmedic_executor_up"]) == 1
    assert sum(line.startswith("# TYPE") for line in lines) >= 8


async def test_openapi_has_examples(raw: httpx.AsyncClient) -> None:
    schema = (await raw.get("/openapi.json")).json()
    body = schema["paths"]["/v1/run"]["post"]["requestBody"]["content"]["application/json"]

    for example in body["examples"].values():
        Job.model_validate(example["value"])


async def test_full_queue_says_how_long_it_is_and_when_to_come_back(
    client: ExecutorClient, raw: httpx.AsyncClient
) -> None:
    places: list[int] = []
    tasks = [asyncio.create_task(client.run(SLEEP)) for _ in range(2)]
    await asyncio.sleep(0.4)
    tasks.append(asyncio.create_task(client.run(SLEEP, ahead=places.append)))
    await asyncio.sleep(0.8)
    answer = await raw.post("/v1/run", content=SLEEP.model_dump_json())
    with pytest.raises(ExecutorBusyError) as busy:
        await client.run(SLEEP)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(1)

    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1
    assert answer.headers["X-Queue-Length"] == "2"
    assert busy.value.retry_after_s >= 1
    assert places == [1]
    assert (await client.run(Job(code="print(1)", wall_s=5))).stdout == "1\n"  # hung up: all ended


async def test_hanging_up_ends_the_run(client: ExecutorClient, raw: httpx.AsyncClient) -> None:
    task = asyncio.create_task(client.run(SLEEP))
    await asyncio.sleep(0.5)
    task.cancel()
    for _ in range(100):
        if (await raw.get("/health")).json()["running"] == 0:
            break
        await asyncio.sleep(0.05)

    assert (await raw.get("/health")).json()["running"] == 0


async def test_unknown_place_in_the_queue(raw: httpx.AsyncClient) -> None:
    assert (await raw.get("/v1/queue/nobody")).status_code == 404


async def test_malformed_job_is_the_clients_error(client: ExecutorClient) -> None:
    job = Job.model_construct(code=1, files=(), device="tpu", wall_s=-1, seed=0, cold=False)
    with pytest.warns(UserWarning), pytest.raises(BadJobError):
        await client.run(job)


async def test_absent_executor_is_said_with_the_next_step(tmp_path: Path) -> None:
    async with ExecutorClient.on_socket(tmp_path / "nobody.sock") as client:
        with pytest.raises(ExecutorGoneError, match="start it"):
            await client.run(Job(code="1"))


async def test_slow_executor_is_said_to_be_slow(
    client: ExecutorClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(code="import time; time.sleep(30)", wall_s=30)
    monkeypatch.setattr("executor.service.client._SLACK_S", 0.5 - job.longest_s)
    with pytest.raises(ExecutorGoneError, match="did not answer within"):
        await client.run(job)


def test_tcp_without_a_token_is_refused() -> None:
    environment = {k: v for k, v in os.environ.items() if k != "TORCHMEDIC_EXECUTOR_TOKEN"}
    ended = subprocess.run(
        [sys.executable, "-m", "executor", "--port", "0"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 2
    assert "TORCHMEDIC_EXECUTOR_TOKEN" in ended.stderr


async def test_tcp_takes_only_its_token() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen(  # noqa: ASYNC220
        [
            sys.executable,
            "-m",
            "executor",
            "--port",
            str(port),
            "--settings",
            '{"slots": 1, "torch": false}',
        ],
        env=os.environ | {"TORCHMEDIC_EXECUTOR_TOKEN": TOKEN},
    )
    url = f"http://127.0.0.1:{port}"
    try:
        async with (
            ExecutorClient.on_tcp(url, TOKEN) as right,
            ExecutorClient.on_tcp(url, "another") as wrong,
        ):
            for _ in range(200):
                try:
                    await right.health()
                    break
                except ExecutorGoneError:
                    await asyncio.sleep(0.05)
            with pytest.raises(ExecutorGoneError, match="401"):
                await wrong.run(Job(code="1"))
            with pytest.raises(ExecutorGoneError, match="401"):
                await wrong.health()
            result = await right.run(Job(code="import os; print(os.environ)"))
        assert result.outcome is Outcome.OK
        assert TOKEN not in result.stdout
    finally:
        process.terminate()
        process.wait(30)


async def test_body_larger_than_any_job_is_refused(tmp_path: Path) -> None:
    """By its header at once, and by what really came where there is none; the server goes on."""
    path = tmp_path / "executor.sock"
    process = subprocess.Popen(  # noqa: ASYNC220
        [
            sys.executable,
            "-m",
            "executor",
            "--uds",
            path,
            "--settings",
            json.dumps({"slots": 1, "body_bytes": 100_000, "torch": False}),
        ],
    )
    while not path.exists():  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    large = Job(code="print(1) #" + "x" * 100_000).model_dump_json().encode()

    async def in_pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(large), 1000):
            yield large[at : at + 1000]

    transport = httpx.AsyncHTTPTransport(uds=str(path))
    async with (
        httpx.AsyncClient(transport=transport, base_url="http://x", timeout=60) as raw,
        ExecutorClient.on_socket(path) as client,
    ):
        said = await raw.post("/v1/run", content=large)
        pieces = await raw.post("/v1/run", content=in_pieces())
        with pytest.raises(BadJobError, match=r"a job may have .* MiB"):
            await client.run(Job(code="#" * 200_000))
        after = await client.run(Job(code="print(1)"))
    process.send_signal(signal.SIGTERM)
    process.wait(30)

    assert [said.status_code, pieces.status_code] == [413, 413]
    assert "send smaller files" in pieces.json()["detail"]
    assert after.stdout == "1\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"slotz": 1}, "slotz: "),
        ({"limits": {"memory": 1}}, "limits.memory: "),
        ({"tier": "strong"}, "tier: .*'strong'"),
        ([1], "dictionary"),
    ],
)
def test_unknown_setting_is_named(words: object, complaint: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "executor", "--uds", "/nowhere", "--settings", json.dumps(words)],
        capture_output=True,
        text=True,
    )

    assert done.returncode == 2
    assert re.search(f"--settings: .*{complaint}", done.stderr), done.stderr
    assert "Traceback" not in done.stderr


async def test_start_that_fails_is_logged(tmp_path: Path) -> None:
    """Who looks into the container's log finds the reason, not only who asks /health."""
    path = tmp_path / "executor.sock"
    settings = json.dumps({"tier": "gvisor"})
    process = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-m", "executor", "--uds", path, "--settings", settings],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = await asyncio.to_thread(process.stderr.readline)
    process.send_signal(signal.SIGTERM)
    process.wait(30)

    assert "takes no jobs" in said
    assert "gVisor" in said


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*Job.model_fields, "other"]), inner, max_size=6)
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=json_values)
async def test_no_json_breaks_the_server(raw: httpx.AsyncClient, body: object) -> None:
    if isinstance(body, dict) and isinstance(body.get("code"), str):
        body = body | {"wall_s": 0}  # none of these is to run
    answer = await raw.post("/v1/run", content=json.dumps(body))

    assert answer.status_code == 422


async def test_an_idle_connection_is_kept_longer_than_clients_keep_it(served: Path) -> None:
    """Or a job could be sent just as the connection closes; httpx drops one after 5 s."""
    reader, writer = await asyncio.open_unix_connection(served)
    for pause in (0, 6):
        await asyncio.sleep(pause)
        writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        headers = await reader.readuntil(b"\r\n\r\n")
        found = re.search(rb"content-length: (\d+)", headers, re.I)
        assert found is not None
        await reader.readexactly(int(found[1]))
    writer.close()


@pytest.mark.parametrize("times", some([2_000, 10_000], 2))
async def test_thousands_of_random_bodies_break_nothing(
    served: Path, raw: httpx.AsyncClient, times: int
) -> None:
    dice = random.Random(11)
    whole = Job(code="print(1)", wall_s=5).model_dump_json().encode()

    def body() -> bytes:
        data = bytearray(whole)
        for _ in range(dice.randrange(1, 6)):
            at = dice.randrange(len(data))
            data[at : at + dice.randrange(3)] = dice.randbytes(dice.randrange(4))
        return bytes(data[: dice.randrange(len(data))]) if dice.random() < 0.5 else bytes(data)

    async def ask(asks: aiohttp.ClientSession) -> int:
        kind = dice.choice(("application/json", "text/plain", "x"))
        async with asks.post("/v1/run", data=body(), headers={"Content-Type": kind}) as answer:
            await answer.read()
            return answer.status

    statuses: set[int] = set()
    # Not httpx, which would take three times as long for each request as the server does.
    unix = aiohttp.UnixConnector(str(served))
    async with aiohttp.ClientSession("http://x", connector=unix) as asks:
        for _ in range(times // 50):
            statuses |= set(await asyncio.gather(*(ask(asks) for _ in range(50))))

    assert statuses <= {200, 400, 422, 429}
    assert (await raw.get("/health")).json()["status"] == "ok"
