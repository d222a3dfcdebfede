"""`torchmedic cluster up|status|down`: the executor on several machines, by Ray Serve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.errors import SettingsError
from bot.settings import read_yaml, take_executor_token

if TYPE_CHECKING:
    from executor.service.cluster import ClusterSettings

app = typer.Typer(help="Run the executor on a Ray cluster.", no_args_is_help=True)

Address = Annotated[str, typer.Option(help="Ray's address; auto: the cluster of this machine.")]


@app.command()
def up(
    file: Annotated[Path | None, typer.Option(help="Settings: see executor/cluster.yaml.")] = None,
    cpu_slots: Annotated[str, typer.Option(help="Slots, e.g. 4 or 2-8.")] = "",
    gpu_slots: Annotated[str, typer.Option(help="Slots with a GPU of their own.")] = "",
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Where to listen.")] = 8000,
    address: Address = "auto",
) -> None:
    """Deploy slots, or change how many there are; runs in hand end first."""
    token = take_executor_token()  # before Ray starts processes with our environment
    cluster = _cluster()
    settings = _settings(cluster, file, cpu_slots, gpu_slots)
    url = cluster.up(settings, token, host, port, address)
    print(f"the executor answers at {url}; give it to the bot as executor.url")


@app.command()
def status(address: Address = "auto") -> None:
    """Which machines there are, and how many slots run."""
    from rich.console import Console
    from rich.table import Table

    here = _cluster().status(address)
    nodes = Table("machine", "alive", "cores", "GPUs")
    for name, alive, resources in here.nodes:
        cores, gpus = (f"{resources.get(kind, 0):g}" for kind in ("CPU", "GPU"))
        nodes.add_row(name, "yes" if alive else "no", cores, gpus)
    parts = Table("part", "replicas")
    for name, states in here.deployments.items():
        parts.add_row(name, ", ".join(f"{n} {state.lower()}" for state, n in states.items()))
    console = Console()
    console.print(nodes, parts)
    console.print(f"{here.state.lower()} {here.message}".strip(), markup=False)
    raise typer.Exit(0 if here.state == "RUNNING" else 1)


@app.command()
def down(address: Address = "auto") -> None:
    """Take the executor away; Ray itself stays (`ray stop` ends it)."""
    _cluster().down(address)
    print("the executor is gone; `ray stop` ends Ray itself")


def _cluster() -> Any:
    try:
        from executor.service import cluster
    except ModuleNotFoundError as e:
        raise SettingsError(
            f"{e.name} is not installed: pip install -c constraints.txt 'torchmedic[cluster]'"
        ) from e
    return cluster


def _settings(cluster: Any, file: Path | None, cpu_slots: str, gpu_slots: str) -> ClusterSettings:
    words: dict[str, Any] = {}
    if file is not None:
        words = read_yaml(file)
        if "applications" in words:  # a Serve config file: they are its application's arguments
            try:
                words = dict(words["applications"][0]["args"])
            except (KeyError, IndexError, TypeError, ValueError) as e:
                raise SettingsError(f"{file}: applications[0].args should hold settings") from e
        words.pop("token_file", None)
    for name, text in (("cpu_slots", cpu_slots), ("gpu_slots", gpu_slots)):
        if text:
            words[name] = _range(name, text)
    try:
        settings: ClusterSettings = cluster.settings_from(words)
    except ValueError as e:
        raise SettingsError(f"{file or 'the options'}: {e}") from e
    return settings


def _range(name: str, text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    try:
        return int(low), int(high or low)
    except ValueError as e:
        raise SettingsError(f"--{name.replace('_', '-')} {text}: write 4 or 2-8") from e
