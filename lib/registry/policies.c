/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms that run a policy under a virtual clock, without a heuristic of their own. */
#include "algorithm/algorithm.h"

const hsi_algorithm hsi_alg_hp_sp = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "hp-sp",
            .summary =
                "heteroprio, but only idle GPUs spoliate: the task of the highest rank on a CPU",
            .source = "Agullo, Beaumont, Eyraud-Dubois, Herrmann, Kumar, Marchal, Thibault 2015",
            .cost = "O(e + (n + a)(log n + m)), a aborts and e dependencies",
            .supports_graphs = true,
            .supports_available = true,
            .supported_ranks = HSI_ANY_RANK,
        },
    .policy = "hp-sp",
};

const hsi_algorithm hsi_alg_hp_corrected = {
    .about =
        {
            .struct_size = sizeof(hs_algorithm),
            .name = "hp-corrected",
            .summary = "heteroprio, but GPUs take tasks of high acceleration by rank",
            .source =
                "Agullo, Beaumont, Eyraud-Dubois, Herrmann, Kumar, Marchal, Thibault 2015, II.B.3",
            .cost = "O(e + (n + a)(log n + m)), a aborts and e dependencies",
            .supports_graphs = true,
            .supports_available = true,
            .supported_ranks = HSI_ANY_RANK,
        },
    .policy = "hp-corrected",
};

const hsi_algorithm hsi_alg_dynamic = {
    .about = {
        .struct_size = sizeof(hs_algorithm),
        .name = "dynamic",
        .summary = "a ready task goes to the worker that ends it first, while a worker is free",
        .source = "Zhang, Hou: High-Performance Task Scheduling for Heterogeneous Systems",
        .cost = "O(e + n (log n + m + k)), e dependencies",
        .supports_graphs = true,
        .supports_available = true,
    },
    .policy = "dynamic",
};

const hsi_algorithm hsi_alg_h_ratio = {
    .about = {
        .struct_size = sizeof(hs_algorithm),
        .name = "h-ratio",
        .summary = "the tasks with the most extreme ratios first, each to the worker that ends "
                   "it first",
        .source = "mapping kernel graphs of applications in embedded systems, by mixed programs and heuristics",
        .cost = "O(e + n (log n + m + k)), e dependencies",
        .supports_graphs = true,
        .supports_available = true,
    },
    .policy = "h-ratio",
};

const hsi_algorithm hsi_alg_d_rank = {
    .about = {
        .struct_size = sizeof(hs_algorithm),
        .name = "d-rank",
        .summary = "as h-ratio, in the order of mean time, transfer time and mean time of the "
                   "longest path behind the task",
        .source = "mapping kernel graphs of applications in embedded systems, by mixed programs and heuristics",
        .cost = "O(e + n (log n + m + k)), e dependencies",
        .supports_graphs = true,
        .supports_available = true,
    },
    .policy = "d-rank",
};

const hsi_algorithm hsi_alg_dmda = {
    .about = {
        .struct_size = sizeof(hs_algorithm),
        .name = "dmda",
        .summary = "a task that becomes ready goes at once to the worker expected to end it first",
        .source = "StarPU; HEFT of the Cholesky paper",
        .cost = "O(e + n (log n + m + k)), e dependencies",
        .supports_graphs = true,
        .supports_available = true,
        .supported_ranks = 1 << HS_RANK_MIN | 1 << HS_RANK_AVG | 1 << HS_RANK_FIFO,
    },
    .policy = "dmda",
};
