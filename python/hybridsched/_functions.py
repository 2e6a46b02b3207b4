# SPDX-License-Identifier: BSD-3-Clause
"""A backend of runs that calls Python functions in the threads of the workers."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Optional

from ._devices import find_devices
from ._errors import InvalidArgument, MissingResource
from ._library import end_fork, ffi, lib, near, text

if TYPE_CHECKING:
    from ._instance import Instance
    from ._run import _StopRun

PREFIX = "python:"


class Task:
    """The task that a function of ``run(fn=...)`` executes.

    Attributes
    ----------
    number : int
        Number of the attempt, from 1.
    worker : int
        Number of the worker; GPUs follow the CPUs.
    type : str
        Type of the worker, "cpu" or "gpu".
    gpu : int or None
        Index of the worker's GPU as CUDA counts the visible devices; None on a CPU.
    """

    __slots__ = ("number", "worker", "type", "gpu", "_instance", "_task", "_cancel", "_cancelled")

    def __init__(self, instance: Instance, attempt: Any, gpu: Optional[int]) -> None:
        self.number: int = attempt.number
        self.worker: int = attempt.worker
        self.type = "cpu" if gpu is None else "gpu"
        self.gpu = gpu
        self._instance, self._task = instance, attempt.task
        self._cancel: Any = attempt.cancel
        self._cancelled = False

    @property
    def id(self) -> str:
        """Name of the task: its id, ``id#3`` for a copy, ``t7`` without an id."""
        return self._instance.name(self._task)

    def cancelled(self) -> bool:
        """Return whether the function should end, because its result is no longer wanted.

        A task whose function has seen True counts as aborted when the function ends. So does one
        that ends after its timeout; after a spoliation, a result that is ready all the same counts.
        """
        if not self._cancelled and self._cancel is not None and self._cancel[0]:
            self._cancelled = True
        return self._cancelled

    def __repr__(self) -> str:
        return f"<Task {self.id!r} on {self.type} worker {self.worker}>"


