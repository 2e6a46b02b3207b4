# SPDX-License-Identifier: BSD-3-Clause
"""An executor of functions on CPUs and GPUs, with a process for each worker."""

from __future__ import annotations

import atexit
import functools
import itertools
import logging
import math
import multiprocessing
import os
import pickle
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor as _Executor, Future, wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Optional, TypeVar, Union

from ._devices import find_devices
from ._errors import Error, InvalidTime, NoWorker
from ._instance import _workers
from ._learned import Times, name_of
from ._library import Path, ffi, lib, sized, text
from ._process import Process, RemoteTraceback
from ._profile import KINDS, Profile, opened
from ._queue import Queue

Function = TypeVar("Function", bound=Callable[..., Any])
OTHER = {"cpu": "gpu", "gpu": "cpu"}
RETRY = 0.1  # seconds until a worker that left tasks to others considers them again
SHORT = 0.05  # seconds: the next task is sent while a shorter one runs, if it is short, too
AHEAD_BYTES = 16384  # that a connection takes while the process does not read


def gpu(function: Function) -> Function:
    """Let an Executor call a function on GPUs only.

    Examples
    --------
    >>> import hybridsched as hs
    >>> @hs.gpu
    ... def train(size): ...
    """
    return _mark(function, ("gpu",))


def both(function: Function) -> Function:
    """Let an Executor call a function on CPUs and on GPUs.

    The environment variable ``HSCHED_GPU`` tells the function whether its worker has a GPU.

    Examples
    --------
    >>> import hybridsched as hs
    >>> @hs.both
    ... def product(a, b): ...
    """
    return _mark(function, KINDS)


def _mark(function: Function, kinds: tuple[str, ...]) -> Function:
    try:
        function.__hybridsched__ = kinds  # type: ignore[attr-defined]
    except (AttributeError, TypeError):
        raise TypeError(f"{function!r} takes no mark for an Executor: wrap it in a function, and "
                        "decorate that") from None
    return function


def _marked(function: Any) -> Sequence[str]:
    """Return the types of workers that may call a function."""
    while not hasattr(function, "__hybridsched__") and isinstance(function, functools.partial):
        function = function.func
    kinds: Sequence[str] = getattr(function, "__hybridsched__", ("cpu",))
    return kinds


class _Task:
    """A call that waits or runs."""

    def __init__(self, function: Any, args: Any, kwargs: Any, many: bool,
                 given: dict[str, float], kinds: tuple[str, ...], times: Times) -> None:
        self.future: Future[Any] = Future()
        self.function, self.args, self.kwargs, self.many = function, args, kwargs, many
        self.calls = len(args) if many else 1
        self.given, self.kinds, self.times = given, kinds, times
        self.pickled: Optional[tuple[bytes, bytes]] = None  # function and arguments
        self.process: Optional[Process] = None  # that it was sent to
        self.number = 0  # of the request

    def pickle(self, dumps: Callable[[Any], bytes]) -> Optional[BaseException]:
        """Pickle the function and the arguments once. Return the exception if that fails."""
        try:
            if self.pickled is None:
                self.pickled = dumps(self.function), dumps((self.args, self.kwargs))
        except BaseException as error:
            return error
        return None

    def send(self, process: Process, number: int) -> bool:
        """Send the task under a number; return False if the process has ended."""
        assert self.pickled
        return process.send(number, self.times.name, self.many, *self.pickled)

    def time(self, kind: str) -> Optional[float]:
        """Return the expected seconds on a type of worker; None: unknown."""
        if self.given:
            return self.given[kind]
        mean = self.times.mean(kind)
        return None if mean is None else mean * self.calls

    def is_short(self, kind: str) -> bool:
        """Return whether the task is known to end soon on a type of worker."""
        seconds = self.time(kind)
        return seconds is not None and seconds <= SHORT


class _Group:
    """Waiting tasks with the same ratio of times, first in, first out: an entry of the queue."""

    def __init__(self) -> None:
        self.tasks: deque[_Task] = deque()
        self.handle: Any = None  # in the queue; None: not there


