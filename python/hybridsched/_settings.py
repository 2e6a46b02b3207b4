# SPDX-License-Identifier: BSD-3-Clause
"""Settings of solves and bounds, as structs of the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

from ._errors import InvalidArgument
from ._library import Stop, encode, ffi, lib, near, registry, struct, text
from ._progress import Progress, progress_call
from ._instance import Instance
from ._schedule import Done, Schedule, _available, _done

if TYPE_CHECKING:
    ProgressArgument = Union[None, bool, Callable[[Progress], Optional[bool]]]

RANKS = tuple(text(lib.hs_rank_name(rank)) for rank in range(1, lib.HS_RANK_FIFO + 1))
PARAMETERS = tuple(name for name, _ in ffi.typeof("hs_parameters").fields
                   if not name.startswith("reserved"))


def find_ranked(what: str, name: str) -> tuple[Any, int]:
    """Find an "algorithm" or a "policy" by its name with an optional rank: ``heft:min``.

    Returns the entry and the rank.
    """
    find, at = getattr(lib, f"hs_{what}_find"), getattr(lib, f"hs_{what}_at")
    entry = find(encode(name))
    if entry:
        return entry, int(lib.HS_RANK_DEFAULT)
    base, colon, rank_name = name.rpartition(":")
    rank = ffi.new("hs_rank *")
    entry = find(encode(base)) if colon else ffi.NULL
    if not entry:
        raise unknown(name, at, what)
    if not lib.hs_rank_find(encode(rank_name), rank):
        raise InvalidArgument(f"{name!r}: unknown rank {rank_name!r}; expected one of "
                              f"{', '.join(RANKS)}")
    mask = getattr(lib, f"hs_{what}_supported_ranks")(entry)
    if not mask >> rank[0] & 1:
        raise InvalidArgument(f"{name!r}: the {what} {base} does not support this rank; it supports "
                              f"{rank_names(mask) or 'none'}")
    return entry, int(rank[0])


def rank_names(mask: int) -> str:
    """Return the names of the ranks of a bit mask, separated by commas."""
    return ",".join(name for rank, name in enumerate(RANKS, 1) if mask >> rank & 1)


def unknown(name: str, at: Any, what: str) -> InvalidArgument:
    """Return the exception for a name that a registry lacks."""
    names = [text(getattr(lib, f"hs_{what}_name")(entry)) for entry in registry(at)]
    plural = what[:-1] + "ies" if what.endswith("y") else what + "s"
    return InvalidArgument(f"unknown {what} {name!r}{near(name, names) or ';'} "
                           f"hs.{plural}() lists all")


def set_parameters(parameters: Any, given: Mapping[str, float]) -> None:
    """Set members of an hs_parameters."""
    for name, value in given.items():
        if name not in PARAMETERS:
            raise TypeError(f"unknown argument '{name}'{near(name, PARAMETERS)}")
        setattr(parameters, name, value)


class Settings:
    """An hs_settings with the memory that it refers to, and the state of its callbacks."""

    def __init__(self, instance: Instance, *, time_limit: float = 0, iterations: int = 0,
                 seed: int = 0, threads: int = 0, gap: float = 0,
                 start: Optional[Schedule] = None, available: Any = None,
                 affinities: Optional[Iterable[tuple[int, int, float]]] = None,
                 transfers: bool = False, done: Optional[Done] = None,
                 progress: ProgressArgument = None,
                 parameters: Optional[Mapping[str, float]] = None) -> None:
        self.stop = Stop()
        self.struct = made = struct("hs_settings")
        set_parameters(made.parameters, parameters or {})
        made.cancel, made.cancel_data = self.stop.function, self.stop.flag
        made.time_limit, made.iterations, made.seed = time_limit, iterations, seed
        made.threads, made.gap, made.transfers = threads, gap, transfers
        self._start = start
        if start is not None:
            made.start = start._handle
        self._available = _available(instance, available)
        if available is not None:
            made.available = self._available
            made.available_count = instance.cpus + instance.gpus
        made.skip, made.skip_worker = self._done = _done(instance, done)
        self._affinities = ffi.new("hs_affinity[]", [tuple(row) for row in affinities or ()])
        made.affinities, made.affinity_count = self._affinities, len(self._affinities)
        self.progress = progress_call(progress, self.stop)
        if self.progress:
            made.progress, made.progress_data = self.progress.function, self.progress.handle

    def finish(self) -> None:
        """End the display of progress, and raise what the progress callback raised."""
        if self.progress:
            self.progress.finish()
