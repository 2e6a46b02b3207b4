# SPDX-License-Identifier: BSD-3-Clause
"""A graph of 10,000 tasks that dask runs in the processes of an Executor. Needs cloudpickle."""

import dask

import hybridsched


@dask.delayed
def double(number):
    return 2 * number


@dask.delayed
def total(numbers):
    return sum(numbers)


if __name__ == "__main__":
    sums = [total([double(n) for n in range(first, first + 99)]) for first in range(0, 9900, 99)]
    with hybridsched.Executor(cpus=2) as executor:
        with dask.config.set(pool=executor, scheduler="threads"):
            print(total(sums).compute())
