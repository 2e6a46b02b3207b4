#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time hybridsched.Executor beside concurrent.futures.ProcessPoolExecutor.

    executor.py [TASKS [SECONDS [PROCESSES [ROUNDS]]]]

Both call a function that sleeps SECONDS (0.01) TASKS (1000) times on PROCESSES (2), in turn, with
processes that have started. Prints the medians of ROUNDS (5), and the median and the range of the
quotients of a round; then how many results are left of TASKS if one of them ends its process.
"""

import concurrent.futures
import multiprocessing
import os
import statistics
import sys
import time

import hybridsched


def measure(executor, tasks, seconds):
    """Return the seconds that all tasks take."""
    start = time.perf_counter()
    futures = [executor.submit(time.sleep, seconds) for _ in range(tasks)]
    concurrent.futures.wait(futures)
    return time.perf_counter() - start


def compare(tasks, seconds, processes, rounds):
    spawn = multiprocessing.get_context("spawn")
    with hybridsched.Executor(processes) as ours, \
            concurrent.futures.ProcessPoolExecutor(processes, mp_context=spawn) as theirs:
        times = {ours: [], theirs: []}
        for executor in times:
            measure(executor, 4 * processes, seconds)
        for _ in range(rounds):
            for executor, found in times.items():
                found.append(measure(executor, tasks, seconds))
    first, second = (statistics.median(found) for found in times.values())
    quotients = sorted(one / other for one, other in zip(times[ours], times[theirs]))
    print(f"hybridsched.Executor {first:.4g} s, ProcessPoolExecutor {second:.4g} s, quotient "
          f"{statistics.median(quotients):.4f} ({quotients[0]:.4f} to {quotients[-1]:.4f})")


def kill(tasks, processes):
    with hybridsched.Executor(processes) as executor:
        futures = [executor.submit(os._exit, 1) if number == tasks // 2 else
                   executor.submit(abs, number) for number in range(tasks)]
        print(sum(not future.exception() for future in futures), "results of", tasks)


if __name__ == "__main__":
    given = sys.argv[1:] + ["1000", "0.01", "2", "5"][len(sys.argv) - 1:]
    compare(int(given[0]), float(given[1]), int(given[2]), int(given[3]))
    kill(int(given[0]), int(given[2]))
