#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time matrix products in a hybridsched.Executor on CPUs and GPUs beside those on one type alone.

    both.py [--emulate] [TASKS [SIZE [CPUS [ROUNDS]]]]

TASKS (300) functions with the decorator @hs.both multiply matrices of SIZE (2048) in main memory: on
a CPU by numpy, on a GPU by cupy or torch, with the copies to the GPU and back. An Executor has CPUs
workers (all cores but one for each GPU), another one all GPUs, and the third one both. Prints the
medians of ROUNDS (3), and the quotient of the third over the better one of the others; then the GPUs
that each process saw. Exits with 77 without a GPU, cupy or torch.

--emulate tries the script without a GPU: numpy multiplies for a GPU worker, and the quotient means
nothing.
"""

import importlib
import os
import statistics
import sys
import time
from concurrent.futures import wait

import numpy as np

import hybridsched as hs

matrices = {}  # of this process, by size


def operands(size):
    if size not in matrices:
        draw = np.random.default_rng(1)
        matrices[size] = draw.random((size, size)), draw.random((size, size))
    return matrices[size]


def multiply_by_cupy(a, b):
    import cupy

    return cupy.asnumpy(cupy.matmul(cupy.asarray(a), cupy.asarray(b)))


def multiply_by_torch(a, b):
    import torch

    return torch.matmul(torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda()).cpu().numpy()


MULTIPLY = {"cupy": multiply_by_cupy, "torch": multiply_by_torch, "numpy": np.matmul}


@hs.both
def product(size, library):
    """Multiply two matrices; return the worker, its GPU, the number of GPUs it sees, a sum."""
    a, b = operands(size)
    on_gpu = "HSCHED_GPU" in os.environ
    found = MULTIPLY[library if on_gpu else "numpy"](a, b)
    return (os.environ["HSCHED_WORKER"], os.environ["CUDA_VISIBLE_DEVICES"],
            visible(library) if on_gpu else 0, float(found[0].sum()))


def visible(library):
    if library == "cupy":
        return importlib.import_module("cupy").cuda.runtime.getDeviceCount()
    if library == "torch":
        return importlib.import_module("torch").cuda.device_count()
    return 1


def find_library():
    """Return the library for the GPUs, and their indices; exit without them."""
    for name in ("cupy", "torch"):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        try:
            return name, [str(index) for index in range(visible(name))]
        except Exception:  # of the library, if there is no driver
            return name, []
    print("both.py: skipped: neither cupy nor torch is installed")
    sys.exit(77)


def measure(workers, tasks, size, library, rounds):
    """Return the median of the seconds of all tasks, and what they returned."""
    found, times = [], []
    with hs.Executor(**workers) as executor:
        count = workers["cpus"] + len(workers["devices"])
        wait([executor.submit(product, size, library) for _ in range(4 * count)])  # load, and learn
        for _ in range(rounds):
            start = time.perf_counter()
            futures = [executor.submit(product, size, library) for _ in range(tasks)]
            wait(futures)
            times.append(time.perf_counter() - start)
            found += [future.result() for future in futures]
    return statistics.median(times), found


def main(emulated, tasks=300, size=2048, cpus=0, rounds=3):
    library, devices = ("numpy", ["0"]) if emulated else find_library()
    if not devices:
        print("both.py: skipped: this machine has no GPU")
        sys.exit(77)
    cpus = cpus or max(1, len(os.sched_getaffinity(0)) - len(devices))
    seconds, results = {}, []
    for name, workers in (("CPUs", {"cpus": cpus, "devices": []}),
                          ("GPUs", {"cpus": 0, "devices": devices}),
                          ("both", {"cpus": cpus, "devices": devices})):
        seconds[name], found = measure(workers, tasks, size, library, rounds)
        results += found
        print(f"{name}: {seconds[name]:.4g} s")
    sums = [one[3] for one in results]
    if max(sums) - min(sums) > 1e-9 * max(sums):
        sys.exit("both.py: the products differ")
    print(f"{tasks} products of {size} x {size}, {library}, {cpus} CPUs, {len(devices)} GPUs: both / "
          f"better type {seconds['both'] / min(seconds['CPUs'], seconds['GPUs']):.4f}")
    for worker, device, count in sorted({one[:3] for one in results if one[2]}):
        print(f"{worker} saw {count} GPU: CUDA_VISIBLE_DEVICES={device}")
        if count != 1:
            sys.exit(f"both.py: {worker} saw {count} GPUs, not one")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    is_emulated = "--emulate" in arguments
    main(is_emulated, *(int(one) for one in arguments if one != "--emulate"))
