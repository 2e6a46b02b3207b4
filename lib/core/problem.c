/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/problem.h"

#include <math.h>
#include <stdlib.h>

#include "core/store.h"

static hs_status all_infinite(size_t n, void **owned, const double **times)
{
    double *array = malloc((n ? n : 1) * sizeof *array);
    size_t  i;

    if (!array)
        return HS_ENOMEM;
    for (i = 0; i < n; i++)
        array[i] = INFINITY;
    *owned = array;
    *times = array;
    return HS_OK;
}

static hs_status replace_absent_types(hsi_problem *pb)
{
    hs_status st = HS_OK;

    if (pb->m == 0) {
        free(pb->owned[0]);
        pb->owned[0] = NULL;
        st = all_infinite(pb->n, &pb->owned[0], &pb->p);
    }
    if (pb->k == 0 && st == HS_OK) {
        free(pb->owned[1]);
        pb->owned[1] = NULL;
        st = all_infinite(pb->n, &pb->owned[1], &pb->q);
    }
    return st;
}

/* 8 bytes a row to 8 bytes a task. */
static void *expand(const hsi_store *store, const void *column)
{
    const uint64_t *from = column;
    uint64_t       *to = malloc((store->tasks ? store->tasks : 1) * sizeof *to);
    size_t          row, task = 0;

    if (!to)
        return NULL;
    for (row = 0; row < store->rows; row++)
        while (task < store->first[row + 1])
            to[task++] = from[row];
    return to;
}

static hs_status expand_counts(const hsi_store *store, hsi_problem *pb)
{
    pb->n = store->tasks;
    pb->count = NULL;
    pb->p = pb->owned[0] = expand(store, store->cpu);
    pb->q = pb->owned[1] = expand(store, store->gpu);
    if (store->priority)
        pb->priority = pb->owned[2] = expand(store, store->priority);
    if (!pb->p || !pb->q || (store->priority && !pb->priority))
        return HS_ENOMEM;
    return HS_OK;
}

/* Most instances have only tasks that may be restarted. */
static hs_status find_restartable(const hs_instance *in, hsi_problem *pb)
{
    const hsi_store *store = in->store;
    unsigned char   *restartable;
    size_t           i;

    if (!store->restartable && !store->cpu_command.at.data && !store->gpu_command.at.data)
        return HS_OK;
    restartable = malloc(pb->n ? pb->n : 1);
    if (!restartable)
        return HS_ENOMEM;
    for (i = 0; i < pb->n; i++)
        restartable[i] = (unsigned char)hs_instance_restartable(in, i);
    pb->restartable = pb->owned[3] = restartable;
    return HS_OK;
}

static hs_status open_problem(const hs_instance *in, int by_task, hsi_problem *pb)
{
    const hsi_store *store = in->store;
    hs_status        st = HS_OK;

    *pb = (hsi_problem){.n = store->rows,
                        .m = in->cpus,
                        .k = in->gpus,
                        .p = store->cpu,
                        .q = store->gpu,
                        .priority = store->priority,
                        .count = store->count};
    if (by_task && store->count)
        st = expand_counts(store, pb);
    if (st == HS_OK && by_task)
        st = find_restartable(in, pb);
    if (st == HS_OK)
        st = replace_absent_types(pb);
    if (st != HS_OK)
        hsi_problem_close(pb);
    return st;
}

hs_status hsi_problem_of_tasks(const hs_instance *in, hsi_problem *pb)
{
    return open_problem(in, 1, pb);
}

hs_status hsi_problem_of_rows(const hs_instance *in, hsi_problem *pb)
{
    return open_problem(in, 0, pb);
}

void hsi_problem_close(hsi_problem *pb)
{
    int i;

    for (i = 0; i < 4; i++) {
        free(pb->owned[i]);
        pb->owned[i] = NULL;
    }
}
