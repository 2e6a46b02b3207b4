# SPDX-License-Identifier: BSD-3-Clause
"""A worker process of an Executor, as its parent sees it."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import Pipe, spawn
from multiprocessing.connection import wait
from typing import Any, Optional

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
        data = spawn.get_preparation_data(name)
        data["authkey"] = bytes(data["authkey"])
        if with_cloudpickle:  # what main defines travels with each call
            data.pop("init_main_from_name", None)
            data.pop("init_main_from_path", None)
        self._connection, other = Pipe()
        self._requests = 0
        self._tokens: Optional[tuple[int, int]] = os.pipe()  # at most one, see _worker.py
        os.set_blocking(self._tokens[0], False)
        try:
            with other:
                self._process = _start(other.fileno(), self._tokens[0], environment)
        except BaseException:
            self._connection.close()
            self.close_tokens()
            raise
        self._end_of_process = _watch(self._process.pid)
        try:
            self._connection.send_bytes(pickle.dumps({"prepare": data,
                                                      "cloudpickle": with_cloudpickle}))
            why = self._read().decode()
        except (EOFError, OSError):
            self.close_tokens()
            raise self._broken("did not start") from None
        except BaseException:
            self.close_tokens()
            self.kill()
            raise
        if why:
            self.close_tokens()
            self.close()
            raise BrokenProcessPool(f"worker {name} did not start:\n{why}")

    def _broken(self, what: str) -> BrokenProcessPool:
        """Return the exception for a process that has ended."""
        status = self._await_end()
        how = f"signal {-status} ended it" if status < 0 else f"it exited with {status}"
        return BrokenProcessPool(f"worker {self.name} {what}: {how}")

    def _await_end(self) -> int:
        """Wait for the end of the process, and return its status."""
        self._connection.close()
        status = self._process.wait()
        if self._end_of_process is not None:
            os.close(self._end_of_process)
            self._end_of_process = None
        return status

    def _read(self) -> bytes:
        """Return the next message of the process; EOFError: it has ended.

        The end of the process is not always that of the connection, which its forks keep open.
        """
        if self._end_of_process is not None:
            ready = wait([self._connection, self._end_of_process])
            if self._connection not in ready and not self._connection.poll():
                raise EOFError
        return self._connection.recv_bytes()

    def alive(self) -> bool:
        """Return whether the process can take a request."""
        return self._process.poll() is None

    def announce(self) -> int:
        """Return the number of a request to be sent ahead, which take_back() may take back."""
        self._requests = self._requests % 255 + 1
        assert self._tokens
        os.write(self._tokens[1], bytes([self._requests]))
        return self._requests

    def take_back(self, number: int) -> bool:
        """Take back the announced request; return False if the process has begun it."""
        try:
            return self._tokens is not None and os.read(self._tokens[0], 1) == bytes([number])
        except BlockingIOError:
            return False

    def close_tokens(self) -> None:
        """Forget which requests were announced. Other threads must not use them now."""
        if self._tokens:
            for descriptor in self._tokens:
                os.close(descriptor)
            self._tokens = None

    def send(self, number: int, name: str, many: bool, function: bytes, arguments: bytes) -> bool:
        """Send a request; return False if the process has ended before it could read it.

        Its number is 0, or that of announce().
        """
        if not self.alive():
            return False
        try:
            self._connection.send_bytes(pickle.dumps((number, name, many, function)))
            self._connection.send_bytes(arguments)
        except OSError:
            return False
        return True

    def receive(self) -> tuple[bool, float, bool, str, bytes]:
        """Wait for the answer: returned, seconds, first call, traceback, result or exception.

        Raises BrokenProcessPool if the process has ended.
        """
        try:
            returned, seconds, first, trace = pickle.loads(self._read())
            return returned, seconds, first, trace, self._read()
        except (EOFError, OSError):
            raise self._broken("ended while it called the function") from None

    def close(self) -> None:
        """End the process, which waits for a request, and wait for its end."""
        try:  # a fork of this process may keep the connection open, so closing it is not enough
            self._connection.send_bytes(b"")
        except OSError:
            pass  # it has ended
        self._await_end()

    def kill(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._await_end()


def _start(descriptor: int, tokens: int,
           environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a process with an end of a connection and of the pipe of tokens.

    Ctrl-C reaches the process, too, so it is blocked until the process has its handler.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "HSCHED_GPU"}
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        return subprocess.Popen(
            [sys.executable, *subprocess._args_from_interpreter_flags(),  # type: ignore
             PROGRAM, str(descriptor), str(tokens), str(os.getpid())],
            env={**inherited, **environment}, pass_fds=[descriptor, tokens],
            stdin=subprocess.DEVNULL)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _watch(pid: int) -> Optional[int]:
    """Return a descriptor that is readable when a process has ended; None: not supported."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
