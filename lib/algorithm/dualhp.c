/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DualHP: for a guess, tasks too long for one type go to the other, the rest by
 * decreasing rho to the GPUs until these are full on average, then to the CPUs.
 *
 * Sums over GPUs run from the most accelerated task down, sums over CPUs from
 * the least accelerated up, the forced tasks of a type apart from the others.
 */
#include "algorithm/guess.h"
#include "algorithm/lpt.h"
#include "core/order.h"

typedef struct dual {
    const hsi_problem *pb;
    uint32_t          *order; /* by decreasing rho */
} dual;

/* Loads that the guess forces; 0 if a task is too long for both types. */
static int forced_loads(const dual *d, double guess, double *cpu, double *gpu)
{
    const hsi_problem *pb = d->pb;
    size_t             i;

    *cpu = *gpu = 0;
    for (i = 0; i < pb->n; i++) {
        uint32_t task = d->order[i], back = d->order[pb->n - 1 - i];

        if (pb->p[task] > guess) {
            if (pb->q[task] > guess)
                return 0;
            *gpu += pb->q[task];
        }
        if (pb->q[back] > guess && pb->p[back] <= guess)
            *cpu += pb->p[back];
    }
    return 1;
}

static int is_forced(const hsi_problem *pb, uint32_t task, double guess)
{
    return pb->p[task] > guess || pb->q[task] > guess;
}

/* Fills the GPUs; *split is where in the order the CPUs' share begins. */
static double load_left_for_cpus(const dual *d, double guess, double forced_gpu, size_t *split)
{
    const hsi_problem *pb = d->pb;
    double             gpu = 0, cpu = 0, room = pb->k * guess;
    size_t             i;

    for (i = 0; i < pb->n && forced_gpu + gpu < room; i++)
        if (!is_forced(pb, d->order[i], guess))
            gpu += pb->q[d->order[i]];
    *split = i;
    for (i = pb->n; i > *split; i--)
        if (!is_forced(pb, d->order[i - 1], guess))
            cpu += pb->p[d->order[i - 1]];
    return cpu;
}

static int accepts_with_split(const dual *d, double guess, size_t *split)
{
    double cpu, gpu;

    if (!forced_loads(d, guess, &cpu, &gpu) || gpu > d->pb->k * guess)
        return 0;
    return cpu + load_left_for_cpus(d, guess, gpu, split) <= d->pb->m * guess;
}

static int accepts(void *context, double guess)
{
    size_t split;

    return accepts_with_split(context, guess, &split);
}

static void allocate(const dual *d, double guess, unsigned char *type)
{
    const hsi_problem *pb = d->pb;
    size_t             i, split = 0;

    accepts_with_split(d, guess, &split);
    for (i = 0; i < pb->n; i++) {
        uint32_t task = d->order[i];

        if (pb->p[task] > guess)
            type[task] = HS_GPU;
        else if (pb->q[task] > guess)
            type[task] = HS_CPU;
        else
            type[task] = i < split ? HS_GPU : HS_CPU;
    }
}

static hs_status run(const hsi_problem *pb, const hs_settings *settings, hsi_log *log)
{
    dual           d = {.pb = pb};
    unsigned char *type = malloc(pb->n ? pb->n : 1);
    double         guess;
    hs_status      st = HS_ENOMEM;

    d.order = malloc((pb->n ? pb->n : 1) * sizeof *d.order);
    if (!type || !d.order)
        goto out;
    st = hsi_order_by_rho(pb, HSI_RHO_DOWN, d.order);
    if (st != HS_OK)
        goto out;
    st = hsi_bisect_guess(pb, settings, accepts, &d, &guess);
    if (st != HS_OK)
        goto out;
    allocate(&d, guess, type);
    st = hsi_lpt_once(pb, type, log);
out:
    free(d.order);
    free(type);
    return st;
}

const hs_algorithm hsi_alg_dualhp = {
    .name = "dualhp",
    .summary = "bisects a guess of the makespan, fills the GPUs by acceleration, LPT in each type",
    .source = "Bleuse et al. 2015; Beaumont, Eyraud-Dubois, Kumar 2017, section 6",
    .cost = "O(n log n + n g), g guesses: some 60",
    .guarantee = hsi_guarantee_2,
    .run = run,
};
