/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GENERATE_WORST_WORST_H
#define HSI_GENERATE_WORST_WORST_H

#include <hybridsched/generate.h>

#include "support/vector.h"

#define HSI_NEVER 0 /* a time: no implementation on this type */

/*
 * Writer of an instance and its plans, in whole numbers. Each family keeps every time, and their
 * sum, below 2^53, where doubles are exact. The first failure stays in `status`, and later calls
 * have no effect.
 */
typedef struct hsi_worst_case {
    hs_builder *builder;
    hs_status   status;
    uint32_t    tasks;
    hsi_vector *witness, *bad; /* hs_placement; NULL: not requested */
} hsi_worst_case;

struct hs_worst {
    const char *name;
    const char *summary;
    unsigned    least, most, step; /* valid arguments: least, least + step, ... most */
    void (*workers)(unsigned argument, unsigned *cpus, unsigned *gpus);
    void (*write)(unsigned argument, hsi_worst_case *c);
};

extern const hs_worst hsi_worst_hp_1_1;
extern const hs_worst hsi_worst_hp_m_1;
extern const hs_worst hsi_worst_hp_m_n;
extern const hs_worst hsi_worst_balanced;
extern const hs_worst hsi_worst_list;

/* Add `count` equal tasks; returns the number of the first. */
uint32_t hsi_worst_add_tasks(hsi_worst_case *c, const char *id, uint64_t cpu, uint64_t gpu,
                             int64_t priority, uint32_t count);

/* Add a run to a plan (may be NULL); returns its end. */
uint64_t hsi_worst_add_run(hsi_worst_case *c, hsi_vector *plan, uint32_t worker, uint64_t start,
                           uint64_t time, uint32_t task);

/*
 * Six tasks of each length 2K .. 4K-1 and one of 6K, for 6K GPUs: equal CPU times, GPU times of
 * length times `unit`. The order of the tasks makes a list schedule take 12K-1 instead of the
 * optimum 6K; priorities fall from `priority` in this order to 0 for the last task.
 */
typedef struct hsi_gpu_tasks {
    unsigned k;
    uint64_t unit;
    uint32_t first; /* first task */
} hsi_gpu_tasks;

void hsi_gpu_tasks_add(hsi_gpu_tasks *t, hsi_worst_case *c, uint64_t cpu, int64_t priority);

/* Place the tasks optimally on 6K GPUs, from worker `gpu` on. */
void hsi_gpu_tasks_place_optimally(const hsi_gpu_tasks *t, hsi_worst_case *c, uint32_t gpu);

#endif
