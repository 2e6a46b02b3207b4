/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_RUN_H
#define HSI_ALGORITHM_RUN_H

#include "algorithm/algorithm.h"

/*
 * Running a heuristic: one of the library's own that has run(). The settings are resolved; what
 * it works in lies in the arena, which the caller resets or closes.
 */

/* Its schedule, in place of what is in `s`. */
hs_status hsi_run_in(const hsi_algorithm *alg, const hs_instance *in, const hs_settings *settings,
                     hsi_arena *arena, hs_schedule *s);

/* Its schedule, in memory of its own. */
hs_status hsi_run(const hsi_algorithm *alg, const hs_instance *in, const hs_settings *settings,
                  hs_schedule **out);

/* Only what its schedule comes to: the makespan, and in the report `certified` and `aborted`. */
hs_status hsi_run_tally(const hsi_algorithm *alg, const hs_instance *in,
                        const hs_settings *settings, hsi_arena *arena, double *makespan,
                        hs_report *report);

#endif
