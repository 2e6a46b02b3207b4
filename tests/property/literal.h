/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_LITERAL_H
#define TEST_PROPERTY_LITERAL_H

#include "sample.h"

/*
 * A second, literal implementation of each algorithm, written as its definition reads and without
 * regard to speed: arrays are scanned, allocations copied, sums added up afresh. The library's
 * schedules must be equal bit for bit.
 */
typedef struct plan {
    size_t        count, room;
    hs_placement *at; /* entries of all workers, for each worker in order of time */
} plan;

typedef void (*literal)(const sample *s, const hs_settings *settings, plan *out);

/* Return the literal implementation of an algorithm; NULL: none exists. */
literal literal_find(const char *algorithm);

/* Return NULL if both schedules are equal, else their first difference (a static string). */
const char *plan_first_difference(const plan *expected, const hs_schedule *found, const sample *s);
void        plan_free(plan *out);

void *literal_allocate(size_t count, size_t size); /* Return zeroed memory for `count` elements.
                                                      A failed allocation fails the test. */

void plan_add_entry(plan *out, uint32_t task, unsigned worker, double start, double end);

/* Append a run to the worker's entries; return its end. */
double plan_append(plan *out, const sample *s, double *loads, uint32_t task, unsigned worker);

/* Return the least loaded worker of a type that has workers; ties by lowest number. */
unsigned least_loaded(const sample *s, const double *loads, hs_type type);

/* Return the sign of p1/q1 - p2/q2, computed exactly. */
int literal_compare_ratios(double p1, double q1, double p2, double q2);

/* Set order[] to the tasks by rho, ascending or with `downwards` descending; ties by index. */
void literal_rho_order(const sample *s, bool downwards, uint32_t *order);

/* Set order[] to 0 .. n-1 by decreasing time; ties by index. */
void literal_time_order(size_t n, const double *time, uint32_t *order);

/* Return the time at which each worker is available: 0 without settings. The caller frees the
 * array. */
double *literal_loads(const sample *s, const hs_settings *settings);

/* Append the LPT schedule of an allocation to `out` (unless NULL); return its makespan. */
double literal_lpt_on(const sample *s, const unsigned char *type, const hs_settings *settings,
                      plan *out);

void literal_heteroprio(const sample *s, const hs_settings *settings, plan *out);
void literal_heteroprio_ns(const sample *s, const hs_settings *settings, plan *out);
void literal_balanced_estimate(const sample *s, const hs_settings *settings, plan *out);
void literal_balanced_makespan(const sample *s, const hs_settings *settings, plan *out);
void literal_dualhp(const sample *s, const hs_settings *settings, plan *out);
void literal_dada(const sample *s, const hs_settings *settings, plan *out);
void literal_clb2c(const sample *s, const hs_settings *settings, plan *out);
void literal_lpt(const sample *s, const hs_settings *settings, plan *out);
void literal_heft(const sample *s, const hs_settings *settings, plan *out);
void literal_heft_min(const sample *s, const hs_settings *settings, plan *out);

#endif
