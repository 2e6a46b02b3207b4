/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_GRAPH_PLACES_PROBE_H
#define HSI_REFINE_GRAPH_PLACES_PROBE_H

#include "refine/graph/places/place_rules.h"

/*
 * Probing: each task with several open places is fixed on each of them in turn, and the rules are
 * applied. A refuted place is closed; what holds on all other places is added to the state. The
 * task whose weakest place raises heads and tails most is the task to branch on. GPUs that no
 * decision names are alike, so the first of them is probed for all.
 */
typedef struct hsi_place_prober {
    hsi_place_rules *rules;
    hsi_place_state *trial, *hull; /* state of a probe; what holds in all probes of a task */
    uint32_t         next;         /* next task to probe */
    uint32_t         best;         /* task to branch on; HS_NONE: none yet */
    double           best_score;
    uint32_t         best_places;                         /* bit set of places to branch on */
    double           best_measure[HSI_PLACE_TREE_PLACES]; /* measure of each of them */
} hsi_place_prober;

hs_status hsi_place_prober_open(hsi_place_prober *prober, hsi_place_rules *rules);
void      hsi_place_prober_close(hsi_place_prober *prober);

/* Begin with the first task. */
void hsi_place_prober_begin(hsi_place_prober *prober);

static inline bool hsi_place_prober_ended(const hsi_place_prober *prober)
{
    return prober->next == prober->rules->model->n;
}

/* Probe the next task. Return false if the state is refuted. */
bool hsi_place_prober_step(hsi_place_prober *prober, hsi_place_state *state);

#endif