class Functions:
    """The functions of a run as an hs_backend."""

    def __init__(self, functions: Mapping[str, Callable[[Task], Any]], instance: Instance) -> None:
        self._functions = dict(functions)
        for name, function in self._functions.items():
            if not isinstance(name, str) or not callable(function):
                raise TypeError(f"fn={{{name!r}: {function!r}}}: expected names and functions")
        self._instance = instance
        self._devices: list[str] = []  # that the GPU workers use; found when a row needs one
        self.missing: Optional[MissingResource] = None  # why rows cannot run on GPUs
        self._bodies: dict[str, Any] = {}
        self._called: dict[int, Callable[[Task], Any]] = {}  # by the address of the body
        self.tracebacks: dict[tuple[int, int], str] = {}  # of failures, by task and attempt
        self.raised: Optional[BaseException] = None  # exception that ended the run
        self.stop: Optional[_StopRun] = None
        self._pid = os.getpid()
        self._state, self._name = ffi.new_handle(self), ffi.new("char[]", b"python")
        self._backend = ffi.new("hs_backend *", {
            "struct_size": ffi.sizeof("hs_backend"), "name": self._name, "data": self._state,
            "body_create": lib.hspy_body_create, "run": lib.hspy_run_task})
        self.list = ffi.new("const hs_backend *[]", [self._backend])

    def body(self, row: Any, kind: int) -> Any:
        """Return the hs_body of the function of a row; None: the row has no function."""
        kernel = text(row.kernel)
        command = row.gpu_command if kind == lib.HS_GPU else row.cpu_command
        if not kernel.startswith(PREFIX) or text(command):
            return None
        if kind == lib.HS_GPU and not self._devices:
            self._devices = find_devices(self._instance.gpus, "emulate them: emulate_gpus=True")
        name = kernel[len(PREFIX):]
        if name not in self._functions:
            raise InvalidArgument(f"kernel '{kernel}': fn has no function {name!r}"
                                  f"{near(name, self._functions) or '; add it to fn'}")
        if name not in self._bodies:
            made = self._bodies[name] = ffi.new("hs_body *", {"backend": self._backend})
            self._called[int(ffi.cast("uintptr_t", made))] = self._functions[name]
        return self._bodies[name]

    def run(self, body: Any, attempt: Any) -> int:
        """Call the function of a body; return the outcome of the attempt."""
        if self.raised:
            return int(lib.HS_OUTCOME_ABORTED)
        gpu = attempt.worker - self._instance.cpus
        task = Task(self._instance, attempt, gpu if gpu >= 0 else None)
        try:
            self._called[int(ffi.cast("uintptr_t", body))](task)
            failed = None
        except BaseException as error:
            failed = error
        end_fork(self._pid, failed)
        outcome = self._judge(task, failed, attempt)
        failed = None  # the frames of its traceback include this one
        task._cancel = None
        return int(outcome)

    def _judge(self, task: Task, failed: Optional[BaseException], attempt: Any) -> Any:
        """Return the outcome of an attempt whose function returned or raised."""
        if isinstance(failed, SystemExit) and failed.code in (None, 0):
            failed = None
        if failed is not None and not isinstance(failed, (Exception, SystemExit)):
            self.raised = self.raised or failed
            if self.stop is not None:
                self.stop.end_now()
            return lib.HS_OUTCOME_ABORTED
        if task._cancelled or failed is None and attempt.cancel[0] == lib.HS_CANCEL_STOP:
            return lib.HS_OUTCOME_ABORTED
        if failed is None:
            return lib.HS_OUTCOME_DONE
        self._explain(failed, attempt)
        return lib.HS_OUTCOME_FAILED

    def _explain(self, failed: BaseException, attempt: Any) -> None:
        """Give the reason of a failure, and keep its traceback, also in the log of the attempt."""
        calls = failed.__traceback__.tb_next if failed.__traceback__ else None  # without run()
        lines = "".join(traceback.format_exception(type(failed), failed, calls))
        self.tracebacks[attempt.task, attempt.number] = lines
        why, log = _summary(failed), text(attempt.error_log) or text(attempt.log)
        try:
            if log:
                with open(log, "a", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(lines)
        except OSError as error:
            why = f"{why[:200]}; its traceback is not in the log: {error}"
        _write_reason(attempt, why)


def _summary(error: BaseException) -> str:
    """Return the type of an exception, the first line of its message, and where it was raised."""
    lines = traceback.format_exception_only(type(error), error)  # of a SyntaxError: first its code
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    what = next(line for line in lines if not line.startswith(" "))
    return what.splitlines()[0].rstrip() + place


def _write_reason(where: Any, why: str) -> None:
    """Write a reason to the member `why` of an hs_attempt or an hs_error."""
    data = why.encode("utf-8", "backslashreplace").replace(b"\0", b"\\0")[:lib.HS_WHY - 1]
    ffi.memmove(where.why, data + b"\0", len(data) + 1)


def hspy_body_create(options: Any, row: Any, kind: int, out: Any, error: Any) -> int:
    """Create the hs_body of a row that names a function; hs_backend.body_create."""
    out[0] = ffi.NULL
    try:
        made = None if options.emulate[kind] else ffi.from_handle(options.data).body(row, kind)
    except InvalidArgument as wrong:
        _write_reason(error, str(wrong))
        return int(lib.HS_EINVAL)
    except MissingResource as missing:
        ffi.from_handle(options.data).missing = missing
        _write_reason(error, str(missing))
        return int(lib.HS_ERESOURCE)
    if made is not None:
        out[0] = made
    return int(lib.HS_OK)


def hspy_run_task(worker: Any, body: Any, attempt: Any) -> int:
    """Call the function of a body; hs_backend.run."""
    return int(ffi.from_handle(body.backend.data).run(body, attempt))


ffi.def_extern(error=lib.HS_ENOMEM)(hspy_body_create)
ffi.def_extern(error=lib.HS_OUTCOME_FAILED)(hspy_run_task)
