# SPDX-License-Identifier: BSD-3-Clause
"""Schedules by algorithms, and their comparison."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

from ._errors import (BusyWorkers, DependentTasks, Error, NoWorker, SolverFailed, TooBig,
                      Unsupported, check)
from ._library import ffi, lib, registry, stoppable, struct, text
from ._progress import Progress
from ._report import Report
from ._settings import Settings, find_ranked
from ._bounds import Bound, bound as compute_bound
from ._instance import Instance
from ._schedule import Done, Schedule

if TYPE_CHECKING:
    import pandas

SEARCHES = ("best", "exact")


def solve(instance: Instance, algorithm: str = "best", *, time_limit: float = 0,
          iterations: int = 0, seed: int = 0, threads: int = 0, gap: float = 0,
          start: Optional[Schedule] = None, available: Any = None,
          affinities: Optional[Iterable[tuple[int, int, float]]] = None, transfers: bool = False,
          done: Optional[Done] = None,
          progress: Union[None, bool, Callable[[Progress], Optional[bool]]] = None,
          **parameters: float) -> Schedule:
    """Schedule an instance.

    Equal instances and arguments give equal schedules, bit for bit, also by hsched-solve and in C;
    ``best`` needs a limit of ``iterations`` for this, and ``exact`` must end before its time limit.

    Parameters
    ----------
    instance : Instance
        Tasks and workers. Times may be unknown on a type without workers; the schedule's
        instance has guesses for them.
    algorithm : str
        A name of :func:`algorithms`, with a rank if wanted: ``"heft:min"``.
    time_limit : float
        Limit of a search in seconds; 0: 1 for best, 10 for exact; ``inf``: none.
    iterations : int
        Limit of the iterations of best; 0: only the time limit.
    seed : int
        Seed of the search.
    threads : int
        Threads of the search; 0: 1.
    gap : float
        A search ends when its makespan is at most (1 + gap) times its bound.
    start : Schedule, optional
        A schedule of the instance with which best starts.
    available : array of float, optional
        For each worker the time before which it is busy.
    affinities : iterable of (task, worker, score), optional
        Preferences for dada.
    transfers : bool
        Whether to record the transfers of a graph, see :meth:`Schedule.transfers`.
    done : mapping, optional
        Tasks, by number or name, that were done before the start, and the worker that ran each,
        whose memory has its results: a number, ``"gpu0"``, or None for the memory of the host.
        The schedule has no entries of them.
    progress : bool or function, optional
        True shows a bar of tqdm. A function gets a :class:`Progress` and ends the search by
        returning True; it runs in another thread if the caller is the main thread. Its exceptions
        end the search and are raised here.
    **parameters : float
        Parameters of single algorithms: alpha, band, leave, ratio_tolerance, threshold.

    Returns
    -------
    Schedule
        Its report says what was proved. After Ctrl-C during a search it is the best schedule so
        far, with ``report.interrupted``.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C if the algorithm is no search, or has no schedule yet.

    Examples
    --------
    >>> import hybridsched as hs
    >>> inst = hs.generate("gamma", 50, cpus=4, gpus=1, seed=1)
    >>> s = hs.solve(inst, "best", iterations=1000)
    >>> s.gap < 0.1
    True
    """
    instance = instance._without_idle_unknowns()
    settings = Settings(instance, time_limit=time_limit, iterations=iterations, seed=seed,
                        threads=threads, gap=gap, start=start, available=available,
                        affinities=affinities, transfers=transfers, done=done, progress=progress,
                        parameters=parameters)
    found, rank = find_ranked("algorithm", algorithm)
    settings.struct.rank = rank
    out, report = ffi.new("hs_schedule **"), struct("hs_report")
    began = time.monotonic()
    status, interrupt = stoppable(
        lambda: lib.hs_solve_reported(found, instance._handle, settings.struct, out, report),
        settings.stop)
    seconds = time.monotonic() - began
    made = None
    if status == lib.HS_OK:
        made = Schedule._own(out[0], instance, _report(
            algorithm, report, seconds, seed, interrupted=bool(settings.stop.flag[0])))
    settings.finish()
    if interrupt and (not isinstance(interrupt, KeyboardInterrupt) or made is None
                      or text(lib.hs_algorithm_name(found)) not in SEARCHES):
        raise interrupt
    check(status, algorithm)
    assert made is not None
    return made


def _report(algorithm: str, report: Any, seconds: float, seed: int, interrupted: bool) -> Report:
    members = text(report.members)
    return Report(
        algorithm=algorithm, bound=report.bound, bound_name=text(report.bound_name),
        optimal=report.proved and bool(report.bound), certified=report.certified,
        limit_reached=report.limit_reached, interrupted=interrupted,
        iterations=report.iterations, members=tuple(members.split(",")) if members else (),
        found_by=text(report.found_by), seconds=seconds, seed=seed)


def compare(instances: Union[Instance, Mapping[str, Instance]],
            algorithms: Union[str, Iterable[str]] = "all", *,
            bounds: Union[str, Iterable[str]] = "deadline",
            **settings: Any) -> pandas.DataFrame:
    """Compare algorithms by their makespans, as ``hsched-solve --format csv`` does.

    Parameters
    ----------
    instances : Instance or mapping of str to Instance
        One instance, or several by name.
    algorithms, bounds : str or iterable of str
        Names of :func:`algorithms` and :func:`bounds`; "all" leaves out those that do not support
        an instance.
    **settings
        Arguments of :func:`solve`; ``time_limit`` and ``threads`` are those of bounds, too.

    Returns
    -------
    DataFrame
        A row for each algorithm and each bound of an instance. The columns bound and bound_name of
        an algorithm are those of the largest bound; ratio is makespan over bound.

    Examples
    --------
    >>> import hybridsched as hs
    >>> inst = hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1)
    >>> hs.compare(inst, ["lpt", "heteroprio"])[["algorithm", "makespan", "bound"]]
        algorithm  makespan  bound
    0         lpt       4.0    4.0
    1  heteroprio       4.0    4.0
    2         NaN       NaN    4.0
    """
    import pandas

    named = instances if isinstance(instances, Mapping) else {"": instances}
    rows = [row for name, instance in named.items()
            for row in _compare_one(name, instance, _names(algorithms), _names(bounds), settings)]
    return pandas.DataFrame(rows, columns=[
        "instance", "tasks", "cpus", "gpus", "algorithm", "makespan", "bound", "bound_name",
        "ratio", "spoliated", "seconds"])


def _names(given: Union[str, Iterable[str]]) -> Optional[list[str]]:
    """Return a list of names; None for all."""
    if given == "all":
        return None
    return [given] if isinstance(given, str) else list(given)


def _compare_one(name: str, instance: Instance, algorithms: Optional[list[str]],
                 bounds: Optional[list[str]], settings: dict[str, Any]) -> list[dict[str, Any]]:
    found = _all_bounds(instance, bounds, {key: value for key, value in settings.items()
                                           if key in ("time_limit", "threads", "available",
                                                      "done")})
    best = max(found, key=lambda bound: bound.value, default=None)
    largest, largest_name = (best.value, best.name) if best else (0.0, "")
    common = {"instance": name, "tasks": len(instance), "cpus": instance.cpus,
              "gpus": instance.gpus}
    schedules = _all_schedules(instance, algorithms, settings)
    for schedule in schedules:
        if schedule.report.bound > largest:
            largest, largest_name = schedule.report.bound, schedule.report.bound_name
    rows: list[dict[str, Any]] = []
    for schedule in schedules:
        makespan = max(schedule.makespan, schedule.report.certified)
        rows.append({**common, "algorithm": schedule.algorithm, "makespan": makespan,
                     "bound": largest or None, "bound_name": largest_name or None,
                     "ratio": makespan / largest if largest else None,
                     "spoliated": len(schedule) - len(instance),
                     "seconds": schedule.report.seconds})
    rows += [{**common, "bound": bound.value, "bound_name": bound.name, "seconds": bound.seconds}
             for bound in found]
    return rows


def _all_bounds(instance: Instance, names: Optional[list[str]],
                settings: dict[str, Any]) -> list[Bound]:
    found = []
    for name in names if names is not None else [text(lib.hs_bound_name(entry))
                                                 for entry in registry(lib.hs_bound_at)]:
        try:
            found.append(compute_bound(instance, name, **settings))
        except (TooBig, SolverFailed, Unsupported, BusyWorkers, DependentTasks):
            if names is not None:
                raise
    return found


def _all_schedules(instance: Instance, names: Optional[list[str]],
                   settings: dict[str, Any]) -> list[Schedule]:
    found = []
    for name in names if names is not None else [text(lib.hs_algorithm_name(entry))
                                                 for entry in registry(lib.hs_algorithm_at)]:
        try:
            schedule = solve(instance, name, **settings)
        except (DependentTasks, NoWorker, BusyWorkers):
            if names is not None:
                raise
            continue
        if schedule.report.interrupted and not settings.get("progress"):
            raise KeyboardInterrupt
        found.append(schedule)
    return found
