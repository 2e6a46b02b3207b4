# SPDX-License-Identifier: BSD-3-Clause
"""One exception for each status of the library; all of them are an Error."""

from __future__ import annotations

import os
from typing import Any, Optional

from ._hs import ffi, lib

__all__ = [
    "BusyWorkers", "Cancelled", "DependentTasks", "DuplicateId", "Error", "InputOutput",
    "InvalidArgument", "InvalidGraph", "InvalidSchedule", "InvalidTime", "MalformedInput",
    "MissingResource", "NoMemory", "NoRoom", "NoWorker", "Refused", "SolverFailed", "TaskFailed",
    "TooBig", "TooLong", "UnknownTime", "Unsupported", "WrongKind",
]


class Error(Exception):
    """Base class of the package's exceptions.

    Attributes
    ----------
    status : str
        Name of the C status, e.g. ``"HS_ESYNTAX"``.
    line, column : int or None
        Position in the file that was read, from 1; None without a position.
    """

    status: str = ""
    line: Optional[int] = None
    column: Optional[int] = None


class InvalidArgument(Error, ValueError):
    """HS_EINVAL: an argument has an unknown name or is out of range."""


class NoMemory(Error, MemoryError):
    """HS_ENOMEM: an allocation failed."""


class InvalidTime(Error, ValueError):
    """HS_ETIME: a time is not a positive number."""


class NoWorker(Error, ValueError):
    """HS_EWORKER: a task can run on none of the workers."""


class TooLong(Error):
    """HS_EOVERFLOW: the sum of the times exceeds the range of a double."""


class DuplicateId(Error, ValueError):
    """HS_EDUPLICATE: two tasks have the same id."""


class InvalidSchedule(Error):
    """HS_ESCHEDULE: the schedule is not valid."""


class MalformedInput(Error, ValueError):
    """HS_ESYNTAX: the content of a file is malformed; see ``line`` and ``column``."""


class InputOutput(Error, OSError):
    """HS_EIO: reading or writing failed."""


class SolverFailed(Error):
    """HS_ESOLVER: the solver of linear programs failed."""


class Cancelled(Error):
    """HS_ECANCELED: the call was cancelled before it had a result."""


class Unsupported(Error):
    """HS_EUNSUPPORTED: this build does not support the call."""


class TooBig(Error):
    """HS_ETOOBIG: the instance exceeds a documented limit."""


class TaskFailed(Error):
    """HS_EFAILED: a task failed."""


class Refused(Error):
    """HS_EREFUSED: the settings do not allow the call."""


class MissingResource(Error):
    """HS_ERESOURCE: a required resource is missing."""


class InvalidGraph(Error, ValueError):
    """HS_EGRAPH: the dependencies of the tasks are invalid."""


class DependentTasks(Error):
    """HS_EDEPENDENT: only independent tasks are supported."""


class WrongKind(Error):
    """HS_EKIND: the file is of another kind."""


class BusyWorkers(Error):
    """HS_EAVAILABLE: only workers that are all free at the start are supported."""


class UnknownTime(Error):
    """HS_EUNKNOWN: a task has an unknown time."""


class NoRoom(Error):
    """HS_EFULL: there is no room until a task ends or a handle is removed."""


CLASSES: dict[str, type[Error]] = {
    "HS_EINVAL": InvalidArgument,
    "HS_ENOMEM": NoMemory,
    "HS_ETIME": InvalidTime,
    "HS_EWORKER": NoWorker,
    "HS_EOVERFLOW": TooLong,
    "HS_EDUPLICATE": DuplicateId,
    "HS_ESCHEDULE": InvalidSchedule,
    "HS_ESYNTAX": MalformedInput,
    "HS_EIO": InputOutput,
    "HS_ESOLVER": SolverFailed,
    "HS_ECANCELED": Cancelled,
    "HS_EUNSUPPORTED": Unsupported,
    "HS_ETOOBIG": TooBig,
    "HS_EFAILED": TaskFailed,
    "HS_EREFUSED": Refused,
    "HS_ERESOURCE": MissingResource,
    "HS_EGRAPH": InvalidGraph,
    "HS_EDEPENDENT": DependentTasks,
    "HS_EKIND": WrongKind,
    "HS_EAVAILABLE": BusyWorkers,
    "HS_EUNKNOWN": UnknownTime,
    "HS_EFULL": NoRoom,
}

STATUS_NAMES: dict[int, str] = ffi.typeof("hs_status").elements


def how_to_get(*options: str) -> str:
    """Return how to get a library with optional libraries, by their options of configure."""
    wheel = ", or make a wheel with it: make wheel WHEEL_GLPK=yes" if "glpk" in options else ""
    return (f"install the library, configured {' '.join('--with-' + name for name in options)}, and "
            f"then the package: pip install ./python{wheel}")


def failure(status: int, why: str = "") -> Error:
    """Return the exception of a status; ``why`` replaces the status's own text."""
    name = STATUS_NAMES.get(int(status), str(status))
    error = CLASSES.get(name, Error)(why or ffi.string(lib.hs_status_text(status)).decode())
    error.status = name
    return error


def check(status: int, what: str = "") -> None:
    """Raise the exception of a status other than HS_OK; ``what`` begins its message."""
    if status != lib.HS_OK:
        text = ffi.string(lib.hs_status_text(status)).decode()
        raise failure(status, f"{what}: {text}" if what else text)


def check_described(status: int, described: Any, what: str = "") -> None:
    """Raise the exception of a status, with the message and the position of an hs_error."""
    if status == lib.HS_OK:
        return
    number = ffi.errno
    text = ffi.string(described.why).decode("utf-8", "replace")
    if not text and status == lib.HS_EIO:
        text = os.strerror(number)
    place = [what] if what else []
    if status == lib.HS_ESYNTAX:
        place += [str(n) for n in (described.line, described.column) if n]
    text = text or ffi.string(lib.hs_status_text(status)).decode()
    error = failure(status, ":".join(place) + ": " + text if place else text)
    error.line, error.column = described.line or None, described.column or None
    raise error
