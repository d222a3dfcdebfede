"""matplotlib in a run: figures that are shown, or still open at the end, are kept as PNG files.

Loaded by matplotlib itself, as the backend that the run's environment names. With a screen
`plt.show()` opens a window and drops the figure once that is closed; here it is saved first.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from executor.jail.limits import Limits

BACKEND = f"module://{__name__}"
FOLDER = "TORCHMEDIC_FIGURES"  # the variable that names the folder to save in


class FigureManager(FigureManagerBase):
    """A figure's window that is never opened."""

    def show(self) -> None:
        """Keep this figure."""
        keep(self)

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """`plt.show()`: keep all open figures, then forget them as closed windows would."""
        keep_open_figures()
        if block is not False:
            Gcf.destroy_all()


class FigureCanvas(FigureCanvasAgg):
    """The canvas that figures are drawn on."""

    manager_class = FigureManager

    def start_event_loop(self, timeout: float = 0) -> None:
        """Go on at once: `plt.pause()` gives somebody time to look, and nobody looks here."""


def keep_open_figures() -> None:
    """Save every figure that pyplot knows."""
    for manager in Gcf.get_all_fig_managers():
        keep(manager)


def keep(manager: Any) -> None:
    """Save one figure; one that is too large, or one too many, is left out.

    The limits are checked here so that no time is spent on drawing; the supervisor checks them too.
    """
    folder = os.environ.get(FOLDER)
    if not folder:
        return
    number = len(list(Path(folder).iterdir())) + 1
    width, height = manager.canvas.get_width_height(physical=True)
    limits = Limits()
    if number <= limits.returned_figures and width * height <= limits.returned_pixels:
        manager.canvas.figure.savefig(Path(folder) / f"figure-{number}.png", format="png")
