/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_TASK_KINDS_H
#define TOOLS_CHECK_TASK_KINDS_H

#include <hybridsched/hybridsched.h>

/**
 * A kind: all tasks of an instance with the same two times. A time is infinite if its type has no
 * worker.
 */
typedef struct task_kind {
    double   time[2];
    uint32_t count;
} task_kind;

/**
 * Return all kinds, sorted by CPU time and then by GPU time, and their number; the caller frees
 * them.
 */
task_kind *group_tasks_by_times(const hs_instance *in, size_t *kinds);

#endif
