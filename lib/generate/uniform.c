/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/error.h"
#include "generate/draws.h"
#include "support/decimal/decimal.h"
#include "support/sized.h"

double hsi_draw_uniform_real(const void *data, hsi_random *random)
{
    const hsi_uniform_law *law = data;
    double                 time = law->low + (law->high - law->low) * hsi_random_unit(random);

    return time > law->high ? law->high : time; /* rounding may exceed law->high */
}

double hsi_draw_uniform_integer(const void *data, hsi_random *random)
{
    const hsi_uniform_law *law = data;

    return law->low + (double)hsi_random_below(random, (uint64_t)(law->high - law->low) + 1);
}

bool hsi_uniform_law_make(hsi_uniform_law *law, double low, double high, int integer)
{
    *law = (hsi_uniform_law){low, high};
    if (!(low > 0) || !(low <= high) || !isfinite(high))
        return false;
    return !integer || (high <= 0x1p53 && floor(low) == low && floor(high) == high);
}

static void describe(const hs_uniform *spec, char *text, size_t size)
{
    char number[4][HSI_DECIMAL_MAX];

    hsi_decimal_write(spec->cpu_low, number[0]);
    hsi_decimal_write(spec->cpu_high, number[1]);
    hsi_decimal_write(spec->gpu_low, number[2]);
    hsi_decimal_write(spec->gpu_high, number[3]);
    snprintf(text, size,
             "hsched-gen uniform -n %zu -m %u -k %u --cpu-range %s:%s --gpu-range %s:%s%s "
             "-s %" PRIu64,
             spec->tasks, spec->cpus, spec->gpus, number[0], number[1], number[2], number[3],
             spec->integer ? " --integer" : "", spec->seed);
}

hs_status hs_generate_uniform(const hs_uniform *given, hs_instance **out, hs_error *error)
{
    hs_uniform      spec = {.struct_size = sizeof spec};
    hsi_uniform_law cpu, gpu;
    char            command[320];

    if (!given || !out || !hsi_sized_copy_in(&spec, sizeof spec, given))
        return hsi_error_set_status(error, HS_EINVAL);
    if (!hsi_uniform_law_make(&cpu, spec.cpu_low, spec.cpu_high, spec.integer) ||
        !hsi_uniform_law_make(&gpu, spec.gpu_low, spec.gpu_high, spec.integer))
        return hsi_error_set(
            error, HS_EINVAL,
            "ranges %g to %g and %g to %g; expected %s above 0, the lower one first", spec.cpu_low,
            spec.cpu_high, spec.gpu_low, spec.gpu_high,
            spec.integer ? "whole numbers" : "finite numbers");
    describe(&spec, command, sizeof command);
    return hsi_generate_draws(spec.tasks, spec.cpus, spec.gpus, spec.seed,
                              spec.integer ? hsi_draw_uniform_integer : hsi_draw_uniform_real, &cpu,
                              &gpu, command, out, error);
}
