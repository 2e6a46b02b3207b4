# SPDX-License-Identifier: BSD-3-Clause
"""Mean times of functions by type of worker, which an Executor learns."""

from __future__ import annotations

import functools
import os
import sys
import time
from typing import Any, Optional

from ._library import encode, lib, struct
from ._profile import KINDS, Profile

MEASURED = (lib.HS_COST_TASK, lib.HS_COST_HISTORY)


def plain(function: Any) -> Any:
    """Return the function of a functools.partial."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def name_of(function: Any) -> str:
    """Return the name under which the times of a function are kept: ``python:MODULE.NAME``."""
    function = plain(function)
    if not hasattr(function, "__qualname__"):
        function = type(function)
    module = getattr(function, "__module__", None) or "builtins"
    if module == "__main__":
        script = getattr(sys.modules["__main__"], "__file__", None) or module
        module = os.path.splitext(os.path.basename(script))[0]
    name = encode(f"python:{module}.{function.__qualname__}".replace("\0", ""))
    return name[:lib.HS_MAX_KEY - 1].decode("utf-8", "ignore")


class Times:
    """The times of a function on both types of workers.

    The first call in a process often loads packages, so it counts only while there is no other.
    """

    def __init__(self, name: str, profile: Profile) -> None:
        self.name = name
        self.waiting = {kind: 0 for kind in KINDS}  # calls that wait and may run on this type
        self._profile = profile
        self._features = struct("hs_features")
        self._features.key = encode(name)
        self._known = {kind: self._predict(kind) for kind in KINDS}
        self._first: dict[str, float] = {}
        self._tried = {kind: 0 for kind in KINDS}  # 1: by a first call; 2: by a later call, too
        self._loaded: set[int] = set()  # workers that have called the function

    def _predict(self, kind: str) -> Optional[float]:
        prediction = struct("hs_prediction")
        with self._profile._lock:
            lib.hs_cost_predict(self._profile._cost, KINDS.index(kind), self._features, prediction)
        return float(prediction.time) if prediction.source in MEASURED else None

    def mean(self, kind: str) -> Optional[float]:
        """Return the mean time in seconds; None: unknown."""
        known = self._known[kind]
        return self._first.get(kind) if known is None else known

    def wants_trial(self, kind: str, worker: int) -> bool:
        """Return whether a worker should call the function next, to learn its time."""
        if self._known[kind] is not None:
            return False
        return self._tried[kind] == 0 or self._tried[kind] == 1 and worker in self._loaded

    def begin(self, kind: str, worker: int) -> None:
        """Record that a worker calls the function now."""
        self._tried[kind] = max(self._tried[kind], 2 if worker in self._loaded else 1)
        self._loaded.add(worker)

    def forget(self, worker: int) -> None:
        """Record that a worker has a new process."""
        self._loaded.discard(worker)

    def observe(self, kind: str, seconds: float, first: bool) -> None:
        """Add the measured time of a call; `first`: the first one in its process."""
        seconds = max(seconds, 1e-9)
        if first:
            self._first[kind] = min(seconds, self._first.get(kind, seconds))
        else:
            self._profile.observe(self.name, kind, seconds, date=int(time.time()))
            self._known[kind] = self._predict(kind)


