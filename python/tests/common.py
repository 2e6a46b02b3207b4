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
