/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run the empty tasks of bench_exec as OpenMP tasks: two threads, two time stamps per task. Median
 * of 9.
 *
 *   bench_exec_openmp [TASKS]      default 100000
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench_exec_rows.h"

static double run_tasks(uint32_t tasks, stamp *stamps)
{
    int64_t start = clock_ns();

#pragma omp parallel num_threads(WORKERS)
#pragma omp          single
    for (uint32_t i = 0; i < tasks; i++) {
#pragma omp task firstprivate(i)
        take_time_stamps(&stamps[i]);
    }
    return us_per_task(clock_ns() - start, tasks);
}

int main(int argc, char **argv)
{
    uint32_t tasks = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
    stamp   *stamps = make_stamps(tasks);
    double   us[REPEATS];
    int      i;

    for (i = 0; i < REPEATS; i++)
        us[i] = run_tasks(tasks, stamps);
    print_row("openmp", tasks, us);
    free(stamps);
    return 0;
}
