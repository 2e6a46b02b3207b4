/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_H
#define HSI_ALGORITHM_H

#include <hybridsched/solve.h>

#include "core/recorder.h"
#include "core/problem.h"
#include "core/settings.h"

/* The registry of algorithms as searches see it, passed down from lib/registry. */
typedef struct hsi_members {
    size_t (*count)(void);
    const hs_algorithm *(*at)(size_t index);
    hs_status (*run)(const hs_algorithm *alg, const hs_instance *in, const hs_settings *settings,
                     hs_schedule **out);
} hsi_members;

/*
 * An algorithm of the library: its public part, without run(), and one of three ways to run it: a
 * heuristic works in the problem's arena, opens the recorder and fills it; a search builds a
 * schedule and a report; a policy runs under a virtual clock. With a policy beside a heuristic, the
 * policy runs for graphs and for requested ranks.
 */
typedef struct hsi_algorithm {
    hs_algorithm about;
    bool         by_rows; /* true: run() takes rows with counts; 0: one item per copy */
    hs_status (*run)(const hsi_problem *pb, const hs_settings *settings, hsi_recorder *recorder);
    hs_status (*search)(const hsi_members *members, const hs_instance *in,
                        const hs_settings *settings, hs_schedule **out, hs_report *report);
    const char *policy; /* name of the policy; NULL: none */
    bool available_by_policy; /* whether the policy supports settings.available, but not run() */
} hsi_algorithm;

extern const hsi_algorithm hsi_alg_heteroprio, hsi_alg_heteroprio_ns, hsi_alg_balanced_estimate,
    hsi_alg_balanced_makespan, hsi_alg_dualhp, hsi_alg_dada, hsi_alg_clb2c, hsi_alg_lpt,
    hsi_alg_heft, hsi_alg_heft_min, hsi_alg_mct, hsi_alg_cpu_only, hsi_alg_gpu_only, hsi_alg_random,
    hsi_alg_best, hsi_alg_exact, hsi_alg_hp_sp, hsi_alg_hp_corrected, hsi_alg_dynamic,
    hsi_alg_h_ratio, hsi_alg_d_rank, hsi_alg_dmda;

/* Members of `best` on graphs with transfer times, outside the registry. */
extern const hsi_algorithm hsi_alg_cpop, hsi_alg_sufferage;

/* Bit set of all ranks. */
enum {
    HSI_ANY_RANK = 1 << HS_RANK_MIN | 1 << HS_RANK_AVG | 1 << HS_RANK_GIVEN | 1 << HS_RANK_FIFO
};

/* Return 2, the guarantee of several algorithms. */
double hsi_guarantee_2(void *data, unsigned cpus, unsigned gpus, const hs_settings *settings);

#endif
