"""Start the services slack and discord against our own Slack and Discord; ask one question each.

    python -m tests.bot.fakes.in_containers docker-compose --project-name NAME

The executor is up already; scripts/compose-check calls this. Exit code 0: both answered, stopped
when told to, and said neither token nor snippet in their logs.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from tests.bot.fakes.discord import FakeDiscord, text_of
from tests.bot.fakes.discord import buttons as discord_buttons
from tests.bot.fakes.slack import APP_TOKEN, BOT_TOKEN, FakeSlack

ROOT = Path(__file__).parents[3]
QUESTION = (ROOT / "examples" / "minmax.md").read_text()
FIXED = "Fixed: line"
SECRET = "channel.max()"  # of the example's code
SERVICES = ("slack", "discord")


def override(slack: FakeSlack, discord: FakeDiscord) -> str:
    """What differs from the operator's file: whom to call, and the way there."""
    variables = {
        "slack": {"TORCHMEDIC_SLACK__API_URL": slack.url},
        "discord": {
            "TORCHMEDIC_DISCORD__API_URL": discord.api_url,
            "TORCHMEDIC_DISCORD__GATEWAY_URL": discord.gateway_url,
        },
    }
    services = {
        # The machine's own network: our servers listen on its loopback.
        name: {"network_mode": "host", "environment": variables[name]}
        for name in SERVICES
    }
    version = yaml.safe_load((ROOT / "docker-compose.yml").read_text()).get("version")
    return yaml.safe_dump({**({"version": version} if version else {}), "services": services})


async def main(compose: list[str]) -> int:
    """Ask on both platforms at once."""
    async with FakeSlack().listening() as slack, FakeDiscord() as discord:
        with tempfile.TemporaryDirectory() as folder:
            more = Path(folder) / "override.yml"
            more.write_text(override(slack, discord))
            run = [
                *compose,
                "-f",
                str(ROOT / "docker-compose.yml"),
                "-f",
                str(more),
                "--project-directory",
                str(ROOT),
            ]
            for name in SERVICES:
                run += ["--profile", name]
            os.environ |= {
                "SLACK_BOT_TOKEN": BOT_TOKEN,
                "SLACK_APP_TOKEN": APP_TOKEN,
                "DISCORD_TOKEN": discord.token,
            }
            try:
                await _call([*run, "up", "--detach", "--no-build", "--no-deps", *SERVICES])
                await asyncio.gather(_in_slack(slack), _in_discord(discord))
                await _call([*run, "stop", *SERVICES])
            finally:
                said = await _call([*run, "logs", "--no-color", *SERVICES])
                ids = (await _call([*run, "ps", "--all", "--quiet", *SERVICES])).split()
                codes = await _call(["docker", "inspect", "--format", "{{.State.ExitCode}}", *ids])
                if sys.exc_info()[0] is not None:
                    print(said[-4000:])
                await _call([*run, "rm", "--force", "--stop", *SERVICES])
    secrets = (BOT_TOKEN, APP_TOKEN, discord.token, SECRET)
    told = [s for s in secrets if s in said]
    print(f"  both answered; exit codes {codes.split()}; secrets in the logs: {len(told)}")
    return 1 if told or set(codes.split()) != {"0"} else 0


async def _in_slack(slack: FakeSlack) -> None:
    await slack.connected(300)
    ts = await slack.say(QUESTION, mention=True)
    card = await slack.answer(ts, within_s=120)
    print("  slack:", card.text.splitlines()[0])
    assert FIXED in card.text, card.shown


async def _in_discord(discord: FakeDiscord) -> None:
    await discord.until(lambda: discord.identified, 300)
    await discord.post(
        discord.person("maya"), discord.help, f"<@{discord.bot.id}> {QUESTION}"[:2000]
    )

    def answer() -> str:
        cards = [text_of(m) for m in discord.by_bot() if discord_buttons(m)]
        return next((c for c in cards if "answered in" in c), "")

    said = await discord.until(answer, 120)
    print("  discord:", next(line for line in said.splitlines() if line.strip()))
    assert FIXED in said, said


async def _call(command: list[str]) -> str:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, errors = await process.communicate()
    if process.returncode:
        raise SystemExit(f"{' '.join(command[:6])} …: {errors.decode()[-2000:]}")
    return out.decode()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
