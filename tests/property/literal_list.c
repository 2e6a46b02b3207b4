/* SPDX-License-Identifier: BSD-3-Clause */
/* LPT, CLB2C and HEFT. */
#include "literal.h"

#include <math.h>
#include <stdlib.h>

double *literal_loads(const sample *s, const hs_settings *settings)
{
    double  *loads = literal_allocate(s->m + s->k, sizeof *loads);
    unsigned w;

    for (w = 0; w < s->m + s->k && settings && settings->available; w++)
        loads[w] = settings->available[w];
    return loads;
}

double literal_lpt_on(const sample *s, const unsigned char *type, const hs_settings *settings,
                      plan *out)
{
    double   *loads = literal_loads(s, settings), makespan = 0;
    uint32_t *order = literal_allocate(s->n, sizeof *order);
    int       t;
    size_t    i;

    for (t = HS_CPU; t <= HS_GPU; t++) {
        literal_time_order(s->n, t == HS_CPU ? s->p : s->q, order);
        for (i = 0; i < s->n; i++) {
            unsigned w;

            if (type[order[i]] != t)
                continue;
            w = least_loaded(s, loads, (hs_type)t);
            makespan = fmax(makespan, plan_append(out, s, loads, order[i], w));
        }
    }
    free(order);
    free(loads);
    return makespan;
}

void literal_lpt(const sample *s, const hs_settings *settings, plan *out)
{
    unsigned char *type = literal_allocate(s->n, 1);
    size_t         i;

    for (i = 0; i < s->n; i++)
        type[i] = s->p[i] <= s->q[i] ? HS_CPU : HS_GPU;
    literal_lpt_on(s, type, settings, out);
    free(type);
}

/* Return the time at which a task would end on the least loaded worker of a type. */
static double would_end(const sample *s, const double *loads, hs_type type, uint32_t task)
{
    if ((type == HS_CPU ? s->m : s->k) == 0)
        return INFINITY;
    return loads[least_loaded(s, loads, type)] + (type == HS_CPU ? s->p : s->q)[task];
}

void literal_clb2c(const sample *s, const hs_settings *settings, plan *out)
{
    double   *loads = literal_loads(s, settings);
    uint32_t *order = literal_allocate(s->n, sizeof *order);
    size_t    first = 0, last = s->n; /* remaining tasks: order[first, last) */

    literal_rho_order(s, false, order);
    while (first < last) {
        double cpu_end = would_end(s, loads, HS_CPU, order[first]);
        double gpu_end = would_end(s, loads, HS_GPU, order[last - 1]);

        if (gpu_end <= cpu_end)
            plan_append(out, s, loads, order[--last], least_loaded(s, loads, HS_GPU));
        else
            plan_append(out, s, loads, order[first++], least_loaded(s, loads, HS_CPU));
    }
    free(order);
    free(loads);
}

/* Place tasks by decreasing rank, each on the type that ends it first. */
static void rank_and_place(const sample *s, const double *rank, const hs_settings *settings,
                           plan *out)
{
    double   *loads = literal_loads(s, settings);
    uint32_t *order = literal_allocate(s->n, sizeof *order);
    size_t    i;

    literal_time_order(s->n, rank, order);
    for (i = 0; i < s->n; i++) {
        double  cpu_end = would_end(s, loads, HS_CPU, order[i]);
        double  gpu_end = would_end(s, loads, HS_GPU, order[i]);
        hs_type type = gpu_end <= cpu_end ? HS_GPU : HS_CPU;

        plan_append(out, s, loads, order[i], least_loaded(s, loads, type));
    }
    free(order);
    free(loads);
}

void literal_heft(const sample *s, const hs_settings *settings, plan *out)
{
    double *rank = literal_allocate(s->n, sizeof *rank);
    size_t  i;

    for (i = 0; i < s->n; i++) {
        rank[i] = (s->m * s->p[i] + s->k * s->q[i]) / ((double)s->m + s->k);
        if (isinf(s->p[i]))
            rank[i] = s->q[i];
        if (isinf(s->q[i]))
            rank[i] = s->p[i];
    }
    rank_and_place(s, rank, settings, out);
    free(rank);
}

void literal_heft_min(const sample *s, const hs_settings *settings, plan *out)
{
    double *rank = literal_allocate(s->n, sizeof *rank);
    size_t  i;

    for (i = 0; i < s->n; i++)
        rank[i] = fmin(s->p[i], s->q[i]);
    rank_and_place(s, rank, settings, out);
    free(rank);
}
