"""Measure what a GPU slot costs and saves, against a fresh interpreter that initialises CUDA.

python benchmarks/gpu.py        (on a machine with a GPU and a CUDA build of torch)
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from executor.jail import gpu
from executor.jail.limits import Limits
from executor.protocol import Job, JobResult, Outcome
from executor.service.supervisor import Supervisor, SupervisorSettings

KERNEL = "import torch\nprint(torch.ones(2, device='cuda').sum().item())\n"
TAKEN_MIB = 8192
# Holds memory, and the GPU busy far beyond the time that it is given.
HUNG = (
    f"import torch\nx = torch.ones({TAKEN_MIB} << 20, dtype=torch.uint8, device='cuda')\n"
    "torch.cuda._sleep(2**62)\ntorch.cuda.synchronize()\n"
)
COLD_RUNS, WARM_RUNS, KILLED_RUNS = 5, 10, 3
HUNG_S = 5.0


def used_mib(number: int) -> int:
    """Memory of a GPU that is taken, by whomever."""
    asked = ["nvidia-smi", f"--id={number}", "--query-gpu=memory.used"]
    told = subprocess.run([*asked, "--format=csv,noheader,nounits"], capture_output=True, text=True)
    return int(told.stdout)


def cold_s() -> float:
    """The median seconds of a fresh interpreter, to the end of its first kernel."""
    times = []
    for _ in range(COLD_RUNS):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", KERNEL], check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def timed(supervisor: Supervisor, code: str, wall_s: float = 30) -> tuple[float, JobResult]:
    """Run a job on the GPU; the seconds from handing it over to its result."""
    began = time.perf_counter()
    result = supervisor.run(Job(code=code, device="cuda", wall_s=wall_s))
    return time.perf_counter() - began, result


def settled(supervisor: Supervisor) -> float:
    """Wait until every slot has its next run ready; the seconds that it took."""
    began = time.perf_counter()
    while supervisor.idle < supervisor.settings.slots + len(supervisor.gpus.numbers):
        if supervisor.unhealthy_slots or time.perf_counter() - began > 120:
            raise SystemExit(f"a slot is not ready: {supervisor.unhealthy_slots}")
        time.sleep(0.005)
    return time.perf_counter() - began


def main() -> None:
    """Print each figure, and what it is to be held against."""
    if not gpu.found().any:
        raise SystemExit("there is no GPU here: see docs/gpu.md")
    number = gpu.found().numbers[0]
    before = used_mib(number)
    cold = cold_s()
    supervisor = Supervisor(
        SupervisorSettings(slots=1, gpus=(number,), limits=Limits(gpu_memory_bytes=16 << 30))
    )
    ready = supervisor.start()
    try:
        settled(supervisor)
        waiting = used_mib(number)
        ready_times, wakes = [], []
        for _ in range(WARM_RUNS):
            seconds, result = timed(supervisor, KERNEL)
            if result.outcome is not Outcome.OK:
                raise SystemExit(f"the run failed: {result.outcome} {result.detail}")
            ready_times.append(seconds)
            wakes.append(settled(supervisor))
        returned = []
        for _ in range(KILLED_RUNS):
            began = time.perf_counter()
            _, hung = timed(supervisor, HUNG, HUNG_S)
            ended = time.perf_counter()
            if hung.outcome is not Outcome.TIMEOUT:
                raise SystemExit(f"the hung run was not ended: {hung.outcome} {hung.detail}")
            while used_mib(number) > waiting + TAKEN_MIB // 2:
                if time.perf_counter() - ended > 60:
                    raise SystemExit("the memory of a killed run does not come back")
            returned.append((ended - began - HUNG_S, time.perf_counter() - ended))
            settled(supervisor)
        warm, wake = statistics.median(ready_times), statistics.median(wakes)
        print(f"{result.env.device}, driver {result.env.driver}, torch {result.env.torch}")
        print(f"tier {ready.tier}, Landlock {ready.landlock_abi}")
        print(f"a fresh interpreter, to its first kernel   {cold:8.2f} s")
        print(f"a job whose run is ready                   {warm:8.2f} s   {warm / cold:.3f} of it")
        print(f"until the next run is ready                {wake:8.2f} s   {wake / cold:.3f} of it")
        print(f"GPU memory that a waiting run holds        {waiting - before:5d} MiB")
        print(f"a hung run: its result after the limit     {max(r[0] for r in returned):8.2f} s")
        print(f"its {TAKEN_MIB} MiB free after the result     {max(r[1] for r in returned):8.2f} s")
    finally:
        supervisor.close()


if __name__ == "__main__":
    main()
