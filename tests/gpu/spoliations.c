/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu_spoliations: tasks that CPUs and a GPU spoliate again and again. Estimates promise an
 * immediate end on the opposite type, until measured times correct them. Every run must succeed
 * with verified results, and aborted tasks must leave no growing number of threads and descriptors
 * or amount of memory on the host or the GPU.
 *
 *   gpu_spoliations [-M MODULE] [-m CPUS] [-n SIZE] [-t SECONDS] [SPOLIATIONS]
 *
 * -t: start no run after this time, whatever the number of spoliations. A task must be spoliated on
 * the GPU at least once: after SPOLIATIONS, runs continue until then, for at most 100 runs without
 * -t. A larger task (-n) takes the GPU longer.
 *
 * Exit status 0: success; 1: a check failed; 3: no GPU.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "growth.h"

enum { ROUNDS_IN_VAIN = 100, ROUNDS_BEFORE = 3 };

static const char *module;
static unsigned    cpus;
static int         size = 3072;
static double      limit; /* seconds; 0: unlimited */

static void fail(int code, const char *what, const char *detail)
{
    fprintf(stderr, "gpu_spoliations: %s: %s\n", what, detail);
    exit(code);
}

typedef struct census {
    long threads, descriptors;
    long resident;   /* KiB */
    long gpu_memory; /* KiB in use by any process */
} census;

