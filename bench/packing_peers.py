#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare best with OR-tools' CP-SAT and HiGHS, if installed, on the families of P||Cmax.

    packing_peers.py [SECONDS [FAMILY...]]

1 s each, two threads; by default one instance per family. Prints a line per run: makespan and
bound. Runs the hsched-gen and hsched-solve of the current folder.
"""

import csv
import importlib.util
import io
import multiprocessing
import subprocess
import sys

SIZES = {"e1": (15, 5), "e2": (50, 10), "e3": (52, 10), "e4": (10, 3), "franca": (100, 25),
         "franca-ends": (100, 25), "class-1": (200, 80), "class-2": (220, 80),
         "class-3": (220, 80), "class-4": (220, 80), "class-5": (220, 80), "class-6": (220, 80),
         "class-7": (220, 80), "planted": (100, 30), "degrees": (200, 20)}
THREADS = 2


def times_of(text):
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return sorted((int(row["cpu"]) for row in rows), reverse=True)


def best(text, seconds):
    run = ["./hsched-solve", "-a", "best", "-t", str(seconds), "--format", "csv", "-"]
    out = subprocess.run(run, input=text, capture_output=True, text=True, check=True).stdout
    row = next(csv.DictReader(io.StringIO(out)))
    return row["makespan"], row["bound"]


def cp_sat(times, cpus, seconds):
    from ortools.sat.python import cp_model
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    on = [[model.NewBoolVar("") for _ in range(cpus)] for _ in times]
    last = model.NewIntVar(max(times), sum(times), "")
    for task in on:
        model.AddExactlyOne(task)
    for worker in range(cpus):
        model.Add(sum(time * task[worker] for time, task in zip(times, on)) <= last)
    model.Minimize(last)
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = THREADS
    found = solver.Solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return (solver.ObjectiveValue() if found else "none"), solver.BestObjectiveBound()


def highs(times, cpus, seconds):
    import highspy
    model = highspy.Highs()
    model.silent()
    on = [[model.addBinary() for _ in range(cpus)] for _ in times]
    last = model.addVariable(lb=max(times))
    for task in on:
        model.addConstr(sum(task) == 1)
    for worker in range(cpus):
        model.addConstr(sum(time * task[worker] for time, task in zip(times, on)) <= last)
    model.setOptionValue("time_limit", float(seconds))
    model.setOptionValue("threads", THREADS)
    model.minimize(last)
    info = model.getInfo()
    found = info.primal_solution_status == 2
    return (info.objective_function_value if found else "none"), info.mip_dual_bound


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1
    spawn = multiprocessing.get_context("spawn")  # both bring a HiGHS: each has its own process
    peers = [(name, solve, spawn.Pool(1)) for name, module, solve in
             (("CP-SAT", "ortools", cp_sat), ("HiGHS", "highspy", highs))
             if importlib.util.find_spec(module)]
    if not peers:
        print("left out: Python has neither ortools nor highspy")
        return
    print("family,tasks,cpus,solver,makespan,bound")
    for family in sys.argv[2:] or SIZES:
        tasks, cpus = SIZES[family]
        make = ["./hsched-gen", "identical", family, "-n", str(tasks), "-m", str(cpus), "-s", "1"]
        text = subprocess.run(make, capture_output=True, text=True, check=True).stdout
        rows = [("best", best(text, seconds))]
        rows += [(name, pool.apply(solve, (times_of(text), cpus, seconds)))
                 for name, solve, pool in peers]
        for name, (makespan, bound) in rows:
            print(f"{family},{tasks},{cpus},{name},{makespan},{bound}", flush=True)


if __name__ == "__main__":
    main()
