/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consider the k longest tasks, k = a m + b with b < m. The b workers with most of these tasks have
 * at least (a + 1) b of them together: otherwise one of the b, and so each of the remaining
 * workers, has at most a, and a task is left over. So the b workers run at least the (a + 1) b
 * shortest of the k tasks, and one worker at least a b-th of that load (after Haouari, Gharbi,
 * Jemmali 2006). Part of a cell counts as a cell, since a worker's load is a whole number of cells.
 */
#include "bound/task_count.h"

#include <math.h>

#include "bound/grid.h"
#include "core/order.h"

enum { SUM_BITS = 61 };

/* Return the exponent of the coarsest cells that divide all times, but of no smaller cells than
 * sums allow. */
static int grid_of(size_t count, const double *time, hsi_token *token)
{
    double longest = 0;
    int    finest, common = HSI_GRID_MOST_EXPONENT;
    size_t i;

    for (i = 0; i < count; i++) {
        int exponent = hsi_grid_exponent(time[i]);

        hsi_poll_at_iteration(token, i);
        common = exponent < common ? exponent : common;
        longest = fmax(longest, time[i]);
    }
    frexp(longest, &finest);
    for (i = count; i > 0; i /= 2)
        finest++;
    return common > finest - SUM_BITS ? common : finest - SUM_BITS;
}

/* Find the best k; sum[i] is the load of the i longest tasks, in cells. */
static void find_best_count(size_t count, const int64_t *sum, unsigned workers, hsi_token *token,
                            hsi_task_count_bound *found)
{
    size_t i;

    for (i = 1; i <= count; i++) {
        size_t  each = i / workers, crowded = i % workers, first = i - (each + 1) * crowded;
        int64_t cells = sum[i] - sum[first], bound;

        hsi_poll_at_iteration(token, i);
        if (crowded == 0 || cells == 0)
            continue;
        bound = (cells - 1) / (int64_t)crowded + 1;
        if (bound <= found->bound)
            continue;
        found->bound = bound;
        found->longest = sum[first + 1] - sum[first];
        found->each = (int64_t)each;
    }
}

hs_status hsi_task_count_bound_find(size_t count, const double *time, unsigned workers,
                                    hsi_token *token, hsi_task_count_bound *found)
{
    hsi_arena arena = {0};
    uint32_t *order = hsi_arena_alloc(&arena, count, sizeof *order);
    int64_t  *sum = hsi_arena_alloc(&arena, count + 1, sizeof *sum);
    hs_status st = order && sum ? HS_OK : HS_ENOMEM;
    size_t    i;

    *found = (hsi_task_count_bound){0};
    if (st == HS_OK && workers > 0 && count > 0)
        st = hsi_order_by_time(&arena, time, count, order, token);
    if (st == HS_OK && workers > 0 && count > 0) {
        found->grid = grid_of(count, time, token);
        for (sum[0] = 0, i = 0; i < count; i++) {
            hsi_poll_at_iteration(token, i);
            sum[i + 1] = sum[i] + (int64_t)ldexp(time[order[i]], -found->grid);
        }
        find_best_count(count, sum, workers, token, found);
    }
    hsi_arena_close(&arena);
    return st == HS_OK && token && token->cancelled ? HS_ECANCELED : st;
}

double hsi_task_count_bound_value(const hsi_task_count_bound *found)
{
    return hsi_grid_cells_to_time(found->bound, found->grid);
}