class _Worker(threading.Thread):
    """The thread that starts a worker's process and feeds it."""

    def __init__(self, pool: _Pool, kind: str, index: int, environment: dict[str, str]) -> None:
        super().__init__(name=f"hybridsched-{kind}{index}", daemon=True)
        self.pool, self.kind = pool, kind
        self.number = index + (pool.count["cpu"] if kind == "gpu" else 0)
        self.environment = {**environment, "HSCHED_WORKER": f"{kind}{index}"}
        self.process: Optional[Process] = None
        self.began = self.end = 0.0  # of the running task; end: expected
        self.ahead: Optional[_Task] = None  # the next task, which other workers may take back

    def run(self) -> None:
        try:
            self._start()
            while task := self.pool.next(self):
                self._execute(task)
                del task
        except BaseException as error:
            self.pool.retire(self, error)
        finally:
            if self.process:
                self.process.close()
                self.pool.forget(self.process)
            self.pool.ended(self)

    def _start(self) -> None:
        if self.process:
            self.pool.forget(self.process)
        self.process, name = None, self.environment["HSCHED_WORKER"]
        try:
            self.process = Process(name, self.environment)
        except OSError as error:
            raise BrokenProcessPool(f"worker {name} did not start: {error}") from error
        self.pool.started(self)

    def _execute(self, task: _Task) -> None:
        """Call the function of a task in the process, and set its future."""
        assert self.process
        if failed := task.pickle(self.process.dumps):
            self.pool.done(self, task)
            _set(task.future, failed, failed=True)
            return
        try:
            if task.process is not self.process:
                self._send(task)
            self._send_ahead(task)
            returned, seconds, first, trace, data = self.process.receive()
        except BaseException as error:
            self.pool.done(self, task)
            _set(task.future, error, failed=True)
            self._replace(error)
            return
        try:
            self.pool.done(self, task, seconds if returned else None, first)
        finally:
            _settle(task.future, returned, trace, data)

    def _send(self, task: _Task) -> None:
        """Send a task to the process, or to a new process if it has ended meanwhile."""
        assert self.process
        if not task.send(self.process, 0):
            self.process.close()
            self._start()
            if not task.send(self.process, 0):
                raise self.process._broken("ended at once")

    def _send_ahead(self, task: _Task) -> None:
        """Send the next task while a short one runs, so that the process need not wait for it."""
        following = self.pool.take_ahead(self, task)
        if not following:
            return
        assert self.process
        if failed := following.pickle(self.process.dumps):
            _set(following.future, failed, failed=True)
            return
        assert following.pickled
        is_small = sum(map(len, following.pickled)) <= AHEAD_BYTES
        with self.pool.lock:
            self.ahead = following
            if is_small:
                following.process, following.number = self.process, self.process.announce()
        if is_small:  # if the process has ended, receive() raises that
            following.send(self.process, following.number)

    def _replace(self, error: BaseException) -> None:
        """Start a new process. The task sent ahead is sent to it, unless it had begun."""
        begun = None
        with self.pool.lock:
            if self.ahead and not _take_back(self.ahead):
                begun, self.ahead = self.ahead, None
        if self.process:
            self.process.kill()
        if begun:
            _set(begun.future, BrokenProcessPool(f"its process was ended: {error}"), failed=True)
        self._start()


def _take_back(task: _Task) -> bool:
    """Take a task that was sent ahead back from the process; False: it runs. Needs the lock."""
    if task.process and not task.process.take_back(task.number):
        return False
    task.process = None
    return True


def _settle(future: Future[Any], returned: bool, trace: str, data: bytes) -> None:
    """Set the result of a future, or its exception with the traceback of the process."""
    try:
        value = pickle.loads(data)
    except BaseException as error:
        value, returned = error, False
    if not returned and not isinstance(value, BaseException):
        value = pickle.PicklingError(f"an exception was pickled as {type(value)}")
    if trace:
        value.__cause__ = RemoteTraceback(trace)
    _set(future, value, failed=not returned)


def _set(future: Future[Any], value: Any, failed: bool) -> None:
    """Set the result or exception of a future. What its callbacks raise ends no worker."""
    try:
        if failed:
            future.set_exception(value)
        else:
            future.set_result(value)
    except BaseException:
        logging.getLogger("concurrent.futures").exception("exception calling callback for %r",
                                                          future)


def _cancel(futures: Iterable[Future[Any]]) -> None:
    """Cancel the futures that wait. What a callback raises is raised after all are cancelled."""
    raised: Optional[BaseException] = None
    for future in futures:
        try:
            future.cancel()
        except BaseException as error:
            raised = raised or error
    if raised:
        raise raised


