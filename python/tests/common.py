# SPDX-License-Identifier: BSD-3-Clause
"""What several tests use: the tools, random instances, files in a folder of their own."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import hybridsched as hs

SOURCE = os.environ["srcdir"]


def rounds(count):
    """Return the percentage HS_TEST_ROUNDS of a number of rounds, at least 1."""
    return max(1, count * int(os.environ.get("HS_TEST_ROUNDS", "100")) // 100)


def tool(*command):
    """Return what a tool of the build folder prints on standard output."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def script(text, *arguments):
    """Run a Python script in a process of its own; return the finished process.

    Ctrl-C works in it even if this process was started with the signal ignored.
    """
    text = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + text
    return subprocess.run([sys.executable, "-c", text, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


INTERRUPT_TWICE = """
import os, signal, sys, hybridsched as hs
sent, handled = [], []
def handler(number, frame):
    handled.append(1)
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, handler)
def interrupt(now):
    if now.running and len(sent) == len(handled) < 2:
        sent.append(1)
        os.kill(os.getpid(), signal.SIGINT)
def wait(task):
    while not task.cancelled():
        pass
try:
    hs.run(hs.Instance.from_frame(WORK, cpus=1, gpus=0), commands=True, fn={"a": wait},
           progress=interrupt)
except KeyboardInterrupt:
    sys.exit(3)
"""


def interrupted_twice(work):
    """Press Ctrl-C twice in a run of the tasks of a frame; return the finished process."""
    return script(INTERRUPT_TWICE.replace("WORK", repr(work)))


def instances(count, seed):
    """Iterate over random instances: independent tasks, graphs with and without transfers."""
    draw = random.Random(seed)
    for number in range(count):
        cpus, gpus = draw.randint(1, 6), draw.randint(1, 3)
        size = draw.randint(1, 60)
        if number % 2:
            yield hs.generate(draw.choice(["layered", "random", "fork-join", "topcuoglu"]), size,
                              cpus=cpus, gpus=gpus, seed=number, ccr=draw.choice([0, 0.5]))
        else:
            family = draw.choice(["gamma", "uniform"])
            yield hs.generate(family, size, cpus=cpus, gpus=gpus, seed=number)


class InFolder(unittest.TestCase):
    """A test in an empty current folder."""

    def setUp(self):
        before = os.getcwd()
        folder = tempfile.mkdtemp(prefix="hybridsched-python.")
        self.addCleanup(shutil.rmtree, folder)
        self.addCleanup(os.chdir, before)
        os.chdir(folder)


def has(module):
    """Return whether a Python module is installed."""
    try:
        __import__(module)
    except ImportError:
        return False
    return True
