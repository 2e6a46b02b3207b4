# SPDX-License-Identifier: BSD-3-Clause
"""Progress of searches: calls of a function of the user, or a bar of tqdm."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional, Union

from ._library import Stop, end_fork, ffi, lib, text


@dataclass(frozen=True)
class Progress:
    """State of a search.

    Attributes
    ----------
    seconds : float
        Time since the call began.
    makespan : float
        Makespan of the best schedule so far; ``inf``: none yet.
    bound : float
        Best lower bound so far.
    iterations : int
        Iterations so far.
    phase : str
        Part of the search: "portfolio", "local search", ...
    """

    seconds: float
    makespan: float
    bound: float
    iterations: int
    phase: str

    @property
    def gap(self) -> float:
        """Makespan over bound, minus 1; ``inf`` without a schedule or a bound."""
        if self.bound <= 0 or math.isinf(self.makespan):
            return math.inf
        return max(0.0, self.makespan / self.bound - 1)


class ProgressCall:
    """A progress callback. An exception in it cancels the search and is raised at its end."""

    def __init__(self, call: Callable[[Progress], Optional[bool]], stop: Stop,
                 close: Optional[Callable[[], None]] = None) -> None:
        self.call, self.stop, self.close = call, stop, close
        self.raised: Optional[BaseException] = None
        self._pid = os.getpid()
        self.handle = ffi.new_handle(self)
        self.function = lib.hspy_progress

    def report(self, progress: Any) -> None:
        """Pass on an hs_progress, unless the search was cancelled."""
        if self.stop.flag[0]:
            return
        stops = False
        try:
            stops = bool(self.call(Progress(progress.seconds, progress.makespan, progress.bound,
                                            progress.iterations, text(progress.phase))))
        except BaseException as error:
            self.raised = error
        end_fork(self._pid, self.raised)
        if stops or self.raised:
            self.stop.set()

    def finish(self) -> None:
        if self.close:
            self.close()
        if self.raised:
            raise self.raised


def hspy_progress(state: Any, progress: Any) -> None:
    """Pass on an hs_progress to the ProgressCall behind a handle."""
    ffi.from_handle(state).report(progress)


ffi.def_extern()(hspy_progress)


def progress_call(progress: Union[None, bool, Callable[[Progress], Optional[bool]]],
                  stop: Stop) -> Optional[ProgressCall]:
    """Return the callback for the argument ``progress`` of a search; None for no progress."""
    if progress is None or progress is False:
        return None
    if progress is not True:
        return ProgressCall(progress, stop)
    bar = _tqdm("Progress")(total=None, bar_format="{desc} {elapsed}")

    def show(now: Progress) -> None:
        bar.set_description_str(f"{now.phase}: makespan {now.makespan:.6g}, bound {now.bound:.6g},"
                                f" gap {now.gap:.4%}")

    return ProgressCall(show, stop, bar.close)


def run_bar() -> tuple[Callable[[Any], None], Callable[[], None]]:
    """Return the callbacks of a bar of tqdm for a run: for a RunProgress, and for the end."""
    bar = _tqdm("RunProgress")(total=0, unit="task")

    def show(now: Any) -> None:
        bar.total, bar.n = now.total, now.done
        bar.set_postfix(running=now.running, failed=now.failed)

    return show, bar.close


def _tqdm(takes: str) -> Any:
    """Return the class of tqdm's bars; ``takes`` is what a function would take instead."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("progress=True needs the package tqdm; install it, or pass a function "
                          f"that takes a hybridsched.{takes}") from None
    return tqdm
