"""docker-compose.yml, Dockerfile and the seccomp profile say what docs/container.md promises."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from executor.jail import seccomp

ROOT = Path(__file__).parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
PROFILE = json.loads((ROOT / "executor" / "jail" / "seccomp.json").read_text())
EXECUTORS = ["executor", "executor-gpu", "test"]  # where strangers' code runs
FRONTS = ["slack", "discord"]  # which have to reach their platform

every_service = pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)
every_front = pytest.mark.parametrize("name", FRONTS)
every_executor = pytest.mark.parametrize("service", [SERVICES[n] for n in EXECUTORS], ids=EXECUTORS)


@every_service
def test_no_service_has_more_rights_than_it_needs(service: dict[str, Any]):
    """Read-only, without capabilities, behind the profile."""
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == [
        "no-new-privileges:true",
        "seccomp:executor/jail/seccomp.json",
    ]
    for never in ("privileged", "devices", "pid", "ipc", "userns_mode", "ports", "extra_hosts"):
        assert never not in service
    assert (ROOT / "executor" / "jail" / "seccomp.json").is_file()


@pytest.mark.parametrize("name", SERVICES)
def test_only_a_front_end_has_a_network(name: str):
    """And none of them is open to it: both platforms are called, they do not call."""
    assert SERVICES[name]["network_mode"] == ("bridge" if name in FRONTS else "none")


@every_service
def test_no_service_sees_the_machine(service: dict[str, Any]):
    """Named volumes, and the settings file to read: no folder, and never the engine's socket."""
    for mount in service["volumes"]:
        settings = "./config.yaml:/etc/torchmedic/config.yaml:ro"
        assert mount.split(":")[0] in COMPOSE["volumes"] or mount == settings


@every_front
def test_a_front_end_runs_where_no_stranger_does(name: str):
    """The bot's image with no capability, the socket to read, and a restart when it ends."""
    service = SERVICES[name]

    assert service["image"] == SERVICES["bot"]["image"] and "cap_add" not in service
    assert "socket:/run/torchmedic:ro" in service["volumes"]
    assert service["profiles"] == [name] and service["restart"] == "unless-stopped"
    assert service["command"][:2] == ["torchmedic", name]


def test_tokens_reach_their_own_front_end_alone():
    """They come from the operator's environment; the file holds none, and no executor sees one."""
    for name, service in SERVICES.items():
        tokens = {k: v for k, v in service.get("environment", {}).items() if "TOKEN" in k}
        assert set(tokens) == {
            "slack": {"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"},
            "discord": {"DISCORD_TOKEN"},
        }.get(name, set())
        assert all(value == f"${{{key}:-}}" for key, value in tokens.items())


@every_service
def test_every_service_is_bounded(service: dict[str, Any]):
    """Memory without swap, processes, cores, log; files in size and in number."""
    assert service["mem_limit"] == service["memswap_limit"]
    assert 0 < service["pids_limit"] <= 640
    assert 0 < service["cpus"] <= 2
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    for line in service["tmpfs"]:
        assert re.search(r"[:,]size=\d+m\b", line) and re.search(r",nr_inodes=\d+\b", line)


@every_executor
def test_an_executor_may_change_users_and_end_them(service: dict[str, Any]):
    """No CHOWN, no DAC_OVERRIDE: a run's files are touched with the run's own rights."""
    assert service["cap_add"] == ["SETUID", "SETGID", "KILL"]


def test_the_bot_has_no_capability_and_only_reads_the_socket_folder():
    """It is nobody in particular, and cannot put a socket of its own in the executor's place."""
    bot = SERVICES["bot"]

    assert "cap_add" not in bot
    assert "socket:/run/torchmedic:ro" in bot["volumes"]
    assert re.search(r"AS bot\n(?:(?!\nFROM).)*\nUSER 10001:10001\n", DOCKERFILE, re.DOTALL)


@pytest.mark.parametrize("name", ["executor", "executor-gpu"])
def test_an_executor_has_one_tier_and_room_for_its_slots(name: str):
    """It falls back to no weaker jail, and the container has room for every run at its limit."""
    service = SERVICES[name]
    settings = json.loads(service["command"][service["command"].index("--settings") + 1])
    slots, limits = settings["slots"], settings["limits"]
    tmpfs = sum(int(m) for line in service["tmpfs"] for m in re.findall(r"size=(\d+)m", line))

    assert settings["tier"] == "uid"
    warm_server_mib = 700  # with three branches: docs/libraries.md
    needed = slots * limits["memory_bytes"] / 2**20 + tmpfs + warm_server_mib
    assert needed <= int(service["mem_limit"].removesuffix("g")) * 1024
    assert slots * limits["processes"] + 64 <= service["pids_limit"]


@pytest.mark.parametrize("name", ["executor", "executor-gpu"])
def test_health_is_asked_where_the_executor_listens(name: str):
    """The check asks the same socket that the command serves, and comes back up by itself."""
    service = SERVICES[name]

    assert service["environment"]["TORCHMEDIC_SOCKET"] == service["command"][1]
    assert "/health" in service["healthcheck"]["test"][-1]
    ast.parse(service["healthcheck"]["test"][-1])
    assert service["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", ["bot", *FRONTS])
