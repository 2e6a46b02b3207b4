/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The speed of a GPU under the dispatcher, in both GPU modes: the matrix products of
 * bench_gpu_bare, with resident data and with copies, and tiny products for the cost of a task.
 * Results are not verified. Medians of 5.
 *
 * us_per_task is wall time over tasks; us_less_bodies counts only the time in which the GPU ran no
 * task.
 *
 *   bench_gpu [-M MODULE] [TASKS [TINY-TASKS [LARGEST]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tests/gpu/list.h"
#include "bench_gpu_sizes.h"
#include "median.h"

enum { REPEATS = 5, LARGEST = 2048 };

typedef struct row {
    const char *what;
    size_t      tasks;
    double      flops; /* floating-point operations of all tasks; 0: not reported */
    gpu_list    list;
} row;

static void run_once(const row *r, gpu_list_result *result)
{
    if (gpu_list_run(&r->list, result) == HS_OK)
        return;
    fprintf(stderr, "bench_gpu: %s: %s\n", r->what, result->error.why);
    exit(result->status == HS_ERESOURCE ? 3 : 1);
}

static void measure_row(const row *r)
{
    double          seconds[REPEATS], overhead[REPEATS], time;
    gpu_list_result result;
    int             i;

    run_once(r, &result);
    for (i = 0; i < REPEATS; i++) {
        run_once(r, &result);
        seconds[i] = result.seconds;
        overhead[i] = result.overhead;
    }
    time = median(seconds, REPEATS);
    printf("%s,%s,%zu,%.6f,%.4f,%.4f,%.4f\n", r->what,
           r->list.mode == HS_GPU_GRAPH ? "graph" : "streams", r->tasks, time,
           1e6 * time / (double)r->tasks, 1e6 * median(overhead, REPEATS), 1e-9 * r->flops / time);
    fflush(stdout);
}

static void measure_modes(row *r)
{
    r->list.mode = HS_GPU_STREAMS;
    measure_row(r);
    r->list.mode = HS_GPU_GRAPH;
    measure_row(r);
}

/* Make tasks of the sizes of bench_gpu_bare, equally many of each size, at least `tasks` in all. */
static void make_products(row *r, size_t tasks, int largest)
{
    static char        names[GEMM_SIZES][32];
    static const char *kernels[GEMM_SIZES];
    size_t             i;

    r->list.kernels = kernels;
    r->list.rows = GEMM_SIZES;
    r->list.count = (unsigned)((tasks + GEMM_SIZES - 1) / GEMM_SIZES);
    r->tasks = (size_t)r->list.count * GEMM_SIZES;
    for (i = 0; i < GEMM_SIZES; i++) {
        int n = gemm_size(i) < largest ? gemm_size(i) : largest;

        snprintf(names[i], sizeof names[i], "dgemm:%d", n);
        kernels[i] = names[i];
        r->flops += gemm_flops(n) * r->list.count;
    }
}

static void make_tiny(row *r, size_t tasks)
{
    static char        name[32];
    static const char *kernels[] = {name};

    snprintf(name, sizeof name, "dgemm:%d", TINY_SIZE);
    r->list.kernels = kernels;
    r->list.rows = 1;
    r->list.count = (unsigned)tasks;
    r->tasks = tasks;
}

static void usage(void)
{
    fprintf(stderr, "usage: bench_gpu [-M MODULE] [TASKS [TINY-TASKS [LARGEST]]]\n");
    exit(2);
}

int main(int argc, char **argv)
{
    row    products = {.what = "dgemm"}, tiny = {.what = "tiny"};
    size_t tasks = GEMM_TASKS, tiny_tasks = TINY_TASKS;
    int    largest = LARGEST, c;

    while ((c = getopt(argc, argv, "M:")) != -1) {
        if (c != 'M')
            usage();
        products.list.module = tiny.list.module = optarg;
    }
    if (optind < argc)
        tasks = strtoull(argv[optind++], NULL, 10);
    if (optind < argc)
        tiny_tasks = strtoull(argv[optind++], NULL, 10);
    if (optind < argc)
        largest = atoi(argv[optind++]);
    if (tasks < 1 || tiny_tasks < 1 || largest < TINY_SIZE || largest > LARGEST)
        usage();
    make_products(&products, tasks, largest);
    make_tiny(&tiny, tiny_tasks);
    printf("what,mode,tasks,seconds,us_per_task,us_less_bodies,gflops\n");
    products.list.resident = tiny.list.resident = 1;
    products.what = "dgemm-resident";
    measure_modes(&products);
    measure_modes(&tiny);
    products.list.resident = 0;
    products.what = "dgemm-copied";
    measure_modes(&products);
    return 0;
}
