/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_SCHEDULE_IMPL_H
#define HSI_CORE_SCHEDULE_IMPL_H

#include <hybridsched/schedule.h>

#include "support/vector.h"

struct hs_schedule {
    unsigned   cpus, gpus;
    double     makespan;
    size_t    *first;                  /* of each worker's entries, and the number of all */
    hs_entry  *entries;                /* worker by worker, by time */
    size_t     first_room, entry_room; /* a workspace's schedule is used again */
    hsi_vector transfers;              /* hs_transfer each */
};

/* An empty one; NULL: memory is short. */
hs_schedule *hsi_schedule_new(void);

/* Room for `size` entries and zeroed `first`, in place of what was there. */
hs_status hsi_schedule_make_room(hs_schedule *s, unsigned cpus, unsigned gpus, size_t size);

/* A schedule of `size` entries with zeroed `first`. */
hs_status hsi_schedule_create(unsigned cpus, unsigned gpus, size_t size, hs_schedule **out);

/* A list of hs_transfer by where to, then start; NULL: it is empty. */
const hs_transfer *hsi_sorted_transfers(hsi_vector *list, size_t *count);

/* Its transfers, in any order; `list` is empty then. */
void hsi_schedule_take_transfers(hs_schedule *s, hsi_vector *list);

/* From first[w + 1] = entries of worker w to first[w] = where they begin. */
void hsi_schedule_sum_counts(hs_schedule *s);

#endif
