/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --dry-run: print the predicted assignment of tasks to workers. */
#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"
#include "common/escape.h"
#include "common/message.h"
#include "exec/exec.h"

/* The predicted start of a task that runs to its end. */
typedef struct task_start {
    double   at;
    unsigned worker;
    uint32_t task;
    hs_type  type;
} task_start;

static int by_time(const void *a, const void *b)
{
    const task_start *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->worker < y->worker ? -1 : x->worker > y->worker;
}

/* Return the starts of all tasks to be run, in order; the caller frees them. */
static task_start *list_starts(const hs_schedule *s, size_t *size)
{
    unsigned    cpus = hs_schedule_cpus(s), workers = cpus + hs_schedule_gpus(s);
    task_start *list = checked_calloc(hs_schedule_entry_count(s), sizeof *list);

    *size = 0;
    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++)
            if (entries[i].state == HS_RUN)
                list[(*size)++] =
                    (task_start){entries[i].start, w, entries[i].task, w < cpus ? HS_CPU : HS_GPU};
    }
    qsort(list, *size, sizeof *list, by_time);
    return list;
}

static void print_worker(const exec_job *job, unsigned worker)
{
    hs_exec_worker_info info;
    double              makespan = hs_schedule_makespan(job->predicted);
    double              busy = hs_schedule_load(job->predicted, worker);
    size_t              count, tasks = 0;
    const hs_entry     *entries = hs_schedule_entries(job->predicted, worker, &count);
    char                place[32];

    for (size_t i = 0; i < count; i++)
        tasks += entries[i].state == HS_RUN;
    hs_exec_worker_info_init(&info);
    hs_exec_describe_worker(job->exec, worker, &info);
    if (info.unused)
        snprintf(place, sizeof place, "not needed");
    else if (info.node)
        snprintf(place, sizeof place, "%.31s", info.node);
    else if (worker >= hs_instance_cpus(job->plan.in))
        snprintf(place, sizeof place, "%.12s", info.device ? info.device : "emulated");
    else if (info.os_cpu < 0)
        snprintf(place, sizeof place, "any core");
    else
        snprintf(place, sizeof place, "core%s %.20s", strchr(info.cores, ',') ? "s" : "",
                 info.cores);
    printf("  %-8s  %-12s  %9zu  %14.7g  %6.1f%%\n", info.name, place, tasks, busy,
           makespan > 0 ? 100 * busy / makespan : 0);
}

/* A backend and the number of tasks that it runs on a type. */
typedef struct backend_tasks {
    const char *name;
    hs_type     type;
    size_t      tasks;
} backend_tasks;

static void print_backends(const exec_job *job, const task_start *list, size_t size)
{
    enum { MOST = 64 };
    backend_tasks *backend = checked_calloc(MOST, sizeof *backend);
    size_t         count = 0, b;

    for (int type = HS_CPU; type <= HS_GPU; type++)
        for (size_t i = 0; i < size; i++) {
            const char *name = hs_exec_backend_name(job->exec, list[i].task, (hs_type)type);

            if ((int)list[i].type != type || !name)
                continue;
            for (b = 0; b < count; b++)
                if ((int)backend[b].type == type && strcmp(backend[b].name, name) == 0)
                    break;
            if (b == count && count < MOST)
                backend[count++] = (backend_tasks){.name = name, .type = (hs_type)type};
            if (b < count)
                backend[b].tasks++;
        }
    printf("\n  %-8s  %-12s  %9s\n", "type", "run by", "tasks");
    for (b = 0; b < count; b++)
        printf("  %-8s  %-12s  %9zu\n", exec_type_name(backend[b].type), backend[b].name,
               backend[b].tasks);
    free(backend);
}

/* Print the command or kernel of a task. Return true if the program of the command is missing. */
static bool print_work(const exec_job *job, const task_start *s)
{
    const char *backend = hs_exec_backend_name(job->exec, s->task, s->type);
    const char *command = exec_command(job, s->task, s->type);
    char        program[EXEC_PROGRAM];
    hs_task     row;
    bool        missing = false;

    hs_instance_row(job->plan.in, hs_instance_row_of(job->plan.in, s->task), &row);
    if (backend && strcmp(backend, "command") == 0 && *command) {
        missing = exec_program_is_missing(command, program);
        printf("%s%s%s%s\n", SHOWN(command), missing ? "   (there is no '" : "",
               missing ? SHOWN(program) : "", missing ? "')" : "");
    } else if (backend && strcmp(backend, "emulated") != 0 && row.kernel && row.kernel[0]) {
        puts(SHOWN(row.kernel));
    } else {
        puts("(takes its planned time)");
    }
    return missing;
}

/* Print each task with its command or kernel, and the number of missing programs. */
static void print_order(const exec_job *job, const task_start *list, size_t size)
{
    size_t missing = 0;

    printf("\n  %14s  %-8s  %-16s  %s\n", "start", "worker", "task", "runs");
    for (size_t i = 0; i < size; i++) {
        char task[HS_MAX_ID + 16], worker[16];

        hs_instance_name(job->plan.in, list[i].task, task, sizeof task);
        hs_worker_name(hs_instance_cpus(job->plan.in), list[i].worker, worker);
        printf("  %14.7g  %-8s  %-16s  ", list[i].at, worker, SHOWN(task));
        missing += (size_t)print_work(job, &list[i]);
    }
    if (missing > 0)
        message("%s: %zu command%s a program that does not exist now", job->plan.path, missing,
                missing == 1 ? " needs" : "s need");
}

/* Print the predicted makespan and the end of the line. */
static void print_makespan(const exec_job *job)
{
    double makespan = hs_schedule_makespan(job->predicted);
    char   number[32];

    hs_format_rounded(makespan, 6, number);
    printf("%s %s", number, exec_unit_name(job));
    if (hs_format_long_duration(makespan * hs_unit_seconds(hs_instance_unit(job->plan.in)),
                                number) > 0)
        printf(" (%s)", number);
    hs_format_rounded(makespan * job->unit, 4, number);
    printf(job->unit == 1 ? "\n" : ", %s s here\n", number);
}

static void print_head(const exec_job *job, size_t left)
{
    size_t tasks = hs_instance_tasks(job->plan.in);

    printf("%s: %zu task%s by %s; predicted makespan ", SHOWN(job->plan.path), tasks, plural(tasks),
           job->request->policy);
    if (job->guesses > 0)
        puts("unknown, like the times");
    else
        print_makespan(job);
    if (left < tasks)
        printf("%zu of the tasks remain to be run; the tables contain only these\n", left);
}

int exec_dry_run(const exec_job *job)
{
    unsigned    workers = hs_instance_cpus(job->plan.in) + hs_instance_gpus(job->plan.in);
    size_t      size;
    task_start *list = list_starts(job->predicted, &size);

    print_head(job, size);
    printf("\n  %-8s  %-12s  %9s  %14s  %7s\n", "worker", "place", "tasks", "busy", "");
    for (unsigned w = 0; w < workers; w++)
        print_worker(job, w);
    print_backends(job, list, size);
    print_order(job, list, size);
    free(list);
    return EXIT_OK;
}
