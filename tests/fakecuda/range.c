/* SPDX-License-Identifier: BSD-3-Clause */
/* NVTX ranges: the stack of ranges of each thread, and the number of open ranges. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

int fake_range_push(const char *name);
int fake_range_pop(void);

enum { DEPTH = 8 };

static _Thread_local int  depth;
static _Thread_local char names[DEPTH][FAKE_RANGE];

int fake_range_push(const char *name)
{
    pthread_mutex_lock(&fake_lock);
    fake.ranges++;
    fake.ranges_open++;
    snprintf(fake.range, sizeof fake.range, "%s", name);
    if (depth >= DEPTH)
        abort();
    snprintf(names[depth], FAKE_RANGE, "%s", name);
    pthread_mutex_unlock(&fake_lock);
    return depth++;
}

int fake_range_pop(void)
{
    pthread_mutex_lock(&fake_lock);
    if (depth == 0)
        fake_complain("nvtxRangePop: there is no range");
    else
        fake.ranges_open--;
    pthread_mutex_unlock(&fake_lock);
    return depth > 0 ? --depth : 0;
}

const char *fake_current_range(void)
{
    return depth > 0 ? names[depth - 1] : "";
}

unsigned fake_range_count(char name[FAKE_RANGE], int *open)
{
    unsigned count;

    pthread_mutex_lock(&fake_lock);
    count = fake.ranges;
    memcpy(name, fake.range, sizeof fake.range);
    *open = fake.ranges_open;
    pthread_mutex_unlock(&fake_lock);
    return count;
}
