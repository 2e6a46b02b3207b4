/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --dry-run: the tasks in the order in which they would start. */
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "exec/exec.h"

typedef struct start {
    double   at;
    unsigned worker;
    uint32_t task;
} start;

static int by_time(const void *a, const void *b)
{
    const start *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->worker < y->worker ? -1 : x->worker > y->worker;
}

/* Collect the entries that run to their end, sorted by start. */
static size_t collect(const hs_schedule *s, start *list)
{
    unsigned workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);
    size_t   size = 0;

    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++)
            if (entries[i].state == HS_RUN)
                list[size++] = (start){entries[i].start, w, entries[i].task};
    }
    qsort(list, size, sizeof *list, by_time);
    return size;
}

/* Print the command or kernel of a task. Return 1 if the program of the command is missing. */
static int print_work(const exec_job *job, const start *s, hs_type type)
{
    const char *backend = hs_exec_backend(job->exec, s->task, type), *command;
    char        program[EXEC_PROGRAM];
    hs_task     row;
    int         missing = 0;

    hs_instance_row(job->plan.in, hs_instance_row_of(job->plan.in, s->task), &row);
    command = type == HS_CPU ? row.cpu_command : row.gpu_command;
    if (backend && strcmp(backend, "command") == 0 && command) {
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

void exec_print_order(const exec_job *job)
{
    unsigned cpus = hs_instance_cpus(job->plan.in);
    start   *list = checked_calloc(hs_schedule_entry_count(job->predicted), sizeof *list);
    size_t   count = collect(job->predicted, list), missing = 0;

    printf("\n  %14s  %-8s  %-16s  %s\n", "start", "worker", "task", "runs");
    for (size_t i = 0; i < count; i++) {
        char task[HS_MAX_ID + 16], worker[16];

        hs_instance_name(job->plan.in, list[i].task, task, sizeof task);
        hs_worker_name(cpus, list[i].worker, worker);
        printf("  %14.7g  %-8s  %-16s  ", list[i].at, worker, SHOWN(task));
        missing += (size_t)print_work(job, &list[i], list[i].worker < cpus ? HS_CPU : HS_GPU);
    }
    free(list);
    if (missing > 0)
        message("%s: %zu command%s a program that is not there now", job->plan.path, missing,
                missing == 1 ? " needs" : "s need");
}
