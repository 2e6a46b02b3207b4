# SPDX-License-Identifier: BSD-3-Clause
"""HeteroPrio's ready queue, for own runtime systems."""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable
from typing import Any, Optional

from ._errors import InvalidArgument, check
from ._library import ffi, lib, struct
from ._instance import _workers

KINDS = {"cpu": lib.HS_CPU, "gpu": lib.HS_GPU}


class Queue:
    """A queue of ready tasks: GPUs take the most accelerated task, CPUs the least accelerated.

    Tasks are any Python objects. The methods may be called by several threads.

    Parameters
    ----------
    cpus, gpus : int
        Numbers of workers; CPUs have the numbers 0 to cpus - 1, GPUs follow.
    tolerance : float
        Relative tolerance of the ratios cpu / gpu, within which priorities decide; 0: exact.

    Examples
    --------
    >>> import hybridsched as hs
    >>> q = hs.queue(cpus=1, gpus=1)
    >>> handle = q.push("matrix", cpu=8, gpu=1)
    >>> handle = q.push("parser", cpu=2, gpu=4)
    >>> q.take("gpu"), q.take("cpu"), q.take("cpu")
    ('matrix', 'parser', None)
    """

    def __init__(self, cpus: int, gpus: int, *, tolerance: float = 0) -> None:
        settings = struct("hs_queue_settings")
        settings.tolerance = tolerance
        out = ffi.new("hs_queue **")
        check(lib.hs_queue_create_with(_workers(cpus, "cpus"), _workers(gpus, "gpus"), 0, settings,
                                       out), "queue")
        self._handle = ffi.gc(out[0], lib.hs_queue_free)
        self._workers = cpus + gpus
        self._lock = threading.RLock()
        self._last_tag = 0
        self._tasks: dict[int, tuple[Any, float, float, int]] = {}  # by tag
        self._running: dict[int, int] = {}  # tag by worker

    def __len__(self) -> int:
        """Return the number of waiting tasks."""
        with self._lock:
            return int(lib.hs_queue_size(self._handle))

    def push(self, task: Any, *, cpu: float, gpu: float, priority: int = 0) -> Any:
        """Add a ready task with its times on a CPU and on a GPU (``inf``: cannot run there).

        Returns a handle for :meth:`remove` and :meth:`update`.
        """
        with self._lock:
            tag = self._last_tag + 1
            handle = ffi.new("hs_queue_handle *")
            check(lib.hs_queue_push(self._handle, self._struct(tag, cpu, gpu, priority), handle),
                  f"task {task!r}")
            self._last_tag = tag
            self._tasks[tag] = (task, cpu, gpu, priority)
            return (tag, handle)

    @staticmethod
    def _struct(tag: int, cpu: float, gpu: float, priority: int) -> Any:
        made = ffi.new("hs_queue_task *")
        made.tag, made.cpu, made.gpu, made.priority = tag, cpu, gpu, priority
        return made

    def take(self, kind: str, worker: Optional[int] = None,
             end: Optional[float] = None) -> Any:
        """Take the next task for an idle worker of a kind, "cpu" or "gpu"; None: there is none.

        With ``worker`` and its expected ``end`` the task is recorded as running, so that other
        workers can find it by :meth:`find_victim`, until :meth:`ended`.
        """
        if (worker is None) != (end is None):
            raise TypeError("worker and end belong together: pass both or none")
        if worker is not None and end is not None:
            worker, end = operator.index(worker), float(end)
            if math.isnan(end):
                raise InvalidArgument(f"end={end}: expected the time at which the task ends")
        with self._lock:
            found = ffi.new("hs_queue_task *")
            if worker is not None:
                self._check_idle(worker)
            if not lib.hs_queue_take(self._handle, _kind(kind), found):
                return None
            task = self._tasks[found.tag]
            if worker is not None:
                status = lib.hs_queue_record_start(self._handle, worker, found, end)
                if status != lib.HS_OK:
                    self._tasks.pop(found.tag)
                    self.push(task[0], cpu=task[1], gpu=task[2], priority=task[3])
                    check(status, f"worker {worker}, end {end}")
                self._running[worker] = found.tag
            else:
                del self._tasks[found.tag]
            return task[0]

    def _check_idle(self, worker: int) -> None:
        if not 0 <= worker < self._workers:
            raise IndexError(f"worker {worker} of {self._workers}")
        if worker in self._running:
            raise InvalidArgument(f"worker {worker} runs a task: call ended({worker}) first")

    def take_if(self, kind: str, accept: Callable[[Any], bool]) -> Any:
        """Take the first task of a kind of worker for which ``accept(task)`` is true; None: none.

        ``accept`` must not use the queue. Its exceptions are raised here and take no task.
        """
        return self.take_best(kind, lambda task: 0 if accept(task) else math.inf, most=1)

    def take_best(self, kind: str, cost: Callable[[Any], float], most: int) -> Any:
        """Take the task of least ``cost(task)`` for a kind of worker; None: none.

        At most ``most`` tasks are compared: the first task whose cost is not infinite, and those
        behind it whose ratio cpu/gpu counts as equal. A cost may be the number of bytes to copy.
        ``cost`` must not use the queue. Its exceptions are raised here and take no task.
        """
        choice = _Choice(cost, self._tasks)
        handle = ffi.new_handle(choice)
        with self._lock:
            found = ffi.new("hs_queue_task *")
            taken = lib.hs_queue_take_best(
                self._handle, _kind(kind), most, lib.hspy_cost, handle, found)
            if choice.raised:
                raise choice.raised
            return self._tasks.pop(found.tag)[0] if taken else None

    def peek(self, kind: str) -> Any:
        """Return the task that :meth:`take` would take, and leave it; None: there is none."""
        with self._lock:
            found = ffi.new("hs_queue_task *")
            if not lib.hs_queue_peek(self._handle, _kind(kind), found):
                return None
            return self._tasks[found.tag][0]

    def remove(self, handle: Any) -> bool:
        """Remove a waiting task; False: it no longer waits."""
        with self._lock:
            tag, c_handle = handle
            removed = bool(lib.hs_queue_remove(self._handle, c_handle, ffi.NULL))
            if removed:
                del self._tasks[tag]
            return removed

    def update(self, handle: Any, *, cpu: Optional[float] = None, gpu: Optional[float] = None,
               priority: Optional[int] = None) -> None:
        """Change times or priority of a waiting task, which keeps its age."""
        with self._lock:
            tag, c_handle = handle
            if tag not in self._tasks or tag in self._running.values():
                raise InvalidArgument("the task no longer waits")
            task, old_cpu, old_gpu, old_priority = self._tasks[tag]
            new = (task, old_cpu if cpu is None else cpu, old_gpu if gpu is None else gpu,
                   old_priority if priority is None else priority)
            check(lib.hs_queue_update(self._handle, c_handle, self._struct(tag, *new[1:])),
                  f"task {task!r}")
            self._tasks[tag] = new

    def ended(self, worker: int) -> Any:
        """Report that the recorded task of a worker has ended or was aborted; return the task."""
        with self._lock:
            if worker not in self._running:
                raise InvalidArgument(f"worker {worker} runs no recorded task")
            lib.hs_queue_record_end(self._handle, worker)
            return self._tasks.pop(self._running.pop(worker))[0]

    def find_victim(self, kind: str, now: float) -> Optional[tuple[int, Any]]:
        """Return the worker and task that an idle worker of a kind should abort and run itself.

        The idle worker would end the task strictly earlier. None: no such task. To spoliate, abort
        the task, call :meth:`ended` for the victim and run the task on the idle worker.
        """
        with self._lock:
            worker, found = ffi.new("unsigned *"), ffi.new("hs_queue_task *")
            if not lib.hs_queue_find_victim(self._handle, _kind(kind), now, worker, found):
                return None
            return int(worker[0]), self._tasks[found.tag][0]


class _Choice:
    """A function that returns costs of tasks, and the exception that it raised."""

    def __init__(self, cost: Callable[[Any], float], tasks: dict[int, Any]) -> None:
        self.cost, self.tasks = cost, tasks
        self.raised: Optional[BaseException] = None


def hspy_cost(state: Any, handle: Any, candidate: Any) -> float:
    """Return a task's cost by the _Choice behind a state; NaN, the end of a search, on errors."""
    choice: _Choice = ffi.from_handle(state)
    try:
        return float(choice.cost(choice.tasks[candidate.tag][0]))
    except BaseException as error:
        choice.raised = error
        return math.nan


ffi.def_extern()(hspy_cost)


def _kind(kind: str) -> Any:
    if kind not in KINDS:
        raise InvalidArgument(f"unknown kind of worker {kind!r}; expected 'cpu' or 'gpu'")
    return KINDS[kind]


def queue(cpus: int, gpus: int, *, tolerance: float = 0) -> Queue:
    """Return an empty :class:`Queue` for so many workers."""
    return Queue(cpus, gpus, tolerance=tolerance)
