/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_H
#define HSI_ALGORITHM_H

#include <hybridsched/solve.h>

#include "core/log.h"
#include "core/problem.h"
#include "core/settings.h"

struct hs_algorithm {
    const char *name;
    const char *summary;
    const char *source; /* paper and theorem */
    const char *cost;
    double (*guarantee)(unsigned cpus, unsigned gpus, const hs_settings *settings);
    int by_rows; /* run() takes rows with counts, not each copy by itself */
    /*
     * One of the two: a heuristic works in the problem's arena, opens the log and fills it;
     * a search makes a schedule and a report.
     */
    hs_status (*run)(const hsi_problem *pb, const hs_settings *settings, hsi_log *log);
    hs_status (*search)(const hs_instance *in, const hs_settings *settings, hs_schedule **out,
                        hs_report *report);
};

extern const hs_algorithm hsi_alg_heteroprio, hsi_alg_heteroprio_ns, hsi_alg_balanced_estimate,
    hsi_alg_balanced_makespan, hsi_alg_dualhp, hsi_alg_dada, hsi_alg_clb2c, hsi_alg_lpt,
    hsi_alg_heft, hsi_alg_heft_min, hsi_alg_best, hsi_alg_exact;

/* For those that guarantee nothing, and twice the optimum. */
double hsi_no_guarantee(unsigned cpus, unsigned gpus, const hs_settings *settings);
double hsi_guarantee_2(unsigned cpus, unsigned gpus, const hs_settings *settings);

#endif
