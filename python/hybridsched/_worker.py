# SPDX-License-Identifier: BSD-3-Clause
"""The program of a worker process of an Executor. It does not import the package.

    _worker.py DESCRIPTOR TOKENS PARENT

The parent sends a setup, then requests, each in two messages: its number, the name of the function,
whether it has a list of calls, and the function; the arguments. An answer is two messages, too:
whether the function returned, its seconds, whether it was the first call of that name here, and a
traceback; the result or exception. An empty message ends the process.

A request has the number 0 if the parent waits for its answer. While this process calls a function,
the parent may send one request ahead, and first writes the number of that one into the pipe TOKENS.
Whoever reads this byte has the request: this process, which then calls the function, or the parent,
which has taken it back.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
import traceback
from typing import Any, Callable

PR_SET_PDEATHSIG = 1

running = False  # whether a function runs, which Ctrl-C may interrupt


def on_interrupt(number: int, frame: Any) -> None:
    if running:
        raise KeyboardInterrupt


def end_with(parent: int) -> None:
    """End this process when the thread of the parent that started it ends."""
    try:
        import ctypes
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        pass  # then it ends after its task, when the connection is closed
    if os.getppid() != parent:
        os._exit(1)


def set_up(setup: dict[str, Any]) -> Callable[[Any], bytes]:
    """Prepare this process like one of multiprocessing; return the function that pickles."""
    from multiprocessing import process, spawn

    this: Any = process.current_process()
    this._inheriting = True  # refuses executors while main is imported
    try:
        spawn.prepare(setup["prepare"])
    finally:
        del this._inheriting
    if not setup["cloudpickle"]:
        return pickle.dumps
    import cloudpickle
    dumps: Callable[[Any], bytes] = cloudpickle.dumps
    return dumps


def call(function: Any, many: bool, data: bytes) -> tuple[bool, Any, float]:
    """Call a function; return whether it returned, its result or exception, and its seconds."""
    global running

    start = time.perf_counter()
    try:
        args, kwargs = pickle.loads(data)
        start = time.perf_counter()
        try:
            running = True
            result = [function(*one) for one in args] if many else function(*args, **kwargs)
        finally:
            running = False
        return True, result, time.perf_counter() - start
    except BaseException as error:
        return False, error, time.perf_counter() - start


def answer(dumps: Callable[[Any], bytes], returned: bool, value: Any, seconds: float,
           cold: bool) -> tuple[bytes, bytes]:
    """Return the two messages of an answer."""
    trace = ""
    if not returned:
        trace = "".join(traceback.format_exception(type(value), value, value.__traceback__))
        value = value.with_traceback(None)
    try:
        data = dumps(value)
    except BaseException as error:
        what = "result" if returned else "exception"
        trace += "".join(traceback.format_exception(type(error), error, error.__traceback__))
        data = pickle.dumps(pickle.PicklingError(
            f"the {what} of the function, of {type(value)}, cannot be pickled: {error}"))
        returned = False
    return pickle.dumps((returned, seconds, cold, trace)), data


class Tokens:
    """The numbers of the requests that the parent has not taken back."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read = b""  # of a later request

    def take(self, number: int) -> bool:
        """Return whether a request is to be answered; False: the parent has taken it back."""
        if number == 0:
            return True
        try:
            token = self._read or os.read(self._descriptor, 1)
        except BlockingIOError:
            return False
        found = token == bytes([number])
        self._read = b"" if found else token
        return found


def serve(connection: Any, tokens: Tokens, dumps: Callable[[Any], bytes]) -> None:
    """Answer requests until an empty message or the end of the connection."""
    called: set[str] = set()
    while True:
        try:
            request = connection.recv_bytes()
            if not request:
                return
            number, name, many, text = pickle.loads(request)
            data = connection.recv_bytes()
        except EOFError:
            return
        if not tokens.take(number):
            continue
        function, cold = None, name not in called
        try:
            function = pickle.loads(text)  # for each call, since a callable may have a state
        except BaseException as error:
            returned, value, seconds = False, error, 0.0
        else:
            called.add(name)
            returned, value, seconds = call(function, many, data)
        for message in answer(dumps, returned, value, seconds, cold):
            connection.send_bytes(message)
        del request, text, data, function, value


def main(descriptor: int, tokens: int, parent: int) -> None:
    from multiprocessing.connection import Connection

    signal.signal(signal.SIGINT, on_interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # the parent has blocked it
    end_with(parent)
    connection: Any = Connection(descriptor)
    setup = pickle.loads(connection.recv_bytes())
    try:
        dumps = set_up(setup)
    except BaseException:
        connection.send_bytes(traceback.format_exc().encode("utf-8", "backslashreplace"))
        return
    connection.send_bytes(b"")
    try:
        serve(connection, Tokens(tokens), dumps)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the parent has ended


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of the package
    main(*map(int, sys.argv[1:]))
