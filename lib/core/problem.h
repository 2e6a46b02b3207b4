/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_PROBLEM_H
#define HSI_CORE_PROBLEM_H

#include <hybridsched/instance.h>

/*
 * What algorithms and bounds see of an instance: flat arrays, in which a type
 * that has no worker takes infinitely long. Borrowed wherever that is so already.
 */
typedef struct hsi_problem {
    size_t          n;
    unsigned        m, k;     /* CPUs, GPUs */
    const double   *p, *q;    /* times on a CPU, on a GPU */
    const int64_t  *priority; /* NULL: all 0 */
    const uint32_t *count;    /* of rows; NULL: all 1 */
    const unsigned char *restartable; /* of tasks: may they be aborted? NULL: all may */
    void           *owned[4];
} hsi_problem;

/* One item a task. */
hs_status hsi_problem_of_tasks(const hs_instance *in, hsi_problem *pb);

/* One item a row, with counts. */
hs_status hsi_problem_of_rows(const hs_instance *in, hsi_problem *pb);

void hsi_problem_close(hsi_problem *pb);

static inline int64_t hsi_priority(const hsi_problem *pb, size_t i)
{
    return pb->priority ? pb->priority[i] : 0;
}

static inline int hsi_restartable(const hsi_problem *pb, size_t i)
{
    return !pb->restartable || pb->restartable[i];
}

static inline uint32_t hsi_count(const hsi_problem *pb, size_t i)
{
    return pb->count ? pb->count[i] : 1;
}

#endif
