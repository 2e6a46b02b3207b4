/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "generate/worst/worst.h"

static void add_length(const hsi_gpu_tasks *t, hsi_worst_case *c, unsigned length, uint64_t cpu,
                       int64_t priority, uint32_t count)
{
    char id[32];

    snprintf(id, sizeof id, "T2-%u", length);
    hsi_worst_add_tasks(c, id, cpu, length * t->unit, priority, count);
}

void hsi_gpu_tasks_add(hsi_gpu_tasks *t, hsi_worst_case *c, uint64_t cpu, int64_t priority)
{
    unsigned k = t->k, i;

    t->first = c->tasks;
    for (i = 0; i < k; i++)
        add_length(t, c, 2 * k + i, cpu, priority ? priority-- : 0, 6);
    for (i = 0; i < k; i++)
        add_length(t, c, 4 * k - 1 - i, cpu, priority ? priority-- : 0, 6);
    add_length(t, c, 6 * k, cpu, 0, 1);
}

/* Return the first of the six tasks of a length 2K .. 4K-1, in the order of hsi_gpu_tasks_add(). */
static uint32_t first_of(const hsi_gpu_tasks *t, unsigned length)
{
    unsigned k = t->k, place = length < 3 * k ? length - 2 * k : 5 * k - 1 - length;

    return t->first + 6 * place;
}

/* Place `each` tasks of `length` on one GPU, from number `from` on; returns the end. */
static uint64_t run_length(const hsi_gpu_tasks *t, hsi_worst_case *c, hsi_vector *plan,
                           uint32_t gpu, uint64_t start, unsigned length, unsigned from,
                           unsigned each)
{
    uint32_t task = first_of(t, length) + from;

    for (; each--; task++)
        start = hsi_worst_add_run(c, plan, gpu, start, length * t->unit, task);
    return start;
}

/*
 * Build the left side of Figure 4: lengths 2K+i and 4K-i together, for 0 < i < K; pairs of 3K;
 * triples of 2K; the longest task alone. Every GPU is busy until 6K.
 */
void hsi_gpu_tasks_place_optimally(const hsi_gpu_tasks *t, hsi_worst_case *c, uint32_t gpu)
{
    unsigned k = t->k, i, copy;

    for (i = 1; i < k; i++)
        for (copy = 0; copy < 6; copy++, gpu++) {
            uint64_t end = run_length(t, c, c->witness, gpu, 0, 2 * k + i, copy, 1);

            run_length(t, c, c->witness, gpu, end, 4 * k - i, copy, 1);
        }
    for (copy = 0; copy < 6; copy += 2)
        run_length(t, c, c->witness, gpu++, 0, 3 * k, copy, 2);
    for (copy = 0; copy < 6; copy += 3)
        run_length(t, c, c->witness, gpu++, 0, 2 * k, copy, 3);
    hsi_worst_add_run(c, c->witness, gpu, 0, 6 * k * t->unit, t->first + 12 * k);
}

static void workers_list(unsigned k, unsigned *cpus, unsigned *gpus)
{
    *cpus = 0;
    *gpus = 6 * k;
}

/*
 * Build the right side of Figure 4: lengths 2K+i and 4K-1-i together, so the longest task starts at
 * 6K-1.
 */
static void write_bad(const hsi_gpu_tasks *t, hsi_worst_case *c)
{
    unsigned k = t->k, i, copy;
    uint32_t gpu = 0;
    uint64_t end = 0;

    for (i = 0; i < k; i++)
        for (copy = 0; copy < 6; copy++, gpu++) {
            end = run_length(t, c, c->bad, gpu, 0, 2 * k + i, copy, 1);
            end = run_length(t, c, c->bad, gpu, end, 4 * k - 1 - i, copy, 1);
        }
    hsi_worst_add_run(c, c->bad, 0, end, 6 * k, t->first + 12 * k);
}

static void write_list(unsigned k, hsi_worst_case *c)
{
    hsi_gpu_tasks t = {k, 1, 0};

    hsi_gpu_tasks_add(&t, c, HSI_NEVER, 0);
    if (c->witness)
        hsi_gpu_tasks_place_optimally(&t, c, 0);
    if (c->bad)
        write_bad(&t, c);
}

const hs_worst hsi_worst_list = {
    "list",
    "list scheduling on 6K GPUs alone, argument K: (12K - 1)/6K, towards 2; two plans "
    "(Beaumont, Eyraud-Dubois, Kumar 2017, Figure 4)",
    1, 166666, 1, /* 10^6 GPUs */
    workers_list, write_list,
};
