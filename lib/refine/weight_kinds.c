/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/weight_kinds.h"

#include <stdlib.h>
#include <string.h>

static int longest_first(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

size_t hsi_first_kind_within_weight(size_t kind_count, const int64_t *weight_of_kind,
                                    int64_t most_weight)
{
    size_t low = 0, high = kind_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (weight_of_kind[middle] > most_weight)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t hsi_group_by_weight(size_t count, const int64_t *weight, int64_t *weight_of_kind,
                           uint32_t *kind_of_task, uint32_t *copies_of_kind)
{
    size_t kinds = 0, i;

    memcpy(weight_of_kind, weight, count * sizeof *weight);
    qsort(weight_of_kind, count, sizeof *weight_of_kind, longest_first);
    for (i = 0; i < count; i++)
        if (i == 0 || weight_of_kind[i] != weight_of_kind[kinds - 1])
            weight_of_kind[kinds++] = weight_of_kind[i];
    memset(copies_of_kind, 0, count * sizeof *copies_of_kind);
    for (i = 0; i < count; i++) {
        kind_of_task[i] = (uint32_t)hsi_first_kind_within_weight(kinds, weight_of_kind, weight[i]);
        copies_of_kind[kind_of_task[i]]++;
    }
    return kinds;
}
