/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_MEMORY_H
#define HSI_POLICY_MEMORY_H

#include <hybridsched/schedule.h>

#include "core/problem.h"
#include "support/vector.h"

/*
 * Where data is: on which node each task was run, which copies there are of each piece of data and
 * which are on their way. A transfer starts when a task is decided for a worker, from the node of
 * who wrote last; a copy is of one version of the data, that of its writer, and stays until there
 * is another. What only one task reads has one time at each node for all of it, as it is always
 * asked for together. Without links everything is everywhere at once, and nothing is kept.
 *
 * O(inputs) a question; what a task of a row with a count reads of all copies of another one, O(1)
 * each.
 *
 * Who wants to see transfers sets `records`: each that starts is kept then. What one task reads of
 * all copies of another is one transfer from each node, from the first of its pieces to the last:
 * so there are no more than edges and accesses, times nodes.
 */
typedef struct hsi_copy {
    double   there;  /* when it is */
    uint64_t writer; /* of this version, and 2: 1 is the host's own, 0 is no copy */
} hsi_copy;

typedef struct hsi_memory {
    const hs_instance *in;
    const hsi_problem *pb; /* NULL: there is nothing to know */
    size_t             nodes;
    uint32_t          *node; /* of tasks that are done */
    double            *done; /* when */
    double            *own;  /* of task and node: when what only it reads is there; 0: not asked */
    hsi_copy          *copies; /* of data and node; NULL: there is no data */
    int                records;
    int                is_short;  /* of memory: some are missing */
    hsi_vector         transfers; /* that have started: hs_transfer each */
} hsi_memory;

/* Both must outlive it. */
hs_status hsi_memory_open(hsi_memory *memory, const hs_instance *in, const hsi_problem *pb);
void      hsi_memory_close(hsi_memory *memory);

/* Does it take time to move anything? */
static inline int hsi_memory_counts(const hsi_memory *memory)
{
    return memory->pb != NULL;
}

void hsi_memory_done(hsi_memory *memory, uint32_t task, unsigned worker, double now);

/* When the last input would be there, >= now, if the task were decided for the worker now. */
double hsi_memory_arrival(const hsi_memory *memory, uint32_t task, unsigned worker, double now);

/* The longest of the transfers that would have to be started for that. */
double hsi_memory_longest(const hsi_memory *memory, uint32_t task, unsigned worker);

/* It is decided: transfers start. The same time. */
double hsi_memory_fetch(hsi_memory *memory, uint32_t task, unsigned worker, double now);

/*
 * It was known all along that the task would be run there: transfers started as soon as there was
 * something to move. All of its predecessors are done.
 */
void hsi_memory_prefetch(hsi_memory *memory, uint32_t task, unsigned worker);

/* The schedule gets what was recorded. HS_ENOMEM: it was not all. */
hs_status hsi_memory_tell(hsi_memory *memory, hs_schedule *s);

#endif
