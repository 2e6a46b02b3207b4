/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting by keys: a merge sort of 64-bit words, with the key's 32 significant bits above the
 * index. Runs of equal bits are then sorted by comparison.
 */
#include "support/sort.h"

#include <stdbool.h>

enum { SMALL = 12 };
enum { OFTEN = 4096 }; /* words between polls: the first writes to memory may have to map it */
static void insertion_sort(uint64_t *words, size_t count)
{
    size_t i, j;

    for (i = 1; i < count; i++) {
        uint64_t item = words[i];

        for (j = i; j > 0 && words[j - 1] > item; j--)
            words[j] = words[j - 1];
        words[j] = item;
    }
}

/* Copy n words. Return true if cancelled. */
static bool copy_words(uint64_t *to, const uint64_t *from, size_t count, hsi_token *token)
{
    for (size_t i = 0; i < count; i += OFTEN) {
        if (i && hsi_poll(token))
            return true;
        memcpy(to + i, from + i, (count - i < OFTEN ? count - i : OFTEN) * sizeof *to);
    }
    return false;
}

/* Merge the sorted words a[0 .. half - 1] and a[half .. n - 1] without data-dependent branches.
 * Return true if cancelled. */
static bool merge_halves(uint64_t *words, size_t half, size_t count, uint64_t *scratch,
                         hsi_token *token)
{
    const uint64_t *left = scratch, *left_end = scratch + half, *right = words + half;
    uint64_t       *to = words;

    if (words[half - 1] <= words[half])
        return false;
    if (copy_words(scratch, words, half, token))
        return true;
    while (left < left_end && right < words + count) {
        uint64_t x = *left, y = *right;
        size_t   is_right = y < x;

        if ((to - words) % OFTEN == OFTEN - 1 && hsi_poll(token))
            return true;
        *to++ = is_right ? y : x;
        right += is_right;
        left += 1 - is_right;
    }
    return copy_words(to, left, (size_t)(left_end - left), token);
}

/* Sort in place; `scratch` has room for n / 2 words. Return true if cancelled. */
static bool merge_sort(uint64_t *words, uint64_t *scratch, size_t count, hsi_token *token)
{
    size_t half = count / 2;

    if (count <= SMALL) {
        insertion_sort(words, count);
        return false;
    }
    return merge_sort(words, scratch, half, token) ||
           merge_sort(words + half, scratch, count - half, token) ||
           merge_halves(words, half, count, scratch, token);
}

/*
 * Subtract the least key and return the number of excess bits above 32. The leading bits of close
 * numbers (e.g. about 1) are equal; their differences use every bit.
 */
static int subtract_least_key(uint64_t *keys, size_t count)
{
    uint64_t least = keys[0], most = keys[0];
    size_t   i;

    for (i = 1; i < count; i++) {
        least = keys[i] < least ? keys[i] : least;
        most = keys[i] > most ? keys[i] : most;
    }
    for (i = 0; i < count; i++)
        keys[i] -= least;
    most -= least;
    return most >> 32 ? 32 - __builtin_clzll(most) : 0;
}

/* Sort each run of indices with equal leading bits by comparison. Return true if cancelled. */
static bool sort_runs(const uint64_t *sorted, uint64_t *scratch, size_t count,
                      const hsi_index_order *rule, uint32_t *order)
{
    size_t i, begin = 0;

    for (i = 1; i <= count; i++) {
        if (hsi_poll_at_iteration(rule->token, i))
            return true;
        if (i < count && sorted[i] >> 32 == sorted[begin] >> 32)
            continue;
        if (i - begin > 1 &&
            hsi_sort_indices_polling(order + begin, (uint32_t *)(void *)scratch, i - begin,
                                     rule->before, rule->context, rule->token))
            return true;
        begin = i;
    }
    return false;
}

bool hsi_sort_by_keys(uint64_t *keys, uint64_t *scratch, size_t count, const hsi_index_order *rule,
                      const uint32_t *given, uint32_t *order)
{
    int    shift;
    size_t i;

    if (count == 0)
        return false;
    shift = subtract_least_key(keys, count);
    for (i = 0; i < count && !hsi_poll_at_iteration(rule->token, i + 1); i++)
        keys[i] = keys[i] >> shift << 32 | (given ? given[i] : i);
    if (i < count || merge_sort(keys, scratch, count, rule->token))
        return true;
    for (i = 0; i < count && !hsi_poll_at_iteration(rule->token, i + 1); i++)
        order[i] = (uint32_t)keys[i];
    return i < count || sort_runs(keys, scratch, count, rule, order);
}

bool hsi_sort_indices_polling(uint32_t *indices, uint32_t *scratch, size_t count, hsi_before before,
                              const void *context, hsi_token *token)
{
    size_t half = count / 2, i = 0, j, out = 0;

    if (count < 2)
        return false;
    if (count >= OFTEN && hsi_poll(token)) /* poll once for every part below OFTEN, because a
                                         comparison may take long */
        return true;
    if (hsi_sort_indices_polling(indices, scratch, half, before, context, token) ||
        hsi_sort_indices_polling(indices + half, scratch, count - half, before, context, token))
        return true;
    if (!before(context, indices[half], indices[half - 1]))
        return false;
    memcpy(scratch, indices, half * sizeof *indices);
    for (j = half; i < half; out++) {
        if (out && hsi_poll_at_iteration(token, out))
            return true;
        if (j < count && before(context, indices[j], scratch[i]))
            indices[out] = indices[j++];
        else
            indices[out] = scratch[i++];
    }
    return false;
}

void hsi_sort_indices(uint32_t *indices, uint32_t *scratch, size_t count, hsi_before before,
                      const void *context)
{
    (void)hsi_sort_indices_polling(indices, scratch, count, before, context, NULL);
}
