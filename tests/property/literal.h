/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_LITERAL_H
#define TEST_PROPERTY_LITERAL_H

#include "sample.h"

/*
 * Each algorithm once more, written as its definition reads and with no thought
 * for speed: arrays are scanned, allocations copied, sums added up anew. The
 * library's schedules are to be the same, bit for bit.
 */
typedef struct plan {
    size_t        count, room;
    hs_placement *at; /* for each worker in order of time */
} plan;

typedef void (*literal)(const sample *s, const hs_settings *settings, plan *out);

/* NULL if the algorithm has not been written down a second time. */
literal literal_find(const char *algorithm);

/* NULL if both are the same, or where they first differ (a static string). */
const char *plan_differs(const plan *expected, const hs_schedule *found, const sample *s);
void        plan_free(plan *out);

void *literal_memory(size_t count, size_t size); /* zeroed; fails the test, never NULL */

void plan_put(plan *out, uint32_t task, unsigned worker, double start, double end);

/* Appends a run after what the worker has; returns its end. */
double plan_append(plan *out, const sample *s, double *loads, uint32_t task, unsigned worker);

/* The least loaded worker of a type, the lowest number among equals; at least one is there. */
unsigned least_loaded(const sample *s, const double *loads, hs_type type);

/* Sign of p1/q1 - p2/q2, exactly. */
int literal_compare_ratios(double p1, double q1, double p2, double q2);

/* order[] = tasks by rho, upwards or downwards; ties by index. */
void literal_rho_order(const sample *s, int downwards, uint32_t *order);

/* order[] = 0 .. n-1 by decreasing time; ties by index. */
void literal_time_order(size_t n, const double *time, uint32_t *order);

/* When each worker is free: as the settings say, or (NULL settings too) at 0. To be freed. */
double *literal_loads(const sample *s, const hs_settings *settings);

/* LPT within each type on an allocation; appends to `out` unless NULL. The makespan. */
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
