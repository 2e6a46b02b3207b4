/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fit of T = a D^b + c. For a given b the problem is linear in a and c, so the search is over b
 * alone: a grid, then golden sections. Sizes are divided by the largest, so powers do not overflow.
 */
#include "cost/power_law.h"

#include <math.h>

enum {
    GRID = 8,      /* exponents per unit in the grid */
    MOST_POWER = 4, /* largest exponent */
    SECTIONS = 60,
    LEAST_SIZES = 3
};

/* The law for one exponent, with sizes relative to `scale`, and the sum of its squared errors. */
typedef struct candidate {
    double a, b, c, error;
} candidate;

static double law_time(const candidate *law, double relative_size)
{
    return law->a * pow(relative_size, law->b) + law->c;
}

static double squared_error(const hsi_sample *samples, size_t count, double scale,
                            const candidate *law)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        double error;

        if (!(samples[i].size > 0))
            continue;
        error = law_time(law, samples[i].size / scale) / samples[i].seconds - 1;
        sum += samples[i].weight * error * error;
    }
    return sum;
}

/* Sums of the normal equations: x = D^b / T and z = 1 / T are fitted to 1. */
typedef struct sums {
    double xx, xz, zz, x, z;
} sums;

static sums normal_equations(const hsi_sample *samples, size_t count, double scale, double b)
{
    sums s = {0};

    for (size_t i = 0; i < count; i++) {
        double w = samples[i].weight, z = 1 / samples[i].seconds, x;

        if (!(samples[i].size > 0))
            continue;
        x = pow(samples[i].size / scale, b) * z;
        s.xx += w * x * x;
        s.xz += w * x * z;
        s.zz += w * z * z;
        s.x += w * x;
        s.z += w * z;
    }
    return s;
}

static candidate fit_exponent(const hsi_sample *samples, size_t count, double scale, double b)
{
    sums      s = normal_equations(samples, count, scale, b);
    double    determinant = s.xx * s.zz - s.xz * s.xz;
    candidate law = {.b = b};

    if (determinant > 1e-14 * s.xx * s.zz) {
        law.a = (s.x * s.zz - s.z * s.xz) / determinant;
        law.c = (s.z * s.xx - s.x * s.xz) / determinant;
    } else {
        law.a = s.x / s.xx;
    }
    if (law.a < 0) {
        law.a = 0;
        law.c = s.z / s.zz;
    } else if (law.c < 0) {
        law.c = 0;
        law.a = s.x / s.xx;
    }
    law.error = squared_error(samples, count, scale, &law);
    return law;
}

static candidate best_of_grid(const hsi_sample *samples, size_t count, double scale)
{
    candidate best = fit_exponent(samples, count, scale, 1.0 / GRID);

    for (int i = 2; i <= GRID * MOST_POWER; i++) {
        candidate law = fit_exponent(samples, count, scale, (double)i / GRID);

        if (law.error < best.error)
            best = law;
    }
    return best;
}

static candidate refine(const hsi_sample *samples, size_t count, double scale, candidate best)
{
    const double golden = 0.6180339887498949;
    double       low = fmax(best.b - 1.0 / GRID, 1.0 / GRID);
    double       high = fmin(best.b + 1.0 / GRID, MOST_POWER);
    candidate    left = fit_exponent(samples, count, scale, high - golden * (high - low));
    candidate    right = fit_exponent(samples, count, scale, low + golden * (high - low));

    for (int i = 0; i < SECTIONS; i++) {
        if (left.error <= right.error) {
            high = right.b;
            right = left;
            left = fit_exponent(samples, count, scale, high - golden * (high - low));
        } else {
            low = left.b;
            left = right;
            right = fit_exponent(samples, count, scale, low + golden * (high - low));
        }
    }
    if (right.error < left.error)
        left = right;
    return left.error < best.error ? left : best;
}

/* Find the range of the sizes; return true if there are at least LEAST_SIZES different sizes. */
static bool find_sizes(const hsi_sample *samples, size_t count, hs_power_law *law)
{
    double seen[LEAST_SIZES] = {0};
    int    sizes = 0;

    law->low = INFINITY;
    law->high = 0;
    for (size_t i = 0; i < count; i++) {
        double size = samples[i].size;
        bool   is_new = size > 0;

        for (int j = 0; j < sizes; j++)
            is_new = is_new && seen[j] != size;
        if (is_new && sizes < LEAST_SIZES)
            seen[sizes++] = size;
        if (size > 0) {
            law->low = fmin(law->low, size);
            law->high = fmax(law->high, size);
        }
    }
    return sizes == LEAST_SIZES;
}

bool hsi_fit_power_law(const hsi_sample *samples, size_t count, hs_power_law *law)
{
    candidate best;
    double    weight = 0;

    if (!find_sizes(samples, count, law))
        return false;
    best = best_of_grid(samples, count, law->high);
    best = refine(samples, count, law->high, best);
    for (size_t i = 0; i < count; i++)
        weight += samples[i].size > 0 ? samples[i].weight : 0;
    law->spread = sqrt(best.error / weight);
    law->a = best.a / pow(law->high, best.b);
    law->b = best.b;
    law->c = best.c;
    law->low /= 2;
    law->high *= 2;
    return isfinite(law->a) && isfinite(law->c) && law->a + law->c > 0;
}

double hsi_power_law_time(const hs_power_law *law, double size)
{
    return size > 0 && size >= law->low && size <= law->high ? law->a * pow(size, law->b) + law->c
                                                              : 0;
}
