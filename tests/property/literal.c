/* SPDX-License-Identifier: BSD-3-Clause */
#include "literal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static const struct {
    const char *algorithm;
    literal     run;
} literals[] = {
    {"heteroprio", literal_heteroprio},
    {"heteroprio-ns", literal_heteroprio_ns},
    {"balanced-estimate", literal_balanced_estimate},
    {"balanced-makespan", literal_balanced_makespan},
    {"dualhp", literal_dualhp},
    {"dada", literal_dada},
    {"clb2c", literal_clb2c},
    {"lpt", literal_lpt},
    {"heft", literal_heft},
    {"heft-min", literal_heft_min},
};

literal literal_find(const char *algorithm)
{
    size_t i;

    for (i = 0; i < sizeof literals / sizeof *literals; i++)
        if (strcmp(literals[i].algorithm, algorithm) == 0)
            return literals[i].run;
    return NULL;
}

void *literal_allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    if (!memory) /* ck_abort_msg() only on failure, because ck_assert() writes to a file at each
                    call */
        ck_abort_msg("out of memory");
    return memory;
}

void plan_free(plan *out)
{
    free(out->at);
    memset(out, 0, sizeof *out);
}

void plan_add_entry(plan *out, uint32_t task, unsigned worker, double start, double end)
{
    if (out->count == out->room) {
        out->room = 2 * out->room + 64;
        out->at = realloc(out->at, out->room * sizeof *out->at);
        ck_assert_ptr_nonnull(out->at);
    }
    out->at[out->count++] = (hs_placement){start, end, task, worker, HS_RUN};
}

double plan_append(plan *out, const sample *s, double *loads, uint32_t task, unsigned worker)
{
    double start = loads[worker];

    loads[worker] = start + (worker < s->m ? s->p : s->q)[task];
    if (out)
        plan_add_entry(out, task, worker, start, loads[worker]);
    return loads[worker];
}

static bool same_entry(const hs_placement *a, const hs_entry *b)
{
    return a->start == b->start && a->end == b->end && a->task == b->task && a->state == b->state;
}

const char *plan_first_difference(const plan *expected, const hs_schedule *found, const sample *s)
{
    size_t     *next = literal_allocate(s->m + s->k, sizeof *next), i, count;
    const char *what = NULL;

    if (hs_schedule_entry_count(found) != expected->count)
        what = "the number of entries";
    for (i = 0; i < expected->count && !what; i++) {
        const hs_placement *a = &expected->at[i];
        const hs_entry     *b = hs_schedule_entries(found, a->worker, &count);

        if (next[a->worker] >= count)
            what = "the number of entries of a worker";
        else if (!same_entry(a, &b[next[a->worker]++]))
            what = "an entry";
    }
    free(next);
    return what;
}

unsigned least_loaded(const sample *s, const double *loads, hs_type type)
{
    unsigned w = type == HS_CPU ? 0 : s->m, end = type == HS_CPU ? s->m : s->m + s->k;
    unsigned best = w;

    for (; w < end; w++)
        if (loads[w] < loads[best])
            best = w;
    return best;
}

/* Return the product of x and y as an integer of 105 or 106 bits times 2^*exponent. */
static __uint128_t multiply(double x, double y, int *exponent)
{
    int         ex, ey;
    __uint128_t product = (uint64_t)ldexp(frexp(x, &ex), 53);

    product *= (uint64_t)ldexp(frexp(y, &ey), 53);
    *exponent = ex + ey;
    while (!(product >> 105)) {
        product <<= 1;
        --*exponent;
    }
    return product;
}

int literal_compare_ratios(double p1, double q1, double p2, double q2)
{
    int         left_exponent, right_exponent;
    __uint128_t left, right;

    if (isinf(p1) || isinf(q2))
        return !(isinf(p2) || isinf(q1));
    if (isinf(p2) || isinf(q1))
        return -1;
    left = multiply(p1, q2, &left_exponent);
    right = multiply(p2, q1, &right_exponent);
    if (left_exponent != right_exponent)
        return left_exponent > right_exponent ? 1 : -1;
    return left > right ? 1 : left < right ? -1 : 0;
}

/* insertion sort: stable, so that ties keep the order of the indices */
void literal_rho_order(const sample *s, bool downwards, uint32_t *order)
{
    uint32_t i, j;

    for (i = 0; i < s->n; i++) {
        for (j = i; j > 0; j--) {
            uint32_t other = order[j - 1];
            int      sign = literal_compare_ratios(s->p[i], s->q[i], s->p[other], s->q[other]);

            if (downwards ? sign <= 0 : sign >= 0)
                break;
            order[j] = other;
        }
        order[j] = i;
    }
}

void literal_time_order(size_t n, const double *time, uint32_t *order)
{
    uint32_t i, j;

    for (i = 0; i < n; i++) {
        for (j = i; j > 0 && time[order[j - 1]] < time[i]; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
}
