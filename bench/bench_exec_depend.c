/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenMP's depend tasks: a tiled Cholesky factorisation, GFLOP/s, as bench_exec_matrix has it; and
 * the tasks of one of TILES x TILES tiles with nothing in them but two time stamps, microseconds a
 * task, as bench_exec has them. Two threads; medians of 9 and the best.
 *
 *   bench_exec_depend [ORDER [TILE [TILES]]]      default: 4096 256 40
 */
#include <cblas.h>
#include <lapacke.h>

#include "bench_exec_rows.h"

typedef struct tiled {
    int     n, tiles;
    double *a;    /* tile after tile; NULL: nothing is computed */
    char   *mark; /* of each tile, for what depends on what */
    stamp  *stamps;
} tiled;

static double *tile(const tiled *t, int i, int j)
{
    size_t n = (size_t)t->n;

    return t->a + ((size_t)i * (size_t)t->tiles + (size_t)j) * n * n;
}

/* potrf where k = j = i, trsm where k = j, syrk where j = i, else gemm. */
static void step(const tiled *t, uint32_t task, int i, int j, int k)
{
    int n = t->n;

    if (!t->a)
        take_stamps(&t->stamps[task]);
    else if (k == j && j == i)
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, tile(t, k, k), n);
    else if (k == j)
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1,
                    tile(t, k, k), n, tile(t, i, k), n);
    else if (j == i)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, -1, tile(t, i, k), n, 1,
                    tile(t, i, i), n);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, -1, tile(t, i, k), n,
                    tile(t, j, k), n, 1, tile(t, i, j), n);
}

/* In the order of the program that hsched-gen's graph is of. Its length is in *tasks. */
static void submit(const tiled *t, uint32_t *tasks)
{
    int      n = t->tiles;
    char    *m = t->mark;
    uint32_t next = 0;

    (void)m; /* gcc does not count what depend() names */
    for (int k = 0; k < n; k++) {
#pragma omp task firstprivate(next, k) depend(inout : m[k * n + k])
        step(t, next, k, k, k);
        next++;
        for (int i = k + 1; i < n; i++, next++) {
#pragma omp task firstprivate(next, i, k) depend(in : m[k * n + k]) depend(inout : m[i * n + k])
            step(t, next, i, k, k);
        }
        for (int i = k + 1; i < n; i++) {
#pragma omp task firstprivate(next, i, k) depend(in : m[i * n + k]) depend(inout : m[i * n + i])
            step(t, next, i, i, k);
            next++;
            for (int j = k + 1; j < i; j++, next++) {
/* clang-format off */
#pragma omp task firstprivate(next, i, j, k) depend(in : m[i * n + k], m[j * n + k]) \
    depend(inout : m[i * n + j])
                /* clang-format on */
                step(t, next, i, j, k);
            }
        }
    }
    *tasks = next;
}

static int64_t run(const tiled *t, uint32_t *tasks)
{
    int64_t start = clock_ns();

#pragma omp parallel num_threads(WORKERS)
#pragma omp          single
    submit(t, tasks);
    return clock_ns() - start;
}

/* Its diagonal outweighs the rest. */
static void fill(tiled *t)
{
    size_t order = (size_t)t->n * (size_t)t->tiles, e;

    for (e = 0; e < order * order; e++)
        t->a[e] = (double)(e * 2654435761u % 1000) / 1000;
    for (int k = 0; k < t->tiles; k++)
        for (int i = 0; i < t->n; i++)
            tile(t, k, k)[(size_t)i * (size_t)t->n + (size_t)i] = (double)order;
}

static void compute(int order, int n)
{
    tiled    t = {.n = n, .tiles = order / n};
    double   speed[REPEATS];
    uint32_t tasks;

    t.a = malloc((size_t)order * (size_t)order * sizeof *t.a);
    t.mark = malloc((size_t)t.tiles * (size_t)t.tiles);
    if (!t.a || !t.mark)
        abort();
    openblas_set_num_threads(1);
    for (int i = 0; i < REPEATS; i++) {
        fill(&t);
        speed[i] = (double)order * order * order / 3 / (double)run(&t, &tasks);
    }
    qsort(speed, REPEATS, sizeof *speed, by_value);
    printf("openmp-depend: Cholesky %d, tiles of %d: %.1f GFLOP/s, best %.1f\n", order, n,
           speed[REPEATS / 2], speed[REPEATS - 1]);
    free(t.a);
    free(t.mark);
}

static void empty(int tiles)
{
    tiled    t = {.tiles = tiles};
    double   us[REPEATS];
    uint32_t tasks = (uint32_t)(tiles * (tiles + 1) * (tiles + 2) / 6);

    t.mark = malloc((size_t)tiles * (size_t)tiles);
    t.stamps = make_stamps(tasks);
    if (!t.mark)
        abort();
    for (int i = 0; i < REPEATS; i++) {
        int64_t ns = run(&t, &tasks);

        us[i] = us_per_task(ns, tasks);
    }
    print_row("openmp-depend", tasks, us);
    free(t.mark);
    free(t.stamps);
}

int main(int argc, char **argv)
{
    compute(argc > 1 ? atoi(argv[1]) : 4096, argc > 2 ? atoi(argv[2]) : 256);
    empty(argc > 3 ? atoi(argv[3]) : 40);
    return 0;
}
