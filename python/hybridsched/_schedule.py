# SPDX-License-Identifier: BSD-3-Clause
"""Schedules: which worker runs which task from when to when."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._errors import InvalidArgument, check, check_described
from ._library import Path, encode, ffi, lib, save, struct, text, written
from ._report import Report
from ._instance import Instance

if TYPE_CHECKING:
    import pandas

ENTRY = np.dtype([("start", "f8"), ("end", "f8"), ("task", "u4"), ("state", "u4")])
PLACEMENT = np.dtype({"names": ["start", "end", "task", "worker", "state"],
                      "formats": ["f8", "f8", "u4", "u4", "u4"],
                      "offsets": [0, 8, 16, 20, 24], "itemsize": ffi.sizeof("hs_placement")})
TRANSFER = np.dtype({"names": ["start", "end", "bytes", "data", "from", "to"],
                     "formats": ["f8", "f8", "f8", "u4", "u4", "u4"],
                     "offsets": [0, 8, 16, 24, 28, 32], "itemsize": ffi.sizeof("hs_transfer")})
STATES = ("run", "aborted")
Done = Mapping[Union[int, str], Union[int, str, None]]
DRAWN = 2000  # entries up to which a notebook draws a schedule


class _Memory:
    """Memory of the library as an array that cannot be written and keeps its owner alive."""

    def __init__(self, owner: Any, pointer: Any, count: int, kind: np.dtype[Any]) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "shape": (count,), "typestr": kind.str, "descr": kind.descr,
            "data": (int(ffi.cast("uintptr_t", pointer)), True)}


def _array(owner: Any, pointer: Any, count: int, kind: np.dtype[Any]) -> Any:
    if count == 0:
        empty = np.empty(0, dtype=kind)
        empty.flags.writeable = False
        return empty
    return np.asarray(_Memory(owner, pointer, count, kind))


class Schedule:
    """A schedule of an instance, with a report on its origin. Immutable.

    A notebook shows it as a Gantt chart. :func:`solve` and :func:`read` make schedules.

    Attributes
    ----------
    instance : Instance
        The tasks and workers.
    report : Report
        How the schedule was made. Its values are also attributes of the schedule.

    Examples
    --------
    >>> import hybridsched as hs
    >>> s = hs.solve(hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1), "exact")
    >>> s.makespan, s.bound, s.gap, s.optimal
    (4.0, 4.0, 0.0, True)
    >>> s.check()
    """

    __slots__ = ("_handle", "instance", "report", "__weakref__")
    _handle: Any
    instance: Instance
    report: Report

    def __init__(self) -> None:
        raise TypeError("hs.solve(), hs.simulate(), hs.read() and Schedule.build() make schedules")

    @classmethod
    def _own(cls, handle: Any, instance: Instance, report: Report) -> Schedule:
        """Return the Schedule that owns a handle of the library."""
        made = cls.__new__(cls)
        object.__setattr__(made, "_handle", ffi.gc(handle, lib.hs_schedule_free))
        object.__setattr__(made, "instance", instance)
        object.__setattr__(made, "report", report)
        return made

    @classmethod
    def build(cls, instance: Instance, task: Any, worker: Any, start: Any, end: Any = None,
              aborted: Any = False) -> Schedule:
        """Build a schedule from arrays with an element for each execution, in any order.

        Parameters
        ----------
        instance : Instance
            Tasks and workers; :meth:`check` tells whether the result is a schedule of it.
        task, worker : array of int
            Numbers of the tasks, and of the workers: CPUs first, then GPUs.
        start : array of float
            Start of each execution.
        end : array of float, optional
            End of each execution; by default the start plus the task's time on the worker.
        aborted : array of bool
            Whether the execution was aborted.
        """
        rows = np.zeros(len(task), dtype=PLACEMENT)
        rows["task"] = _numbers("task", task, len(instance))
        rows["worker"] = _numbers("worker", worker, instance.cpus + instance.gpus)
        rows["start"] = start
        rows["state"] = aborted
        if end is None:
            end = [start + lib.hs_instance_time(
                instance._handle, task, lib.HS_CPU if worker < instance.cpus else lib.HS_GPU)
                for start, task, worker in rows[["start", "task", "worker"]].tolist()]
        rows["end"] = end
        return _rebuild(instance._without_idle_unknowns(), rows, Report())

    @property
    def makespan(self) -> float:
        """End of the last entry."""
        return float(lib.hs_schedule_makespan(self._handle))

    @property
    def bound(self) -> Optional[float]:
        """Lower bound on every makespan, or None: see :func:`bound` and :func:`compare`."""
        return self.report.bound or None

    @property
    def gap(self) -> Optional[float]:
        """Makespan over bound, minus 1; None without a bound.

        The makespan counts as the largest exact sum of times of a worker if the report has it, so
        that rounded ends leave no gap to a bound that is reached.
        """
        if not self.report.bound:
            return None
        return max(0.0, (self.report.certified or self.makespan) / self.report.bound - 1)

    @property
    def optimal(self) -> bool:
        """Whether the makespan was proved to be optimal."""
        return self.report.optimal

    @property
    def members(self) -> tuple[str, ...]:
        """Algorithms of the portfolio of ``best`` that ended."""
        return self.report.members

    @property
    def algorithm(self) -> str:
        """Name of the algorithm; empty if unknown."""
        return self.report.algorithm

    def __len__(self) -> int:
        """Return the number of entries, aborted executions included."""
        return int(lib.hs_schedule_entry_count(self._handle))

    def entries(self, worker: Optional[int] = None) -> Any:
        """Return the entries of a worker, or of all workers one after another, by time.

        The result is a record array with the fields start, end, task and state (0: run, 1:
        aborted). It is the memory of the library, without a copy, and cannot be written.
        """
        count = ffi.new("size_t *")
        first = lib.hs_schedule_entries(self._handle, self._worker(worker or 0), count)
        return _array(self, first, count[0] if worker is not None else len(self), ENTRY)

    def _worker(self, worker: int) -> int:
        workers = self.instance.cpus + self.instance.gpus
        if not 0 <= worker < workers:
            raise IndexError(f"worker {worker} of {workers}")
        return worker

    def workers(self) -> Any:
        """Return the worker of each element of :meth:`entries`."""
        count = ffi.new("size_t *")
        counts = []
        for worker in range(self.instance.cpus + self.instance.gpus):
            lib.hs_schedule_entries(self._handle, worker, count)
            counts.append(count[0])
        return np.repeat(np.arange(len(counts), dtype=np.uint32), counts)

    def transfers(self) -> Any:
        """Return the transfers that ``solve(..., transfers=True)`` recorded, as records.

        Fields: start, end, bytes, data (number of the data item; 4294967295: data of an edge),
        and the memories from and to: with N nodes, memory v < N is the host of node v and N + g is
        GPU g; without nodes N is 1. A schedule that was pickled or saved has none.
        """
        count = ffi.new("size_t *")
        first = lib.hs_schedule_transfers(self._handle, count)
        return _array(self, first, count[0], TRANSFER)

    def frame(self) -> pandas.DataFrame:
        """Return the entries as a pandas DataFrame: id, worker, start, end, state."""
        import pandas

        entries, names = self.entries(), self.instance.names()
        cpus = self.instance.cpus
        workers = [f"cpu{w}" if w < cpus else f"gpu{w - cpus}" for w in self.workers().tolist()]
        return pandas.DataFrame({
            "id": [names[task] for task in entries["task"].tolist()], "worker": workers,
            "start": entries["start"].copy(), "end": entries["end"].copy(),
            "state": [STATES[state] for state in entries["state"].tolist()]})

    def check(self, available: Any = None, done: Optional[Done] = None) -> None:
        """Check that this is a schedule of the instance, with code that shares nothing with solve.

        Parameters
        ----------
        available : array of float, optional
            Times before which the workers must start nothing.
        done : mapping, optional
            Tasks, by number or name, that were done before the start, and the worker that ran each,
            whose memory has its results: a number, ``"gpu0"``, or None for the memory of the host.

        Raises
        ------
        InvalidSchedule
            The message names the first violation.
        """
        error = ffi.new("hs_error *")
        times = _available(self.instance, available)
        skip, workers = _done(self.instance, done)
        check_described(lib.hs_schedule_check_rest(
            self.instance._handle, self._handle, times, skip, workers, error), error)

    def metrics(self) -> dict[str, dict[str, float]]:
        """Return for "cpu" and "gpu": tasks, aborted, busy, idle, acceleration."""
        found = ffi.new("hs_metrics *")
        lib.hs_schedule_compute_metrics_sized(
            self.instance._handle, self._handle, found, ffi.sizeof("hs_metrics"))
        names = [name for name, _ in ffi.typeof("hs_type_metrics").fields]
        return {kind: {name: getattr(found.type[number], name) for name in names}
                for number, kind in enumerate(("cpu", "gpu"))}

    def _info(self) -> Any:
        """Return the header of the plan of this schedule."""
        info = struct("hs_plan_info")
        info.algorithm = encode(self.report.algorithm)[:ffi.sizeof(info.algorithm) - 1]
        info.has_seed, info.seed = bool(self.report.seed), self.report.seed
        if self.report.bound:
            info.bound_count = 1
            info.bounds[0].name = encode(self.report.bound_name)
            info.bounds[0].value = self.report.bound
        return info

    def text(self) -> bytes:
        """Return the plan as a file in memory, see hsched-formats(5)."""
        return written(lib.hs_plan_write, self.instance._handle, self._handle, self._info())

    def save(self, path: Path) -> None:
        """Write the plan to a file for hsched-exec and hsched-check, see hsched-formats(5)."""
        save(path, self.text())

    def _picture(self, title: Optional[str], width: float) -> tuple[Any, Any]:
        picture = struct("hs_picture")
        kept = [ffi.new("char[]", encode(title))] if title else []
        picture.title = kept[0] if kept else ffi.NULL
        picture.width = width
        if self.report.bound:
            bound = ffi.new("hs_named_bound *")
            bound.name, bound.value = encode(self.report.bound_name), self.report.bound
            picture.bound = bound
            kept.append(bound)
        return picture, kept

    def gantt(self, path: Optional[Path] = None, *, title: Optional[str] = None,
              width: float = 0) -> Optional[SVG]:
        """Draw a Gantt chart (SVG): to a file, or as an object that a notebook shows.

        Parameters
        ----------
        path : path, optional
            File to write.
        title : str, optional
            Title of the chart.
        width : float
            Width in SVG units, at least 360; 0: 1120.
        """
        picture, kept = self._picture(title, width)
        drawn = written(lib.hs_gantt_write, self.instance._handle, self._handle, picture)
        del kept
        if path is None:
            return SVG(drawn.decode())
        save(path, drawn)
        return None

    def trace(self, path: Path) -> None:
        """Write a trace for Perfetto (ui.perfetto.dev) and chrome://tracing."""
        picture, kept = self._picture(None, 0)
        save(path, written(lib.hs_trace_write, self.instance._handle, self._handle, picture))
        del kept

    def _repr_svg_(self) -> Optional[str]:
        drawn = self.gantt() if len(self) <= DRAWN else None
        return drawn.svg if drawn else None

    def __str__(self) -> str:
        """Return a description of five lines."""
        counts = self.metrics()
        bound = "no bound"
        if self.bound is not None and self.gap is not None:
            bound = f"bound {self.bound:.6g} ({self.report.bound_name}), gap {self.gap:.4%}"
        return "\n".join([
            repr(self.instance)[1:-1],
            f"algorithm {self.algorithm or 'unknown'}"
            + (", proved to be optimal" if self.optimal else ""),
            f"makespan {self.makespan:.6g} {self.instance.unit}, {bound}",
            *(f"{kind.upper()}s: {numbers['tasks']} tasks, {numbers['aborted']} aborted, "
              f"busy {numbers['busy']:.6g}, idle {numbers['idle']:.6g}"
              for kind, numbers in counts.items())])

    def __repr__(self) -> str:
        if len(self) > DRAWN:
            return f"{self}\nMore than {DRAWN} entries: gantt() draws them."
        gap = f", gap {self.gap:.4%}" if self.gap is not None else ""
        return (f"<Schedule: {len(self.instance)} tasks, makespan {self.makespan:.6g} "
                f"{self.instance.unit}{gap}>")

    def __reduce__(self) -> Any:
        rows = np.zeros(len(self), dtype=PLACEMENT)
        entries = self.entries()
        for name in entries.dtype.names:
            rows[name] = entries[name]
        rows["worker"] = self.workers()
        return _rebuild, (self.instance, rows, self.report)

    def __copy__(self) -> Schedule:
        return self

    def __deepcopy__(self, memo: Any) -> Schedule:
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Schedule is immutable: '{name}' cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Schedule is immutable: '{name}' cannot be deleted")

    def __eq__(self, other: object) -> bool:
        """Return whether instances and entries are equal; reports are not compared."""
        if not isinstance(other, Schedule):
            return NotImplemented
        return self is other or (
            self.instance == other.instance
            and np.array_equal(self.entries(), other.entries())
            and np.array_equal(self.workers(), other.workers()))

    def __hash__(self) -> int:
        entries = self.entries()
        starts = entries["start"] + 0.0  # 0.0 for -0.0, which is equal to it
        return hash((self.instance, starts.tobytes(), entries["task"].tobytes()))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.entries())


