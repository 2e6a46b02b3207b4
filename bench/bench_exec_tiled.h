/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_EXEC_TILED_H
#define BENCH_EXEC_TILED_H

/*
 * Shared by the C and C++ programs that factorise with other runtime systems: a tiled Cholesky
 * factorisation, in GFLOP/s, like bench_exec_matrix; and its tasks with two time stamps instead of
 * a kernel, in microseconds per task, like bench_exec.
 */

#include <cblas.h>
#include <lapacke.h>

#include "bench_exec_rows.h"

typedef struct tiled {
    int     n, tiles;
    double *a; /* tiles, one after another; NULL: empty tasks */
    stamp  *stamps;
    void   *data; /* private data of the program for a runtime system */
} tiled;

/*
 * A task: potrf if k = j = i, trsm if k = j, syrk if j = i, else gemm. It writes tile (i, j) and
 * reads (i, k) and (j, k), which for some tasks coincide with each other or with (i, j).
 */
typedef struct step {
    const tiled *of;
    uint32_t     task; /* number of the task */
    int          i, j, k;
} step;

static inline uint32_t count_steps(int tiles)
{
    return (uint32_t)(tiles * (tiles + 1) * (tiles + 2) / 6);
}

static inline double *tile(const tiled *t, int row, int column)
{
    size_t n = (size_t)t->n;

    return t->a + ((size_t)row * (size_t)t->tiles + (size_t)column) * n * n;
}

static inline void do_step(const step *s)
{
    const tiled *t = s->of;
    int          n = t->n, i = s->i, j = s->j, k = s->k;

    if (!t->a)
        take_time_stamps(&t->stamps[s->task]);
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

/* Submit the steps in the order of hsched-gen's graph. */
static inline void each_step(const tiled *t, void (*submit)(const step *s))
{
    step s = {t, 0, 0, 0, 0};

    for (s.k = 0; s.k < t->tiles; s.k++) {
        for (s.j = s.k, s.i = s.k; s.i < t->tiles; s.i++, s.task++)
            submit(&s);
        for (s.i = s.k + 1; s.i < t->tiles; s.i++)
            for (s.j = s.k + 1; s.j <= s.i; s.j++, s.task++)
                submit(&s);
    }
}

/* Fill the matrix; it is diagonally dominant. */
static inline void fill(const tiled *t)
{
    size_t order = (size_t)t->n * (size_t)t->tiles, e;

    for (e = 0; e < order * order; e++)
        t->a[e] = (double)(e * 2654435761u % 1000) / 1000;
    for (int k = 0; k < t->tiles; k++)
        for (int i = 0; i < t->n; i++)
            tile(t, k, k)[(size_t)i * (size_t)t->n + (size_t)i] = (double)order;
}

/*
 * Check that the first tile is a Cholesky factor and the last tile was updated, to avoid measuring
 * a run without factorisation.
 */
static inline void check_factors(const tiled *t)
{
    double order = (double)t->n * t->tiles, *last = tile(t, t->tiles - 1, t->tiles - 1);

    if (!(tile(t, 0, 0)[0] * tile(t, 0, 0)[0] < 1.001 * order && last[0] * last[0] < order))
        abort();
}

/*
 * Measure factorisations by `run`, which returns nanoseconds: prints the median of 9 and the best.
 */
static inline void compute(const char *what, tiled *t, int64_t (*run)(const tiled *t))
{
    double speed[REPEATS], order = (double)t->n * t->tiles;

    for (int i = 0; i < REPEATS; i++) {
        fill(t);
        speed[i] = order * order * order / 3 / (double)run(t);
        check_factors(t);
    }
    qsort(speed, REPEATS, sizeof *speed, by_value);
    printf("%s: Cholesky %.0f, tiles of %d: %.1f GFLOP/s, best %.1f\n", what, order, t->n,
           speed[REPEATS / 2], speed[REPEATS - 1]);
    fflush(stdout);
}

static inline void empty(const char *what, tiled *t, int64_t (*run)(const tiled *t))
{
    double   us[REPEATS];
    uint32_t tasks = count_steps(t->tiles);

    for (int i = 0; i < REPEATS; i++)
        us[i] = us_per_task(run(t), tasks);
    print_row(what, tasks, us);
    fflush(stdout);
}

/* Allocate a matrix to factorise, or if `order` is 0 the stamps of empty tasks. */
static inline tiled make_tiled(int n, int tiles)
{
    tiled  t = {n, tiles, NULL, NULL, NULL};
    size_t order = (size_t)n * (size_t)tiles;

    openblas_set_num_threads(1);
    if (n)
        t.a = (double *)malloc(order * order * sizeof *t.a);
    else
        t.stamps = make_stamps(count_steps(tiles));
    if (n && !t.a)
        abort();
    return t;
}

static inline void free_tiled(tiled *t)
{
    free(t->a);
    free(t->stamps);
}

static inline int usual_argument(int argc, char **argv, int at, int usual)
{
    return argc > at ? atoi(argv[at]) : usual;
}

#endif
