/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compare a tiled factorisation by 2 CPU workers with LAPACK's factorisation of a matrix of equal
 * order with 2 threads of OpenBLAS: GFLOP/s, taking turns; medians of 7 and their ratio.
 *
 *   bench_exec_matrix [cholesky|lu|qr [ORDER [TILE [POLICY]]]]
 *                     default: cholesky 4096 256 heteroprio
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

enum { REPEATS = 7, WORKERS = 2, KERNELS = 64 };

static const char *const kinds[] = {"cholesky", "lu", "qr"};

static void require_ok(hs_status status, const char *why)
{
    if (status == HS_OK)
        return;
    fprintf(stderr, "%s: %s\n", hs_status_text(status), why);
    exit(1);
}

static hs_instance *make_instance(int kind, unsigned order, unsigned tile)
{
    const hs_kernel_table *known = hs_kernel_table_find("v100-1600");
    static hs_kernel       kernels[KERNELS];
    static char            name[KERNELS][32];
    hs_kernel_table        table = *known;
    hs_tiled               spec = {.struct_size = sizeof spec,
                                   .kind = (hs_factorisation)kind,
                                   .tiles = order / tile,
                                   .cpus = WORKERS,
                                   .graph = 1,
                                   .table = &table};
    hs_instance           *in = NULL;

    for (size_t i = 0; i < known->count && i < KERNELS; i++) {
        kernels[i] = known->kernels[i];
        snprintf(name[i], sizeof name[i], "%.*s:%u", (int)strcspn(kernels[i].kernel, ":"),
                 kernels[i].kernel, tile);
        kernels[i].kernel = name[i];
        kernels[i].cpu *= pow(tile / 1600.0, 3);
    }
    table.kernels = kernels;
    require_ok(hs_generate_tiled(&spec, &in, NULL), "the instance");
    return in;
}

static hs_exec *make_run(const hs_instance *in, const char *policy)
{
    hs_exec_settings settings;
    hs_exec         *exec = NULL;
    hs_error         error = {0};

    hs_exec_settings_init(&settings);
    settings.decide.policy = hs_policy_find(policy);
    settings.place.oversubscribe = 1;
    require_ok(hs_exec_create(in, NULL, &settings, &exec, &error), error.why);
    return exec;
}

static double run_exec(hs_exec *exec)
{
    hs_exec_report report;
    hs_error       error = {0};

    hs_exec_report_init(&report);
    require_ok(hs_exec_run(exec, &report, &error), error.why);
    return report.seconds;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Factorise a diagonally dominant matrix with LAPACK; returns seconds. */
static double run_lapack(int kind, int order, double *a, double *tau, int *pivots)
{
    double start;
    int    info;

    for (size_t i = 0; i < (size_t)order * (size_t)order; i++)
        a[i] = i % ((size_t)order + 1) ? (double)(i * 2654435761u % 1000) / 1000 : order;
    openblas_set_num_threads(WORKERS);
    start = now();
    if (kind == HS_CHOLESKY)
        info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', order, a, order);
    else if (kind == HS_LU)
        info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, order, order, a, order, pivots);
    else
        info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, order, order, a, order, tau);
    if (info)
        fprintf(stderr, "LAPACK gave up: %d\n", info);
    return now() - start;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    int                   kind = HS_CHOLESKY, n = argc > 2 ? atoi(argv[2]) : 4096;
    int                   tile = argc > 3 ? atoi(argv[3]) : 256;
    const char           *policy = argc > 4 ? argv[4] : "heteroprio";
    double                ours[REPEATS], theirs[REPEATS], ratio[REPEATS];
    double               *a = malloc((size_t)n * (size_t)n * sizeof *a);
    double               *tau = malloc((size_t)n * sizeof *tau);
    int                  *pivots = malloc((size_t)n * sizeof *pivots);
    hs_instance          *in;
    hs_exec              *exec;
    hs_exec_factorisation f;

    while (argc > 1 && kind < HS_QR && strcmp(argv[1], kinds[kind]) != 0)
        kind++;
    in = make_instance(kind, (unsigned)n, (unsigned)tile);
    exec = make_run(in, policy);
    hs_exec_factorisation_init(&f);
    hs_exec_describe_factorisation(exec, &f);
    for (int i = 0; i < REPEATS; i++) {
        ours[i] = 1e-9 * f.operations / run_exec(exec);
        theirs[i] = 1e-9 * f.operations / run_lapack(kind, n, a, tau, pivots);
        ratio[i] = ours[i] / theirs[i];
    }
    qsort(ours, REPEATS, sizeof *ours, compare);
    qsort(theirs, REPEATS, sizeof *theirs, compare);
    qsort(ratio, REPEATS, sizeof *ratio, compare);
    printf("%s %d, tiles of %d, %s: %.1f GFLOP/s, LAPACK %.1f, ratio %.3f (%.3f to %.3f)\n",
           kinds[kind], n, tile, policy, ours[REPEATS / 2], theirs[REPEATS / 2], ratio[REPEATS / 2],
           ratio[0], ratio[REPEATS - 1]);
    hs_exec_free(exec);
    hs_instance_free(in);
    free(pivots);
    free(tau);
    free(a);
    return 0;
}
