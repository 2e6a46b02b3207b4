# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the C library: texts, structs with a size, files in memory, calls that Ctrl-C stops."""

from __future__ import annotations

import _thread
import atexit
import os
import secrets
import stat
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Optional, Union

from ._errors import Error, InvalidArgument, check, check_described, failure
from ._hs import ffi, lib

Path = Union[str, "os.PathLike[str]"]

if lib.hs_library_version() < lib.HS_VERSION_HEX:
    raise ImportError(
        "the package hybridsched was built for libhybridsched "
        f"{ffi.string(lib.HS_VERSION_STRING).decode()}, but the installed library is "
        f"{ffi.string(lib.hs_library_version_string()).decode()}: update the library, or build the "
        "package again")


def text(pointer: Any) -> str:
    """Return a C string; the empty text for NULL."""
    if not pointer:
        return ""
    found: str = ffi.string(pointer).decode("utf-8", "surrogateescape")
    return found


def encode(words: str) -> bytes:
    """Return a text as bytes for C. A NUL would end it early and is refused."""
    if "\0" in words:
        raise InvalidArgument(f"{words!r} contains a NUL character")
    return words.encode("utf-8", "surrogateescape")


def struct(name: str) -> Any:
    """Return a struct with a member struct_size, initialised by the library."""
    made = ffi.new(name + " *")
    getattr(lib, name + "_init_sized")(made, ffi.sizeof(name))
    return made


def sized(name: str) -> Any:
    """Return a zeroed struct with its struct_size set."""
    made = ffi.new(name + " *")
    made.struct_size = ffi.sizeof(name)
    return made


def registry(at: Any) -> Iterator[Any]:
    """Iterate over a registry of the library, which ends with NULL."""
    index = 0
    while entry := at(index):
        yield entry
        index += 1


def near(given: str, names: Iterable[str]) -> str:
    """Return '; did you mean ...?' if one of the names resembles the given one."""
    word = encode(given)
    near_names = [(lib.hs_name_distance(word, len(word), encode(name)), name) for name in names]
    best = min(near_names, default=(lib.HS_NOT_NEAR, ""))
    return f"; did you mean '{best[1]}'?" if best[0] != lib.HS_NOT_NEAR else ""


@contextmanager
def memory_file(content: bytes = b"") -> Iterator[int]:
    """Open an unnamed file with a content, positioned at its start."""
    try:
        fd = os.memfd_create("hybridsched", os.MFD_CLOEXEC)
    except (AttributeError, OSError):
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    try:
        with open(fd, "wb", closefd=False) as file:
            file.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)


def content(fd: int) -> bytes:
    """Return everything in an open file."""
    os.lseek(fd, 0, os.SEEK_SET)
    with open(fd, "rb", closefd=False) as file:
        return file.read()


def written(write: Any, *arguments: Any) -> bytes:
    """Return what a function of the library writes to a file descriptor.

    The function takes the descriptor, the arguments, and a pointer to an hs_error.
    """
    error = ffi.new("hs_error *")
    with memory_file() as fd:
        check_described(write(fd, *arguments, error), error)
        return content(fd)


def save(path: Path, data: bytes) -> None:
    """Write a file that appears when it is complete. Devices and pipes are written directly."""
    name = os.fspath(path)
    try:
        is_file = stat.S_ISREG(os.stat(name).st_mode)
    except FileNotFoundError:
        is_file = True
    if not is_file:
        with open(name, "wb") as file:
            file.write(data)
        return
    name = os.path.realpath(name)
    scratch = f"{name}.{secrets.token_hex(4)}.part"
    try:
        with open(scratch, "xb") as file:
            file.write(data)
        os.replace(scratch, name)
    except BaseException:
        if os.path.exists(scratch):
            os.unlink(scratch)
        raise


class Stop:
    """A flag that the library polls. Setting it cancels the call."""

    def __init__(self) -> None:
        self.flag = ffi.new("int *")
        self.function = ffi.addressof(lib, "hspy_cancelled")
        self._returned = threading.Event()

    def set(self) -> None:
        self.flag[0] = 1

    def guard(self, call: Callable[[], Any]) -> int:
        """Call a function of the library, which the end of the interpreter cancels."""
        _running.add(self)
        try:
            return int(call())
        finally:
            _running.discard(self)
            self._returned.set()

    def end(self) -> None:
        """Cancel the call and wait for its return, for at most five seconds."""
        self.set()
        self._returned.wait(5)


_running: set[Stop] = set()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_running.clear)  # a fork has no thread that runs a call


def end_fork(pid: int, raised: Optional[BaseException]) -> None:
    """End this process if it is a fork of ``pid`` that a callback of the library has made.

    The threads of the library are not in the fork, and the files of a run belong to the parent, so
    the fork must not return to the library. ``raised``: the exception of the callback. SystemExit
    has its usual status; the status is 1 after a message or a traceback otherwise.
    """
    if os.getpid() == pid:
        return
    code: Any = 1
    try:
        if isinstance(raised, SystemExit):
            code = 0 if raised.code is None else raised.code
        with suppress(Exception):  # the stream of errors may be closed
            if raised is None:
                print("hybridsched: a fork returned from a function that a run or a search has "
                      "called: end it by os._exit() or sys.exit()", file=sys.stderr)
            elif not isinstance(raised, SystemExit):
                traceback.print_exception(type(raised), raised, raised.__traceback__)
            elif not isinstance(code, int):
                print(code, file=sys.stderr)
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
    finally:
        os._exit(int(code) & 255 if isinstance(code, int) else 1)


@atexit.register
def _end_calls() -> None:
    """End the calls of other threads before the interpreter ends, because they use it."""
    for stop in list(_running):
        stop.end()


def stoppable(call: Callable[[], Any], stop: Stop) -> tuple[int, Optional[BaseException]]:
    """Call a long function of the library so that Ctrl-C cancels it through ``stop``.

    In the main thread, where Python handles signals, the function runs in a thread of its own.
    Returns the status of the function, and the exception that cancelled the call or None. A call
    that was cancelled before the function began, or got no thread, has the status HS_ECANCELED.
    """
    if threading.current_thread() is not threading.main_thread():
        return stop.guard(call), None
    result: list[int] = []
    raised: list[BaseException] = []
    began: dict[str, str] = {}  # "by": who was first, the thread that calls or an interrupt
    done = threading.Lock()
    done.acquire()

    def work() -> None:
        if began.setdefault("by", "thread") != "thread":
            return
        try:
            result.append(stop.guard(call))
        except BaseException as error:
            raised.append(error)
        finally:
            done.release()

    interrupt: Optional[BaseException] = None
    interrupts = passed_on = 0
    while True:  # an exception may arrive at any place of the try block, several times
        try:
            if interrupt is None:
                _thread.start_new_thread(work, ())  # Thread.start() can fail after the start
            elif began.setdefault("by", "interrupt") == "interrupt":
                return lib.HS_ECANCELED, interrupt
            while passed_on < interrupts:
                stop.set()
                passed_on += 1
            while not (result or raised):
                done.acquire(timeout=0.2)  # a signal just before the wait does not end it
            break
        except BaseException as error:
            interrupt = interrupt or error
            interrupts += 1
    if raised:
        raise raised[0]
    return result[0], interrupt


__all__ = [
    "Error", "Path", "Stop", "check", "check_described", "content", "encode", "end_fork", "failure", "ffi",
    "lib", "memory_file", "near", "registry", "save", "sized", "stoppable", "struct", "text",
    "written",
]
