#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare best with OR-tools' CP-SAT on 60 graphs with transfer times.

    link_peers.py [--best SECONDS] [--cp-sat SECONDS] [--list] [TASKS[-FAMILY[-CCR]]...]

The graphs have 16, 30, 60 or 120 tasks, five families, and communication-to-computation ratios of
0.1, 0.5 and 2; a name such as 30-layered selects some of them. Prints a line per graph: the
makespan and bound of each solver and makespan of best / makespan of CP-SAT. A time of 0 skips the
solver; the defaults are 10 s for best and 60 s for CP-SAT, two threads each. --list prints the
commands that make the graphs. Runs the hsched-gen and hsched-solve of the current folder. CP-SAT
is in the package ortools: python3 -m venv DIR && DIR/bin/pip install ortools, then run this file
with DIR/bin/python.
"""

import argparse
import csv
import io
import subprocess

FAMILIES = ("layered", "random", "fork-join", "reduction", "topcuoglu")
SIZES = (16, 30, 60, 120)
RATIOS = (0.1, 0.5, 2)
THREADS = 2
CELLS = 10 ** 7  # cells of time in the sum of the tasks' smaller times


def graphs():
    """Yield the name and the command of each graph."""
    for tasks in SIZES:
        for number, family in enumerate(FAMILIES):
            for ratio in RATIOS:
                cpus = 8 if tasks == 120 else 4
                yield (f"{tasks}-{family}-{ratio}",
                       ["./hsched-gen", family, "-n", str(tasks), "-m", str(cpus), "-k", "2",
                        "--ccr", str(ratio), "-s", str(tasks + 1000 * number)])


def output_of(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def best(text, seconds):
    run = ["./hsched-solve", "-a", "best", "-t", str(seconds), "-j", str(THREADS),
           "--format", "csv", "-"]
    row = next(csv.DictReader(io.StringIO(output_of(run, text))))
    return float(row["makespan"]), float(row["bound"])


class Graph:
    """The times, edges and links of an instance of hsched-gen."""

    def __init__(self, text):
        words = [line[1:].split() for line in text.splitlines() if line.startswith("#")]
        self.cpus, self.gpus = (int(next(w[1] for w in words if w[0] == key))
                                for key in ("cpus", "gpus"))
        self.link = {w[1]: (float(w[2]), float(w[3])) for w in words if w[0] == "link"}
        rows = list(csv.DictReader(line for line in text.splitlines() if line[:1] != "#"))
        self.times = [(float(row["cpu"]), float(row["gpu"])) for row in rows]
        self.edges = [(int(name[1:]), task, float(size or 0)) for task, row in enumerate(rows)
                      for name, _, size in (item.partition(":")
                                            for item in (row["after"] or "").split(";") if item)]

    def move(self, size, source, target):
        """Return the time to move bytes between two places: the host is 0, GPUs follow."""
        if source == target or size == 0:
            return 0
        hops = [link for link, used in (("d2h", source > 0), ("h2d", target > 0)) if used]
        return sum(self.link[hop][0] + size / self.link[hop][1] for hop in hops)


def add_task(model, times, places, horizon):
    """Add a task; return its start, its end and, by place, its presence and its interval."""
    start, end = (model.NewIntVar(0, horizon, "") for _ in range(2))
    there = [model.NewBoolVar("") for _ in range(places)]
    spans = [model.NewOptionalIntervalVar(start, times[place > 0], end, there[place], "")
             for place in range(places)]
    model.AddExactlyOne(there)
    return start, end, there, spans


def cp_sat(graph, seconds):
    from ortools.sat.python import cp_model
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    scale = CELLS / sum(min(times) for times in graph.times)
    places = 1 + graph.gpus

    def cells(time):
        return round(time * scale)
    horizon = sum(cells(max(times)) for times in graph.times) + sum(
        cells(graph.move(size, 1, 2)) for _, _, size in graph.edges)
    tasks = [add_task(model, [cells(time) for time in times], places, horizon)
             for times in graph.times]
    model.AddCumulative([task[3][0] for task in tasks], [1] * len(tasks), graph.cpus)
    for place in range(1, places):
        model.AddNoOverlap([task[3][place] for task in tasks])
    for before, after, size in graph.edges:
        (_, end, source, _), (start, _, target, _) = tasks[before], tasks[after]
        model.Add(start >= end)
        for a in range(places):
            for b in range(places):
                if a != b and size > 0:
                    model.Add(start >= end + cells(graph.move(size, a, b))).OnlyEnforceIf(
                        source[a], target[b])
    last = model.NewIntVar(0, horizon, "")
    model.AddMaxEquality(last, [task[1] for task in tasks])
    model.Minimize(last)
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = THREADS
    found = solver.Solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    makespan = solver.ObjectiveValue() / scale if found else float("inf")
    return makespan, solver.BestObjectiveBound() / scale


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--best", type=float, default=10)
    parser.add_argument("--cp-sat", type=float, default=60)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*", default=[""])
    options = parser.parse_args()
    chosen = [(name, make) for name, make in graphs()
              if any((name + "-").startswith(prefix + "-" if prefix else "")
                     for prefix in options.names)]
    if options.list:
        for name, make in chosen:
            print(name + ":", " ".join(make))
        return
    print("graph,best,bound,cp-sat,cp-sat bound,best / cp-sat")
    for name, make in chosen:
        text = output_of(make)
        ours = best(text, options.best) if options.best > 0 else (float("nan"),) * 2
        its = cp_sat(Graph(text), options.cp_sat) if options.cp_sat > 0 else (float("nan"),) * 2
        print(f"{name},{ours[0]:.6g},{ours[1]:.6g},{its[0]:.6g},{its[1]:.6g},"
              f"{ours[0] / its[0]:.5f}", flush=True)


if __name__ == "__main__":
    main()
