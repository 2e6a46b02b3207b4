/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of NVTX: of each thread, those that it is in. */
#include <stdio.h>
#include <string.h>

#include "state.h"

int fake_range_push(const char *name);
int fake_range_pop(void);

static _Thread_local int depth;

int fake_range_push(const char *name)
{
    pthread_mutex_lock(&fake_lock);
    fake.ranges++;
    snprintf(fake.range, sizeof fake.range, "%s", name);
    pthread_mutex_unlock(&fake_lock);
    return depth++;
}

int fake_range_pop(void)
{
    pthread_mutex_lock(&fake_lock);
    if (depth == 0)
        fake_complain("nvtxRangePop: there is no range");
    pthread_mutex_unlock(&fake_lock);
    return depth > 0 ? --depth : 0;
}

unsigned fake_ranges(char name[32], int *open)
{
    unsigned count;

    pthread_mutex_lock(&fake_lock);
    count = fake.ranges;
    memcpy(name, fake.range, sizeof fake.range);
    *open = depth;
    pthread_mutex_unlock(&fake_lock);
    return count;
}
