/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why the value is safe. For any u, v >= 0, weighing the LP's two constraints
 * gives T (m u + k v) >= sum over tasks of min(u p, v q), where a task that is
 * forced to a type has only that type's term. So whichever pivot task i is
 * chosen, rightly or by a rounded comparison, u = q_i and v = p_i prove
 *
 *     T >= (u P + v Q + p_i q_i) / (m u + k v)
 *
 * with P the CPU times of the tasks before it in exact rho order (u p <= v q)
 * and of those forced to CPUs, Q the GPU times of the others. u = 1, v = 0 and
 * u = 0, v = 1 prove the forced loads. The sums carry their rounding errors
 * with them and the division rounds down.
 */
#include "bound/divisible.h"

#include <stdlib.h>

#include "core/order.h"
#include "support/exact.h"

hs_status hsi_divisible_open(hsi_divisible *d, const hsi_problem *rows)
{
    hs_status st = HS_ENOMEM;

    d->rows = rows;
    d->order = malloc((rows->n + 1) * sizeof *d->order);
    d->suffix = malloc((rows->n + 1) * sizeof *d->suffix);
    if (d->order && d->suffix)
        st = hsi_order_by_rho(rows, HSI_RHO_UP, d->order);
    if (st != HS_OK)
        hsi_divisible_close(d);
    return st;
}

void hsi_divisible_close(hsi_divisible *d)
{
    free(d->order);
    free(d->suffix);
    d->order = NULL;
    d->suffix = NULL;
}

static void add_times(hsi_sum *sum, uint32_t count, double time)
{
    if (count == 1)
        hsi_sum_add(sum, time);
    else
        hsi_sum_add_product(sum, count, time);
}

/* Loads of the forced tasks; 0 if one exceeds the deadline on both types. */
static int force(hsi_divisible *d, double deadline, hsi_sum *cpu, hsi_sum *gpu)
{
    const hsi_problem *rows = d->rows;
    size_t             i;

    for (i = 0; i < rows->n; i++) {
        uint32_t row = d->order[i];
        int      not_cpu = rows->p[row] > deadline, not_gpu = rows->q[row] > deadline;

        if (not_cpu && not_gpu)
            return 0;
        if (not_gpu)
            add_times(cpu, hsi_count(rows, row), rows->p[row]);
        else if (not_cpu)
            add_times(gpu, hsi_count(rows, row), rows->q[row]);
    }
    return 1;
}

static int is_divisible(const hsi_problem *rows, uint32_t row, double deadline)
{
    return rows->p[row] <= deadline && rows->q[row] <= deadline;
}

/* Where the loads cross, about: the first divisible task with which the CPUs have more. */
static size_t find_pivot(hsi_divisible *d, double deadline, double forced_cpu, double forced_gpu)
{
    const hsi_problem *rows = d->rows;
    double             cpu = forced_cpu;
    size_t             i, n = rows->n;

    d->suffix[n] = forced_gpu;
    for (i = n; i > 0; i--) {
        uint32_t row = d->order[i - 1];

        d->suffix[i - 1] = d->suffix[i];
        if (is_divisible(rows, row, deadline))
            d->suffix[i - 1] += hsi_count(rows, row) * rows->q[row];
    }
    for (i = 0; i < n; i++) {
        uint32_t row = d->order[i];

        if (!is_divisible(rows, row, deadline))
            continue;
        cpu += hsi_count(rows, row) * rows->p[row];
        if (cpu * rows->k >= d->suffix[i + 1] * rows->m)
            return i;
    }
    return n;
}

/* Multipliers may be scaled: so much that products with a small sum do not underflow. */
static int lift_of(double sum)
{
    int exponent;

    frexp(sum, &exponent);
    return exponent > 0 ? 0 : exponent < -1000 ? 1000 : -exponent;
}

