/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --batch: the longest predicted makespan of a share. */
#include <math.h>
#include <stdlib.h>

#include <hybridsched/policy.h>

#include "common/checked_memory.h"
#include "exec/share.h"

/* Sort the tasks by share. Return an array that the caller frees; first[s]: position of the first
 * task of share s. first[] has two elements more than there are shares. */
static uint32_t *sort_by_share(const uint32_t *owner, size_t tasks, unsigned shares, size_t *first)
{
    uint32_t *sorted = checked_calloc(tasks + 1, sizeof *sorted);

    for (size_t i = 0; i < tasks; i++)
        first[owner[i] + 2]++;
    for (unsigned s = 2; s <= shares; s++)
        first[s] += first[s - 1];
    for (size_t i = 0; i < tasks; i++)
        sorted[first[owner[i] + 1]++] = (uint32_t)i;
    return sorted;
}

/* Return the makespan of an instance under heteroprio, and free the instance; NaN: unknown. */
static double makespan_of(hs_status created, hs_instance *in)
{
    hs_schedule *s = NULL;
    double       makespan = NAN;

    if (created == HS_OK &&
        hs_policy_simulate(hs_policy_find("heteroprio"), in, NULL, in, NULL, &s, NULL) == HS_OK)
        makespan = hs_schedule_makespan(s);
    hs_schedule_free(s);
    hs_instance_free(in);
    return makespan;
}

static double makespan_of_whole(const hs_instance *in, unsigned cpus, unsigned gpus)
{
    hs_instance *whole = NULL;
    hs_status    status = hs_instance_with_workers(in, cpus, gpus, &whole);

    return makespan_of(status, whole);
}

static double longest_of_shares(const hs_instance *in, const uint32_t *owner, unsigned shares,
                                unsigned cpus, unsigned gpus)
{
    size_t    tasks = hs_instance_tasks(in);
    size_t   *first = checked_calloc((size_t)shares + 2, sizeof *first);
    uint32_t *number = checked_calloc(tasks + 1, sizeof *number);
    uint32_t *sorted = sort_by_share(owner, tasks, shares, first);
    double    longest = 0;

    for (unsigned s = 0; s < shares && !isnan(longest); s++) {
        size_t       count = first[s + 1] - first[s];
        hs_instance *part = NULL;
        hs_status    status;
        double       makespan;

        if (count == 0)
            continue;
        status = exec_share_instance(in, sorted + first[s], count, cpus, gpus, number, &part, NULL);
        makespan = makespan_of(status, part);
        longest = isnan(makespan) || makespan > longest ? makespan : longest;
    }
    free(first);
    free(number);
    free(sorted);
    return longest;
}

double exec_share_makespan(const hs_instance *in, const uint32_t *owner, unsigned shares,
                           unsigned cpus, unsigned gpus)
{
    double longest = NAN;

    if (hs_instance_unknown(in) == 0 && owner)
        longest = longest_of_shares(in, owner, shares, cpus, gpus);
    else if (hs_instance_unknown(in) == 0)
        longest = makespan_of_whole(in, cpus, gpus);
    return isnan(longest) ? 0 : longest;
}