class _Pool:
    """The workers and the waiting tasks of an Executor; the threads refer to it alone."""

    def __init__(self, cpus: int, gpus: int, devices: Sequence[str],
                 profile: Optional[Profile]) -> None:
        self.count = {"cpu": cpus, "gpu": gpus}
        self.profile = Profile() if profile is None else profile
        self.saved = profile is None
        self.queue = Queue(cpus, gpus)
        self.groups: dict[Any, _Group] = {}
        self.outside: list[_Group] = []  # that found no memory in the queue
        self.times: dict[str, Times] = {}
        self.lock = threading.RLock()
        self.ready = {kind: threading.Condition(self.lock) for kind in KINDS}
        self.waiting = {kind: 0 for kind in KINDS}  # tasks that may run on a type
        self.given = {kind: 0.0 for kind in KINDS}  # their given times
        self.closed = False
        self.broken: dict[str, BaseException] = {}  # why a type has no worker left
        threads = str(max(1, lib.hs_exec_core_count() // max(1, cpus + gpus)))
        shared = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"} if "CUDA_DEVICE_ORDER" not in os.environ else {}
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            if name not in os.environ:
                shared[name] = threads
        self.workers = [_Worker(self, "cpu", index, {**shared, **_visible("-1")})
                        for index in range(cpus)]
        self.workers += [_Worker(self, "gpu", index, {**shared, **_visible(device),
                                                      "HSCHED_GPU": str(index)})
                         for index, device in enumerate(devices)]
        self.live = set(self.workers)  # that may still take a task
        self.unended = set(self.workers)
        self.unstarted = self.workers[::-1]
        self.pid = os.getpid()

    def submit(self, task: _Task) -> None:
        """Add a task, and start the workers for the first one."""
        with self.lock:
            if self.closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._start()
            if all(kind in self.broken for kind in task.kinds):
                raise self.broken[task.kinds[0]]
            self._push(task)
            for kind in task.kinds:
                self.ready[kind].notify()

    def _start(self) -> None:
        """Start the workers that were not started. One that gets no thread is broken."""
        while self.unstarted:
            _open_pools.add(self)
            worker = self.unstarted.pop()
            try:
                worker.start()
            except RuntimeError as error:
                self.retire(worker, error)
                self.ended(worker)

    def times_of(self, function: Any) -> Times:
        name = name_of(function)
        with self.lock:
            if name not in self.times:
                self.times[name] = Times(name, self.profile)
            return self.times[name]

    def _key(self, task: _Task) -> Any:
        """Return the key of a task's group."""
        if len(task.kinds) == 1:
            return task.kinds[0]
        return task.given["cpu"] / task.given["gpu"] if task.given else task.times

    def _push(self, task: _Task) -> None:
        group = self.groups.setdefault(self._key(task), _Group())
        group.tasks.append(task)
        self._count(task, 1)
        self._enter(group)

    def _enter(self, group: _Group) -> None:
        """Put a group into the queue, by the times of its first task.

        Without memory it waits outside, and enters when a worker looks for a task again.
        """
        if group.handle is not None or not group.tasks:
            return
        try:
            group.handle = self._put(group)
        except MemoryError:
            self.outside.append(group)

    def _put(self, group: _Group) -> Any:
        """Return the handle of a group that is put into the queue."""
        task = group.tasks[0]
        guess = max((task.time(kind) or 0 for kind in task.kinds), default=0) or 1.0
        known = {kind: (task.time(kind) or guess) if len(task.kinds) > 1 else 1.0
                 for kind in task.kinds}
        return self.queue.push(group, cpu=known.get("cpu", math.inf), gpu=known.get("gpu", math.inf))

    def _leave(self, group: _Group) -> None:
        """Take a group out of the queue, if it is there."""
        if group.handle is not None:
            self.queue.remove(group.handle)
            group.handle = None

    def _count(self, task: _Task, sign: int) -> None:
        """Add a task to the waiting work, or subtract it."""
        for kind in task.kinds:
            self.waiting[kind] += sign
            if task.given:
                self.given[kind] = self.given[kind] + sign * task.given[kind]
            else:
                task.times.waiting[kind] += sign * task.calls
            if not self.waiting[kind]:
                self.given[kind] = 0.0

    def next(self, worker: _Worker) -> Optional[_Task]:
        """Wait for the next task of a worker; None: there will be none."""
        kind = worker.kind
        with self.lock:
            task = worker.ahead
            if task:
                worker.ahead = None
                _take_back(task)  # then it is sent again: only the task ahead may have a token
                return self._begin(worker, task)
            while True:
                task = self._take(worker)
                if task:
                    if task.future.set_running_or_notify_cancel():
                        return self._begin(worker, task)
                    continue
                if task := self._take_from_other(worker):
                    return self._begin(worker, task)
                if self.closed and not self.waiting[kind]:
                    self.live.discard(worker)
                    return None
                others = self.waiting[kind] or any(one.ahead for one in self.workers)
                self.ready[kind].wait(RETRY if others else None)

    def _take_from_other(self, worker: _Worker) -> Optional[_Task]:
        """Take a task that was sent ahead to another worker, and has not begun."""
        for other in self.workers:
            task = other.ahead
            if task and worker.kind in task.kinds and self._accepts(worker, task) and _take_back(task):
                other.ahead = None
                return task
        return None

    def take_ahead(self, worker: _Worker, running: _Task) -> Optional[_Task]:
        """Take the next task of a worker that runs another one; None: none, or not in advance."""
        with self.lock:
            rivals = sum(one.kind == worker.kind for one in self.live)
            if not running.is_short(worker.kind) or self.waiting[worker.kind] < rivals:
                return None
            task = self._take(worker, ahead=True)
            return task if task and task.future.set_running_or_notify_cancel() else None

    def forget(self, process: Process) -> None:
        """Record that no task is in a process that has ended."""
        with self.lock:
            process.close_tokens()

    def _begin(self, worker: _Worker, task: _Task) -> _Task:
        worker.began = time.monotonic()
        worker.end = worker.began + (task.time(worker.kind) or 0)
        task.times.begin(worker.kind, worker.number)
        return task

    def _take(self, worker: _Worker, ahead: bool = False) -> Optional[_Task]:
        """Take a task out of the queue: one whose time is to be learned, or that of HeteroPrio.

        If the worker still runs another task, only a short one.
        """
        group, outside, self.outside = None, self.outside, []
        for waiting in outside:
            self._enter(waiting)
        for times in self.times.values() if not ahead else ():
            if times in self.groups and times.wants_trial(worker.kind, worker.number):
                group = self.groups[times]
                self._leave(group)
                break
        if not group:
            group = self.queue.take_if(
                worker.kind, lambda one: (not ahead or one.tasks[0].is_short(worker.kind))
                and self._accepts(worker, one.tasks[0]))
        if not group:
            return None
        group.handle = None
        task: _Task = group.tasks.popleft()
        self._count(task, -1)
        if group.tasks:
            self._enter(group)
        else:
            del self.groups[self._key(task)]
        if self.closed and not (self.waiting["cpu"] and self.waiting["gpu"]):
            self._wake()
        return task

    def _accepts(self, worker: _Worker, task: _Task) -> bool:
        """Return whether the worker would end a task sooner than the other type of workers.

        The other type first ends its running tasks and the waiting ones, all of which it prefers.
        """
        if len(task.kinds) == 1:
            return True
        other = OTHER[worker.kind]
        own, theirs = task.time(worker.kind), task.time(other)
        rivals = [one for one in self.live if one.kind == other]
        if own is None or theirs is None or own <= theirs or not rivals:
            return True
        now = time.monotonic()
        work = self.given[other] + sum((times.mean(other) or 0) * times.waiting[other]
                                       for times in self.times.values()) - theirs
        for one in rivals:
            late = now > one.end > 0
            work += (now - one.began if late else one.end - now) if one.end else 0
        return own <= max(work, 0) / len(rivals) + theirs

    def done(self, worker: _Worker, task: _Task, seconds: Optional[float] = None,
             first: bool = False) -> None:
        """Record the end of a task, and its time if its function returned."""
        with self.lock:
            worker.began = worker.end = 0
            if seconds is None:
                return
            task.times.observe(worker.kind, seconds / max(1, task.calls), first)
            group = self.groups.get(task.times)
            if group:  # its ratio has changed
                self._leave(group)
                self._enter(group)

    def started(self, worker: _Worker) -> None:
        """Record that a worker has a new process."""
        with self.lock:
            for times in self.times.values():
                times.forget(worker.number)

    def retire(self, worker: _Worker, error: BaseException) -> None:
        """Record that a worker ends early; fail tasks for which no worker is left."""
        with self.lock:
            self.live.discard(worker)
            if any(one.kind == worker.kind for one in self.live):
                self._wake()  # for the task that was sent ahead to this worker
                return
            self.broken[worker.kind] = error if isinstance(error, BrokenProcessPool) \
                else BrokenProcessPool(f"worker {worker.name} did not start: {error}")
            failed = self._remove(lambda task: all(kind in self.broken for kind in task.kinds))
            failed = [task for task in failed if task.future.set_running_or_notify_cancel()]
            for one in self.workers:
                if one.ahead and not any(other.kind in one.ahead.kinds for other in self.live):
                    failed.append(one.ahead)
                    one.ahead = None
            self._wake()
        for task in failed:
            _set(task.future, self.broken[worker.kind], failed=True)

    def _remove(self, unwanted: Callable[[_Task], bool]) -> list[_Task]:
        """Remove waiting tasks, and return them."""
        removed = []
        for key, group in list(self.groups.items()):
            gone = [task for task in group.tasks if unwanted(task)]
            if not gone:
                continue
            self._leave(group)
            group.tasks = deque(task for task in group.tasks if not unwanted(task))
            for task in gone:
                self._count(task, -1)
            removed += gone
            if group.tasks:
                self._enter(group)
            else:
                del self.groups[key]
        return removed

    def _wake(self) -> None:
        for condition in self.ready.values():
            condition.notify_all()

    def ended(self, worker: _Worker) -> None:
        """Record the end of a worker's thread."""
        with self.lock:
            self.unended.discard(worker)
            if not self.unended and self.saved:
                _open_pools.discard(self)

    def close(self, cancel: bool = False) -> None:
        """End the workers after the waiting tasks, or cancel these; a fork has no workers."""
        if os.getpid() != self.pid:
            return
        with self.lock:
            self.closed = True
            cancelled = self._remove(lambda task: True) if cancel else []
            self._wake()
        try:
            _cancel(task.future for task in cancelled)
        finally:
            for task in cancelled:
                task.future.set_running_or_notify_cancel()

    def join(self) -> None:
        """Wait for the ends of the workers, then save the times that were learned."""
        for worker in self.workers:
            if worker.ident is not None and worker is not threading.current_thread():
                worker.join()
        _open_pools.discard(self)
        with self.lock:
            if not self.saved:
                self.profile.save()
                self.saved = True


_open_pools: set[_Pool] = set()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_pools.clear)


@atexit.register
def _end_pools() -> None:
    """Complete the tasks of all executors before the interpreter ends."""
    for pool in list(_open_pools):
        pool.close()
    for pool in list(_open_pools):
        try:
            pool.join()
        except Error as error:
            warnings.warn(f"the learned times are not in the profile: {error}", RuntimeWarning)


def _visible(device: str) -> dict[str, str]:
    """Return the environment variables that make one GPU visible; "-1": none."""
    return {"CUDA_VISIBLE_DEVICES": device, "HIP_VISIBLE_DEVICES": device,
            "ROCR_VISIBLE_DEVICES": device} if device == "-1" else {"CUDA_VISIBLE_DEVICES": device}


class Executor(_Executor):
    """Calls functions on CPUs and GPUs: a concurrent.futures.Executor with a process a worker.

    HeteroPrio's queue decides which function an idle worker calls next: GPUs those that they
    accelerate most. Plain functions run on CPUs, those of :func:`gpu` on GPUs, those of
    :func:`both` on either, as their measured times advise; each type is tried first. A running
    function is never moved to another worker. A process that ends gives BrokenProcessPool for its
    function, and is replaced.

    Parameters
    ----------
    cpus : int, optional
        Number of CPU workers; by default one for each core that this process may use.
    gpus : int
        Number of GPU workers. Each sees one GPU, by CUDA_VISIBLE_DEVICES.
    devices : list of str, optional
        The values of CUDA_VISIBLE_DEVICES of the GPU workers; by default the first GPUs.
    profile : Profile or path, optional
        Measured times of earlier executors; those of this one are added by :meth:`shutdown`.

    Raises
    ------
    MissingResource
        There are fewer GPUs.
    Unsupported
        The path of a profile needs a library built with SQLite: see :func:`features`.

    Examples
    --------
    >>> import hybridsched as hs
    >>> with hs.Executor(cpus=2) as ex:
    ...     ex.submit(pow, 2, 10).result(), list(ex.map(abs, [-1, -2]))
    (1024, [1, 2])
    """

    def __init__(self, cpus: Optional[int] = None, gpus: int = 0, *,
                 devices: Optional[Sequence[str]] = None,
                 profile: Union[Profile, Path, None] = None) -> None:
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            raise RuntimeError("a worker process imports the main script, which makes an Executor: "
                               "put this below `if __name__ == \"__main__\":`, or install "
                               "cloudpickle")
        cpus = _workers(lib.hs_exec_core_count() if cpus is None else cpus, "cpus")
        if isinstance(devices, (str, bytes)):
            raise TypeError(f"devices={devices!r}: expected a list, [{devices!r}]")
        if devices is not None:
            devices, gpus = [str(device) for device in devices], len(devices)
        gpus = _workers(gpus, "gpus")
        if cpus + gpus == 0:
            raise NoWorker("an Executor needs a worker: cpus or gpus")
        devices = find_devices(gpus, "name those to use: devices=[...]") if devices is None and gpus else devices or []
        self._pool = _Pool(cpus, gpus, devices, opened(profile, False))
        self._max_workers = cpus + gpus  # dask reads it
        self._finalize = weakref.finalize(self, self._pool.close)
        self._finalize.atexit = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call ``fn(*args, **kwargs)`` in a worker; return a Future."""
        return self._submit({}, fn, args, kwargs)

    def task(self, *, cpu: float = math.inf, gpu: float = math.inf) -> Timed:
        """Return an executor for functions with given times, in seconds.

        ``ex.task(cpu=3.0, gpu=0.2).submit(f)``: a type without a time does not run the function.
        """
        for seconds in (cpu, gpu):
            if not seconds > 0:
                raise InvalidTime(f"{seconds!r} seconds: expected a positive time")
        return Timed(self, {"cpu": float(cpu), "gpu": float(gpu)})

    def _submit(self, given: dict[str, float], fn: Any, args: Any, kwargs: Any) -> Future[Any]:
        if os.getpid() != self._pool.pid:
            raise RuntimeError("this process is a fork of the one that made the Executor: make "
                               "another one here")
        many = isinstance(fn, _Chunk)
        if many:
            fn, (args,) = fn.function, args
        if given:
            can: Iterable[str] = [kind for kind in KINDS if math.isfinite(given[kind])]
        else:
            can = _marked(fn)
        kinds = tuple(kind for kind in can if self._pool.count[kind])
        if not kinds:
            raise NoWorker(f"{name_of(fn)} can run on no worker: it has no time on, or no decorator "
                           "for, the types of workers of this Executor")
        task = _Task(fn, args, kwargs, many, given, kinds, self._pool.times_of(fn))
        self._pool.submit(task)
        return task.future

    def map(self, fn: Callable[..., Any], *iterables: Iterable[Any],
            timeout: Optional[float] = None, chunksize: int = 1, **options: Any) -> Iterator[Any]:
        """Call ``fn`` with the items of the iterables; iterate over the results, in order.

        A worker takes `chunksize` calls at once.
        """
        return _map(super().map, fn, iterables, timeout, chunksize, options)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no further function; wait for the others, or cancel those that wait.

        With ``wait``, the learned times are then written to the profile.
        """
        self._pool.close(cancel_futures)
        if wait and os.getpid() == self._pool.pid:
            self._pool.join()


class Timed(_Executor):
    """An executor of functions with given times: see :meth:`Executor.task`."""

    def __init__(self, executor: Executor, given: dict[str, float]) -> None:
        self._executor, self._given = executor, given
        self._max_workers = executor._max_workers
        self._lock, self._closed = threading.Lock(), False
        self._futures: weakref.WeakSet[Future[Any]] = weakref.WeakSet()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call ``fn(*args, **kwargs)`` in a worker; return a Future."""
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            future = self._executor._submit(self._given, fn, args, kwargs)
            self._futures.add(future)
            return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no further function; wait for the others, or cancel those that wait.

        The workers are those of the Executor, and remain.
        """
        with self._lock:
            self._closed = True
            futures = list(self._futures)
        if cancel_futures:
            _cancel(futures)
        if wait:
            wait_for(futures)


class _Chunk:
    """A function that a worker calls for each tuple of arguments of a list."""

    def __init__(self, function: Any) -> None:
        self.function = function


def _map(plain_map: Any, fn: Any, iterables: Any, timeout: Optional[float], chunksize: int,
         options: dict[str, Any]) -> Iterator[Any]:
    if chunksize < 1:
        raise ValueError("chunksize must be >= 1.")
    if chunksize == 1:
        return iter(plain_map(fn, *iterables, timeout=timeout, **options))
    calls = zip(*iterables)
    chunks = iter(lambda: list(itertools.islice(calls, chunksize)), [])
    results = plain_map(_Chunk(fn), chunks, timeout=timeout, **options)
    return itertools.chain.from_iterable(results)
