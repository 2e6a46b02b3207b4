/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_BOUND_H
#define HYBRIDSCHED_BOUND_H

#include <hybridsched/solve.h>

HS_BEGIN_DECLS

/** A lower bound on the makespan of every schedule. Static, never freed. */
typedef struct hs_bound hs_bound;

HS_API size_t          hs_bound_count(void);
HS_API const hs_bound *hs_bound_at(size_t index);
HS_API const hs_bound *hs_bound_find(const char *name); /* NULL if there is none */
HS_API const char     *hs_bound_name(const hs_bound *bound);
HS_API const char     *hs_bound_summary(const hs_bound *bound);
HS_API const char     *hs_bound_source(const hs_bound *bound);
HS_API const char     *hs_bound_cost(const hs_bound *bound);

/**
 * The value of the bound, rounded so that it never exceeds the optimum.
 * Rows with a count are not expanded. NULL settings mean defaults.
 */
HS_API hs_status hs_bound_compute(const hs_bound *bound, const hs_instance *in,
                                  const hs_settings *settings, double *value);

HS_END_DECLS

#endif
