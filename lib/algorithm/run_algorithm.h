/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_RUN_ALGORITHM_H
#define HSI_ALGORITHM_RUN_ALGORITHM_H

#include "algorithm/algorithm.h"

/* Running a heuristic of the library, an algorithm with run(). The settings are resolved; temporary
 * memory is in the arena, which the caller resets or closes. */

/* Replace the contents of `s` by the schedule that `alg` makes of `in`. */
hs_status hsi_run_algorithm_in(const hsi_algorithm *alg, const hs_instance *in,
                               const hs_settings *settings, hsi_arena *arena, hs_schedule *s);

/* Build the schedule that `alg` makes of `in`; the caller owns *out. */
hs_status hsi_run_algorithm(const hsi_algorithm *alg, const hs_instance *in,
                            const hs_settings *settings, hs_schedule **out);

/* Compute the makespan alone, without a schedule, and `certified` and `aborted` of the report. */
hs_status hsi_run_algorithm_makespan(const hsi_algorithm *alg, const hs_instance *in,
                                     const hs_settings *settings, hsi_arena *arena,
                                     double *makespan, hs_report *report);

#endif
