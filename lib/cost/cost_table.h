/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_COST_TABLE_H
#define HSI_COST_TABLE_H

#include <hybridsched/cost.h>

#include "cost/log_linear.h"
#include "cost/power_law.h"
#include "cost/statistics.h"
#include "support/vector.h"

/* Equal executions. */
typedef struct hsi_cost_item {
    hsi_statistics all;
    hsi_statistics fresh;     /* executions since the last hs_cost_clear_fresh() */
    bool           restarted; /* true: `fresh` replaces the older statistics */
    hs_cost_level  level;
    hs_type        type;
    uint32_t       key;         /* index of the key */
    uint32_t       next_of_key; /* level HISTORY: next item of the key; HS_NONE: the last */
    uint64_t       what;        /* level HISTORY: 0 */
    hsi_sample     features;    /* level TASK: only the size; mean and weight are not set */
} hsi_cost_item;

/* Laws fitted to the items of a key. */
typedef struct hsi_cost_laws {
    bool           has_power, has_log_linear;
    hs_power_law   power;
    hsi_log_linear log_linear;
    bool           prefers_log_linear; /* true: it fits better than the power law */
    double         rate; /* median of operations per second; 0: unknown */
} hsi_cost_laws;

/* A key on one worker type; the fields are about its items of level HISTORY. */
typedef struct hsi_cost_key {
    char          name[HS_MAX_KEY];
    hs_type       type;
    uint32_t      first; /* first item; HS_NONE: none */
    size_t        items; /* items with executions */
    double        runs;  /* executions, without fading */
    double        fitted_runs; /* executions at the time of the last fit */
    double        log_sum;     /* sum of the logarithms of the items' means */
    hsi_cost_laws laws;
} hsi_cost_key;

/* Rates of a worker type, from the measurements of hsched-calibrate. */
typedef struct hsi_cost_rates {
    double flops;   /* operations per second of the fastest dgemm; 0: unknown */
    double bytes;   /* bytes per second of the fastest copy; 0: unknown */
    double launch;  /* time of the shortest dgemm or copy */
    double least;   /* least mean of any key; 0: no key */
    bool   current; /* true: the fields above include every execution */
} hsi_cost_rates;

/* An index from hashes to numbers: open addressing, HS_NONE for empty slots. */
typedef struct hsi_slots {
    uint32_t *slot;
    size_t    size; /* 0 or a power of two */
} hsi_slots;

struct hs_cost {
    hsi_vector     items, keys; /* of hsi_cost_item, of hsi_cost_key */
    hsi_slots      item_slots, key_slots;
    hsi_cost_rates rates[2]; /* by hs_type */
};

static inline hsi_cost_item *hsi_cost_items(const hs_cost *cost, size_t *count)
{
    *count = cost->items.size / sizeof(hsi_cost_item);
    return cost->items.data;
}

static inline hsi_cost_key *hsi_cost_keys(const hs_cost *cost, size_t *count)
{
    *count = cost->keys.size / sizeof(hsi_cost_key);
    return cost->keys.data;
}

/* Find a key, or an item of a key; NULL: there is none. */
hsi_cost_key  *hsi_cost_find_key(const hs_cost *cost, hs_type type, const char *name);
hsi_cost_item *hsi_cost_find_item(const hs_cost *cost, const hsi_cost_key *key,
                                  hs_cost_level level, const hs_features *features);

/* Find or create an item and its key; NULL: out of memory, no item was added. */
hsi_cost_item *hsi_cost_make_item(hs_cost *cost, hs_type type, hs_cost_level level,
                                  const hs_features *features);

#endif
