/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_BOUND_H
#define HYBRIDSCHED_BOUND_H

#include <hybridsched/solve.h>

HS_BEGIN_DECLS

/** A lower bound on the makespan of every schedule. Static, never freed. */
typedef struct hs_bound hs_bound;

HS_API size_t          hs_bound_count(void);
HS_API const hs_bound *hs_bound_at(size_t index);
HS_API const hs_bound *hs_bound_find(const char *name); /* NULL: unknown name */
HS_API const char     *hs_bound_name(const hs_bound *bound);
HS_API const char     *hs_bound_summary(const hs_bound *bound);
HS_API const char     *hs_bound_source(const hs_bound *bound);
HS_API const char     *hs_bound_cost(const hs_bound *bound);
HS_API int             hs_bound_supports_available(const hs_bound *bound); /* settings.available */

/**
 * Compute the bound's value, rounded so that it never exceeds the optimum. Rows with a count are
 * not expanded. NULL settings mean defaults. At its time limit a bound returns HS_OK and the value
 * proved until then. Failures leave *value untouched: HS_ECANCELED, HS_ETOOBIG, HS_ESOLVER,
 * HS_ENOMEM; HS_EAVAILABLE: the bound does not support settings.available.
 */
HS_API hs_status hs_bound_compute(const hs_bound *bound, const hs_instance *in,
                                  const hs_settings *settings, double *value);

/** Report on the computation of a bound. Always start from hs_bound_report_init(). */
typedef struct hs_bound_report {
    size_t struct_size;
    int    limit_reached; /* 1: time_limit stopped the computation; the value is valid, but more
                             time might raise it */
} hs_bound_report;

HS_API void hs_bound_report_init_sized(hs_bound_report *report, size_t size);
#define hs_bound_report_init(r) hs_bound_report_init_sized((r), sizeof *(r))

/** Compute as hs_bound_compute() does, and fill `report` (may be NULL). */
HS_API hs_status hs_bound_compute_reported(const hs_bound *bound, const hs_instance *in,
                                           const hs_settings *settings, double *value,
                                           hs_bound_report *report);

HS_END_DECLS

#endif
