/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure the processor time of OpenMP for the tasks of bench_arrivals: with depend clauses and empty,
 * on two threads. Median of 9.
 *
 *   bench_arrivals_openmp [TILES]      default 40
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "median.h"

enum { REPEATS = 9, MOST_TILES = 200 };

static char tile[MOST_TILES][MOST_TILES];

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_task(char *written)
{
    ++*written;
}

static size_t add_cholesky(int tiles)
{
    size_t count = 0;

    for (int k = 0; k < tiles; k++, count++) {
#pragma omp task depend(inout : tile[k][k])
        run_task(&tile[k][k]);
        for (int i = k + 1; i < tiles; i++, count++) {
#pragma omp task depend(in : tile[k][k]) depend(inout : tile[i][k])
            run_task(&tile[i][k]);
        }
        for (int i = k + 1; i < tiles; i++)
            for (int j = k + 1; j <= i; j++, count++) {
#pragma omp task depend(in : tile[i][k], tile[j][k]) depend(inout : tile[i][j])
                run_task(&tile[i][j]);
            }
    }
    return count;
}

int main(int argc, char **argv)
{
    int    tiles = argc > 1 ? atoi(argv[1]) : 40;
    double us[REPEATS];

    if (tiles < 1 || tiles > MOST_TILES)
        return 2;
    for (int r = 0; r < REPEATS; r++) {
        double start = seconds();
        size_t count = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
        count = add_cholesky(tiles);
        us[r] = 1e6 * (seconds() - start) / (double)count;
    }
    printf("openmp, depend %10.3f processor us for each task\n", median(us, REPEATS));
    return 0;
}
