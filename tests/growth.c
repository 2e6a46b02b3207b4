/* SPDX-License-Identifier: BSD-3-Clause */
#include "growth.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#include <stdbool.h>
#endif

/* Use one arena: malloc_trim() does not shrink the ends of the other arenas. */
void growth_begin(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

void growth_trim_heap(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

bool growth_counts_memory(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 0;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return 0;
#endif
#endif
    return true;
}

enum { STEPS = GROWTH_LOOKS - 1 };

static int by_size(const void *a, const void *b)
{
    const long *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The median of an even number of steps is the lower middle one, so growth in half of the steps
 * does not count. */
long growth_median_step(const long looks[GROWTH_LOOKS])
{
    long step[STEPS];
    int  i;

    for (i = 0; i < STEPS; i++)
        step[i] = looks[i + 1] - looks[i];
    qsort(step, STEPS, sizeof *step, by_size);
    return step[(STEPS - 1) / 2];
}
