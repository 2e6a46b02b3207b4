# SPDX-License-Identifier: BSD-3-Clause
"""Runs: the tasks of an instance or a schedule on the cores and GPUs of this machine."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._errors import Error, InvalidArgument, check, check_described, failure, how_to_get
from ._functions import Functions, Task
from ._library import (
    Path, Stop, encode, end_fork, ffi, lib, save, stoppable, struct, text, written)
from ._progress import run_bar
from ._settings import find_ranked, set_parameters
from ._instance import Instance
from ._profile import Profile, opened
from ._report import Report
from ._schedule import SVG, Schedule
from ._solve import solve
from ._table import written_times

if TYPE_CHECKING:
    import pandas

RECORD = np.dtype([("start", "f8"), ("end", "f8"), ("task", "u4"), ("number", "u2"),
                   ("outcome", "u2")])
ATTEMPT = np.dtype(RECORD.descr + [("worker", "u4")])
OUTCOMES = ("done", "aborted", "failed", "lost")
HALTS = ("soon", "now", "never")
ARGUMENTS = {  # of run(), by the settings that messages of the library name
    "settings.run.allow_commands": "commands=True", "settings.run.allow_plugins": "plugins=True",
    "settings.run.emulate[HS_CPU]": "emulate_cpus=True",
    "settings.run.emulate[HS_GPU]": "emulate_gpus=True",
    "settings.place.oversubscribe": "oversubscribe=True"}
RESUMES = {False: lib.HS_RESUME_NOT, True: lib.HS_RESUME_REST, "failed": lib.HS_RESUME_FAILED}


@dataclass(frozen=True)
class RunProgress:
    """Progress of a run: seconds since its start, numbers of tasks, expected remaining seconds."""

    seconds: float
    total: int
    done: int
    running: int
    failed: int
    remaining: float


@dataclass(frozen=True)
class Failure:
    """A failed attempt of a task.

    Attributes
    ----------
    task : str
        Name of the task.
    number : int
        Number of the attempt, from 1.
    worker : int
        Number of the worker.
    final : bool
        Whether the task was not tried again.
    why : str
        The reason.
    log : str
        File with the output of the attempt; empty: none was kept.
    traceback : str
        The traceback of a function of ``fn``; empty without one.
    """

    task: str
    number: int
    worker: int
    final: bool
    why: str
    log: str
    traceback: str = ""


class Run:
    """A finished run. A notebook shows its key figures, its failures and its Gantt chart.

    Attributes
    ----------
    policy : str
        Name of the policy, with its rank.
    instance : Instance
        The tasks; times that were unknown are guesses.
    schedule : Schedule or None
        The plan that the run followed.
    predicted : Schedule
        The schedule of the policy for the times of the instance.
    report : dict
        Numbers of tasks (tasks, done, failed, not_run, ...), seconds, busy, idle, overhead, ...
    failures : list of Failure
        Failed attempts, by time.
    second : float
        Seconds of the clock for one unit of the instance's times.
    began : float
        Start of the run, in seconds from 1970.
    """

    def __init__(self, instance: Instance, schedule: Optional[Schedule], predicted: Schedule,
                 report: dict[str, Any], failures: list[Failure], records: Any,
                 emulated: set[tuple[int, int]], second: float, policy: str,
                 began: float) -> None:
        self.policy, self.began = policy, began
        self.instance, self.schedule, self.predicted = instance, schedule, predicted
        self.report, self.failures = report, failures
        self._records = records
        self._emulated = emulated  # pairs of task and type, 0: CPU, 1: GPU
        self.second = second  # seconds of the clock for a unit of the instance's times

    @property
    def ok(self) -> bool:
        """Whether every task is done."""
        return bool(self.report["done"] == self.report["tasks"])

    def check(self) -> None:
        """Raise TaskFailed if a task is not done."""
        if not self.ok:
            first = next((f"; task '{found.task}': {found.why}" for found in self.failures
                          if found.final), "")
            raise failure(lib.HS_EFAILED, f"{self.report['tasks'] - self.report['done']} of "
                          f"{self.report['tasks']} tasks are not done{first}")

    def records(self) -> Any:
        """Return the attempts as records: start, end, task, number, outcome, worker.

        Times are in seconds from the start. Outcomes are 0: done, 1: aborted by spoliation or a
        stop, 2: failed, 3: the worker was lost. Tasks done in an earlier run of the journal are
        not among them.
        """
        return self._records

    def frame(self) -> pandas.DataFrame:
        """Return the attempts as a DataFrame: id, number, worker, start, end, outcome."""
        import pandas

        names, rows = self.instance.names(), self._records
        cpus = self.instance.cpus
        return pandas.DataFrame({
            "id": [names[task] for task in rows["task"].tolist()], "number": rows["number"],
            "worker": [f"cpu{w}" if w < cpus else f"gpu{w - cpus}" for w in
                       rows["worker"].tolist()],
            "start": rows["start"], "end": rows["end"],
            "outcome": [OUTCOMES[outcome] for outcome in rows["outcome"].tolist()]})

    def measured(self) -> Instance:
        """Return the instance with the mean of the measured times of each row and type.

        Other times remain; a time that was guessed and not measured is unknown. No time is a guess.
        Timers of emulated workers measure nothing.
        """
        handle, sums = self.instance._handle, dict[tuple[int, int], list[float]]()
        for task, kind, start, end in self._measurements():
            sums.setdefault((lib.hs_instance_row_of(handle, task), kind), []).append(end - start)
        return Instance._from_text(written_times(self.instance.text(), {
            key: repr(max(sum(times) / len(times), 1e-9) / self.second)
            for key, times in sums.items()} | self._unmeasured(set(sums))))

    @property
    def achieved(self) -> Schedule:
        """The run as a schedule, in the unit of the instance; failed attempts are aborted entries."""
        rows = self._records
        return Schedule.build(self.instance, rows["task"], rows["worker"],
                              rows["start"] / self.second, rows["end"] / self.second,
                              rows["outcome"] != 0)

    @property
    def guessed(self) -> bool:
        """Whether a time of the instance was unknown and is a guess, so nothing was predicted."""
        return self.instance.guesses > 0

    def gantt(self, path: Optional[Path] = None, *, title: Optional[str] = None,
              width: float = 0) -> Optional[SVG]:
        """Draw a Gantt chart (SVG) of the run below the prediction, as :meth:`Schedule.gantt`."""
        drawn = self._drawn(lib.hs_gantt_write, title, width)
        if path is None:
            return SVG(drawn.decode())
        save(path, drawn)
        return None

    def trace(self, path: Path) -> None:
        """Write a trace of the run and the prediction, as :meth:`Schedule.trace`."""
        save(path, self._drawn(lib.hs_trace_write, None, 0))

    def _drawn(self, write: Any, title: Optional[str], width: float) -> bytes:
        from ._page import picture

        made, kept = picture(self, title, width)
        drawn = written(write, self.instance._handle, self.achieved._handle, made)
        del kept
        return drawn

    def _repr_html_(self) -> str:
        from ._page import page

        return page(self)

    def _measurements(self) -> Iterator[tuple[int, int, float, float]]:
        """Iterate over the attempts that ended well and were no timers: task, type, start, end."""
        done = self._records[self._records["outcome"] == 0]
        kinds = (done["worker"] >= self.instance.cpus).astype(int).tolist()
        for task, kind, start, end in zip(done["task"].tolist(), kinds, done["start"].tolist(),
                                          done["end"].tolist()):
            if (task, kind) not in self._emulated:
                yield task, kind, start, end

    def _unmeasured(self, measured: set[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """Return "?" for the guessed times that were not measured, by row and type."""
        return {(row, kind): "?" for row, kind, source in self.instance._sources()
                if (row, kind) not in measured and lib.hs_cost_is_guess(source)}

    def __repr__(self) -> str:
        numbers = self.report
        return (f"<Run: {numbers['done']} of {numbers['tasks']} tasks done, {numbers['failed']} "
                f"failed, {numbers['seconds']:.3g} s>")


class _StopRun(Stop):
    """Stops a run: first no further task starts, then running tasks are aborted."""

    def __init__(self, handle: Any) -> None:
        super().__init__()
        self._exec = handle

    def set(self) -> None:
        lib.hs_exec_stop(self._exec, lib.HS_STOP_NOW if self.flag[0] else lib.HS_STOP_DRAIN)
        super().set()

    def end_now(self) -> None:
        """Abort running tasks, too."""
        self.flag[0] = 1
        self.set()

    def end(self) -> None:
        self.flag[0] = 1
        super().end()


class _Watch:
    """A progress callback of a run, with its stop."""

    def __init__(self, call: Callable[[RunProgress], Optional[bool]],
                 close: Optional[Callable[[], None]] = None) -> None:
        self.call, self.close = call, close
        self.stop: Optional[_StopRun] = None
        self.raised: Optional[BaseException] = None
        self._pid = os.getpid()

    def report(self, now: Any) -> None:
        if self.raised or self.stop is None:
            return
        stops = False
        try:
            stops = bool(self.call(RunProgress(now.seconds, now.total, now.done, now.running,
                                               now.failed, now.remaining)))
        except BaseException as error:
            self.raised = error
        end_fork(self._pid, self.raised)
        if self.raised:
            self.stop.end_now()
        elif stops and not self.stop.flag[0]:
            self.stop.set()


def hspy_run_progress(state: Any, progress: Any) -> None:
    """Pass on an hs_exec_progress to the _Watch behind a handle."""
    ffi.from_handle(state).report(progress)


ffi.def_extern()(hspy_run_progress)


def run(work: Union[Instance, Schedule], *, policy: Optional[str] = None,
        fn: Optional[Mapping[str, Callable[[Task], Any]]] = None, commands: bool = False,
        plugins: bool = False, emulate_cpus: bool = False, emulate_gpus: bool = False,
        time_scale: float = 1, oversubscribe: bool = False, journal: Optional[Path] = None,
        resume: Union[bool, str] = False, logs: Optional[Path] = None, retries: int = 0,
        timeout: float = 0, halt: str = "soon", profile: Union[Profile, Path, None] = None,
        progress: Union[None, bool, Callable[[RunProgress], Optional[bool]]] = None,
        **parameters: float) -> Run:
    """Run the tasks of an instance or a schedule on this machine, as hsched-exec does.

    Parameters
    ----------
    work : Instance or Schedule
        Tasks with commands or kernels, see hsched-formats(5).
    policy : str, optional
        A name of :func:`policies`, with a rank if wanted. By default a schedule is followed
        ("plan"); an instance is planned by ``best`` first, or, if times are unknown and no
        profile predicts them, run with "explore".
    fn : dict of functions, optional
        Rows whose kernel is ``python:NAME`` call ``fn[NAME](task)`` with a :class:`Task`, in the
        thread of the worker. An exception is a failure of the task; ``sys.exit()`` ends the task
        like a command; KeyboardInterrupt aborts the run and is raised here.
    commands, plugins : bool
        Whether shell commands and plugins of the instance may run. Otherwise the run is refused.
    emulate_cpus, emulate_gpus : bool
        Whether timers take the place of the workers of a type.
    time_scale : float
        Factor from the times of the instance to those of timers.
    oversubscribe : bool
        Whether there may be more CPU workers than cores.
    journal : path, optional
        File that records each end of a task, for ``resume``.
    resume : bool or "failed"
        True runs the tasks that the journal has not as done, "failed" those that failed.
    logs : path, optional
        Folder for the output of commands.
    retries : int
        Further attempts after a failure.
    timeout : float
        Seconds after which an attempt fails, for tasks without a timeout of their own; 0: none.
    halt : {"soon", "now", "never"}
        After the final failure of a task: start no further task, also abort running ones, or go on.
    profile : Profile or path, optional
        Measured times: they fill unknown times, and the run adds its own. A file need not exist.
    progress : bool or function, optional
        True shows a bar of tqdm. A function is called about five times a second with a
        :class:`RunProgress` and ends the run by returning True, after the running tasks. Its
        exceptions abort the run and are raised here.
    **parameters : float
        Parameters of single policies.

    Returns
    -------
    Run
        Also if tasks failed: see ``failures`` and :meth:`Run.check`.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C. The first one waits for running tasks, the second one aborts them.
    MissingResource
        The machine has fewer GPUs, which are not emulated.

    Examples
    --------
    >>> import hybridsched as hs
    >>> jobs = {"id": ["a", "b"], "cpu_command": ["true", "exit 3"]}
    >>> r = hs.run(hs.Instance.from_frame(jobs, cpus=1, gpus=0), commands=True)
    >>> r.ok, r.report["done"], r.failures[0].task
    (False, 1, 'b')
    """
    schedule, instance = (work, work.instance) if isinstance(work, Schedule) else (None, work)
    known = opened(profile, must_exist=False)
    if known is not None:
        known.save()  # a file that cannot be written is refused before the run
    if instance.unknown:
        instance = instance.fill(known)
    if policy is None and schedule is None and instance.guesses:
        policy = "explore"
    kind, rank = find_ranked("policy", policy or "plan")
    if lib.hs_policy_needs_plan(kind) and schedule is None:
        schedule = solve(instance, "best")
    settings, kept = _settings(kind, rank, parameters, journal, resume, logs, halt)
    settings.run.allow_commands, settings.run.allow_plugins = commands, plugins
    settings.run.emulate = [emulate_cpus, emulate_gpus]
    settings.run.time_scale = time_scale
    settings.place.oversubscribe = oversubscribe
    settings.fail.retries, settings.fail.timeout = retries, timeout
    functions = Functions(fn, instance) if fn is not None else None
    if functions:
        settings.run.backends, settings.run.backend_count = functions.list, 1
    cost = known._copy() if known is not None else ffi.NULL
    settings.decide.cost = cost
    watch = _watch(progress)
    if watch:
        state = ffi.new_handle(watch)
        settings.report.data, settings.report.progress = state, lib.hspy_run_progress
    out, error = ffi.new("hs_exec **"), ffi.new("hs_error *")
    status = lib.hs_exec_create(
        instance._handle, schedule._handle if schedule is not None else ffi.NULL, settings, out,
        error)
    if status == lib.HS_EUNSUPPORTED:
        raise failure(status, f"{text(error.why)}: {how_to_get('openblas', 'lapacke')}")
    if status != lib.HS_OK:
        raise failure(status, _in_python(text(error.why)))
    handle = ffi.gc(out[0], lambda made, backend=functions: lib.hs_exec_free(made))
    if functions and functions.missing and not lib.hs_policy_needs_plan(kind):
        raise functions.missing
    del kept
    made = _finish(handle, instance, schedule, functions, watch, time_scale or 1, policy or "plan",
                   known)
    del cost
    return made


def _watch(progress: Union[None, bool, Callable[[RunProgress], Optional[bool]]]
           ) -> Optional[_Watch]:
    """Return the callback for the argument ``progress`` of a run; None for no progress."""
    if progress is None or progress is False:
        return None
    return _Watch(*run_bar()) if progress is True else _Watch(progress)


def _settings(kind: Any, rank: int, parameters: dict[str, float], journal: Optional[Path],
              resume: Union[bool, str], logs: Optional[Path], halt: str) -> tuple[Any, Any]:
    """Return an hs_exec_settings, and the memory that it refers to."""
    if resume not in RESUMES:
        raise InvalidArgument(f"resume={resume!r}: expected True, False or 'failed'")
    if resume and journal is None:
        raise InvalidArgument("resume needs the journal of the earlier run: journal=...")
    if halt not in HALTS:
        raise InvalidArgument(f"halt={halt!r}: expected one of {', '.join(HALTS)}")
    settings = struct("hs_exec_settings")
    set_parameters(settings.decide.parameters, parameters)
    settings.decide.policy, settings.decide.rank = kind, rank
    settings.keep.resume, settings.fail.halt = RESUMES[resume], HALTS.index(halt)
    kept = []
    if journal is not None:
        kept.append(ffi.new("char[]", encode(os.fspath(journal))))
        settings.keep.journal = kept[-1]
    if logs is not None:
        os.makedirs(logs, exist_ok=True)
        kept.append(ffi.new("char[]", encode(os.fspath(logs))))
        settings.keep.log_folder = kept[-1]
    return settings, kept


def _finish(handle: Any, instance: Instance, schedule: Optional[Schedule],
            functions: Optional[Functions], watch: Optional[_Watch], time_scale: float,
            policy: str, known: Optional[Profile]) -> Run:
    """Run the tasks, and return the finished run. An exception of a callback is raised."""
    out = ffi.new("hs_schedule **")
    check(lib.hs_exec_predict(handle, out))
    predicted = Schedule._own(out[0], instance, Report())
    report, error = ffi.new("hs_exec_report *"), ffi.new("hs_error *")
    report.struct_size = ffi.sizeof("hs_exec_report")
    stop = _StopRun(handle)
    for callback in (functions, watch):
        if callback:
            callback.stop = stop
    began = time.time()
    status, interrupt = stoppable(lambda: lib.hs_exec_run(handle, report, error), stop)
    if watch and watch.close:
        watch.close()
    numbers = {name: getattr(report, name)
               for name, _ in ffi.typeof("hs_exec_report").fields if name != "struct_size"}
    records = _records(handle, instance)
    failures = _failures(handle, instance, functions.tracebacks if functions else {})
    made = Run(instance, schedule, predicted, numbers, failures, records,
               _emulated(handle, instance, records),
               lib.hs_unit_seconds(lib.hs_instance_unit(instance._handle)) * time_scale, policy, began)
    if known is not None:
        _keep(known, made)
    if interrupt:
        raise interrupt
    for callback in (functions, watch):
        if callback and callback.raised:
            raise callback.raised
    if status not in (lib.HS_OK, lib.HS_EFAILED, lib.HS_ECANCELED):
        check_described(status, error)
    return made


def _keep(known: Profile, made: Run) -> None:
    """Add a run to a profile. A failure is a warning, because the run must not be lost."""
    try:
        known.add(made)
    except Error as error:
        warnings.warn(f"the measured times of the run are not in the profile: {error}; fix this, "
                      "then call save() of the Profile", RuntimeWarning, stacklevel=4)


def _emulated(handle: Any, instance: Instance, records: Any) -> set[tuple[int, int]]:
    """Return the pairs of task and type that a timer ran."""
    kinds = records["worker"] >= instance.cpus
    return {(task, kind) for task, kind in zip(records["task"].tolist(), kinds.astype(int).tolist())
            if text(lib.hs_exec_backend_name(handle, task, kind)) == "emulated"}


def _in_python(why: str) -> str:
    """Return a message of the library with the arguments of run() for the names of settings."""
    for setting, argument in ARGUMENTS.items():
        why = why.replace(setting, argument)
    return why


def _failures(handle: Any, instance: Instance,
              tracebacks: dict[tuple[int, int], str]) -> list[Failure]:
    found: list[Failure] = []
    entry, index = ffi.new("hs_exec_failure *"), 0
    entry.struct_size = ffi.sizeof("hs_exec_failure")
    while lib.hs_exec_failure_at(handle, index, entry):
        index += 1
        if not entry.done:
            found.append(Failure(instance.name(entry.task), entry.number, entry.worker,
                                 bool(entry.final), text(entry.why), text(entry.log),
                                 tracebacks.get((entry.task, entry.number), "")))
    return found


def _records(handle: Any, instance: Instance) -> Any:
    """Return the attempts of all workers, sorted by start."""
    count = ffi.new("size_t *")
    parts = []
    for worker in range(instance.cpus + instance.gpus):
        first = lib.hs_exec_records(handle, worker, count)
        part = np.zeros(count[0], dtype=ATTEMPT)
        if count[0]:
            rows = np.frombuffer(ffi.buffer(first, count[0] * RECORD.itemsize), dtype=RECORD)
            for name in RECORD.names or ():
                part[name] = rows[name]
        part["worker"] = worker
        parts.append(part)
    rows = np.concatenate(parts) if parts else np.zeros(0, dtype=ATTEMPT)
    rows = rows[np.argsort(rows["start"], kind="stable")]
    rows.flags.writeable = False
    return rows
