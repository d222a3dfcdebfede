"""executor/: what works at home works in the jail."""

from __future__ import annotations

import base64
import importlib.util
import shutil

import pytest

from executor.jail.limits import Limits
from executor.protocol import Outcome
from tests.executor.conftest import House, attachment, open_house


def test_dataloader_workers(house: House) -> None:
    result = house.run(
        """
        import torch
        from torch.utils.data import DataLoader, TensorDataset
        data = TensorDataset(torch.arange(8.0))
        print(sum(float(x.sum()) for (x,) in DataLoader(data, batch_size=2, num_workers=2)))
        """,
        wall_s=60,
    )

    assert (result.outcome, result.stdout) == (Outcome.OK, "28.0\n"), result.stderr


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(house: House, method: str) -> None:
    result = house.run(
        f"""
        import multiprocessing as mp

        def work(queue):
            queue.put("from a child")

        if __name__ == "__main__":
            context = mp.get_context("{method}")
            queue = context.Queue()
            child = context.Process(target=work, args=(queue,))
            child.start()
            print(queue.get(timeout=50))
            child.join()
        """,
        wall_s=60,
    )

    assert (result.outcome, result.stdout) == (Outcome.OK, "from a child\n"), result.stderr


def test_tmp_by_its_name(house: House) -> None:
    """Half of all examples save to /tmp; the next run finds nothing there."""
    if house.tier == "uid" and not house.supervisor.settings.own_tmp:
        pytest.skip("NOT TESTED HERE: this machine's /tmp is not the executor's own")
    result = house.run(
        """
        import os, torch
        print(sorted(n for n in os.listdir("/tmp") if "model" in n))
        torch.save(torch.ones(2), "/tmp/model.pt")
        os.makedirs("/tmp/models/deep")
        print(torch.load("/tmp/model.pt"))
        """
    )

    assert (result.outcome, result.stdout) == (Outcome.OK, "[]\ntensor([1., 1.])\n"), result.stderr
    house.assert_clean()


def test_shared_memory(house: House) -> None:
    result = house.run(
        """
        from multiprocessing.shared_memory import SharedMemory
        import torch
        block = SharedMemory(create=True, size=64)
        block.buf[:2] = b"ok"
        again = SharedMemory(block.name)
        print(bytes(again.buf[:2]), torch.ones(2).share_memory_().sum())
        block.unlink()
        """
    )

    assert result.stdout == "b'ok' tensor(2.)\n", result.stderr


def test_gloo_on_loopback(house: House) -> None:
    """Where the network is the run's own; elsewhere it fails with a word that says why."""
    result = house.run(
        """
        import torch, torch.distributed as dist
        dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29511", rank=0, world_size=1)
        x = torch.ones(2)
        dist.all_reduce(x)
        print(x)
        """,
        wall_s=60,
    )

    if house.tier == "namespaces":
        assert result.stdout == "tensor([1., 1.])\n", result.stderr
    else:
        assert result.outcome is Outcome.OK or "socket" in result.stderr.lower()


def test_save_load_and_pickle_of_own_classes(house: House) -> None:
    result = house.run(
        """
        import copy, inspect, pickle, torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)

        net = Net()
        torch.save(net, "net.pt")
        torch.save(net.state_dict(), "state.pt")
        again = torch.load("net.pt", weights_only=False)
        again.load_state_dict(torch.load("state.pt"))
        print(type(pickle.loads(pickle.dumps(again))).__name__)
        print(inspect.getsource(Net).splitlines()[0], __file__.endswith("snippet.py"), __name__)
        """
    )

    assert result.stdout == "Net\nclass Net(nn.Module): True __main__\n", result.stderr
    assert {f.name for f in result.files} == {"net.pt", "state.pt"}


def test_torch_jit_script(house: House) -> None:
    result = house.run(
        """
        import torch

        @torch.jit.script
        def double(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        print(double(torch.ones(1)))
        """
    )

    assert result.stdout == "tensor([2.])\n", result.stderr


def test_torch_compile_works_or_says_why(house: House) -> None:
    roomy = open_house(house.tier, limits=Limits(), slots=1)  # headers it compiles take 100 MiB
    result = roomy.run(
        "import torch\nf = torch.compile(lambda x: x.sin() + 1)\nprint(f(torch.zeros(2)))",
        wall_s=120,
    )
    roomy.supervisor.close()

    if shutil.which("g++"):
        assert result.stdout == "tensor([1., 1.])\n", result.stderr[-1500:]
    else:
        assert result.outcome is Outcome.ERROR
        assert "compiler" in result.stderr.lower()


def test_open_figures_come_back(house: House) -> None:
    result = house.run(
        """
        import matplotlib.pyplot as plt
        plt.plot([1, 2, 3])
        plt.show()
        plt.figure()
        plt.plot([3, 2, 1])
        """,
        wall_s=60,
    )

    assert result.outcome is Outcome.OK, result.stderr
    assert [(f.name, f.mime) for f in result.files] == [
        ("figure-1.png", "image/png"),
        ("figure-2.png", "image/png"),
    ]
    assert result.stderr == ""
    assert base64.b64decode(result.files[0].base64).startswith(b"\x89PNG")


