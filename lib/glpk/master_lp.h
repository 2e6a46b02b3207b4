/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GLPK_MASTER_LP_H
#define HSI_GLPK_MASTER_LP_H

#include "core/time_limit.h"

/*
 * The master LP of a column generation over patterns (sets of items that one worker runs): minimise
 * theta such that theta times the workers of each type, distributed over patterns, cover the demand
 * of every item. One type may be fluid for a time: it takes any fractions of items instead of
 * patterns.
 *
 * All results are hints without exactness.
 */
typedef struct hsi_master hsi_master;

typedef struct hsi_master_item {
    uint32_t item, copies;
} hsi_master_item;

hs_status hsi_master_open(size_t items, const uint32_t *demand, const unsigned workers[2],
                          hsi_master **out);
void      hsi_master_close(hsi_master *master);

/* Make a type fluid: item i takes time[i] of a worker's `span`. `time` must stay valid until
 * hsi_master_end_fluid(). */
void hsi_master_make_type_fluid(hsi_master *master, hs_type type, const double *time, double span);
void hsi_master_set_span(hsi_master *master, double span);

/* Make the fluid type use patterns again. */
void hsi_master_end_fluid(hsi_master *master);

/* Add a column; the items are copied. HS_ENOMEM. */
hs_status hsi_master_add_pattern(hsi_master *master, hs_type type, const hsi_master_item *items,
                                 size_t size);

size_t                 hsi_master_columns(const hsi_master *master);
hs_type                hsi_master_pattern_type(const hsi_master *master, size_t index);
const hsi_master_item *hsi_master_pattern_items(const hsi_master *master, size_t index,
                                                size_t *size);

/* Return the number of workers that run the column's pattern in the last solution. */
double hsi_master_pattern_workers(const hsi_master *master, size_t index);

typedef struct hsi_master_solution {
    double theta;
    double price[2]; /* multiplier of a worker by type; the sum of workers x price is 1 */
    int    optimal;  /* 0: the time was too short, and there is no solution */
} hsi_master_solution;

/*
 * Solve the LP; multiplier[i] is the multiplier of item i, on the scale of the prices. Each solve
 * starts from the last basis. Call under the guard (glpk/error_guard.h); GLPK's problem lives until
 * hsi_master_free_glpk_problem(), which must come in the same run of the guard. If the run ends
 * with an error, GLPK's problem is freed: call hsi_master_forget_glpk_problem().
 */
hs_status hsi_master_solve(hsi_master *master, const hsi_stop *stop, hsi_master_solution *solution,
                           double *multiplier);
void      hsi_master_free_glpk_problem(hsi_master *master);
void      hsi_master_forget_glpk_problem(hsi_master *master);

#endif
