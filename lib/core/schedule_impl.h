/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_SCHEDULE_IMPL_H
#define HSI_CORE_SCHEDULE_IMPL_H

#include <hybridsched/schedule.h>

#include "support/vector.h"

struct hs_schedule {
    unsigned  cpus, gpus;
    double    makespan;
    size_t   *first;                  /* first entry of each worker, and the number of entries */
    hs_entry *entries;                /* entries, sorted by worker, then time */
    size_t    first_room, entry_room; /* capacities of the arrays; a workspace reuses its
                                         schedule */
    hsi_vector transfers;             /* array of hs_transfer */
};

/* Create an empty schedule; NULL: out of memory. */
hs_schedule *hsi_schedule_new(void);

/* Replace the content by `size` uninitialised entries and a zeroed `first`. */
hs_status hsi_schedule_make_room(hs_schedule *s, unsigned cpus, unsigned gpus, size_t size);

/* Create a schedule of `size` entries with zeroed `first`. */
hs_status hsi_schedule_create(unsigned cpus, unsigned gpus, size_t size, hs_schedule **out);

/* Sort a list of hs_transfer by destination, then start; NULL: empty list. */
const hs_transfer *hsi_sort_transfers(hsi_vector *list, size_t *count);

/* Move transfers, in any order, from `list` to the schedule; `list` is then empty. */
void hsi_schedule_move_transfers(hs_schedule *s, hsi_vector *list);

/* Turn counts into start indices: first[w + 1] has worker w's count before. */
void hsi_schedule_counts_to_starts(hs_schedule *s);

#endif
