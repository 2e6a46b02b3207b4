/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/error.h"
#include "generate/draws.h"
#include "support/decimal/decimal.h"
#include "support/portable_math.h"
#include "support/sized.h"

/*
 * A gamma variable of shape a = 1/cv^2 and scale mean * cv^2 (Marsaglia, Tsang 2000): with d = a -
 * 1/3 and x normal, d (1 + x / sqrt(9d))^3 has almost this shape, and rejecting few values makes it
 * exact. A shape under 1 is drawn as a + 1, then multiplied by u^(1/a).
 */
bool hsi_gamma_law_make(hsi_gamma_law *law, double mean, double coefficient_of_variation)
{
    double square = coefficient_of_variation * coefficient_of_variation;

    if (!(mean > 0 && isfinite(mean) && coefficient_of_variation >= 0 &&
          isfinite(coefficient_of_variation)))
        return false;
    *law = (hsi_gamma_law){0};
    if (coefficient_of_variation <= 1) {
        double rest = 1 - square / 3;

        law->d = 1 / square - 1.0 / 3;
        law->centre = mean * rest;
        law->slope = coefficient_of_variation / (3 * sqrt(rest));
        law->narrow = coefficient_of_variation < 1e-5;
    } else {
        law->d = 1 / square + 2.0 / 3;
        law->centre = law->d * (mean * square);
        law->slope = 1 / (3 * sqrt(law->d));
        law->power = square;
    }
    return true;
}

static bool accepts(const hsi_gamma_law *law, double x, double cube, double u)
{
    double square = x * x;

    if (law->narrow || u < 1 - 0.0331 * square * square) /* below the curve, so the exact test is
                                                            unnecessary */
        return true;
    return hsi_log(u) < 0.5 * square + law->d * (1 - cube + hsi_log(cube));
}

static double draw_cube(const hsi_gamma_law *law, hsi_random *random)
{
    double x, root, cube;

    do {
        x = hsi_random_normal(random);
        root = 1 + law->slope * x;
        cube = root * root * root;
    } while (root <= 0 || !accepts(law, x, cube, hsi_random_unit(random)));
    return cube;
}

/* Times that would round to zero, possible for a cv far above 1, become the least normal number. */
double hsi_draw_gamma(const void *data, hsi_random *random)
{
    const hsi_gamma_law *law = data;
    double               time = law->centre * draw_cube(law, random);

    if (law->power > 0)
        time *= hsi_exp(hsi_log(hsi_random_unit(random)) * law->power);
    return time < DBL_MIN ? DBL_MIN : time;
}

static void describe(const hs_gamma *spec, char *text, size_t size)
{
    char number[4][HSI_DECIMAL_MAX];

    hsi_decimal_write(spec->cpu_mean, number[0]);
    hsi_decimal_write(spec->cpu_cv, number[1]);
    hsi_decimal_write(spec->gpu_mean, number[2]);
    hsi_decimal_write(spec->gpu_cv, number[3]);
    snprintf(text, size,
             "hsched-gen gamma -n %zu -m %u -k %u --cpu-mean %s --cpu-cv %s --gpu-mean %s "
             "--gpu-cv %s -s %" PRIu64,
             spec->tasks, spec->cpus, spec->gpus, number[0], number[1], number[2], number[3],
             spec->seed);
}

hs_status hs_generate_gamma(const hs_gamma *given, hs_instance **out, hs_error *error)
{
    hs_gamma      spec = {.struct_size = sizeof spec};
    hsi_gamma_law cpu, gpu;
    char          command[320];

    if (!given || !out || !hsi_sized_copy_in(&spec, sizeof spec, given))
        return hsi_error_set_status(error, HS_EINVAL);
    if (!hsi_gamma_law_make(&cpu, spec.cpu_mean, spec.cpu_cv) ||
        !hsi_gamma_law_make(&gpu, spec.gpu_mean, spec.gpu_cv))
        return hsi_error_set(
            error, HS_EINVAL,
            "means %g and %g, coefficients of variation %g and %g; expected finite "
            "means above 0 and coefficients of at least 0",
            spec.cpu_mean, spec.gpu_mean, spec.cpu_cv, spec.gpu_cv);
    describe(&spec, command, sizeof command);
    return hsi_generate_draws(spec.tasks, spec.cpus, spec.gpus, spec.seed, hsi_draw_gamma, &cpu,
                              &gpu, command, out, error);
}
