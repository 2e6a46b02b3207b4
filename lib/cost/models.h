/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_COST_MODELS_H
#define HSI_COST_MODELS_H

#include "cost/cost_table.h"

/* Fit the laws of a key again if its executions have doubled since the last fit. */
void hsi_cost_fit_key(hs_cost *cost, hsi_cost_key *key);

/* Return the current rates of a worker type. */
const hsi_cost_rates *hsi_cost_rates_of(hs_cost *cost, hs_type type);

/* A prediction to be made: the task's features and what the table has for them. */
typedef struct hsi_cost_query {
    hs_cost           *cost;
    hs_type            type;
    const hs_features *features;
    hsi_sample         sample; /* the features as numbers */
    hsi_cost_key      *key;    /* NULL: no execution with the key */
} hsi_cost_query;

/* Return whether the source `learned` can predict the task better than the source `power`. */
bool hsi_cost_prefers_learned(const hsi_cost_query *query);

/* A cost model: one source of predictions. */
typedef struct hsi_cost_model {
    const char    *name;
    hs_cost_source source;
    /* Set time, spread and runs; return false if the model cannot predict the task. */
    bool (*predict)(const hsi_cost_query *query, hs_prediction *prediction);
} hsi_cost_model;

/* Return a model, from the most accurate on; NULL: past the last. The last can always predict. */
const hsi_cost_model *hsi_cost_model_at(size_t index);

#endif