static long entries(const char *path)
{
    DIR           *folder = opendir(path);
    struct dirent *entry;
    long           count = 0;

    if (!folder)
        fail(1, path, strerror(errno));
    while ((entry = readdir(folder)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static long resident(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long  pages = 0;

    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        fail(1, "/proc/self/statm", "cannot be read");
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static long gpu_memory(void)
{
    size_t      unused = 0, all = 0;
    cudaError_t error = cudaMemGetInfo(&unused, &all);

    if (error != cudaSuccess)
        fail(3, "cudaMemGetInfo", cudaGetErrorString(error));
    return (long)((all - unused) / 1024);
}

static census count_all(void)
{
    census now = {.threads = entries("/proc/self/task"), .descriptors = entries("/proc/self/fd")};

    growth_trim_heap();
    now.resident = resident();
    now.gpu_memory = gpu_memory();
    return now;
}

/* Fail if memory or objects grow by more than `most` in a step. */
static void check_growth(const char *what, const long looks[GROWTH_LOOKS], long most)
{
    long by_step = growth_median_step(looks);

    fprintf(stderr, "growth: %ld %s in each of %d steps\n", by_step, what, GROWTH_LOOKS - 1);
    if (by_step > most)
        fail(1, "leaked", what);
}

typedef struct tally {
    unsigned long to_gpu, from_gpu, tasks, by_gpu, rounds;
} tally;

/* Compare the looks. Growth of a page for each spoliation and of 128 KiB for each run is tolerated:
 * hwloc and the fake CUDA keep memory of each run. A matrix would be more. */
static void compare(const census looks[GROWTH_LOOKS], const tally *t)
{
    const long page = 4, run = 128, least = 1024; /* KiB */
    long       kept = page * (long)(t->to_gpu + t->from_gpu) + run * (long)t->rounds;
    long       slack = kept / (GROWTH_LOOKS - 1) > least ? kept / (GROWTH_LOOKS - 1) : least;
    long threads[GROWTH_LOOKS], descriptors[GROWTH_LOOKS], host[GROWTH_LOOKS], gpu[GROWTH_LOOKS];
    int  i;

    for (i = 0; i < GROWTH_LOOKS; i++) {
        threads[i] = looks[i].threads;
        descriptors[i] = looks[i].descriptors;
        host[i] = looks[i].resident;
        gpu[i] = looks[i].gpu_memory;
    }
    check_growth("threads", threads, 0);
    check_growth("descriptors", descriptors, 0);
    if (growth_counts_memory())
        check_growth("KiB resident", host, slack);
    check_growth("KiB on the GPU", gpu, slack);
}

static void print(const char *when, const census *c)
{
    fprintf(stderr, "%s: %ld threads, %ld descriptors, %ld KiB resident, %ld KiB on the GPU\n",
            when, c->threads, c->descriptors, c->resident, c->gpu_memory);
}

static const char *const kernels[] = {"dgemm",  "dsyrk",  "dtrsm", "dpotrf", "dgetrf",
                                      "dgeqrf", "dormqr", "sgemm", "dtpqrt", "dtpmqrt"};

enum { KERNELS = sizeof kernels / sizeof *kernels };

/* Make fewer tasks than workers, so that a worker is idle before any time is measured. */
static hs_instance *make_tasks(void)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_status    st = hs_builder_create(&b);
    unsigned     i;
    char         kernel[32], id[32];

    if (st == HS_OK)
        st = hs_builder_set_workers(b, cpus, 1);
    if (st == HS_OK)
        st = hs_builder_set_unit(b, HS_SECONDS);
    for (i = 0; i < cpus && st == HS_OK; i++) {
        hs_task row = {.struct_size = sizeof row,
                       .id = id,
                       .kernel = kernel,
                       .cpu = 1e-6,
                       .gpu = 1e-6,
                       .count = 1};

        row.restartable = HS_RESTART_YES;
        snprintf(kernel, sizeof kernel, "%s:%d", kernels[i % KERNELS], size);
        snprintf(id, sizeof id, "t%u", i);
        st = hs_builder_add_row(b, &row);
    }
    if (st == HS_OK)
        st = hs_builder_finish(b, &in, NULL);
    hs_builder_free(b);
    if (st != HS_OK)
        fail(1, "no instance", hs_status_text(st));
    return in;
}

static void count_records(const hs_exec *exec, tally *t)
{
    unsigned worker;

    for (worker = 0; worker <= cpus; worker++) {
        size_t                count;
        const hs_exec_record *r = hs_exec_records(exec, worker, &count);

        for (; count > 0; count--, r++) {
            if (r->outcome == HS_OUTCOME_ABORTED)
                *(worker == cpus ? &t->from_gpu : &t->to_gpu) += 1;
            else
                t->by_gpu += worker == cpus;
        }
    }
}

static void run_round(const hs_instance *in, tally *t)
{
    hs_exec_settings settings;
    hs_exec_report   report;
    hs_exec_failure  failure;
    hs_exec         *exec = NULL;
    hs_error         error = {0};
    hs_status        st;

    hs_exec_settings_init(&settings);
    hs_exec_report_init(&report);
    hs_exec_failure_init(&failure);
    settings.decide.policy = hs_policy_find("heteroprio");
    settings.place.oversubscribe = 1;
    settings.gpu.module = module;
    st = hs_exec_create(in, NULL, &settings, &exec, &error);
    if (st == HS_OK)
        st = hs_exec_run(exec, &report, &error);
    if (st != HS_OK && exec && hs_exec_failure_at(exec, 0, &failure))
        fail(1, "a task failed", failure.why);
    if (st != HS_OK)
        fail(st == HS_ERESOURCE ? 3 : 1, "no run", *error.why ? error.why : hs_status_text(st));
    if (report.done != hs_instance_tasks(in) || report.lost_workers)
        fail(1, "after a run", "tasks or workers are missing");
    count_records(exec, t);
    t->tasks += report.done;
    t->rounds++;
    hs_exec_free(exec);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void run_until(const hs_instance *in, unsigned long wanted, double until, tally *t)
{
    unsigned long sum = t->to_gpu + t->from_gpu, before, in_vain = 0;

    while (sum < wanted && in_vain < ROUNDS_IN_VAIN) {
        before = sum;
        run_round(in, t);
        sum = t->to_gpu + t->from_gpu;
        in_vain = sum > before ? 0 : in_vain + 1;
        if (limit > 0 && seconds() >= until)
            return;
    }
    if (sum < wanted)
        fail(1, "after many rounds", "nothing more was spoliated");
}

/* Run until a task was spoliated on the GPU: a fast GPU may end each task before a CPU can spoliate
 * it. */
static void run_until_from_gpu(const hs_instance *in, double until, tally *t)
{
    int rounds;

    for (rounds = 0; !t->from_gpu && (limit > 0 ? seconds() < until : rounds < ROUNDS_IN_VAIN);
         rounds++)
        run_round(in, t);
}

static void take_options(int argc, char **argv)
{
    int c;

    cpus = hs_exec_core_count() > 1 ? hs_exec_core_count() - 1 : 1;
    while ((c = getopt(argc, argv, "M:m:n:t:")) != -1) {
        if (c == 'M')
            module = optarg;
        else if (c == 'm')
            cpus = (unsigned)strtoul(optarg, NULL, 10);
        else if (c == 'n')
            size = atoi(optarg);
        else if (c == 't')
            limit = atof(optarg);
        else
            exit(2);
    }
    if (cpus < 1 || cpus > 1000 || size < 1)
        exit(2);
}

int main(int argc, char **argv)
{
    unsigned long wanted;
    hs_instance  *in;
    census        looks[GROWTH_LOOKS];
    tally         t = {0}, first = {0};
    double        start;
    int           i;

    growth_begin();
    take_options(argc, argv);
    wanted = optind < argc ? strtoul(argv[optind], NULL, 10) : 10000;
    in = make_tasks();
    for (i = 0; i < ROUNDS_BEFORE; i++) /* warm up: allocations made once are no leak */
        run_round(in, &first);
    looks[0] = count_all();
    start = seconds();
    for (i = 1; i < GROWTH_LOOKS; i++) {
        run_until(in, wanted * (unsigned long)i / (GROWTH_LOOKS - 1),
                  start + limit * i / (GROWTH_LOOKS - 1), &t);
        if (i == GROWTH_LOOKS - 1)
            run_until_from_gpu(in, start + limit, &t);
        looks[i] = count_all();
    }
    printf("to_gpu,from_gpu,rounds,tasks,by_gpu\n%lu,%lu,%lu,%lu,%lu\n", t.to_gpu, t.from_gpu,
           t.rounds, t.tasks, t.by_gpu);
    print("before", &looks[0]);
    print("after", &looks[GROWTH_LOOKS - 1]);
    if (!t.from_gpu)
        fail(1, "nothing was taken from the GPU", "larger tasks (-n) or more time (-t) may do it");
    compare(looks, &t);
    hs_instance_free(in);
    return 0;
}
