"""Find the chat platforms by looking in this folder, and read the settings with their sections."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bot import platforms
from bot.service.plugin import PlatformPlugin
from bot.settings import Settings, process_environment, read_settings


@cache
def plugins() -> tuple[PlatformPlugin[Any], ...]:
    """The plugins of all folders that have a `plugin.py`; the console has none."""
    found: list[PlatformPlugin[Any]] = []
    for folder in pkgutil.iter_modules(platforms.__path__):
        if not folder.ispkg:
            continue
        module = f"{platforms.__name__}.{folder.name}.plugin"
        try:
            found.append(pkgutil.resolve_name(f"{module}:PLUGIN"))
        except ModuleNotFoundError as e:
            if e.name != module:
                raise
    return tuple(sorted(found, key=lambda p: (p.rank, p.name)))


def load_settings(
    path: Path | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Read the settings, the platforms' sections included.

    Args:
        path: a YAML file; None: `config.yaml` in the working folder if there is one.
        environment: the variables; None: this process's.

    Raises:
        SettingsError: as `read_settings` says.
    """
    if environment is None:
        environment = process_environment()
    return read_settings(path, environment, {p.name: p.section for p in plugins()})
