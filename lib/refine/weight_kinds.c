/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/weight_kinds.h"

#include <stdlib.h>
#include <string.h>

static int longest_first(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

size_t hsi_kind_within(size_t kinds, const int64_t *of_kind, int64_t most)
{
    size_t low = 0, high = kinds;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (of_kind[middle] > most)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t hsi_kinds_by_weight(size_t n, const int64_t *weight, int64_t *of_kind, uint32_t *kind,
                           uint32_t *copies)
{
    size_t kinds = 0, i;

    memcpy(of_kind, weight, n * sizeof *weight);
    qsort(of_kind, n, sizeof *of_kind, longest_first);
    for (i = 0; i < n; i++)
        if (i == 0 || of_kind[i] != of_kind[kinds - 1])
            of_kind[kinds++] = of_kind[i];
    memset(copies, 0, n * sizeof *copies);
    for (i = 0; i < n; i++) {
        kind[i] = (uint32_t)hsi_kind_within(kinds, of_kind, weight[i]);
        copies[kind[i]]++;
    }
    return kinds;
}
