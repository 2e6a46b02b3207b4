/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting by keys: a radix sort of 64-bit words, with the key's 32 significant bits above the
 * index, so that equal keys are sorted by index; for few items a merge sort. Runs of equal words
 * are then sorted by the remaining bits of the keys, and by comparison where keys are equal.
 */
#include "support/sort.h"

#include "support/pages.h"

/*
 * OFTEN: items between polls during first writes to scattered memory, which may have to be mapped.
 */
enum { OFTEN = 4096 };
enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, PASSES = 3, SMALL = 12, FEW = 1000, LONG = 64 };

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

/* Merge two sorted arrays without data-dependent branches. */
static void merge(const uint64_t *a, size_t na, const uint64_t *b, size_t nb, uint64_t *to)
{
    const uint64_t *a_end = a + na, *b_end = b + nb;

    while (a < a_end && b < b_end) {
        uint64_t x = *a, y = *b;
        size_t   right = y < x;

        *to++ = right ? y : x;
        b += right;
        a += 1 - right;
    }
    memcpy(to, a, (size_t)(a_end - a) * sizeof *a);
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

/* Sort in place; `scratch` has room for n. */
static void merge_sort(uint64_t *a, uint64_t *scratch, size_t n)
{
    size_t half = n / 2;

    if (n <= SMALL) {
        insertion_sort(a, n);
        return;
    }
    merge_sort(a, scratch, half);
    merge_sort(a + half, scratch, n - half);
    if (a[half - 1] <= a[half])
        return;
    memcpy(scratch, a, half * sizeof *a);
    merge(scratch, half, a + half, n - half, a);
}

static size_t digit(uint64_t item, int pass)
{
    return item >> (32 + pass * DIGIT_BITS) & (BUCKETS - 1);
}

/* Distribute the items by one digit, stable; returns 0, without a copy, if every digit is equal. */
static int scatter(const uint64_t *from, uint64_t *to, size_t n, int pass, uint32_t counts[BUCKETS],
                   hsi_token *token)
{
    uint32_t sum = 0;
    size_t   i;

    if (counts[digit(from[0], pass)] == n)
        return 0;
    for (i = 0; i < BUCKETS; i++) {
        uint32_t count = counts[i];

        counts[i] = sum;
        sum += count;
    }
    for (i = 0; i < n; i++) {
        if (i % OFTEN == OFTEN - 1)
            hsi_poll(token);
        to[counts[digit(from[i], pass)]++] = from[i];
    }
    return 1;
}

/* Return whichever array has the result; NULL when cancelled. */
static uint64_t *radix_sort(uint64_t *from, uint64_t *to, size_t n, hsi_token *token)
{
    uint32_t  counts[PASSES][BUCKETS];
    uint64_t *swap;
    size_t    i;
    int       pass;

    if (hsi_pages_touch(to, n * sizeof *to, token))
        return NULL;
    memset(counts, 0, sizeof counts);
    for (i = 0; i < n; i++) {
        hsi_poll_at(token, i + 1);
        for (pass = 0; pass < PASSES; pass++)
            counts[pass][digit(from[i], pass)]++;
    }
    for (pass = 0; pass < PASSES; pass++) {
        if (hsi_poll(token))
            return NULL;
        if (!scatter(from, to, n, pass, counts[pass], token))
            continue;
        swap = from;
        from = to;
        to = swap;
    }
    return from;
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

static int is_sorted(const hsi_index_order *how, const uint32_t *run, size_t n)
{
    size_t i;

    for (i = 1; i < n; i++)
        if (how->before(how->context, run[i], run[i - 1]))
            return 0;
    return 1;
}

/*
 * Sort a run of indices with equal leading bits of the key: by the remaining bits, or by
 * comparison.
 */
static int settle_run(uint64_t *a, uint64_t *b, size_t n, int shift, const hsi_index_order *how,
                      uint32_t *run)
{
    size_t i;

    if (is_sorted(how, run, n))
        return 0;
    if (n < LONG || shift == 0)
        return hsi_sort_indices_polling(run, (uint32_t *)(void *)b, n, how->before, how->context,
                                       how->token);
    for (i = 0; i < n; i++)
        a[i] = how->key(how->context, run[i]);
    return hsi_sort_by_keys(a, b, n, how, run, run);
}

static int settle(uint64_t *sorted, uint64_t *other, size_t n, int shift,
                  const hsi_index_order *how, uint32_t *order)
{
    size_t i, begin = 0;

    for (i = 1; i <= n; i++) {
        if (hsi_poll_at(how->token, i))
            return 1;
        if (i < n && sorted[i] >> 32 == sorted[begin] >> 32)
            continue;
        if (i - begin > 1 &&
            settle_run(sorted + begin, other + begin, i - begin, shift, how, order + begin))
            return 1;
        begin = i;
    }
    return 0;
}

int hsi_sort_by_keys(uint64_t *keys, uint64_t *scratch, size_t n, const hsi_index_order *how,
                     const uint32_t *given, uint32_t *order)
{
    uint64_t *sorted = keys;
    int       shift;
    size_t    i;

    if (n == 0)
        return 0;
    shift = level(keys, n);
    for (i = 0; i < n; i++) {
        hsi_poll_at(how->token, i + 1);
        keys[i] = keys[i] >> shift << 32 | (given ? given[i] : i);
    }
    if (n < FEW)
        merge_sort(keys, scratch, n);
    else
        sorted = radix_sort(keys, scratch, n, how->token);
    if (!sorted || hsi_poll(n < FEW ? NULL : how->token))
        return 1;
    for (i = 0; i < n; i++) {
        hsi_poll_at(how->token, i + 1);
        order[i] = (uint32_t)sorted[i];
    }
    return settle(sorted, sorted == keys ? scratch : keys, n, shift, how, order);
}

int hsi_sort_indices_polling(uint32_t *a, uint32_t *scratch, size_t n, hsi_before before,
                            const void *context, hsi_token *token)
{
    size_t half = n / 2, i = 0, j, out = 0;

    if (n < 2)
        return 0;
    if (n >= OFTEN && hsi_poll(token)) /* poll once for every part below OFTEN, because a
                                         comparison may take long */
        return 1;
    if (hsi_sort_indices_polling(a, scratch, half, before, context, token) ||
        hsi_sort_indices_polling(a + half, scratch, n - half, before, context, token))
        return 1;
    if (!before(context, a[half], a[half - 1]))
        return 0;
    memcpy(scratch, a, half * sizeof *a);
    for (j = half; i < half; out++) {
        if (out && hsi_poll_at(token, out))
            return 1;
        if (j < n && before(context, a[j], scratch[i]))
            a[out] = a[j++];
        else
            a[out] = scratch[i++];
    }
    return 0;
}

void hsi_sort_indices(uint32_t *indices, uint32_t *scratch, size_t n, hsi_before before,
                      const void *context)
{
    (void)hsi_sort_indices_polling(indices, scratch, n, before, context, NULL);
}
