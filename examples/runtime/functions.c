/* SPDX-License-Identifier: BSD-3-Clause */
/* Run functions of this program as the tasks of a graph, as the policy of affine.c decides. A
 * function for GPUs runs in the thread of a GPU worker, which needs no device. One function stops
 * the run, and so cancels the other. The program needs libhybridsched-exec. */
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <hybridsched/exec.h>

#include "affine.h"

enum { ENOUGH = 1000 };

/* A test of 3n + 1 sequences. */
typedef struct search {
    hs_exec    *exec;
    uint64_t    first;   /* first number to try */
    atomic_uint reached; /* numbers whose sequences reached 1 */
} search;

static int prepare(void *data, const hs_plugin_task *task)
{
    search *s = data;

    (void)task;
    s->first = 1;
    return HS_PLUGIN_DONE;
}

/* Try numbers until the task is cancelled. */
static int try_numbers(void *data, const hs_plugin_task *task)
{
    search  *s = data;
    uint64_t first, n;

    for (first = s->first; !hs_plugin_cancelled(task); first++) {
        for (n = first; n != 1;)
            n = n % 2 ? 3 * n + 1 : n / 2;
        atomic_fetch_add(&s->reached, 1);
    }
    return HS_PLUGIN_ABORTED;
}

/* Stop the run after ENOUGH numbers. */
static int stop_run(void *data, const hs_plugin_task *task)
{
    search *s = data;

    while (atomic_load(&s->reached) < ENOUGH) {
        if (hs_plugin_cancelled(task))
            return HS_PLUGIN_ABORTED;
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    }
    hs_exec_stop(s->exec, HS_STOP_NOW);
    return HS_PLUGIN_DONE;
}

/* Make the graph: `prepare`, then `try_numbers` on the CPU beside `stop_run` on the GPU worker. */
static hs_status make_graph(hs_instance **out)
{
    static const double times[][2] = {{1, INFINITY}, {1, INFINITY}, {INFINITY, 1}};
    hs_builder         *b = NULL;
    hs_status           st = hs_builder_create(&b);
    hs_task             task;
    size_t              i;

    if (st == HS_OK)
        st = hs_builder_set_workers(b, 1, 1);
    for (i = 0; st == HS_OK && i < 3; i++) {
        hs_task_init(&task);
        task.cpu = times[i][HS_CPU];
        task.gpu = times[i][HS_GPU];
        st = hs_builder_add_row(b, &task);
        if (st == HS_OK && i > 0)
            st = hs_builder_add_predecessor(b, i, 0, 0, 0);
    }
    if (st == HS_OK)
        st = hs_builder_finish(b, out, NULL);
    hs_builder_free(b);
    return st;
}

int main(void)
{
    static search      s;
    const hs_exec_call calls[] = {
        {{prepare, NULL}, &s}, {{try_numbers, NULL}, &s}, {{NULL, stop_run}, &s}};
    hs_exec_settings settings;
    hs_instance     *in = NULL;
    hs_error         error = {0};
    hs_status        st = make_graph(&in);

    hs_exec_settings_init(&settings);
    settings.run.calls = calls;
    settings.decide.policy = &affine;
    settings.place.unbound = 1; /* bind no worker to a core */
    if (st == HS_OK)
        st = hs_exec_create(in, NULL, &settings, &s.exec, &error);
    if (st == HS_OK)
        st = hs_exec_run(s.exec, NULL, &error);
    if (st == HS_ECANCELED)
        printf("stopped: %d sequences reached 1\n", ENOUGH);
    else
        fprintf(stderr, "%s: %s\n", hs_status_text(st), error.why);
    hs_exec_free(s.exec);
    hs_instance_free(in);
    return st != HS_ECANCELED;
}
