# SPDX-License-Identifier: BSD-3-Clause
"""Runs: the tasks of an instance or a schedule on the cores and GPUs of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._errors import InvalidArgument, check, check_described, failure
from ._functions import Functions, Task
from ._library import Path, Stop, encode, ffi, lib, stoppable, struct, text
from ._settings import find_ranked, set_parameters
from ._instance import Instance
from ._report import Report
from ._schedule import Schedule
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
    """A finished run.

    Attributes
    ----------
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
    """

    def __init__(self, instance: Instance, schedule: Optional[Schedule], predicted: Schedule,
                 report: dict[str, Any], failures: list[Failure], records: Any,
                 emulated: set[tuple[int, int]], seconds: float) -> None:
        self.instance, self.schedule, self.predicted = instance, schedule, predicted
        self.report, self.failures = report, failures
        self._records = records
        self._emulated = emulated  # pairs of task and type, 0: CPU, 1: GPU
        self._seconds = seconds  # of the clock, per unit of the instance

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

        Other times remain; a time that was guessed and not measured is unknown. Timers of emulated
        workers measure nothing.
        """
        handle, sums = self.instance._handle, dict[tuple[int, int], list[float]]()
        done = self._records[self._records["outcome"] == 0]
        for kind in (lib.HS_CPU, lib.HS_GPU):
            on_kind = done[(done["worker"] >= self.instance.cpus) == (kind == lib.HS_GPU)]
            for task, time in zip(on_kind["task"].tolist(),
                                  (on_kind["end"] - on_kind["start"]).tolist()):
                if (task, kind) not in self._emulated:
                    key = (lib.hs_instance_row_of(handle, task), kind)
                    sums.setdefault(key, []).append(time)
        return Instance._from_text(written_times(self.instance.text(), {
            key: repr(max(sum(times) / len(times), 1e-9) / self._seconds)
            for key, times in sums.items()} | self._unmeasured(set(sums))))

    def _unmeasured(self, measured: set[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """Return "?" for the guessed times that were not measured, by row and type."""
        handle, found, last = self.instance._handle, dict[tuple[int, int], str](), None
        for task in range(len(self.instance)):
            row = lib.hs_instance_row_of(handle, task)
            for kind in (lib.HS_CPU, lib.HS_GPU) if row != last else ():
                if (row, kind) not in measured and lib.hs_cost_is_guess(
                        lib.hs_instance_source(handle, task, kind)):
                    found[row, kind] = "?"
            last = row
        return found

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

    def __init__(self, call: Callable[[RunProgress], Optional[bool]]) -> None:
        self.call = call
        self.stop: Optional[_StopRun] = None
        self.raised: Optional[BaseException] = None

    def report(self, now: Any) -> None:
        if self.raised or self.stop is None:
            return
        try:
            if self.call(RunProgress(now.seconds, now.total, now.done, now.running, now.failed,
                                     now.remaining)) and not self.stop.flag[0]:
                self.stop.set()
        except BaseException as error:
            self.raised = error
            self.stop.end_now()


def hspy_run_progress(state: Any, progress: Any) -> None:
    """Pass on an hs_exec_progress to the _Watch behind a handle."""
    ffi.from_handle(state).report(progress)


ffi.def_extern()(hspy_run_progress)


def run(work: Union[Instance, Schedule], *, policy: Optional[str] = None,
        fn: Optional[Mapping[str, Callable[[Task], Any]]] = None, commands: bool = False,
        plugins: bool = False, emulate_cpus: bool = False, emulate_gpus: bool = False,
        time_scale: float = 1, oversubscribe: bool = False, journal: Optional[Path] = None,
        resume: Union[bool, str] = False, logs: Optional[Path] = None, retries: int = 0,
        timeout: float = 0, halt: str = "soon",
        progress: Optional[Callable[[RunProgress], Optional[bool]]] = None,
        **parameters: float) -> Run:
    """Run the tasks of an instance or a schedule on this machine, as hsched-exec does.

    Parameters
    ----------
    work : Instance or Schedule
        Tasks with commands or kernels, see hsched-formats(5).
    policy : str, optional
        A name of :func:`policies`, with a rank if wanted. By default a schedule is followed
        ("plan"); an instance is planned by ``best`` first, or, if times are unknown, run with
        "explore".
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
    progress : function, optional
        Called about five times a second with a :class:`RunProgress`; ends the run by returning
        True, after the running tasks. Its exceptions abort the run and are raised here.
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

    Examples
    --------
    >>> import hybridsched as hs
    >>> jobs = {"id": ["a", "b"], "cpu_command": ["true", "exit 3"]}
    >>> r = hs.run(hs.Instance.from_frame(jobs, cpus=1, gpus=0), commands=True)
    >>> r.ok, r.report["done"], r.failures[0].task
    (False, 1, 'b')
    """
    schedule, instance = (work, work.instance) if isinstance(work, Schedule) else (None, work)
    if instance.unknown:
        out = ffi.new("hs_instance **")
        check(lib.hs_instance_fill(instance._handle, ffi.NULL, out))
        instance = Instance._own(out[0], instance)
        policy = policy or "explore"
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
    watch = _Watch(progress) if progress else None
    if watch:
        state = ffi.new_handle(watch)
        settings.report.data, settings.report.progress = state, lib.hspy_run_progress
    out, error = ffi.new("hs_exec **"), ffi.new("hs_error *")
    status = lib.hs_exec_create(
        instance._handle, schedule._handle if schedule is not None else ffi.NULL, settings, out,
        error)
    if status != lib.HS_OK:
        raise failure(status, _in_python(text(error.why)))
    handle = ffi.gc(out[0], lib.hs_exec_free)
    del kept
    return _finish(handle, instance, schedule, [part for part in (functions, watch) if part],
                   time_scale)


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
            callbacks: list[Union[Functions, _Watch]], time_scale: float) -> Run:
    """Run the tasks, and return the finished run. An exception of a callback is raised."""
    out = ffi.new("hs_schedule **")
    check(lib.hs_exec_predict(handle, out))
    predicted = Schedule._own(out[0], instance, Report())
    report, error = ffi.new("hs_exec_report *"), ffi.new("hs_error *")
    report.struct_size = ffi.sizeof("hs_exec_report")
    stop = _StopRun(handle)
    for part in callbacks:
        part.stop = stop
    status, interrupt = stoppable(lambda: lib.hs_exec_run(handle, report, error), stop)
    if interrupt:
        raise interrupt
    for part in callbacks:
        if part.raised:
            raise part.raised
    tracebacks = {task: lines for part in callbacks if isinstance(part, Functions)
                  for task, lines in part.tracebacks.items()}
    if status not in (lib.HS_OK, lib.HS_EFAILED, lib.HS_ECANCELED):
        check_described(status, error)
    numbers = {name: getattr(report, name)
               for name, _ in ffi.typeof("hs_exec_report").fields if name != "struct_size"}
    records = _records(handle, instance)
    return Run(instance, schedule, predicted, numbers, _failures(handle, instance, tracebacks),
               records,
               _emulated(handle, instance, records),
               lib.hs_unit_seconds(lib.hs_instance_unit(instance._handle)) * time_scale)


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
