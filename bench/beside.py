#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Count in a Python thread beside hybridsched.solve(), and press Ctrl-C in a search.

    beside.py [SECONDS [ROUNDS]]

A thread counts for SECONDS (2), alone and beside `best` with a progress callback and one search
thread, in turn. Prints the median of ROUNDS (5) of the quotient of both counts, by the clock and by
the processor time of the thread: on a busy machine, or one with fewer than two free cores, only the
second one is a property of the package. Then prints how long after a Ctrl-C at half of the time the
call returns.
"""

import os
import signal
import statistics
import sys
import threading
import time

import hybridsched as hs


def count(until, found):
    """Count until a time; append the counts for a second of the clock and of the processor."""
    number, began, used = 0, time.perf_counter(), time.thread_time()
    while time.perf_counter() < until:
        for _ in range(1000):
            number += 1
    found.append((number / (time.perf_counter() - began), number / (time.thread_time() - used)))


def rate(instance, seconds, beside):
    found = []
    thread = threading.Thread(target=count, args=(time.perf_counter() + seconds, found))
    thread.start()
    if beside:
        s = hs.solve(instance, "best", time_limit=seconds, threads=1, progress=lambda now: None)
        assert s.report.limit_reached, "the search ended early"
    thread.join()
    return found[0]


def interrupt(instance, seconds):
    """Return the seconds from a Ctrl-C to the return of the call."""
    pressed = []

    def press():
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(seconds / 2, press).start()
    s = hs.solve(instance, "best", time_limit=seconds)
    late = time.perf_counter() - pressed[0]
    assert s.report.interrupted
    return late


def main(seconds=2.0, rounds=5.0):
    instance = hs.generate("gamma", 300, cpus=20, gpus=4, seed=3)
    quotients = []
    for _ in range(int(rounds)):
        alone, beside = (rate(instance, seconds, is_beside) for is_beside in (False, True))
        quotients.append([two / one for one, two in zip(alone, beside)])
    clock, processor = (statistics.median(column) for column in zip(*quotients))
    print(f"count beside best / alone: {clock:.3f} by the clock, {processor:.3f} by processor time")
    late = [interrupt(instance, seconds) for _ in range(int(rounds))]
    print(f"from Ctrl-C to the return: {statistics.median(late):.3f} s, at most {max(late):.3f} s")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
