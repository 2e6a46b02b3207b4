/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fake_waits: measures how long CPU workers wait for the lock of the ledger, with bounded and
 * with unbounded launches, alternating QR factorisations of each kind. FAKECUDA sets the queue and the
 * durations of kernels and calls:
 *
 *   FAKECUDA="queue=24 kernel=2e-4" fake_waits [ROUNDS [TILES [SIZE [CPUS [GPUS]]]]]
 *
 * For each kind it prints the number of waits, the median and the maximum over rounds of the
 * longest wait, and the mean wait, in us.
 */
#include <stdio.h>
#include <stdlib.h>

#include "exec_fixture.h"
#include "lock.h"
#include "tiles_fixture.h"
#include "trial.h"

enum { ROUNDS = 64 };

typedef struct way {
    double             longest[ROUNDS];
    unsigned long long count;
    double             total;
} way;

static void measure(way *w, int round, const unsigned size[4])
{
    hs_exec_settings  s = settings_of("plan");
    lock_waits_result r;

    run_tiles(tiled(HS_QR, size[0], size[1], size[2], size[3]), "heft", &s, 1, 1);
    r = lock_waits();
    w->count += r.count;
    w->total += 1e-3 * (double)r.total;
    w->longest[round] = 1e-3 * (double)r.longest;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    static way  ways[2];
    const char *names[] = {"bounded", "unbounded"};
    unsigned    size[] = {6, 96, 2, 2};
    int         rounds = argc > 1 ? atoi(argv[1]) : 5, round, i;

    for (i = 0; i < 4 && i + 2 < argc; i++)
        size[i] = (unsigned)atoi(argv[i + 2]);
    if (rounds < 1 || rounds > ROUNDS)
        return 2;
    scripted_reset();
    for (round = 0; round < rounds; round++)
        for (i = 0; i < 2; i++) {
            lock_unbounded(i);
            measure(&ways[i], round, size);
        }
    printf("launches,waits,median_longest,longest,mean\n");
    for (i = 0; i < 2; i++) {
        qsort(ways[i].longest, (size_t)rounds, sizeof(double), by_value);
        printf("%s,%llu,%.1f,%.1f,%.2f\n", names[i], ways[i].count, ways[i].longest[rounds / 2],
               ways[i].longest[rounds - 1],
               ways[i].count ? ways[i].total / (double)ways[i].count : 0);
    }
    return 0;
}
