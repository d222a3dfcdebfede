"""bot/operations/metrics.py and bot/logs.py: what operators see, and what they must not see."""

from __future__ import annotations

import io
import json
import logging
import re
import socket
from pathlib import Path

import aiohttp
import pytest
from rich.console import Console

from bot.diagnosis.pipeline import Pipeline
from bot.errors import SettingsError
from bot.logs import JsonLines
from bot.operations.metrics import Metrics
from bot.platforms.console.card import ConsolePlatform
from bot.service.questions import QuestionService
from bot.service.seam import Click
from bot.service.store import Store
from bot.service.store.database import Database
from bot.settings import ChatSettings, FrontSettings, MetricsSettings
from executor.service import metrics as executor_metrics
from executor.service.supervisor import Supervisor
from executor.service.supervisor import SupervisorSettings as SupervisorSettings
from tests.bot.service.test_questions import message

DASHBOARD = Path(__file__).parents[3] / "ops" / "grafana.json"
SECRET = "hunter2_is_the_snippets_secret"


async def test_a_question_is_counted_and_told_without_its_words(medic: Pipeline):
    """Over a real port, as Prometheus fetches it; the log is JSON, and holds no word of theirs."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("bot")
    logger.addHandler(handler)
    level = logger.level
    logger.setLevel(logging.INFO)  # and not the attribute: loggers remember what is enabled
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    try:
        metrics = Metrics()
        platform = ConsolePlatform(Console(file=io.StringIO(), width=100))
        async with Store(Database("sqlite+aiosqlite://")) as store:
            with metrics.serving(MetricsSettings(port=port)):
                async with QuestionService(
                    medic, store, platform, ChatSettings(), FrontSettings(), 0, metrics
                ) as service:
                    asked = await service.take(message(f"```python\nprint('{SECRET}')\n```"))
                    assert asked is not None
                    await service.take(message(f"What is the {SECRET} of tea?"))
                    await service.idle()
                    await service.buttons.click(
                        Click("c", "wrong", asked.id, asked.asker, asked.place, SECRET)
                    )
                async with aiohttp.ClientSession() as session:
                    async with session.get(f"http://127.0.0.1:{port}/metrics") as answer:
                        text = await answer.text()
                with pytest.raises(SettingsError, match=r"metrics\.port .* choose another"):
                    with Metrics().serving(MetricsSettings(port=port)):
                        pass
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    done = [line for line in lines if line.get("status")]

    assert 'torchmedic_bot_asked_total{door="console",platform="console"} 2.0' in text
    assert 'torchmedic_bot_questions_total{platform="console",status="runs"} 1.0' in text
    assert 'torchmedic_bot_questions_total{platform="console",status="fixed"} 0.0' in text
    assert 'torchmedic_bot_abstentions_total{platform="console"} 1.0' in text
    assert 'torchmedic_bot_clicks_total{platform="console",verb="wrong"} 1.0' in text
    assert 'torchmedic_bot_step_seconds_count{step="run"} 1.0' in text
    assert 'torchmedic_bot_answer_seconds_count{platform="console"} 2.0' in text
    assert "torchmedic_bot_waiting 0.0" in text and "torchmedic_bot_working 0.0" in text
    assert {line["status"] for line in done} == {"runs", "unsure"}
    assert all(line["seconds"] > 0 and line["question"] for line in done)
    assert SECRET not in text + out.getvalue() and "print" not in out.getvalue()


def test_every_metric_of_the_dashboard_exists():
    """A panel about a metric that was renamed would be empty for ever."""
    metrics = Metrics()
    metrics.watch("slack", lambda: 0, lambda: 0)
    text = metrics.text() + executor_metrics.text(Supervisor(SupervisorSettings()))
    exist = set(re.findall(r"^# TYPE (\w+) (?:counter|gauge)", text, re.MULTILINE))
    histograms = re.findall(r"^# TYPE (\w+) histogram", text, re.MULTILINE)
    exist |= {f"{name}_{part}" for name in histograms for part in ("bucket", "sum", "count")}
    panels = json.loads(DASHBOARD.read_text())["panels"]
    exprs = [target["expr"] for panel in panels for target in panel["targets"]]
    used = {name for expr in exprs for name in re.findall(r"torchmedic_\w+", expr)}

    assert used <= exist, used - exist
    ours = {name for name in exist if not name.endswith(("_created", "_sum", "_count"))}
    assert ours == used, f"shown nowhere: {ours - used}"
