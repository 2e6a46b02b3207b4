# SPDX-License-Identifier: BSD-3-Clause
"""Copies of the sources with build folders of their own, in which tests run with a change."""

import contextlib
import fnmatch
import os
import queue
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
NOT_SOURCES = (".git", ".libs", ".deps", "build", "autom4te.cache", "config.status", "config.log",
               "*.o", "*.lo", "*.la", "*.a", "*.log", "*.trs", "Makefile", "config.h", "stamp-h1",
               "libtool", "__pycache__")


class Tree:
    """A copy of the sources and its build folder, which later runs of the script reuse."""

    def __init__(self, folder, limits, flags="-O1", longest=600, within=()):
        self.source, self.build = os.path.join(folder, "source"), os.path.join(folder, "build")
        self.log, self.limits = os.path.join(folder, "log"), limits # of (test, rounds), in seconds
        self.flags, self.within = flags, list(within) # a command that runs a test
        self.longest = longest # the limit of a test's first run
        self.took = 0          # seconds of the last run

    def prepare(self, targets):
        os.makedirs(self.build, exist_ok=True)
        self.copy_sources(TOP, self.source)
        with open(self.log, "w") as log:
            if not os.path.exists(os.path.join(self.build, "Makefile")):
                subprocess.run([os.path.join(self.source, "configure"), "--disable-static",
                                "CC=" + os.environ.get("CC", "gcc"), "CFLAGS=" + self.flags],
                               cwd=self.build, stdout=log, stderr=log, check=True)
        if not self.make(targets):
            sys.exit("the unchanged sources do not build: see %s" % self.log)

    def copy_sources(self, source, target):
        """Update `target`. Unchanged files keep their times, changed files get the present time, and
        sources of configure keep the times of `source`, so that make builds what is necessary."""
        os.makedirs(target, exist_ok=True)
        names = [name for name in os.listdir(source)
                 if not any(fnmatch.fnmatch(name, pattern) for pattern in NOT_SOURCES)
                 and not os.path.exists(os.path.join(source, name, "config.status"))]
        for name in set(os.listdir(target)) - set(names):
            path = os.path.join(target, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        for name in names:
            here, there = os.path.join(source, name), os.path.join(target, name)
            if os.path.isdir(here):
                self.copy_sources(here, there)
            elif not os.path.exists(there) or read(here) != read(there):
                configures = name.endswith((".am", ".m4", ".in", ".ac")) or name == "configure"
                (shutil.copy2 if configures else shutil.copy)(here, there)

    def make(self, targets):
        with open(self.log, "a") as log:
            return subprocess.run(["make", "-s"] + targets, cwd=self.build,
                                  stdout=log, stderr=log).returncode == 0

    def passes(self, test, rounds):
        """Return whether the test passes. The first run sets its time limit: ten times its duration."""
        env = dict(os.environ, srcdir=self.source, HS_TEST_ROUNDS=rounds)
        if test.startswith("cli:"):
            cases = fnmatch.filter(os.listdir(os.path.join(self.source, "tests/cli/cases")), test[4:])
            command = ["sh", os.path.join(self.source, "tests/cli/run.sh")] + sorted(cases)
        elif test.startswith("python:"):
            command = ["sh", os.path.join(self.source, "tests/python.sh"), test[7:]]
        else:
            command = [os.path.join(self.build, test)]
        began = time.monotonic()
        with open(self.log, "a") as log:
            run = subprocess.Popen(self.within + command, cwd=self.build, env=env, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=log, start_new_session=True,
                                   preexec_fn=bounded)
        try:
            status = run.wait(self.limits.get((test, rounds), self.longest))
        except subprocess.TimeoutExpired:
            status = "time"
        end_session(run)
        self.took = time.monotonic() - began
        if status == 0:
            self.limits.setdefault((test, rounds), max(20, 10 * self.took))
        return status == 0

    @contextlib.contextmanager
    def changed(self, file, text):
        """Replace the text of a file of the sources for a while."""
        path = os.path.join(self.source, file)
        was = read(path)
        with open(self.log, "w"):
            pass
        try:
            write(path, text)
            yield
        finally:
            write(path, was)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, text):
    with open(path, "wb") as file:
        file.write(text)


def bounded():
    """Limit the memory and the files of a test that a change makes run wild."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 33, 1 << 33))


def end_session(run):
    """End all processes of the session of a test."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(pid)) == run.pid:
                os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass
    run.wait()


def in_parallel(trees, function, arguments):
    """Call function(tree, argument) for every argument, with one thread per tree."""
    waiting, failures = queue.Queue(), []
    for argument in arguments:
        waiting.put(argument)

    def work(tree):
        try:
            while not failures:
                function(tree, waiting.get_nowait())
        except queue.Empty:
            pass
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(tree,), daemon=True) for tree in trees]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
