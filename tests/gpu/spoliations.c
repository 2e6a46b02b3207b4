/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that CPUs and a GPU take from each other again and again: estimates say that each would
 * end at once wherever it is not, and so it goes to and fro until it has been given the time it
 * needs. All must end well, each result verified, and nothing be left of what was
 * aborted: no thread, descriptor, memory of the host or of the GPU.
 *
 *   gpu_spoliations [-M MODULE] [-m CPUS] [-n SIZE] [SPOLIATIONS]
 *
 * 0: so it is; 1: it is not; 3: no GPU.
 */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

enum { ROUNDS_IN_VAIN = 100, ROUNDS_BEFORE = 3 };

static const char *module;
static unsigned    cpus;
static int         size = 3072;

static void fail(int code, const char *what, const char *detail)
{
    fprintf(stderr, "gpu_spoliations: %s: %s\n", what, detail);
    exit(code);
}

/* ---- what there is --------------------------------------------------------------------------- */

typedef struct census {
    long threads, descriptors;
    long resident;   /* KiB */
    long gpu_memory; /* KiB that are in use, by anybody */
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

    malloc_trim(0);
    now.resident = resident();
    now.gpu_memory = gpu_memory();
    return now;
}

/* A single matrix that is left behind by each hundredth of 10,000 aborts is 70 times as much. */
static void compare(const census *before, const census *after)
{
    const long slack = 100 * 1024;

    if (after->threads > before->threads)
        fail(1, "leaked", "threads");
    if (after->descriptors > before->descriptors)
        fail(1, "leaked", "descriptors");
    if (after->resident > before->resident + slack)
        fail(1, "leaked", "memory");
    if (after->gpu_memory > before->gpu_memory + slack)
        fail(1, "leaked", "memory of the GPU");
}

static void print(const char *when, const census *c)
{
    fprintf(stderr, "%s: %ld threads, %ld descriptors, %ld KiB resident, %ld KiB on the GPU\n",
            when, c->threads, c->descriptors, c->resident, c->gpu_memory);
}

/* ---- a round -----------------------------------------------------------------------------------
 */

static const char *const kernels[] = {"dgemm",  "dsyrk",  "dtrsm",  "dpotrf",
                                      "dgetrf", "dgeqrf", "dormqr", "sgemm"};

enum { KERNELS = sizeof kernels / sizeof *kernels };

/* A task more than workers. */
static hs_instance *make_tasks(void)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_status    st = hs_builder_create(&b);
    unsigned     i;
    char         kernel[32], id[32];

    if (st == HS_OK)
        st = hs_builder_workers(b, cpus, 1);
    if (st == HS_OK)
        st = hs_builder_unit(b, HS_SECONDS);
    for (i = 0; i < cpus + 2 && st == HS_OK; i++) {
        hs_task row = {.id = id, .kernel = kernel, .cpu = 1e-6, .gpu = 1e-6, .count = 1};

        row.restartable = HS_RESTART_YES;
        snprintf(kernel, sizeof kernel, "%s:%d", kernels[i % KERNELS], size);
        snprintf(id, sizeof id, "t%u", i);
        st = hs_builder_add(b, &row);
    }
    if (st == HS_OK)
        st = hs_builder_finish(b, &in, NULL);
    hs_builder_free(b);
    if (st != HS_OK)
        fail(1, "no instance", hs_status_text(st));
    return in;
}

typedef struct tally {
    unsigned long to_gpu, from_gpu, tasks, by_gpu, rounds;
} tally;

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
    char             why[HS_WHY] = "";
    hs_status        st;

    hs_exec_settings_init(&settings);
    hs_exec_report_init(&report);
    hs_exec_failure_init(&failure);
    settings.policy = hs_policy_find("heteroprio");
    settings.oversubscribe = 1;
    settings.module = module;
    st = hs_exec_create(in, NULL, &settings, &exec, why);
    if (st == HS_OK)
        st = hs_exec_run(exec, &report, why);
    if (st != HS_OK && exec && hs_exec_failure_at(exec, 0, &failure))
        fail(1, "a task failed", failure.why);
    if (st != HS_OK)
        fail(st == HS_ERESOURCE ? 3 : 1, "no run", *why ? why : hs_status_text(st));
    if (report.done != hs_instance_tasks(in) || report.lost_workers)
        fail(1, "after a run", "tasks or workers are missing");
    count_records(exec, t);
    t->tasks += report.done;
    t->rounds++;
    hs_exec_free(exec);
}

static void run_until(const hs_instance *in, unsigned long wanted, tally *t)
{
    unsigned long sum = 0, before, in_vain = 0;

    while (sum < wanted && in_vain < ROUNDS_IN_VAIN) {
        before = sum;
        run_round(in, t);
        sum = t->to_gpu + t->from_gpu;
        in_vain = sum > before ? 0 : in_vain + 1;
    }
    if (sum < wanted)
        fail(1, "after many rounds", "nothing more was taken over");
}

static void take_options(int argc, char **argv)
{
    int c;

    cpus = hs_exec_cores() > 1 ? hs_exec_cores() - 1 : 1;
    while ((c = getopt(argc, argv, "M:m:n:")) != -1) {
        if (c == 'M')
            module = optarg;
        else if (c == 'm')
            cpus = (unsigned)strtoul(optarg, NULL, 10);
        else if (c == 'n')
            size = atoi(optarg);
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
    census        before, after;
    tally         t = {0}, first = {0};
    int           i;

    take_options(argc, argv);
    wanted = optind < argc ? strtoul(argv[optind], NULL, 10) : 10000;
    in = make_tasks();
    for (i = 0; i < ROUNDS_BEFORE; i++) /* what is made once and kept is no leak */
        run_round(in, &first);
    before = count_all();
    run_until(in, wanted, &t);
    after = count_all();
    printf("to_gpu,from_gpu,rounds,tasks,by_gpu\n%lu,%lu,%lu,%lu,%lu\n", t.to_gpu, t.from_gpu,
           t.rounds, t.tasks, t.by_gpu);
    print("before", &before);
    print("after", &after);
    compare(&before, &after);
    hs_instance_free(in);
    return 0;
}
