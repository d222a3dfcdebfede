"""GPUs: what holds without one, and the rows that need one.

The rows marked `gpu` are the first thing to run on a machine with a GPU (`pytest -m gpu`);
`docs/gpu.md` says where they were run, and which of them were not.
"""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest
import torch

from executor.jail import gpu
from executor.jail.limits import Limits
from executor.protocol import Job, Outcome
from executor.service.queue import JobQueue, WaitingJob
from executor.service.supervisor import Supervisor, SupervisorSettings
from tests.executor.conftest import House

# -- without one -----------------------------------------------------------------------------


def test_gpus_are_found_by_their_device_nodes(tmp_path: Path) -> None:
    """Numbers from /dev, the release from the driver's own file; nothing is opened."""
    for name in ("nvidia0", "nvidia11", "nvidiactl", "nvidia-uvm", "nvidia-caps", "null"):
        (tmp_path / name).touch()
    driver = tmp_path / "version"
    driver.write_text("NVRM version: NVIDIA UNIX Open Kernel Module  580.95.05  Release Build\n")
    found = gpu.found(tmp_path, driver)

    assert found == gpu.Gpus((0, 11), "580.95.05")
    assert [node.name for node in gpu.nodes(11, tmp_path)] == [
        "nvidia11",
        "nvidiactl",
        "nvidia-uvm",
    ]


def test_nodes_without_a_driver_are_no_gpu(tmp_path: Path) -> None:
    """A node that somebody made is not enough."""
    (tmp_path / "nvidia0").touch()

    assert not gpu.found(tmp_path, tmp_path / "missing").any


@pytest.mark.skipif(gpu.found().any, reason="there is a GPU here")
def test_a_job_for_the_gpu_never_runs_on_the_cpu(house: House) -> None:
    """Without a GPU the job is refused with the next step, and nothing of it runs."""
    result = house.supervisor.run(Job(code="print('ran')", device="cuda"))

    assert result.outcome is Outcome.UNAVAILABLE
    assert "no GPU" in result.detail and result.stdout == ""


def test_jobs_for_one_device_do_not_hold_up_the_other() -> None:
    """Each device has its own place in the line, first come, first served."""
    line = JobQueue(room=8, slots={"cpu": 1, "cuda": 1})
    jobs = [
        WaitingJob(Job(code=str(n), device=device), threading.Event())
        for n, device in enumerate(("cuda", "cuda", "cpu", "cuda", "cpu"))
    ]
    for waiting in jobs:
        line.join(waiting)

    assert line.position(jobs[4].result) == 1
    assert [line.take("cpu"), line.take("cpu")] == [jobs[2], jobs[4]]
    assert [line.take("cuda") for _ in range(3)] == [jobs[0], jobs[1], jobs[3]]


# -- with one --------------------------------------------------------------------------------

needs_gpu = pytest.mark.skipif(
    not gpu.found().any or torch.version.cuda is None, reason="needs an NVIDIA GPU and a CUDA torch"
)
MIB = 1 << 20


@pytest.fixture(scope="module")
def on_gpu() -> Supervisor:
    """A supervisor with one GPU slot, its allocator and the host's memory capped at 2 GiB."""
    limits = Limits(gpu_memory_bytes=2048 * MIB, memory_bytes=2048 * MIB)
    supervisor = Supervisor(SupervisorSettings(slots=1, limits=limits))
    supervisor.start()
    yield supervisor  # type: ignore[misc]
    supervisor.close()


def cuda(supervisor: Supervisor, code: str, wall_s: float = 30):
    """Run code on the GPU; afterwards a trivial run must work."""
    result = supervisor.run(Job(code="import torch\n" + code, device="cuda", wall_s=wall_s))
    after = supervisor.run(
        Job(
            code="import torch\nprint(torch.ones(2, device='cuda').sum().item())",
            device="cuda",
            wall_s=60,
        )
    )
    assert after.outcome is Outcome.OK and after.stdout == "2.0\n", after.detail
    return result


@pytest.mark.gpu
@needs_gpu
def test_gpu_a_run_says_where_it_ran(on_gpu: Supervisor) -> None:
    result = cuda(on_gpu, "x = torch.randn(256, 256, device='cuda')\nprint((x @ x).device)")

    assert result.outcome is Outcome.OK and result.stdout == "cuda:0\n"
    assert result.env.device.startswith("cuda:0") and result.env.driver
    assert result.gpu_peak_memory_bytes > 0


@pytest.mark.gpu
@needs_gpu
def test_gpu_1_memory_ends_at_the_cap(on_gpu: Supervisor) -> None:
    result = cuda(
        on_gpu, "k = []\nwhile True:\n    k.append(torch.empty(1 << 28, device='cuda'))\n"
    )

    assert result.error is not None and result.error.type == "OutOfMemoryError"


