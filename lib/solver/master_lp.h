/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_MASTER_LP_H
#define HSI_SOLVER_MASTER_LP_H

#include "core/stop.h"

/*
 * The master of a column generation over patterns (what one worker runs): the
 * least theta such that theta times the workers of each type, shared out over
 * patterns, cover every item as often as it demands. One type may be fluid for a
 * time: it takes any shares of items instead of patterns.
 *
 * Whatever comes out is a hint: nothing may be trusted to be exact.
 */
typedef struct hsi_master hsi_master;

typedef struct hsi_master_item {
    uint32_t item, copies;
} hsi_master_item;

hs_status hsi_master_open(size_t items, const uint32_t *demand, const unsigned workers[2],
                          hsi_master **out);
void      hsi_master_close(hsi_master *master);

/* Make a type fluid: item i takes time[i] (borrowed) of the `span` that a worker has. */
void hsi_master_fluid(hsi_master *master, hs_type type, const double *time, double span);
void hsi_master_set_span(hsi_master *master, double span);

/* No type is fluid any more. */
void hsi_master_solid(hsi_master *master);

/* Another demand from the next solve on, which then is best begun with the dual simplex. */
void hsi_master_demand(hsi_master *master, const uint32_t *demand);

/* A new column; copied. HS_ENOMEM. */
hs_status hsi_master_add(hsi_master *master, hs_type type, const hsi_master_item *items,
                         size_t size);

size_t                 hsi_master_columns(const hsi_master *master);
hs_type                hsi_master_type(const hsi_master *master, size_t column);
const hsi_master_item *hsi_master_items(const hsi_master *master, size_t column, size_t *size);

/* How many workers run the column's pattern in the last solution. */
double hsi_master_workers(const hsi_master *master, size_t column);

typedef struct hsi_master_solution {
    double theta;
    double price[2]; /* multiplier of a type's workers; workers x price is 1 in all */
    int    optimal;  /* else the time was too short: no solution */
} hsi_master_solution;

/*
 * Solves; y[i] is the multiplier of item i, on the scale of the prices. Each solve
 * starts from where the last one ended. Only under the guard (solver/guard.h), in
 * whose one run GLPK's problem is kept until hsi_master_rest(); if the run ended
 * with an error, GLPK's problem is gone and hsi_master_lost() has to be told.
 */
hs_status hsi_master_solve(hsi_master *master, const hsi_stop *stop,
                           hsi_master_solution *solution, double *y);
void      hsi_master_rest(hsi_master *master);
void      hsi_master_lost(hsi_master *master);

#endif
