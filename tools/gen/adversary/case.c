/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen adversary: the makespans of a case for its witness and for the algorithm. */
#include <string.h>

#include "gen/adversary/case.h"

hs_status case_judge_open(case_judge *judge)
{
    hs_status status = hs_workspace_create(&judge->workspace);

    return status == HS_OK ? hs_builder_create(&judge->builder) : status;
}

void case_judge_close(case_judge *judge)
{
    hs_workspace_free(judge->workspace);
    hs_builder_free(judge->builder);
}

enum { WORKERS = 2 * CASE_TASKS };

/* Return the number of workers; at most CASE_TASKS of each type, because more would stay idle. */
static unsigned workers_of(const bad_case *c)
{
    return c->cpus + c->gpus;
}

static double sum_loads(const bad_case *c, double load[WORKERS])
{
    double most = 0;

    memset(load, 0, workers_of(c) * sizeof *load);
    for (size_t i = 0; i < c->count; i++) {
        double *own = &load[c->worker[i]];

        *own += case_length(c, i);
        most = *own > most ? *own : most;
    }
    return most;
}

/* Compute the ends of the tasks in the witness; return its makespan. */
static double run_witness(const bad_case *c, double end[CASE_TASKS])
{
    double free_at[WORKERS] = {0}, most = 0;

    for (size_t i = 0; i < c->count; i++) {
        double *own = &free_at[c->worker[i]];

        for (uint64_t left = c->after[i]; left; left &= left - 1) {
            double before = end[__builtin_ctzll(left)];

            *own = before > *own ? before : *own;
        }
        end[i] = *own += case_length(c, i);
        most = *own > most ? *own : most;
    }
    return most;
}

/*
 * Move a task from the first worker with load `most`, or exchange it for a task of another worker,
 * if both loads then are below `most`. Return true on success.
 */
static bool relieve(bad_case *c, double *load, double most)
{
    uint32_t from = 0;

    while (load[from] < most)
        from++;
    for (size_t i = 0; i < c->count; i++) {
        if (c->worker[i] != from)
            continue;
        for (uint32_t to = 0; to < workers_of(c); to++)
            if (to != from && load[to] + c->time[to >= c->cpus][i] < most) {
                c->worker[i] = to;
                return true;
            }
        for (size_t j = 0; j < c->count; j++) {
            uint32_t to = c->worker[j];
            double   mine = most - case_length(c, i) + c->time[from >= c->cpus][j];
            double   its = load[to] - case_length(c, j) + c->time[to >= c->cpus][i];

            if (to != from && mine < most && its < most) {
                c->worker[i] = to;
                c->worker[j] = from;
                return true;
            }
        }
    }
    return false;
}

static double improve_witness(bad_case *c)
{
    double load[WORKERS], most = sum_loads(c, load);

    while (c->count > 0 && relieve(c, load, most))
        most = sum_loads(c, load);
    return most;
}

hs_status case_compute_makespans(case_judge *judge, bad_case *c)
{
    hs_instance *in = NULL;
    double       end[CASE_TASKS];
    hs_status    status;

    c->witness = judge->graph ? run_witness(c, end) : improve_witness(c);
    if (judge->graph)
        status = case_instance(judge->builder, c, NULL, &in);
    else
        status = hs_instance_wrap(c->count, c->time[HS_CPU], c->time[HS_GPU], c->priority, c->cpus,
                                  c->gpus, &in);
    if (status == HS_OK)
        status = hs_solve_makespan(judge->workspace, judge->algorithm, in, &judge->settings,
                                   &c->makespan, NULL);
    hs_instance_free(in);
    return status;
}

hs_status case_witness_schedule(const bad_case *c, hs_schedule **out)
{
    hs_placement all[CASE_TASKS];
    double       end[CASE_TASKS];

    run_witness(c, end);
    for (size_t i = 0; i < c->count; i++)
        all[i] = (hs_placement){.start = end[i] - case_length(c, i),
                                .end = end[i],
                                .task = (uint32_t)i,
                                .worker = c->worker[i],
                                .state = HS_RUN};
    return hs_schedule_build(c->cpus, c->gpus, c->count, all, out);
}