/* What the pivot's multipliers prove. */
static double pivot_bound(const hsi_divisible *d, double deadline, size_t pivot, hsi_sum cpu,
                          hsi_sum gpu, double multiplier[2])
{
    const hsi_problem *rows = d->rows;
    uint32_t           at = d->order[pivot];
    hsi_sum            numerator = {0, 0, 0}, denominator = {0, 0, 0};
    double             u, v;
    int                scale;
    size_t             i;

    for (i = 0; i < rows->n; i++) {
        uint32_t row = d->order[i];

        if (!is_divisible(rows, row, deadline))
            continue;
        if (i <= pivot)
            add_times(&cpu, hsi_count(rows, row), rows->p[row]); /* u p_i = v q_i either way */
        else
            add_times(&gpu, hsi_count(rows, row), rows->q[row]);
    }
    frexp(fmax(rows->p[at], rows->q[at]), &scale);
    scale -= lift_of(cpu.high + gpu.high);
    u = ldexp(rows->q[at], -scale);
    v = ldexp(rows->p[at], -scale);
    if (u < DBL_MIN || v < DBL_MIN)
        return 0; /* scaling would round: a ratio beyond 2^1000, left to the other bounds */
    multiplier[HS_CPU] = u;
    multiplier[HS_GPU] = v;
    hsi_sum_add_sum_times(&numerator, &cpu, u);
    hsi_sum_add_sum_times(&numerator, &gpu, v);
    hsi_sum_add_product(&denominator, rows->m, u);
    hsi_sum_add_product(&denominator, rows->k, v);
    return hsi_divide_down(&numerator, &denominator);
}

/* Keeps the better bound and its multipliers. */
static void keep(double bound, double u, double v, double *best, double multiplier[2])
{
    if (!(bound > *best))
        return;
    *best = bound;
    multiplier[HS_CPU] = u;
    multiplier[HS_GPU] = v;
}

double hsi_divisible_multipliers(hsi_divisible *d, double deadline, double multiplier[2])
{
    const hsi_problem *rows = d->rows;
    hsi_sum            cpu = {0, 0, 0}, gpu = {0, 0, 0};
    double             bound = 0, by_pivot, found[2] = {0, 0};
    size_t             pivot;

    multiplier[HS_CPU] = multiplier[HS_GPU] = 0;
    if (!force(d, deadline, &cpu, &gpu))
        return INFINITY;
    if (cpu.high > 0)
        keep(hsi_divide_down_by(&cpu, rows->m), 1, 0, &bound, multiplier);
    if (gpu.high > 0)
        keep(hsi_divide_down_by(&gpu, rows->k), 0, 1, &bound, multiplier);
    pivot = find_pivot(d, deadline, cpu.high, gpu.high);
    if (pivot < rows->n) {
        by_pivot = pivot_bound(d, deadline, pivot, cpu, gpu, found);
        keep(by_pivot, found[HS_CPU], found[HS_GPU], &bound, multiplier);
    }
    return bound;
}

double hsi_divisible_bound(hsi_divisible *d, double deadline)
{
    double multiplier[2];

    return hsi_divisible_multipliers(d, deadline, multiplier);
}

double hsi_area_of_multipliers(const hsi_problem *rows, double u, double v)
{
    hsi_sum numerator = {0, 0, 0}, denominator = {0, 0, 0};
    double  total = 0;
    int     scale;
    size_t  i;

    for (i = 0; i < rows->n; i++)
        total += hsi_count(rows, i) * fmin(rows->p[i], rows->q[i]);
    frexp(fmax(u, v), &scale);
    scale -= lift_of(total);
    u = ldexp(u, -scale);
    v = ldexp(v, -scale);
    for (i = 0; i < rows->n; i++) {
        double cpu = u * rows->p[i], gpu = v * rows->q[i]; /* rounded: only to choose */
        hsi_sum term = {0, 0, 0};

        if (isinf(rows->p[i]) || (!isinf(rows->q[i]) && gpu < cpu))
            hsi_sum_add_product(&term, v, rows->q[i]);
        else
            hsi_sum_add_product(&term, u, rows->p[i]);
        if (isfinite(cpu) && isfinite(gpu)) /* the other may be less by its rounding */
            term.error += fabs(cpu - gpu) <= 4 * DBL_EPSILON * cpu ? 8 * DBL_EPSILON * cpu : 0;
        hsi_sum_add_sum_times(&numerator, &term, hsi_count(rows, i));
    }
    hsi_sum_add_product(&denominator, rows->m, u);
    hsi_sum_add_product(&denominator, rows->k, v);
    return hsi_divide_down(&numerator, &denominator);
}
