/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of the k longest tasks, k = a m + b with b < m, the b workers that have most of them have at
 * least (a + 1) b together: with fewer one of the b has at most a, as have all others then, and
 * some task is left. So the b run at least as much as the (a + 1) b shortest of the k tasks, and
 * one of them a b-th of it (after Haouari, Gharbi, Jemmali 2006).
 */
#include "bound/crowd.h"

#include <float.h>
#include <math.h>

#include "core/order.h"

/* Sums of whole numbers are exact; others are lowered by what rounding may have added. */
static double rounding_of(size_t n, const double *time, double sum)
{
    int    exact = sum <= 0x1p53;
    size_t i;

    for (i = 0; i < n; i++)
        exact &= floor(time[i]) == time[i];
    return exact ? 0 : 2 * (double)n * DBL_EPSILON * sum;
}

/* sum[i]: of the i longest. */
static double bound_of_sums(size_t n, const double *sum, unsigned workers, hsi_asker *asker)
{
    double most = 0;
    size_t i;

    for (i = 1; i <= n; i++) {
        size_t crowded = i % workers, tasks = (i / workers + 1) * crowded;

        hsi_ask_at(asker, i);
        if (crowded > 0)
            most = fmax(most, (sum[i] - sum[i - tasks]) / (double)crowded);
    }
    return most;
}

hs_status hsi_crowd_bound(size_t n, const double *time, unsigned workers, hsi_asker *asker,
                          double *bound)
{
    hsi_arena arena = {0};
    uint32_t *order = hsi_arena_take(&arena, n, sizeof *order);
    double   *sum = hsi_arena_take(&arena, n + 1, sizeof *sum);
    hs_status st = order && sum ? HS_OK : HS_ENOMEM;
    size_t    i;

    *bound = 0;
    if (st == HS_OK && workers > 0)
        st = hsi_order_by_time_in(&arena, time, n, order, asker);
    if (st == HS_OK && workers > 0) {
        for (sum[0] = 0, i = 0; i < n; i++) {
            hsi_ask_at(asker, i);
            sum[i + 1] = sum[i] + time[order[i]];
        }
        *bound = bound_of_sums(n, sum, workers, asker) - rounding_of(n, time, sum[n]);
        *bound = isfinite(*bound) ? fmax(0, *bound * (1 - DBL_EPSILON)) : 0;
    }
    hsi_arena_close(&arena);
    return st == HS_OK && asker && asker->canceled ? HS_ECANCELED : st;
}
