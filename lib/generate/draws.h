/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GENERATE_DRAWS_H
#define HSI_GENERATE_DRAWS_H

#include <hybridsched/generate.h>

#include "support/random.h"

/* Draw a time from a law. */
typedef double (*hsi_draw)(const void *law, hsi_random *random);

/*
 * A gamma law of mean > 0 and coefficient of variation >= 0. hsi_gamma_law_make() returns false for
 * other parameters.
 */
typedef struct hsi_gamma_law {
    double d;
    double centre; /* d times the scale of the law, computed without cancellation for tiny cv */
    double slope;  /* 1 / sqrt(9d) */
    double power;  /* 1/a if a < 1, else 0 */
    /* whether d is so large that the rejection test would see only rounding errors */
    bool   narrow;
} hsi_gamma_law;

bool   hsi_gamma_law_make(hsi_gamma_law *law, double mean, double coefficient_of_variation);
double hsi_draw_gamma(const void *law, hsi_random *random);

/*
 * A uniform law from `low` > 0 to `high`, of whole numbers if `integer`. hsi_uniform_law_make()
 * returns false for an invalid range.
 */
typedef struct hsi_uniform_law {
    double low, high;
} hsi_uniform_law;

bool   hsi_uniform_law_make(hsi_uniform_law *law, double low, double high, int integer);
double hsi_draw_uniform_real(const void *law, hsi_random *random);
double hsi_draw_uniform_integer(const void *law, hsi_random *random);

/* Return HS_ETOOBIG and fill *error (may be NULL) for more than HS_MAX_TASKS tasks. */
hs_status hsi_check_task_count(size_t tasks, hs_error *error);

/*
 * Generate independent random times. The times of each type come from a separate stream of the
 * seed, so neither the other type's law nor the number of later tasks changes them. HS_EOVERFLOW: a
 * time is not finite. On failure *error (may be NULL) is filled.
 */
hs_status hsi_generate_draws(size_t tasks, unsigned cpus, unsigned gpus, uint64_t seed,
                             hsi_draw draw, const void *cpu_law, const void *gpu_law,
                             const char *command, hs_instance **out, hs_error *error);

#endif