def test_many_and_huge_figures_are_capped(house: House) -> None:
    result = house.run(
        """
        import matplotlib.pyplot as plt
        plt.figure(figsize=(300, 300))
        for _ in range(12):
            plt.figure(figsize=(1, 1))
        """,
        wall_s=60,
    )

    assert [f.name for f in result.files] == [f"figure-{n}.png" for n in range(1, 9)]


def test_figures_survive_an_error(house: House) -> None:
    result = house.run("import matplotlib.pyplot as plt\nplt.plot([1])\n1 / 0", wall_s=60)

    assert result.outcome is Outcome.ERROR
    assert [f.name for f in result.files] == ["figure-1.png"]


def test_files_come_back_and_unchanged_attachments_do_not(house: House) -> None:
    result = house.run(
        """
        open("out.txt", "w").write(open("in.txt").read() * 2)
        open("changed.txt", "w").write("new")
        """,
        files=(attachment("in.txt", b"ab"), attachment("changed.txt", b"old")),
    )

    assert {f.name: base64.b64decode(f.base64) for f in result.files} == {
        "out.txt": b"abab",
        "changed.txt": b"new",
    }


def test_input_ends_at_once_with_a_hint(house: House) -> None:
    result = house.run("name = input('name? ')")

    assert result.stdout == "name? "
    assert result.error is not None
    assert result.error.type == "EOFError"
    assert "nobody can type here" in result.error.message


def test_error_names_the_expression(house: House) -> None:
    result = house.run("import torch\nx = torch.ones(2)\ny = 1; z = x @ torch.ones(3, 3)\n")

    assert result.error is not None
    assert (result.error.line, result.error.code) == (3, "x @ torch.ones(3, 3)")
    assert (result.error.col, result.error.end_col) == (11, 31)
    assert "torchmedic" not in result.stderr
    assert "executor" not in result.stderr


def test_fresh_interpreter_knows_no_imports(house: House) -> None:
    warm = house.run("import sys; print('torch' in sys.modules)")
    cold = house.run("import sys; print('torch' in sys.modules)", cold=True, wall_s=60)

    assert (warm.stdout, cold.stdout) == ("True\n", "False\n")


def test_warm_run_makes_no_list_of_its_modules(house: House) -> None:
    """The server has made it: in a fork it would copy the memory of every module, 9 ms a run."""
    result = house.run(
        "from executor.inside import interpreter\n"
        "before = interpreter._before_the_fork\n"
        "print(len(before.all) > 1000 > len(before.needed) > 50)\n"
    )

    assert result.stdout == "True\n", result.stderr


def test_cold_run_has_the_seed_it_was_given(house: House) -> None:
    """ "Before" and "after" are compared under one seed, also in a fresh interpreter."""
    code = "import torch; print(torch.rand(2), torch.initial_seed())"
    runs = [house.run(code, cold=True, seed=7, wall_s=60) for _ in range(2)]

    assert runs[0].stdout == runs[1].stdout != "", runs[0].stderr


def test_cold_run_has_its_attachments_and_its_error(house: House) -> None:
    result = house.run(
        "print(open('a.txt').read())\n1 / 0",
        cold=True,
        wall_s=60,
        files=(attachment("a.txt", b"here"),),
    )

    assert result.stdout == "here\n"
    assert result.error is not None
    assert (result.error.type, result.error.line) == ("ZeroDivisionError", 2)


def test_same_seed_same_numbers(house: House) -> None:
    code = "import random, numpy, torch\nprint(random.random(), numpy.random.rand(), torch.rand(1))"

    assert house.run(code).stdout == house.run(code).stdout
    assert house.run(code, seed=1).stdout != house.run(code).stdout
    assert house.run(code, seed=None).stdout != house.run(code, seed=None).stdout


def test_exit_functions_and_threads_finish(house: House) -> None:
    result = house.run(
        """
        import atexit, threading, time, weakref
        class Thing: pass
        thing = Thing()
        weakref.finalize(thing, print, "finalized")
        atexit.register(print, "at exit")
        threading.Thread(target=lambda: (time.sleep(0.2), print("thread"))).start()
        """
    )

    assert result.stdout == "thread\nat exit\nfinalized\n"


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="no matplotlib")
def test_showing_forgets_the_figure(house: House) -> None:
    result = house.run(
        "import matplotlib.pyplot as plt\nplt.plot([1]); plt.show(); print(plt.get_fignums())",
        wall_s=60,
    )

    assert result.stdout == "[]\n"


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="no matplotlib")
def test_a_pause_to_look_at_a_figure_waits_for_nobody(house: House) -> None:
    """A training that draws as it goes is not stopped for waiting."""
    result = house.run(
        "import matplotlib.pyplot as plt\nplt.plot([1]); plt.pause(600); print('on')", wall_s=60
    )

    assert (result.outcome, result.stdout) == (Outcome.OK, "on\n")
