/* SPDX-License-Identifier: BSD-3-Clause */
#include "growth.h"

#include <stdlib.h>

enum { STEPS = GROWTH_LOOKS - 1 };

static int by_size(const void *a, const void *b)
{
    const long *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Of an even number of steps the lower of the two in the middle: growth in half of them is none. */
long growth_by_step(const long looks[GROWTH_LOOKS])
{
    long step[STEPS];
    int  i;

    for (i = 0; i < STEPS; i++)
        step[i] = looks[i + 1] - looks[i];
    qsort(step, STEPS, sizeof *step, by_size);
    return step[(STEPS - 1) / 2];
}
