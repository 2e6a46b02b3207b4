/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_EXEC_TILED_H
#define BENCH_EXEC_TILED_H

/*
 * What the programs share that factorise with other runtime systems, in C and C++: a tiled Cholesky
 * factorisation, GFLOP/s, as bench_exec_matrix has it; and the tasks of one with nothing in them
 * but two time stamps, microseconds a task, as bench_exec has them.
 */

#include <cblas.h>
#include <lapacke.h>

#include "bench_exec_rows.h"

typedef struct tiled {
    int     n, tiles;
    double *a; /* tile after tile; NULL: nothing is computed */
    stamp  *stamps;
    void   *data; /* of who runs it, as that needs it */
} tiled;

/* potrf where k = j = i, trsm where k = j, syrk where j = i, else gemm. What it writes is tile
 * (i, j); it reads (i, k) and (j, k), which for some is what they write, or one and the same. */
typedef struct step {
    const tiled *of;
    uint32_t     task; /* its number */
    int          i, j, k;
} step;

static inline uint32_t count_steps(int tiles)
{
    return (uint32_t)(tiles * (tiles + 1) * (tiles + 2) / 6);
}

static inline double *tile(const tiled *t, int i, int j)
{
    size_t n = (size_t)t->n;

    return t->a + ((size_t)i * (size_t)t->tiles + (size_t)j) * n * n;
}

static inline void do_step(const step *s)
{
    const tiled *t = s->of;
    int          n = t->n, i = s->i, j = s->j, k = s->k;

    if (!t->a)
        take_stamps(&t->stamps[s->task]);
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

/* In the order of the program that hsched-gen's graph is of. */
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

/* Its diagonal outweighs the rest. */
static inline void fill(const tiled *t)
{
    size_t order = (size_t)t->n * (size_t)t->tiles, e;

    for (e = 0; e < order * order; e++)
        t->a[e] = (double)(e * 2654435761u % 1000) / 1000;
    for (int k = 0; k < t->tiles; k++)
        for (int i = 0; i < t->n; i++)
            tile(t, k, k)[(size_t)i * (size_t)t->n + (size_t)i] = (double)order;
}

/* Is the first tile a Cholesky factor, and was the last one worked on? Nothing is to be measured
 * that does not factorise. */
static inline void look_at(const tiled *t)
{
    double order = (double)t->n * t->tiles, *last = tile(t, t->tiles - 1, t->tiles - 1);

    if (!(tile(t, 0, 0)[0] * tile(t, 0, 0)[0] < 1.001 * order && last[0] * last[0] < order))
        abort();
}

/* By `run`, which returns nanoseconds: medians of 9 and the best. */
static inline void compute(const char *what, tiled *t, int64_t (*run)(const tiled *t))
{
    double speed[REPEATS], order = (double)t->n * t->tiles;

    for (int i = 0; i < REPEATS; i++) {
        fill(t);
        speed[i] = order * order * order / 3 / (double)run(t);
        look_at(t);
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

/* What there is to factorise, or with `n` 0 to do nothing with. */
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

static inline int argument(int argc, char **argv, int at, int usual)
{
    return argc > at ? atoi(argv[at]) : usual;
}

#endif
