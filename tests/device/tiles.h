/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_DEVICE_TILES_H
#define TESTS_DEVICE_TILES_H

/* Factorisations on tiles that CPUs share with the devices of listed modules. */

#include <stdbool.h>

#include <hybridsched/exec.h>

#include "factorisation.h"
#include "suite.h"

unsigned         roll(unsigned sides);
hs_exec_settings settings_of(const char *policy, const char *devices);

/* Return true for gemm, syrk and trsm, which OpenCL devices have. */
bool   is_level3(const char *kernel);
size_t bytes_of_tile(int kind, unsigned n);

/* Return the instance with times of GPUs for all kernels, or for those of level 3. Frees `in`. */
hs_instance *timed(hs_instance *in, bool level3_only);

typedef struct outcome {
    hs_status status;
    hs_error  error;
    unsigned  on_gpus; /* tasks done on GPUs */
    unsigned  others;  /* of these, those of kernels that are not of level 3 */
} outcome;

/* Run the instance `times` times with one handle, by HEFT's plan if the policy needs a plan. A run
 * that ends well has right factors. Frees the instance. */
outcome run(hs_instance *in, const hs_exec_settings *s, int times);
void    expect_done(const outcome *o, const char *devices);

#endif