def test_a_bot_waits_for_the_executor(name: str):
    """A question is asked when somebody can answer it."""
    assert SERVICES[name]["depends_on"] == {"executor": {"condition": "service_healthy"}}


def test_a_gpu_is_reserved_in_the_gpu_profile_alone():
    """`docker-compose up` needs no GPU."""
    with_gpu = [n for n, s in SERVICES.items() if "nvidia" in str(s.get("deploy", ""))]

    assert with_gpu == ["executor-gpu"]
    assert SERVICES["executor-gpu"]["profiles"] == ["gpu"]
    assert "profiles" not in SERVICES["executor"]


def test_the_executor_image_has_what_the_executor_imports():
    """Every module that executor/ and the codemods import is in the Dockerfile's list."""
    known = ROOT / "knowledge"
    sources = [
        *(ROOT / "executor").rglob("*.py"),
        *(known / "repair").rglob("*.py"),
        *known.glob("articles/*/codemod.py"),
        known / "articles" / "slugs.py",
        known / "errors.py",
    ]
    # docs/cluster.md: an image of its own
    sources.remove(ROOT / "executor" / "service" / "cluster.py")
    imported = {name.split(".")[0] for path in sources for name in _imports(path)}
    others = imported - sys.stdlib_module_names - {"executor", "knowledge"}
    # Of the snippets' own environment: imported only where a snippet has imported them.
    others -= {
        "datasets", "pandas", "requests", "sklearn", "tokenizers", "torch_geometric", "torchaudio",
        "transformers",
    }  # fmt: skip
    third_party = {_normal({"PIL": "pillow"}.get(name, name)) for name in others}
    stage = DOCKERFILE[DOCKERFILE.index(" AS packages") : DOCKERFILE.index(" AS wheel")]
    brought_along = {"starlette", "anyio"}  # by fastapi

    assert third_party <= _named_packages(stage) | brought_along


def test_every_package_that_we_name_is_pinned():
    """What images, project and extras install by name has its version in constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {_normal(line.split("==")[0]) for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [name for extra in project["optional-dependencies"].values() for name in extra]
    named = _named_packages(DOCKERFILE)

    assert {"torch", "fastapi", "pytest"} <= named
    assert {_normal(n) for n in [*named, *project["dependencies"], *extras]} <= pinned


def _named_packages(dockerfile: str) -> set[str]:
    """The packages that `pip install -c …` lines name."""
    found: set[str] = set()
    for words in re.findall(r"pip install -c \S+((?:[^\n\\]|\\\n)*)", dockerfile):
        plain = re.sub(r"--extra-index-url \S+|-r \S+|\$\{\w+\}|\\\n", " ", words)
        found |= set(plain.split())
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.partition("[")[0]).lower()  # sqlalchemy[asyncio]


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found


# -- the seccomp profile -------------------------------------------------------------------------

NEEDED = """
landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp prctl capset
setresuid setresgid setgroups setsid prlimit64 setrlimit memfd_create close_range
pidfd_open wait4 execve futex rseq statx
"""
ALLOWED = {n: r for r in PROFILE["syscalls"] if r["action"] == "SCMP_ACT_ALLOW" for n in r["names"]}


def test_the_profile_refuses_what_it_does_not_name():
    """An allow list, for the native architecture: what the kernel gains next year is refused."""
    assert PROFILE["defaultAction"] == "SCMP_ACT_ERRNO"
    assert all(not arch["subArchitectures"] for arch in PROFILE["archMap"])
    assert {rule["action"] for rule in PROFILE["syscalls"]} == {"SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"}


def test_the_profile_refuses_whatever_the_jail_refuses():
    """A run that slipped out of its own filter stands before the same one again."""
    refused = {*seccomp._REFUSED, *seccomp._SHARED_IPC, "io_setup", "io_submit", "socketcall"}
    refused -= {"memfd_create"}  # the supervisor hands orders over in one

    assert not refused & ALLOWED.keys()


def test_the_profile_allows_what_the_jail_is_built_of():
    """Without these every run would be a `setup_error`."""
    assert set(NEEDED.split()) <= ALLOWED.keys()
    assert all("args" not in ALLOWED[name] for name in NEEDED.split())


def test_the_profile_names_socket_families():
    """Unix, IPv4, IPv6, and netlink's routing protocol."""
    rules = [r["args"] for r in PROFILE["syscalls"] if "socket" in r["names"]]
    families = {args[0]["value"]: args[1:] for args in rules}

    assert families.keys() == {1, 2, 10, 16}
    assert families[16] == [{"index": 2, "value": 0, "op": "SCMP_CMP_EQ"}]
    assert all(args[0]["op"] == "SCMP_CMP_EQ" and args[0]["index"] == 0 for args in rules)


def test_the_profile_takes_the_namespaces_out_of_clone():
    """clone without any flag that makes one; clone3, whose flags no filter can read, not at all."""
    (mask,) = ALLOWED["clone"]["args"]
    flags = 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000

    assert (mask["op"], mask["value"], mask["valueTwo"]) == ("SCMP_CMP_MASKED_EQ", sum(flags), 0)
    (clone3,) = [r for r in PROFILE["syscalls"] if "clone3" in r["names"]]
    assert (clone3["action"], clone3["errnoRet"]) == ("SCMP_ACT_ERRNO", 38)
