/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/release.h"

#include "support/sort.h"

static uint64_t release_key(const void *context, uint32_t worker)
{
    return hsi_key_of_double(((const double *)context)[worker] + 0.0); /* -0 becomes +0 */
}

static int comes_before(const void *context, uint32_t a, uint32_t b)
{
    uint64_t x = release_key(context, a), y = release_key(context, b);

    return x < y || (x == y && a < b);
}

static void append_release(hsi_release *r, hs_type type, double at)
{
    size_t n = r->workers[type]++;

    r->sum[type][n] = n ? r->sum[type][n - 1] + r->at[type][n - 1] : 0;
    r->can[type][n] = (double)n * at - r->sum[type][n];
    r->at[type][n] = at;
}

hs_status hsi_release_open(hsi_release *r, const hsi_problem *pb, hsi_arena *arena)
{
    size_t    workers = (size_t)pb->m + pb->k, w;
    uint32_t *scratch;

    *r = (hsi_release){.available = pb->available, .cpus = pb->m, .workers = {pb->m, pb->k}};
    if (!pb->available)
        return HS_OK;
    r->order = hsi_arena_alloc(arena, workers, sizeof *r->order);
    scratch = hsi_arena_alloc(arena, workers, sizeof *scratch);
    for (int type = 0; type < 2; type++) {
        r->at[type] = hsi_arena_alloc(arena, workers, sizeof(double));
        r->can[type] = hsi_arena_alloc(arena, workers, sizeof(double));
        r->sum[type] = hsi_arena_alloc(arena, workers, sizeof(double));
        r->workers[type] = 0;
        if (!r->at[type] || !r->can[type] || !r->sum[type])
            return HS_ENOMEM;
    }
    if (!r->order || !scratch)
        return HS_ENOMEM;
    for (w = 0; w < workers; w++)
        r->order[w] = (uint32_t)w;
    hsi_sort_indices(r->order, scratch, workers, comes_before, pb->available);
    for (w = 0; w < workers; w++)
        append_release(r, r->order[w] < pb->m ? HS_CPU : HS_GPU, pb->available[r->order[w]]);
    r->latest = pb->available[r->order[workers - 1]];
    return HS_OK;
}

double hsi_release_end_of_load(const hsi_release *r, hs_type type, double load)
{
    size_t low = 1, high = r->workers[type]; /* the number of workers that are busy at the end */

    if (high == 0 || !(load > 0))
        return 0; /* no worker is needed */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (r->can[type][middle] >= load)
            high = middle;
        else
            low = middle + 1;
    }
    return (load + r->sum[type][low - 1] + r->at[type][low - 1]) / (double)low;
}

static double multiplier_of_worker(const hsi_release *r, uint32_t worker, double cpu_multiplier,
                                   double gpu_multiplier)
{
    return worker < r->cpus ? cpu_multiplier : gpu_multiplier;
}

/* Return the least quotient with rounded arithmetic. */
static double divide_roughly(const hsi_release *r, const hsi_sum *numerator, double cpu_multiplier,
                             double gpu_multiplier)
{
    double top = numerator->high, bottom = 0, least = INFINITY;

    for (size_t i = 0; i < r->workers[HS_CPU] + r->workers[HS_GPU]; i++) {
        double weight = multiplier_of_worker(r, r->order[i], cpu_multiplier, gpu_multiplier);

        top += weight * r->available[r->order[i]];
        bottom += weight;
        if (weight > 0 && top / bottom < least)
            least = top / bottom;
    }
    return least;
}

/* Compute a quotient exactly only if it may be the least: 1e-9 is far above the rounding error of a
 * million additions. */
double hsi_release_time_of_weighted_work(const hsi_release *r, const hsi_sum *weighted_work,
                                         double cpu_multiplier, double gpu_multiplier)
{
    hsi_sum top = *weighted_work, bottom = {0, 0, 0};
    double  rough, least = INFINITY;

    if (!r->available) {
        hsi_sum_add_product(&bottom, (double)r->workers[HS_CPU], cpu_multiplier);
        hsi_sum_add_product(&bottom, (double)r->workers[HS_GPU], gpu_multiplier);
        return hsi_divide_down(weighted_work, &bottom);
    }
    rough = divide_roughly(r, weighted_work, cpu_multiplier, gpu_multiplier) * (1 + 1e-9);
    for (size_t i = 0; i < r->workers[HS_CPU] + r->workers[HS_GPU]; i++) {
        double weight = multiplier_of_worker(r, r->order[i], cpu_multiplier, gpu_multiplier);

        if (!(weight > 0))
            continue;
        hsi_sum_add_product(&top, weight, r->available[r->order[i]]);
        hsi_sum_add(&bottom, weight);
        if (top.high <= rough * bottom.high)
            least = fmin(least, hsi_divide_down(&top, &bottom));
    }
    return isinf(least) ? 0 : least;
}

double hsi_first_available_time(const hsi_problem *pb, hs_type type)
{
    unsigned w = type == HS_CPU ? 0 : pb->m, end = type == HS_CPU ? pb->m : pb->m + pb->k;
    double   first = INFINITY;

    for (; w < end; w++)
        first = fmin(first, pb->available ? pb->available[w] : 0);
    return first;
}