static void renumber(bad_case *c, const size_t *old)
{
    bad_case was = *c;
    size_t   now[CASE_TASKS];

    for (size_t i = 0; i < c->count; i++)
        now[old[i]] = i;
    for (size_t i = 0; i < c->count; i++) {
        c->time[HS_CPU][i] = was.time[HS_CPU][old[i]];
        c->time[HS_GPU][i] = was.time[HS_GPU][old[i]];
        c->priority[i] = was.priority[old[i]];
        c->worker[i] = was.worker[old[i]];
        c->after[i] = 0;
        for (uint64_t left = was.after[old[i]]; left; left &= left - 1)
            c->after[i] |= UINT64_C(1) << now[__builtin_ctzll(left)];
    }
}

void case_set_witness(bad_case *c, const hs_schedule *s)
{
    double start[CASE_TASKS] = {0};
    size_t old[CASE_TASKS];
    bool   graph = false;

    for (unsigned w = 0; w < workers_of(c); w++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++)
            if (entry[i].state == HS_RUN) {
                c->worker[entry[i].task] = w;
                start[entry[i].task] = entry[i].start;
            }
    }
    for (size_t i = 0, at; i < c->count; i++) {
        graph |= c->after[i] != 0;
        for (at = i; at > 0 && start[old[at - 1]] > start[i]; at--)
            old[at] = old[at - 1];
        old[at] = i;
    }
    if (graph)
        renumber(c, old);
}

void case_copy_task(bad_case *c, size_t task)
{
    size_t last = c->count++;

    c->time[HS_CPU][last] = c->time[HS_CPU][task];
    c->time[HS_GPU][last] = c->time[HS_GPU][task];
    c->priority[last] = c->priority[task];
    c->worker[last] = c->worker[task];
    c->after[last] = c->after[task];
}

/* Remove a task and connect each predecessor to each successor. */
void case_drop_task(bad_case *c, size_t task)
{
    uint64_t own = UINT64_C(1) << task, below = own - 1;

    for (size_t i = task + 1; i < c->count; i++) {
        uint64_t after = c->after[i] & own ? c->after[i] | c->after[task] : c->after[i];

        c->time[HS_CPU][i - 1] = c->time[HS_CPU][i];
        c->time[HS_GPU][i - 1] = c->time[HS_GPU][i];
        c->priority[i - 1] = c->priority[i];
        c->worker[i - 1] = c->worker[i];
        c->after[i - 1] = (after & below) | (after & ~below & ~own) >> 1;
    }
    c->count--;
}

static hs_status add_tasks(hs_builder *builder, const bad_case *c)
{
    hs_task   task;
    hs_status status = HS_OK;

    hs_task_init(&task);
    for (size_t i = 0; i < c->count && status == HS_OK; i++) {
        task.cpu = c->time[HS_CPU][i];
        task.gpu = c->time[HS_GPU][i];
        task.priority = c->priority[i];
        status = hs_builder_add_row(builder, &task);
        for (uint64_t left = c->after[i]; left && status == HS_OK; left &= left - 1)
            status = hs_builder_add_predecessor(builder, i, (size_t)__builtin_ctzll(left), 0, 0);
    }
    return status;
}

hs_status case_instance(hs_builder *builder, const bad_case *c, const char *const *notes,
                        hs_instance **out)
{
    hs_status status = hs_builder_set_workers(builder, c->cpus, c->gpus);

    for (; notes && *notes && status == HS_OK; notes += 2)
        status = hs_builder_add_note(builder, notes[0], notes[1]);
    if (status == HS_OK)
        status = add_tasks(builder, c);
    return status == HS_OK ? hs_builder_finish(builder, out, NULL) : status;
}
