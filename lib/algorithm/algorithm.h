/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_H
#define HSI_ALGORITHM_H

#include <hybridsched/solve.h>

#include "core/log.h"
#include "core/problem.h"
#include "core/settings.h"

/*
 * One of the library's own: what everybody sees of it, which has no run(), and how it is run, in
 * one of two ways: a heuristic works in the problem's arena, opens the log and fills it; a search
 * makes a schedule and a report.
 */
typedef struct hsi_algorithm {
    hs_algorithm about;
    int          by_rows; /* run() takes rows with counts, not each copy by itself */
    hs_status (*run)(const hsi_problem *pb, const hs_settings *settings, hsi_log *log);
    hs_status (*search)(const hs_instance *in, const hs_settings *settings, hs_schedule **out,
                        hs_report *report);
} hsi_algorithm;

extern const hsi_algorithm hsi_alg_heteroprio, hsi_alg_heteroprio_ns, hsi_alg_balanced_estimate,
    hsi_alg_balanced_makespan, hsi_alg_dualhp, hsi_alg_dada, hsi_alg_clb2c, hsi_alg_lpt,
    hsi_alg_heft, hsi_alg_heft_min, hsi_alg_best, hsi_alg_exact;

/* For those that guarantee twice the optimum. */
double hsi_guarantee_2(unsigned cpus, unsigned gpus, const hs_settings *settings);

#endif
