/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_H
#define HSI_ALGORITHM_H

#include <hybridsched/solve.h>

#include "core/log.h"
#include "core/problem.h"
#include "core/settings.h"

/* What a search may run before it begins: whoever has the registry, which is above, hands it down.
 */
typedef struct hsi_members {
    size_t (*count)(void);
    const hs_algorithm *(*at)(size_t index);
    hs_status (*run)(const hs_algorithm *alg, const hs_instance *in, const hs_settings *settings,
                     hs_schedule **out);
} hsi_members;

/*
 * One of the library's own: what everybody sees of it, which has no run(), and how it is run: a
 * heuristic works in the problem's arena, opens the log and fills it; a search makes a schedule and
 * a report; a policy is put under a virtual clock. What has a policy beside a heuristic uses it for
 * graphs and for a rank that is asked for.
 */
typedef struct hsi_algorithm {
    hs_algorithm about;
    int          by_rows; /* run() takes rows with counts, not each copy by itself */
    hs_status (*run)(const hsi_problem *pb, const hs_settings *settings, hsi_log *log);
    hs_status (*search)(const hsi_members *members, const hs_instance *in,
                        const hs_settings *settings, hs_schedule **out, hs_report *report);
    const char *policy; /* its name; NULL: there is none */
} hsi_algorithm;

extern const hsi_algorithm hsi_alg_heteroprio, hsi_alg_heteroprio_ns, hsi_alg_balanced_estimate,
    hsi_alg_balanced_makespan, hsi_alg_dualhp, hsi_alg_dada, hsi_alg_clb2c, hsi_alg_lpt,
    hsi_alg_heft, hsi_alg_heft_min, hsi_alg_mct, hsi_alg_cpu_only, hsi_alg_gpu_only, hsi_alg_random,
    hsi_alg_best, hsi_alg_exact, hsi_alg_hp_sp, hsi_alg_hp_corrected, hsi_alg_dynamic,
    hsi_alg_h_ratio, hsi_alg_d_rank, hsi_alg_dmda;

/* All ranks there are. */
enum {
    HSI_ANY_RANK = 1 << HS_RANK_MIN | 1 << HS_RANK_AVG | 1 << HS_RANK_GIVEN | 1 << HS_RANK_FIFO
};

/* For those that guarantee twice the optimum. */
double hsi_guarantee_2(unsigned cpus, unsigned gpus, const hs_settings *settings);

#endif
