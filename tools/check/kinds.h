/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_KINDS_H
#define TOOLS_CHECK_KINDS_H

#include <hybridsched/hybridsched.h>

/** Tasks of an instance that have the same two times; infinite where there is no worker. */
typedef struct task_kind {
    double   time[2];
    uint32_t count;
} task_kind;

/** All of them by rising CPU time and then by rising GPU time, *kinds in number; to be freed. */
task_kind *kinds_of(const hs_instance *in, size_t *kinds);

#endif
