"""A page as a phone shows it: headless Chromium around it, asked by a script of the test's own."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

CHROMIUM = next(
    (
        path
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    "",
)
_ASKER = """<!doctype html><iframe id="page" width="{width}" height="800" src="{page}"></iframe>
<pre id="said"></pre><script>
page.onload = () => setTimeout(() => {{
  const view = page.contentWindow, doc = page.contentDocument;
  let said;
  try {{ said = (() => {{ {script} }})(); }} catch (e) {{ said = String(e); }}
  document.getElementById("said").textContent = JSON.stringify(said);
}}, 300);
</script>"""


def ask(page: Path, script: str, *, width: int = 390) -> Any:
    """Run a script that looks at `view` and `doc`, the page's window and document.

    The page is in a frame of the given width; what the script returns comes back.
    """
    asker = page.with_name("asker.html")
    asker.write_text(_ASKER.format(width=width, page=page.name, script=script))
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--allow-file-access-from-files", "--virtual-time-budget=5000",
         f"--user-data-dir={page.parent / 'profile'}", "--dump-dom", asker.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    said = re.search(r'<pre id="said">(.*?)</pre>', done.stdout, re.S)
    assert said is not None and said[1], done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(html.unescape(said[1]))
