/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --dry-run: print the predicted assignment of tasks to workers. */
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "exec/exec.h"

/* Number of tasks and busy time of a worker. */
typedef struct share {
    size_t tasks;
    double time;
} share;

static share share_of(const exec_job *job, unsigned worker)
{
    size_t          count;
    const hs_entry *entries = hs_schedule_entries(job->predicted, worker, &count);
    share           sum = {0, hs_schedule_load(job->predicted, worker)};

    for (size_t i = 0; i < count; i++)
        sum.tasks += entries[i].state == HS_RUN;
    return sum;
}

static void print_worker(const exec_job *job, unsigned worker)
{
    hs_exec_worker_info info;
    share               sum = share_of(job, worker);
    double              makespan = hs_schedule_makespan(job->predicted);
    char                place[32];

    hs_exec_worker_info_init(&info);
    hs_exec_worker(job->exec, worker, &info);
    if (info.unused)
        snprintf(place, sizeof place, "not needed");
    else if (worker >= hs_instance_cpus(job->plan.in))
        snprintf(place, sizeof place, "%.12s", info.device ? info.device : "emulated");
    else if (info.os_cpu < 0)
        snprintf(place, sizeof place, "any core");
    else
        snprintf(place, sizeof place, "core%s %.20s", strchr(info.cores, ',') ? "s" : "",
                 info.cores);
    printf("  %-8s  %-12s  %9zu  %14.7g  %6.1f%%\n", info.name, place, sum.tasks, sum.time,
           makespan > 0 ? 100 * sum.time / makespan : 0);
}

enum { BACKENDS_MOST = 64 };

typedef struct backend_count {
    const char *name;
    hs_type     type;
    size_t      tasks;
} backend_count;

typedef struct tally {
    backend_count backend[BACKENDS_MOST];
    size_t        count;
} tally;

static void add_task(tally *t, const char *name, hs_type type)
{
    size_t i = 0;

    while (i < t->count && (t->backend[i].type != type || strcmp(t->backend[i].name, name) != 0))
        i++;
    if (i == BACKENDS_MOST)
        return;
    if (i == t->count)
        t->backend[t->count++] = (backend_count){name, type, 0};
    t->backend[i].tasks++;
}

static void print_backends(const exec_job *job)
{
    unsigned cpus = hs_instance_cpus(job->plan.in);
    unsigned workers = cpus + hs_instance_gpus(job->plan.in);
    tally   *t = checked_calloc(1, sizeof *t);

    for (unsigned w = 0; w < workers; w++) {
        hs_type         type = w < cpus ? HS_CPU : HS_GPU;
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(job->predicted, w, &count);

        for (size_t i = 0; i < count; i++) {
            const char *name = hs_exec_backend(job->exec, entries[i].task, type);

            if (entries[i].state == HS_RUN && name)
                add_task(t, name, type);
        }
    }
    printf("\n  %-8s  %-12s  %9s\n", "type", "run by", "tasks");
    for (size_t i = 0; i < t->count; i++)
        printf("  %-8s  %-12s  %9zu\n", exec_type_name(t->backend[i].type), t->backend[i].name,
               t->backend[i].tasks);
    free(t);
}

static size_t count_runs(const exec_job *job)
{
    unsigned workers = hs_instance_cpus(job->plan.in) + hs_instance_gpus(job->plan.in), w;
    size_t   runs = 0;

    for (w = 0; w < workers; w++)
        runs += share_of(job, w).tasks;
    return runs;
}

int exec_dry_run(const exec_job *job)
{
    size_t   tasks = hs_instance_tasks(job->plan.in);
    unsigned workers = hs_instance_cpus(job->plan.in) + hs_instance_gpus(job->plan.in);
    double   makespan = hs_schedule_makespan(job->predicted);
    size_t   left = count_runs(job);
    char     number[32];

    hs_format_rounded(makespan, 6, number);
    printf("%s: %zu task%s by %s; predicted makespan %s %s", SHOWN(job->plan.path), tasks,
           plural(tasks), job->request->policy, number, exec_unit_name(job));
    if (hs_format_duration(makespan * hs_unit_seconds(hs_instance_unit(job->plan.in)), number) > 0)
        printf(" (%s)", number);
    hs_format_rounded(makespan * job->unit, 4, number);
    printf(job->unit == 1 ? "\n" : ", %s s here\n", number);
    if (left < tasks)
        printf("of them %zu %s to be run, which is what follows\n", left, left == 1 ? "is" : "are");
    printf("\n  %-8s  %-12s  %9s  %14s  %7s\n", "worker", "place", "tasks", "busy", "");
    for (unsigned w = 0; w < workers; w++)
        print_worker(job, w);
    print_backends(job);
    exec_print_order(job);
    return EXIT_OK;
}
