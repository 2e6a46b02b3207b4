/* SPDX-License-Identifier: BSD-3-Clause */
#include "floor_solve.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_WORKERS = 4096 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct pair {
    uint64_t key;
    uint32_t index;
} pair;

/* Sort by least significant digit first, 11 bits per pass, skipping passes that change nothing. */
static void radix_sort(pair *from, pair *to, size_t n)
{
    static uint32_t counts[6][2048];
    size_t          i;
    int             d;

    memset(counts, 0, sizeof counts);
    for (i = 0; i < n; i++)
        for (d = 0; d < 6; d++)
            counts[d][from[i].key >> (11 * d) & 2047]++;
    for (d = 0; d < 6; d++) {
        uint32_t sum = 0;
        pair    *swap;

        if (counts[d][from[0].key >> (11 * d) & 2047] == n)
            continue;
        for (i = 0; i < 2048; i++) {
            uint32_t count = counts[d][i];

            counts[d][i] = sum;
            sum += count;
        }
        for (i = 0; i < n; i++)
            to[counts[d][from[i].key >> (11 * d) & 2047]++] = from[i];
        swap = from;
        from = to;
        to = swap;
    }
}

double seconds_of_sort(const hs_instance *in)
{
    size_t n = hs_instance_tasks(in), i;
    pair  *pairs = malloc((2 * n + 1) * sizeof *pairs);
    double seconds;

    if (!pairs)
        abort();
    memset(pairs, 0, 2 * n * sizeof *pairs);
    for (i = 0; i < n; i++) {
        double rho = hs_instance_time(in, i, HS_CPU) / hs_instance_time(in, i, HS_GPU);

        memcpy(&pairs[i].key, &rho, sizeof rho);
        pairs[i].index = (uint32_t)i;
    }
    seconds = now();
    radix_sort(pairs, pairs + n, n);
    seconds = now() - seconds;
    free(pairs);
    return seconds;
}

double seconds_of_heap(const hs_instance *in)
{
    int             workers = (int)(hs_instance_cpus(in) + hs_instance_gpus(in)), at, child;
    size_t          n = hs_instance_tasks(in), i;
    double         *add = malloc((n + 1) * sizeof *add), heap[MAX_WORKERS] = {0}, seconds;
    volatile double sink;

    if (!add)
        abort();
    for (i = 0; i < n; i++)
        add[i] = hs_instance_time(in, i, HS_GPU);
    seconds = now();
    for (i = 0; i < n; i++) {
        double moving = heap[0] + add[i];

        for (at = 0; (child = 2 * at + 1) < workers; at = child) {
            if (child + 1 < workers && heap[child + 1] < heap[child])
                child++;
            if (heap[child] >= moving)
                break;
            heap[at] = heap[child];
        }
        heap[at] = moving;
    }
    seconds = now() - seconds;
    sink = heap[0];
    (void)sink;
    free(add);
    return seconds;
}