@pytest.mark.gpu
@needs_gpu
def test_gpu_2_endless_kernel_is_a_timeout(on_gpu: Supervisor) -> None:
    result = cuda(on_gpu, "torch.cuda._sleep(2**62)\ntorch.cuda.synchronize()", wall_s=3)

    assert result.outcome is Outcome.TIMEOUT


@pytest.mark.gpu
@needs_gpu
def test_gpu_3_device_assert_ends_only_its_own_run(on_gpu: Supervisor) -> None:
    result = cuda(
        on_gpu,
        "e = torch.nn.Embedding(3, 2).cuda()\nprint(e(torch.tensor([9]).cuda()))\n",
    )

    assert result.outcome is Outcome.ERROR


@pytest.mark.gpu
@needs_gpu
def test_gpu_4_a_process_left_behind_gives_the_gpu_back(on_gpu: Supervisor) -> None:
    result = cuda(
        on_gpu,
        "import os, time\nx = torch.empty(1 << 28, device='cuda')\n"
        "if os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\n",
    )

    assert result.outcome is Outcome.OK


# What of the host's memory a run takes through the driver: locked pages, and managed memory that
# the processor wrote to. A quarter of a GiB at a time.
_HOARDS = {
    "pinned": "torch.empty(1 << 26, pin_memory=True)",
    "managed": "managed(1 << 28)",
}
_MANAGED = """
import ctypes
maps = open("/proc/self/maps").read().split()
runtime = ctypes.CDLL(next(word for word in maps if "libcudart" in word))
def managed(size):
    memory = ctypes.c_void_p()
    assert runtime.cudaMallocManaged(ctypes.byref(memory), ctypes.c_size_t(size), 1) == 0
    ctypes.memset(memory, 1, size)
"""


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("kind", _HOARDS)
def test_gpu_5_the_drivers_share_of_the_hosts_memory_counts(kind: str, on_gpu: Supervisor) -> None:
    hoard = f"{_MANAGED}k = []\nfor n in range(32):\n    k.append({_HOARDS[kind]})\n"
    result = cuda(on_gpu, f"{hoard}    print(n, flush=True)\n", wall_s=40)

    assert result.outcome is Outcome.OUT_OF_MEMORY
    assert result.limit is not None and result.limit.name == "memory_bytes"
    assert 4 <= len(result.stdout.split()) <= 16  # not the first that it took, nor long after 2 GiB


@pytest.mark.gpu
@needs_gpu
def test_gpu_6_the_gpus_settings_cannot_be_changed(on_gpu: Supervisor) -> None:
    """Not by their exit status: `nvidia-smi` also ends well where it changed nothing."""
    asked = ["nvidia-smi", "--query-gpu=persistence_mode,compute_mode,mig.mode.pending,power.limit"]
    before = subprocess.run([*asked, "--format=csv"], capture_output=True, text=True, check=True)
    cuda(
        on_gpu,
        "import subprocess\nfor a in (['-pm', '0'], ['-pm', '1'], ['-c', '2'], ['-pl', '300'],\n"
        "          ['-mig', '1']):\n"
        "    subprocess.run(['nvidia-smi', *a], capture_output=True)\n",
    )
    after = subprocess.run([*asked, "--format=csv"], capture_output=True, text=True, check=True)

    assert after.stdout == before.stdout


@pytest.mark.gpu
@needs_gpu
def test_gpu_7_no_other_gpu_can_be_opened(on_gpu: Supervisor) -> None:
    result = cuda(
        on_gpu,
        "import os\nfor n in range(16):\n    if n == 0: continue\n"
        "    try: os.open(f'/dev/nvidia{n}', os.O_RDWR); print('opened', n)\n"
        "    except OSError: pass\n",
    )

    assert "opened" not in result.stdout


@pytest.mark.gpu
@needs_gpu
def test_gpu_8_memory_of_a_former_run_cannot_be_read(on_gpu: Supervisor) -> None:
    mark = 0x5EC2E7
    cuda(on_gpu, f"torch.full((1 << 27,), {mark}, dtype=torch.int32, device='cuda')")
    result = cuda(
        on_gpu,
        "x = torch.empty(1 << 27, dtype=torch.int32, device='cuda')\n"
        f"print(int((x == {mark}).sum()))",
    )

    assert result.outcome is Outcome.OK and result.stdout == "0\n"


@pytest.mark.gpu
@needs_gpu
def test_gpu_9_cuda_after_the_snippets_own_fork_is_its_own_error(on_gpu: Supervisor) -> None:
    result = cuda(
        on_gpu,
        "import multiprocessing as mp\ndef work():\n    torch.ones(1, device='cuda')\n"
        "torch.ones(1, device='cuda')\np = mp.get_context('fork').Process(target=work)\n"
        "p.start()\np.join()\nprint(p.exitcode)\n",
    )

    assert result.stdout.strip() == "1"
    assert "Cannot re-initialize CUDA in forked subprocess" in result.stderr
