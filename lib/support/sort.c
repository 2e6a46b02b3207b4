/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting by keys: a merge sort of 64-bit words, with the key's 32 significant bits above the
 * index. Runs of equal bits are then sorted by comparison.
 */
#include "support/sort.h"

#include <stdbool.h>

enum { SMALL = 12 };
enum { OFTEN = 4096 }; /* words between polls: the first writes to memory may have to map it */

static void insertion_sort(uint64_t *a, size_t n)
{
    size_t i, j;

    for (i = 1; i < n; i++) {
        uint64_t item = a[i];

        for (j = i; j > 0 && a[j - 1] > item; j--)
            a[j] = a[j - 1];
        a[j] = item;
    }
}

/* Copy n words. Return true if cancelled. */
static bool copy(uint64_t *to, const uint64_t *from, size_t n, hsi_token *token)
{
    for (size_t i = 0; i < n; i += OFTEN) {
        if (i && hsi_poll(token))
            return true;
        memcpy(to + i, from + i, (n - i < OFTEN ? n - i : OFTEN) * sizeof *to);
    }
    return false;
}

/* Merge the sorted words a[0 .. half - 1] and a[half .. n - 1] without data-dependent branches.
 * Return true if cancelled. */
static bool merge(uint64_t *a, size_t half, size_t n, uint64_t *scratch, hsi_token *token)
{
    const uint64_t *left = scratch, *left_end = scratch + half, *right = a + half;
    uint64_t       *to = a;

    if (a[half - 1] <= a[half])
        return false;
    if (copy(scratch, a, half, token))
        return true;
    while (left < left_end && right < a + n) {
        uint64_t x = *left, y = *right;
        size_t   is_right = y < x;

        if ((to - a) % OFTEN == OFTEN - 1 && hsi_poll(token))
            return true;
        *to++ = is_right ? y : x;
        right += is_right;
        left += 1 - is_right;
    }
    return copy(to, left, (size_t)(left_end - left), token);
}

/* Sort in place; `scratch` has room for n / 2 words. Return true if cancelled. */
static bool merge_sort(uint64_t *a, uint64_t *scratch, size_t n, hsi_token *token)
{
    size_t half = n / 2;

    if (n <= SMALL) {
        insertion_sort(a, n);
        return false;
    }
    return merge_sort(a, scratch, half, token) || merge_sort(a + half, scratch, n - half, token) ||
           merge(a, half, n, scratch, token);
}

/*
 * Subtract the least key and return the number of excess bits above 32. The leading bits of close
 * numbers (e.g. about 1) are equal; their differences use every bit.
 */
static int level(uint64_t *keys, size_t n)
{
    uint64_t least = keys[0], most = keys[0];
    size_t   i;

    for (i = 1; i < n; i++) {
        least = keys[i] < least ? keys[i] : least;
        most = keys[i] > most ? keys[i] : most;
    }
    for (i = 0; i < n; i++)
        keys[i] -= least;
    most -= least;
    return most >> 32 ? 32 - __builtin_clzll(most) : 0;
}

/* Sort each run of indices with equal leading bits by comparison. Return true if cancelled. */
static bool sort_runs(const uint64_t *sorted, uint64_t *scratch, size_t n,
                      const hsi_index_order *rule, uint32_t *order)
{
    size_t i, begin = 0;

    for (i = 1; i <= n; i++) {
        if (hsi_poll_at(rule->token, i))
            return true;
        if (i < n && sorted[i] >> 32 == sorted[begin] >> 32)
            continue;
        if (i - begin > 1 &&
            hsi_sort_indices_polling(order + begin, (uint32_t *)(void *)scratch, i - begin,
                                     rule->before, rule->context, rule->token))
            return true;
        begin = i;
    }
    return false;
}

bool hsi_sort_by_keys(uint64_t *keys, uint64_t *scratch, size_t n, const hsi_index_order *rule,
                      const uint32_t *given, uint32_t *order)
{
    int    shift;
    size_t i;

    if (n == 0)
        return false;
    shift = level(keys, n);
    for (i = 0; i < n && !hsi_poll_at(rule->token, i + 1); i++)
        keys[i] = keys[i] >> shift << 32 | (given ? given[i] : i);
    if (i < n || merge_sort(keys, scratch, n, rule->token))
        return true;
    for (i = 0; i < n && !hsi_poll_at(rule->token, i + 1); i++)
        order[i] = (uint32_t)keys[i];
    return i < n || sort_runs(keys, scratch, n, rule, order);
}

bool hsi_sort_indices_polling(uint32_t *a, uint32_t *scratch, size_t n, hsi_before before,
                              const void *context, hsi_token *token)
{
    size_t half = n / 2, i = 0, j, out = 0;

    if (n < 2)
        return false;
    if (n >= OFTEN && hsi_poll(token)) /* poll once for every part below OFTEN, because a
                                         comparison may take long */
        return true;
    if (hsi_sort_indices_polling(a, scratch, half, before, context, token) ||
        hsi_sort_indices_polling(a + half, scratch, n - half, before, context, token))
        return true;
    if (!before(context, a[half], a[half - 1]))
        return false;
    memcpy(scratch, a, half * sizeof *a);
    for (j = half; i < half; out++) {
        if (out && hsi_poll_at(token, out))
            return true;
        if (j < n && before(context, a[j], scratch[i]))
            a[out] = a[j++];
        else
            a[out] = scratch[i++];
    }
    return false;
}

void hsi_sort_indices(uint32_t *indices, uint32_t *scratch, size_t n, hsi_before before,
                      const void *context)
{
    (void)hsi_sort_indices_polling(indices, scratch, n, before, context, NULL);
}
