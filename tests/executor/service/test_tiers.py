"""executor/service/tiers.py: which tier is taken, and that nothing is claimed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from executor.exceptions import StartError
from executor.jail.monitor import processes_of
from executor.jail.walls import Tier
from executor.service import tiers
from executor.service.supervisor import Supervisor, SupervisorSettings
from executor.service.users import end_all_of, own_users

GVISOR = "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016"


def test_gvisor_is_known_by_its_version_and_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda _: GVISOR)
    monkeypatch.setattr(tiers, "_kernel_log", lambda: "[   0.000000] Starting gVisor...")
    assert tiers.candidates() == [Tier.GVISOR, Tier.PROCESS]

    monkeypatch.setattr(tiers, "_kernel_log", lambda: "")  # a real, very old kernel
    assert tiers.candidates()[0] is Tier.NAMESPACES


def test_gvisor_is_not_taken_on_its_word() -> None:
    """It excuses a missing Landlock, so it must really be there."""
    with pytest.raises(StartError, match="not gVisor"):
        Supervisor(SupervisorSettings(tier="gvisor")).start()


def test_user_numbers_come_from_what_is_mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda _: "0 100000 65536\n")
    assert len(own_users(5)) == 5
    assert own_users(5).start >= 20_000
    assert own_users(5).stop <= 65_536

    monkeypatch.setattr(Path, "read_text", lambda _: "0 1000 1\n")
    with pytest.raises(LookupError):
        own_users(1)


def test_what_a_monitor_left_behind_is_ended() -> None:
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED HERE: only root may switch to a run's user")
    uid, *_ = own_users(1)
    fork = ["/bin/sh", "-c", "trap '' TERM; sleep 60 & sleep 60"]
    left = subprocess.Popen(fork, user=uid, group=uid, extra_groups=[], cwd="/")
    while len(processes_of(uid)) < 3:
        assert left.poll() is None

    assert end_all_of(uid, 5) == set()
    assert processes_of(uid) == []
    assert end_all_of(uid, 0) == set()
