/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/sort/sort.h"

/*
 * Radix sort on the leading bits that differ, enough of them that few keys still
 * agree in all, and then a pass that settles those few. Sorting on all 64 bits
 * would take twice as many passes over memory.
 */

enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, MAX_PASSES = 3, SMALL = 48 };

static void insertion_sort(hsi_keyed *a, size_t n)
{
    size_t i, j;

    for (i = 1; i < n; i++) {
        hsi_keyed item = a[i];

        for (j = i; j > 0 && a[j - 1].key > item.key; j--)
            a[j] = a[j - 1];
        a[j] = item;
    }
}

static void merge(const hsi_keyed *a, size_t na, const hsi_keyed *b, size_t nb, hsi_keyed *to)
{
    size_t i = 0, j = 0;

    while (i < na && j < nb)
        *to++ = b[j].key < a[i].key ? b[j++] : a[i++];
    memcpy(to, a + i, (na - i) * sizeof *a);
    memcpy(to + (na - i), b + j, (nb - j) * sizeof *b);
}

/* Sorts in place; `scratch` has room for n. */
static void merge_sort(hsi_keyed *a, hsi_keyed *scratch, size_t n)
{
    size_t half = n / 2;

    if (n <= SMALL) {
        insertion_sort(a, n);
        return;
    }
    merge_sort(a, scratch, half);
    merge_sort(a + half, scratch, n - half);
    if (a[half - 1].key <= a[half].key)
        return;
    memcpy(scratch, a, half * sizeof *a);
    merge(scratch, half, a + half, n - half, a);
}

/* How many bits the leading digits span: some 8 more than tell n keys apart. */
static int passes_for(size_t n)
{
    int bits = 64 - __builtin_clzll(n) + 8;
    int passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;

    return passes < MAX_PASSES ? passes : MAX_PASSES;
}

static void count_digits(const hsi_keyed *a, size_t n, int shift, int passes,
                         uint32_t counts[MAX_PASSES][BUCKETS])
{
    size_t i;
    int    d;

    memset(counts, 0, (size_t)passes * sizeof counts[0]);
    for (i = 0; i < n; i++) {
        uint64_t key = a[i].key >> shift;

        for (d = 0; d < passes; d++)
            counts[d][key >> (d * DIGIT_BITS) & (BUCKETS - 1)]++;
    }
}

/* One stable pass, unless all have the same digit. */
static int scatter(const hsi_keyed *from, hsi_keyed *to, size_t n, int shift,
                   uint32_t counts[BUCKETS])
{
    uint32_t sum = 0;
    size_t   i;

    if (counts[from[0].key >> shift & (BUCKETS - 1)] == n)
        return 0;
    for (i = 0; i < BUCKETS; i++) {
        uint32_t count = counts[i];

        counts[i] = sum;
        sum += count;
    }
    for (i = 0; i < n; i++)
        to[counts[from[i].key >> shift & (BUCKETS - 1)]++] = from[i];
    return 1;
}

/* Sorts the runs whose leading bits agree. */
static void settle_runs(hsi_keyed *a, hsi_keyed *scratch, size_t n, int shift)
{
    size_t i, begin = 0;
    int    sorted = 1;

    for (i = 1; i <= n; i++) {
        if (i < n && a[i].key >> shift == a[begin].key >> shift) {
            sorted &= a[i - 1].key <= a[i].key;
            continue;
        }
        if (!sorted)
            merge_sort(a + begin, scratch, i - begin);
        begin = i;
        sorted = 1;
    }
}

hsi_keyed *hsi_sort(hsi_keyed *items, hsi_keyed *scratch, size_t n)
{
    uint32_t   counts[MAX_PASSES][BUCKETS];
    uint64_t   differ = 0;
    hsi_keyed *from = items, *to = scratch, *swap;
    int        passes, shift, d;
    size_t     i;

    if (n < 500) {
        merge_sort(items, scratch, n);
        return items;
    }
    for (i = 1; i < n; i++)
        differ |= items[i].key ^ items[0].key;
    if (!differ)
        return items;
    passes = passes_for(n);
    shift = 64 - __builtin_clzll(differ) - passes * DIGIT_BITS;
    if (shift < 0)
        shift = 0;
    count_digits(items, n, shift, passes, counts);
    for (d = 0; d < passes; d++) {
        if (!scatter(from, to, n, shift + d * DIGIT_BITS, counts[d]))
            continue;
        swap = from;
        from = to;
        to = swap;
    }
    if (shift > 0)
        settle_runs(from, to, n, shift);
    return from;
}

void hsi_sort_indices(uint32_t *a, uint32_t *scratch, size_t n, hsi_before before,
                      const void *context)
{
    size_t half = n / 2, i = 0, j, out = 0;

    if (n < 2)
        return;
    hsi_sort_indices(a, scratch, half, before, context);
    hsi_sort_indices(a + half, scratch, n - half, before, context);
    if (!before(context, a[half], a[half - 1]))
        return;
    memcpy(scratch, a, half * sizeof *a);
    for (j = half; i < half; out++) {
        if (j < n && before(context, a[j], scratch[i]))
            a[out] = a[j++];
        else
            a[out] = scratch[i++];
    }
}