class SVG:
    """A drawing. A notebook shows it; ``str()`` and ``svg`` are its text."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<SVG: {len(self.svg)} characters>"


def _available(instance: Instance, available: Any) -> Any:
    """Return the argument ``available`` as an array of C; NULL for None."""
    if available is None:
        return ffi.NULL
    times = np.ascontiguousarray(available, dtype=np.float64)
    if times.shape != (instance.cpus + instance.gpus,):
        raise InvalidArgument(f"available: expected {instance.cpus + instance.gpus} times, one "
                              f"for each worker, not {times.size}")
    return ffi.from_buffer("double[]", times)


def _worker_number(instance: Instance, worker: Union[int, str, None]) -> int:
    """Return the number of a worker given by number or name; HS_NONE for None."""
    workers = instance.cpus + instance.gpus
    if worker is None:
        return int(lib.HS_NONE)
    if isinstance(worker, str):
        kind, number = worker[:3], worker[3:]
        if kind in ("cpu", "gpu") and number.isdecimal():
            found = int(number) + (instance.cpus if kind == "gpu" else 0)
            if found < (instance.cpus if kind == "cpu" else workers):
                return found
    elif 0 <= worker < workers:
        return int(worker)
    raise InvalidArgument(f"done: there is no worker {worker!r}")


def _done(instance: Instance, done: Optional[Done]) -> tuple[Any, Any]:
    """Return the argument ``done`` as two arrays of C, flags and workers; NULL for None."""
    if done is None:
        return ffi.NULL, ffi.NULL
    size = len(instance)
    flags, workers = ffi.new("unsigned char[]", size + 1), ffi.new("uint32_t[]", size + 1)
    named = any(isinstance(task, str) for task in done)
    numbers = {name: task for task, name in enumerate(instance.names())} if named else {}
    for task, worker in done.items():
        number = numbers.get(task, -1) if isinstance(task, str) else task
        if not 0 <= number < size:
            raise InvalidArgument(f"done: there is no task {task!r}")
        flags[number], workers[number] = 1, _worker_number(instance, worker)
    return flags, workers


def _numbers(what: str, given: Any, count: int) -> Any:
    """Return numbers of tasks or workers as an array, after a check that they are below count."""
    array = np.asarray(given)
    wrong = np.flatnonzero(~((array >= 0) & (array < count) & (array % 1 == 0)))
    if len(wrong):
        raise InvalidArgument(f"{what}: element {wrong[0]} is {array.flat[wrong[0]]}; expected a "
                              f"whole number from 0 to {count - 1}")
    return array


def _rebuild(instance: Instance, rows: Any, report: Report) -> Schedule:
    """Return the schedule of an array of placements."""
    out = ffi.new("hs_schedule **")
    check(lib.hs_schedule_build(instance.cpus, instance.gpus, len(rows),
                                ffi.from_buffer("hs_placement[]", rows), out))
    return Schedule._own(out[0], instance, report)


def read_plan(fd: int, settings: Any, name: str) -> Schedule:
    """Read a plan from an open file."""
    instance, schedule = ffi.new("hs_instance **"), ffi.new("hs_schedule **")
    info, error = struct("hs_plan_info"), ffi.new("hs_error *")
    check_described(lib.hs_plan_read(fd, settings, instance, schedule, info, error), error, name)
    best = max((info.bounds[i] for i in range(info.bound_count)), key=lambda bound: float(bound.value),
               default=None)
    report = Report(algorithm=text(info.algorithm), seed=info.seed,
                    bound=best.value if best and math.isfinite(best.value) else 0.0,
                    bound_name=text(best.name) if best else "")
    return Schedule._own(schedule[0], Instance._own(instance[0]), report)
