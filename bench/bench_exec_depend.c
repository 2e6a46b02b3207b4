/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run the factorisations of bench_exec_tiled.h as OpenMP tasks with depend clauses, on two threads.
 *
 *   bench_exec_depend [ORDER [TILE [TILES]]]      default: 4096 256 40
 */
#include "bench_exec_tiled.h"

static void submit_step(const step *now)
{
    char *m = now->of->data; /* one byte for each tile, named in the depend clauses */
    int   n = now->of->tiles, ij = now->i * n + now->j, ik = now->i * n + now->k;
    int   jk = now->j * n + now->k;
    step  s = *now;

    (void)m; /* attribute: gcc does not count the use in depend() */
    if (ij == jk) {
#pragma omp task firstprivate(s) depend(inout : m[ij])
        do_step(&s);
    } else if (ij == ik) {
#pragma omp task firstprivate(s) depend(in : m[jk]) depend(inout : m[ij])
        do_step(&s);
    } else if (ik == jk) {
#pragma omp task firstprivate(s) depend(in : m[ik]) depend(inout : m[ij])
        do_step(&s);
    } else {
#pragma omp task firstprivate(s) depend(in : m[ik], m[jk]) depend(inout : m[ij])
        do_step(&s);
    }
}

static int64_t run_factorisation(const tiled *t)
{
    int64_t start = clock_ns();

#pragma omp parallel num_threads(WORKERS)
#pragma omp          single
    each_step(t, submit_step);
    return clock_ns() - start;
}

static void measure_factorisation(int order, int tiles)
{
    tiled t = make_tiled(order, tiles);

    t.data = malloc((size_t)tiles * (size_t)tiles);
    if (!t.data)
        abort();
    (order ? compute : empty)("openmp-depend", &t, run_factorisation);
    free(t.data);
    free_tiled(&t);
}

int main(int argc, char **argv)
{
    int n = usual_argument(argc, argv, 2, 256);

    measure_factorisation(n, usual_argument(argc, argv, 1, 4096) / n);
    measure_factorisation(0, usual_argument(argc, argv, 3, 40));
    return 0;
}
