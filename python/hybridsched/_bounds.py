# SPDX-License-Identifier: BSD-3-Clause
"""Lower bounds on the makespan, and their certificates."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Optional

from ._errors import InvalidArgument, Unsupported, check, how_to_get
from ._library import Path, content, encode, ffi, lib, memory_file, save, stoppable, struct, text
from ._settings import Settings, unknown
from ._instance import Instance
from ._schedule import Done, Schedule

WITH_GLPK = ("allocation", "configuration", "mip", "paths", "work-paths")


@dataclass(frozen=True)
class Bound:
    """A lower bound on the makespan of every schedule of an instance.

    Attributes
    ----------
    name : str
        Name of the bound.
    value : float
        No schedule is shorter. With a certificate: the value that the certificate proves.
    seconds : float
        Duration of the computation.
    limit_reached : bool
        Whether the time limit ended the computation; more time might raise the value.
    certificate : bytes or None
        The proof, see hsched-certificates(5).
    """

    name: str
    value: float
    seconds: float = 0.0
    limit_reached: bool = False
    certificate: Optional[bytes] = field(default=None, repr=False)

    def __float__(self) -> float:
        return self.value

    def save(self, path: Path) -> None:
        """Write the certificate to a file for ``hsched-check --certificate``."""
        if self.certificate is None:
            raise InvalidArgument(f"the bound {self.name} has no certificate: compute it with "
                                  "certificate=True")
        save(path, self.certificate)


def find_bound(name: str) -> Any:
    """Find a bound of this build by its name."""
    found = lib.hs_bound_find(encode(name))
    if found:
        return found
    if name in WITH_GLPK:
        raise Unsupported(f"the bound {name!r} needs GLPK, which this build is without: "
                          + how_to_get("glpk"))
    raise unknown(name, lib.hs_bound_at, "bound")


def bound(instance: Instance, name: str = "deadline", *, certificate: bool = False,
          time_limit: float = 0, threads: int = 0, available: Any = None,
          done: Optional[Done] = None) -> Bound:
    """Compute a lower bound on the makespan of every schedule of an instance.

    Parameters
    ----------
    instance : Instance
        Tasks and workers.
    name : str
        A name of :func:`bounds`.
    certificate : bool
        Whether to record the proof, for :func:`verify` and hsched-check.
    time_limit : float
        Limit in seconds for a bound that searches; 0: 10; ``inf``: none.
    threads : int
        Threads of the search; 0: 1.
    available : array of float, optional
        For each worker the time before which it is busy.
    done : mapping, optional
        Tasks, by number or name, that were done before the start, and the worker that ran each,
        whose memory has its results: a number, ``"gpu0"``, or None for the memory of the host.
        A certificate is of the whole instance.

    Examples
    --------
    >>> import hybridsched as hs
    >>> inst = hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1)
    >>> b = hs.bound(inst, "deadline", certificate=True)
    >>> b.value
    4.0
    >>> hs.verify(inst, b)
    True
    """
    instance = instance._without_idle_unknowns()
    settings = Settings(instance, time_limit=time_limit, threads=threads, available=available,
                        done=done)
    found = find_bound(name)
    began = time.monotonic()
    if certificate:
        return _certified(instance, name, found, settings, began)
    value, report = ffi.new("double *"), struct("hs_bound_report")
    status, interrupt = stoppable(
        lambda: lib.hs_bound_compute_reported(found, instance._handle, settings.struct, value,
                                              report), settings.stop)
    if interrupt:
        raise interrupt
    check(status, name)
    return Bound(name, value[0], time.monotonic() - began, bool(report.limit_reached))


def _certified(instance: Instance, name: str, found: Any, settings: Settings,
               began: float) -> Bound:
    if not lib.hs_bound_supports_certificate(found):
        raise Unsupported(f"the bound {name!r} has no certificates")
    out = ffi.new("hs_certificate **")
    status, interrupt = stoppable(
        lambda: lib.hs_certificate_create(found, instance._handle, settings.struct, out),
        settings.stop)
    return _take(out, status, interrupt, name, began)


def _take(out: Any, status: int, interrupt: Optional[BaseException], name: str,
          began: float) -> Bound:
    """Return the bound of a certificate, which is freed."""
    made = ffi.gc(out[0], lib.hs_certificate_free) if status == lib.HS_OK else None
    if interrupt:
        raise interrupt
    check(status, name)
    proved = lib.hs_certificate_proved_value(made)
    with memory_file() as fd:
        check(lib.hs_certificate_write(fd, made))
        data = content(fd)
    return Bound(name, proved, time.monotonic() - began,
                 proved < lib.hs_certificate_requested_value(made), data)


def prove(schedule: Schedule, *, time_limit: float = 0, threads: int = 0) -> Bound:
    """Prove the bound of a schedule by ``best`` or ``exact`` anew, with a certificate.

    Parameters
    ----------
    schedule : Schedule
        A schedule with a bound.
    time_limit : float
        Limit in seconds; 0: 10; ``inf``: none. Cases left unproved at the limit lower the value.
    threads : int
        Threads of the search; 0: 1.
    """
    if schedule.bound is None:
        raise InvalidArgument("the schedule has no bound to prove: use hs.bound(instance, name, "
                              "certificate=True)")
    settings = Settings(schedule.instance, time_limit=time_limit, threads=threads)
    name, value = schedule.report.bound_name, schedule.bound
    out = ffi.new("hs_certificate **")
    began = time.monotonic()
    status, interrupt = stoppable(
        lambda: lib.hs_certificate_prove(schedule.instance._handle, encode(name), value,
                                         settings.struct, out), settings.stop)
    return _take(out, status, interrupt, name, began)
