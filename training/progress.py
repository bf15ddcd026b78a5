"""The progress of a training run: a bar, or plain lines where there is no terminal."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

SECONDS_BETWEEN_LINES = 10


class TrainingProgress:
    """A context in which `update` shows how far a run is and how fast it goes."""

    def __init__(self, total: int, done: int = 0, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self.total = total
        self.note = ""  # what the last evaluation gave
        self._first, self._started, self._last_line = done, 0.0, 0.0
        self._bar = Progress(
            BarColumn(bar_width=12),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]} transitions/s,"),
            TimeRemainingColumn(),
            TextColumn("left{task.fields[note]}"),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self._task = self._bar.add_task("", total=total, completed=done, rate="0", note="")

    def __enter__(self) -> "TrainingProgress":
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def update(self, done: int) -> None:
        """Show that `done` transitions of the total are made."""
        now = time.monotonic()
        if not self._started:  # compiling the engine is over
            self._first, self._started, self._last_line = done, now, now
        rate = (done - self._first) / max(now - self._started, 1e-9)
        note = f", {self.note}" if self.note else ""
        self._bar.update(self._task, completed=done, rate=f"{rate:,.0f}", note=note)
        if not self.console.is_terminal and now - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = now
            minutes, seconds = divmod(round((self.total - done) / max(rate, 1e-9)), 60)
            self.say(
                f"{done:,} of {self.total:,} transitions, {rate:,.0f} a second, "
                f"{minutes}:{seconds:02d} left{note}"
            )

    def say(self, line: str) -> None:
        """Print a line above the bar."""
        self.console.print(line, highlight=False, soft_wrap=True)
