/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/certified.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <hybridsched/io.h>

#include "common/message.h"
#include "common/shown_number.h"

/*
 * An exact sum of positive doubles: a wide fixed-point number in limbs of 32 bits, each with spare
 * high bits for the carries of 2^31 terms. Bit 0 is 2^LEAST.
 */
enum { LEAST = -1126, LIMBS = 71, MANTISSA = 53 };

typedef struct exact_sum {
    uint64_t limb[LIMBS];
} exact_sum;

static void exact_add(exact_sum *sum, double x)
{
    int       exponent;
    uint64_t  mantissa = (uint64_t)ldexp(frexp(x, &exponent), MANTISSA);
    unsigned  place = (unsigned)(exponent - MANTISSA - LEAST);
    uint64_t  low = (mantissa & UINT32_MAX) << place % 32;
    uint64_t  high = (mantissa >> 32) << place % 32;
    uint64_t *limb = &sum->limb[place / 32];

    limb[0] += low & UINT32_MAX;
    limb[1] += (low >> 32) + (high & UINT32_MAX);
    limb[2] += high >> 32;
}

/* Propagate carries so that every limb is below 2^32. Return the highest nonzero limb, or -1. */
static int exact_carry(exact_sum *sum)
{
    uint64_t carry = 0;
    int      top = -1;

    for (int i = 0; i < LIMBS; i++) {
        carry += sum->limb[i];
        sum->limb[i] = carry & UINT32_MAX;
        carry >>= 32;
        if (sum->limb[i])
            top = i;
    }
    return top;
}

/* Return whether any bit below `place` is set. */
static bool exact_any_below(const exact_sum *sum, int place)
{
    for (int i = 0; i < place / 32; i++)
        if (sum->limb[i])
            return true;
    return (sum->limb[place / 32] & ((UINT64_C(1) << place % 32) - 1)) != 0;
}

/* Return the least double that is not below the sum. */
static double exact_round_up(exact_sum *sum)
{
    int      top = exact_carry(sum), first, last;
    uint64_t mantissa = 0;

    if (top < 0)
        return 0;
    first = top * 32 + 31;
    while (!(sum->limb[top] >> first % 32 & 1))
        first--;
    last = first < MANTISSA ? 0 : first - MANTISSA + 1;
    for (int place = first; place >= last; place--)
        mantissa = mantissa << 1 | (sum->limb[place / 32] >> place % 32 & 1);
    mantissa += (uint64_t)exact_any_below(sum, last);
    return ldexp((double)mantissa, last + LEAST);
}

static double exact_load(const hs_instance *in, const hs_schedule *s, unsigned worker)
{
    hs_type         type = worker < hs_schedule_cpus(s) ? HS_CPU : HS_GPU;
    size_t          count;
    const hs_entry *entries = hs_schedule_entries(s, worker, &count);
    exact_sum       sum;

    if (count == 0)
        return 0;
    memset(&sum, 0, sizeof sum);
    for (size_t i = 0; i < count; i++)
        if (entries[i].state == HS_RUN)
            exact_add(&sum, hs_instance_time(in, entries[i].task, type));
    return exact_round_up(&sum);
}

double certified_makespan(const hs_instance *in, const hs_schedule *s)
{
    unsigned workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);
    double   longest = hs_instance_has_graph(in) ? hs_schedule_makespan(s) : 0;

    for (unsigned w = 0; w < workers; w++) {
        double load = exact_load(in, s, w);

        if (load > longest)
            longest = load;
    }
    return longest;
}

/*
 * Return the rounding error of a makespan. A chain has at most all entries, and each adds a start,
 * an arrival and a time.
 */
static double slack(const hs_instance *in, double makespan, size_t entries)
{
    return hs_instance_has_graph(in) ? makespan * (double)(entries + 1) * DBL_EPSILON : 0;
}

double certified_slack(const hs_instance *in, const hs_schedule *s)
{
    return slack(in, hs_schedule_makespan(s), hs_schedule_entry_count(s));
}

double certified_makespan_beside(const hs_instance *in, double makespan, size_t entries,
                                 double bound)
{
    return bound > makespan && bound <= makespan + slack(in, makespan, entries) ? bound : makespan;
}

/*
 * The check is exact for independent tasks: no true bound exceeds the sum of a worker's times,
 * rounded up.
 */
int certified_check_bound(const char *solved, const hs_instance *in, double makespan,
                          size_t entries, const char *bound_name, double bound)
{
    char claimed[32], reached[32];

    if (bound <= makespan + slack(in, makespan, entries))
        return EXIT_OK;
    show_different(bound, makespan, claimed, reached);
    message(
        "%s: internal error: the bound %s says that no schedule takes less than %s, but a valid "
        "one takes %s; no result is kept; please report this with the instance (its digest is "
        "%016llx)",
        solved, bound_name, claimed, reached, (unsigned long long)hs_instance_digest(in));
    return EXIT_WORK;
}

double certified_time_beside(const hs_instance *in, const hs_schedule *s, double bound)
{
    double reached = fmax(hs_schedule_makespan(s), certified_makespan(in, s));

    return certified_makespan_beside(in, reached, hs_schedule_entry_count(s), bound);
}

double certified_gap(const hs_instance *in, const hs_schedule *s, double bound)
{
    double reached = certified_time_beside(in, s, bound);

    return reached <= bound ? 0 : reached / bound - 1;
}
