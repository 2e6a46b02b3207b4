# SPDX-License-Identifier: BSD-3-Clause
"""A worker process of an Executor, as its parent sees it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import Pipe, spawn
from typing import Any

PROGRAM = os.path.join(os.path.dirname(__file__), "_worker.py")


class RemoteTraceback(Exception):
    """The traceback of an exception in a worker process."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


def pickler() -> tuple[Callable[[Any], bytes], bool]:
    """Return the function that pickles, and whether it is that of cloudpickle."""
    try:
        import cloudpickle
    except ImportError:
        return pickle.dumps, False
    return cloudpickle.dumps, True


class Process:
    """A process that calls functions. The thread that starts it must outlive it."""

    def __init__(self, name: str, environment: dict[str, str]) -> None:
        self.name = name
        self.dumps, with_cloudpickle = pickler()
        self._connection, other = Pipe()
        with other:
            self._process = subprocess.Popen(
                [sys.executable, *subprocess._args_from_interpreter_flags(),  # type: ignore
                 PROGRAM, str(other.fileno()), str(os.getpid())],
                env={**os.environ, **environment}, pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL)
        data = spawn.get_preparation_data(name)
        data["authkey"] = bytes(data["authkey"])
        if with_cloudpickle:  # what main defines travels with each call
            data.pop("init_main_from_name", None)
            data.pop("init_main_from_path", None)
        try:
            self._connection.send_bytes(pickle.dumps({"prepare": data,
                                                      "cloudpickle": with_cloudpickle}))
            why = self._connection.recv_bytes().decode()
        except (EOFError, OSError):
            raise self._broken("did not start") from None
        except BaseException:
            self.close()
            raise
        if why:
            self.close()
            raise BrokenProcessPool(f"worker {name} did not start:\n{why}")

    def _broken(self, what: str) -> BrokenProcessPool:
        """Return the exception for a process that has ended."""
        self._connection.close()
        status = self._process.wait()
        how = f"signal {-status} ended it" if status < 0 else f"it exited with {status}"
        return BrokenProcessPool(f"worker {self.name} {what}: {how}")

    def alive(self) -> bool:
        """Return whether the process can take a request."""
        return self._process.poll() is None

    def send(self, many: bool, function: bytes, arguments: bytes) -> bool:
        """Send a request; return False if the process has ended before it could read it."""
        try:
            self._connection.send_bytes(pickle.dumps((many, function)))
            self._connection.send_bytes(arguments)
        except OSError:
            return False
        return True

    def receive(self) -> tuple[bool, float, bool, str, bytes]:
        """Wait for the answer: returned, seconds, first call, traceback, result or exception.

        Raises BrokenProcessPool if the process has ended.
        """
        try:
            returned, seconds, first, trace = pickle.loads(self._connection.recv_bytes())
            return returned, seconds, first, trace, self._connection.recv_bytes()
        except (EOFError, OSError):
            raise self._broken("ended while it called the function") from None

    def close(self) -> None:
        """End the process, and wait for its end."""
        self._connection.close()
        self._process.wait()
