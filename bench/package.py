#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time the Python package on large instances.

    package.py [TASKS [ROWS [ROUNDS]]]

Instances of TASKS (1000000) from two arrays, heteroprio on it beside the call of the C library alone,
and its entries; then from_frame() and from_networkx() with ROWS (100000) rows, ids and edges. Prints
the medians of the processor time of ROUNDS (5), which other programs change less than the time.
"""

import statistics
import sys
import time

import numpy as np

import hybridsched as hs
from hybridsched._hs import ffi, lib


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def median(call, rounds):
    """Return the median of the processor time of a call, and its last result."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        made = call()
        times.append(time.process_time() - start)
    return statistics.median(times), made


def solve_in_c(inst):
    algorithm = lib.hs_algorithm_find(b"heteroprio")

    def solve():
        out = ffi.new("hs_schedule **")
        assert lib.hs_solve(algorithm, inst._handle, ffi.NULL, out) == lib.HS_OK
        return ffi.gc(out[0], lib.hs_schedule_free)

    return solve


def arrays(tasks, rounds):
    cpu, gpu = np.random.default_rng(1).exponential(size=(2, tasks)) + 1e-3
    hs.Instance(cpu[:10], gpu[:10], cpus=20, gpus=4)
    before = resident()
    inst = hs.Instance(cpu, gpu, cpus=20, gpus=4)
    grown = resident() - before
    seconds, _ = median(lambda: hs.Instance(cpu, gpu, cpus=20, gpus=4), rounds)
    print(f"Instance of {tasks} tasks: {1e3 * seconds:.3g} ms, memory +{grown >> 10} KiB")
    bare, package = [], []
    for _ in range(rounds):  # in turn
        bare.append(median(solve_in_c(inst), 1)[0])
        seconds, schedule = median(lambda: hs.solve(inst, "heteroprio"), 1)
        package.append(seconds)
    quotients = [one / other for one, other in zip(package, bare)]
    print(f"heteroprio: {statistics.median(package):.4g} s, over the call of C "
          f"{statistics.median(quotients):.3f}")
    seconds, entries = median(lambda: schedule.entries(), rounds)
    print(f"entries(): {1e6 * seconds:.3g} us, a view: {not entries.flags.owndata}")


def tables(rows, rounds):
    try:
        import networkx
        import pandas
    except ImportError as error:
        print(f"frames and graphs left out: {error}")
        return
    draw = np.random.default_rng(2)
    frame = pandas.DataFrame({"id": [f"task{n}" for n in range(rows)],
                              "cpu": draw.random(rows) + 1, "gpu": draw.random(rows) + 1})
    seconds, _ = median(lambda: hs.Instance.from_frame(frame, cpus=20, gpus=4), rounds)
    print(f"from_frame, {rows} rows: {seconds:.3g} s")
    graph = networkx.DiGraph()
    for number in range(rows):
        graph.add_node(f"task{number}", cpu=1.0 + number % 7, gpu=1.0)
        if number:
            graph.add_edge(f"task{int(draw.integers(number))}", f"task{number}")
    seconds, _ = median(lambda: hs.Instance.from_networkx(graph, cpus=20, gpus=4), rounds)
    print(f"from_networkx, {rows} nodes and {rows - 1} edges: {seconds:.3g} s")


def main(tasks=10**6, rows=10**5, rounds=5):
    arrays(tasks, rounds)
    tables(rows, rounds)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
