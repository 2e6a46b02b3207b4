/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_SCHEDULE_IMPL_H
#define HSI_CORE_SCHEDULE_IMPL_H

#include <hybridsched/schedule.h>

struct hs_schedule {
    unsigned  cpus, gpus;
    double    makespan;
    size_t   *first;   /* of each worker's entries, and the number of all */
    hs_entry *entries; /* worker by worker, by time */
};

/* A schedule of `size` entries with zeroed `first`. */
hs_status hsi_schedule_create(unsigned cpus, unsigned gpus, size_t size, hs_schedule **out);

/* From first[w + 1] = entries of worker w to first[w] = where they begin. */
void hsi_schedule_sum_counts(hs_schedule *s);

#endif
