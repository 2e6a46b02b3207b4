/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen adversary: simplify a bad case without lowering its ratio. */
#include "gen/adversary/prove.h"

/* Keep `next` if its ratio is not lower. Return true if kept. */
static bool keep_as_bad(case_judge *judge, bad_case *c, bad_case *next, hs_status *status)
{
    if (*status == HS_OK)
        *status = case_compute_makespans(judge, next);
    if (*status != HS_OK || next->count == 0 || case_ratio(next) < case_ratio(c))
        return false;
    *c = *next;
    return true;
}

static bool drop_tasks(case_judge *judge, bad_case *c, hs_status *status)
{
    bool dropped = false;

    for (size_t i = c->count; i-- > 0;) {
        bad_case next = *c;

        case_drop_task(&next, i);
        dropped |= keep_as_bad(judge, c, &next, status);
    }
    return dropped;
}

static bool drop_edges(case_judge *judge, bad_case *c, hs_status *status)
{
    bool dropped = false;

    for (size_t i = 0; i < c->count; i++)
        for (uint64_t left = c->after[i]; left; left &= left - 1) {
            bad_case next = *c;

            next.after[i] &= ~(left & -left);
            dropped |= keep_as_bad(judge, c, &next, status);
        }
    return dropped;
}

static void drop_priorities(case_judge *judge, bad_case *c, hs_status *status)
{
    for (size_t i = 0; i < c->count; i++) {
        bad_case next = *c;

        next.priority[i] = 0;
        if (c->priority[i] != 0)
            keep_as_bad(judge, c, &next, status);
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

static void divide_times(case_judge *judge, bad_case *c, hs_status *status)
{
    bad_case next = *c;
    uint64_t divisor = 0;

    for (size_t i = 0; i < 2 * c->count; i++)
        divisor = common_divisor(divisor, (uint64_t)c->time[i % 2][i / 2]);
    for (size_t i = 0; i < 2 * c->count; i++)
        next.time[i % 2][i / 2] /= (double)divisor;
    keep_as_bad(judge, c, &next, status);
}

hs_status simplify_case(case_judge *judge, bad_case *c)
{
    hs_status status = HS_OK;

    while (drop_tasks(judge, c, &status) || drop_edges(judge, c, &status))
        ;
    drop_priorities(judge, c, &status);
    if (status == HS_OK && c->count > 0)
        divide_times(judge, c, &status);
    return status;
}
