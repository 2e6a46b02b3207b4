/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GENERATE_WORST_WORST_H
#define HSI_GENERATE_WORST_WORST_H

#include <hybridsched/generate.h>

#include "support/vector.h"

#define HSI_NEVER 0 /* a time: no implementation there */

/*
 * An instance with its plans, being written down in whole numbers. Each family
 * keeps every time, and the sum of all of them, below 2^53: doubles are exact.
 * The first failure stays in `status`, and later calls do nothing.
 */
typedef struct hsi_worst_case {
    hs_builder *builder;
    hs_status   status;
    uint32_t    tasks;
    hsi_vector *witness, *bad; /* of hs_placement; NULL: nobody wants it */
} hsi_worst_case;

struct hs_worst {
    const char *name;
    const char *summary;
    unsigned    least, most, step; /* arguments: least, least + step, ... most */
    void (*workers)(unsigned argument, unsigned *cpus, unsigned *gpus);
    void (*write)(unsigned argument, hsi_worst_case *c);
};

extern const hs_worst hsi_worst_hp_1_1;
extern const hs_worst hsi_worst_hp_m_1;
extern const hs_worst hsi_worst_hp_m_n;
extern const hs_worst hsi_worst_balanced;
extern const hs_worst hsi_worst_list;

/* Adds `count` like tasks; returns the number of the first of them. */
uint32_t hsi_worst_tasks(hsi_worst_case *c, const char *id, uint64_t cpu, uint64_t gpu,
                         int64_t priority, uint32_t count);

/* Adds a run to a plan (nothing if it is NULL); returns when it ends. */
uint64_t hsi_worst_run(hsi_worst_case *c, hsi_vector *plan, uint32_t worker, uint64_t start,
                       uint64_t time, uint32_t task);

/*
 * Six tasks of each length 2K .. 4K-1 and one of 6K, for 6K GPUs: all of one
 * CPU time, lengths on the GPU times `unit`. Numbered in the order in which a list
 * schedule takes 12K-1 instead of the optimum 6K; priorities fall from
 * `priority` in that order, the last one's is 0.
 */
typedef struct hsi_lengths {
    unsigned k;
    uint64_t unit;
    uint32_t first; /* task */
} hsi_lengths;

void hsi_lengths_add(hsi_lengths *t, hsi_worst_case *c, uint64_t cpu, int64_t priority);

/* Their optimum, on the workers from `gpu` on. */
void hsi_lengths_witness(const hsi_lengths *t, hsi_worst_case *c, uint32_t gpu);

#endif
