/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_H
#define HSI_BOUND_H

#include <hybridsched/certificate.h>

#include "core/problem.h"
#include "core/time_limit.h"

struct hs_bound {
    const char *name;
    const char *summary;
    const char *source;
    const char *cost;
    bool        graph;       /* whether the bound is of graphs: the problem then has the tasks and
                                their graph instead of the rows */
    bool supports_available; /* whether the bound supports settings.available, which the
                                problem then contains */
    /* Compute the bound. *value is scratch of the caller; the report has been initialised. */
    hs_status (*compute)(const hsi_problem *rows, const hs_settings *settings, double *value,
                         hs_bound_report *report);
    /* Compute the bound and fill in value and proof; NULL: the bound has no certificates. */
    hs_status (*certify)(const hs_bound *bound, const hsi_problem *rows,
                         const hs_settings *settings, hs_certificate *c);
};

/* Default time limit, in seconds, of bounds that search. */
#define HSI_BOUND_SECONDS 10

/* Build the problem of an instance for the bound; the caller closes it. */
hs_status hsi_bound_open_problem(const hs_bound *bound, const hs_instance *in, hsi_token *token,
                                 hsi_problem *pb);

/* Compute a bound of an instance with resolved settings; `report` may be NULL. */
hs_status hsi_bound_run(const hs_bound *bound, const hs_instance *in, const hs_settings *settings,
                        double *value, hs_bound_report *report);

/* Compute a bound of rows, perhaps on behalf of another bound; `report` may be NULL. */
hs_status hsi_bound_compute_for_rows(const hs_bound *bound, const hsi_problem *rows,
                                     const hs_settings *settings, double *value,
                                     hs_bound_report *report);

/* Certify a bound that deadline dominates: compute the value, then call hsi_certify_value(). */
hs_status hsi_certify_divisible(const hs_bound *bound, const hsi_problem *rows,
                                const hs_settings *settings, hs_certificate *c);

/* Prove `value`, which must not exceed deadline's; the proof may lose the last bit. */
hs_status hsi_certify_value(const hsi_problem *rows, double value, hs_certificate *c);

/*
 * Prove by cases (bound/proof/prove.h) that no schedule is shorter than `target`, or than the
 * highest value proved until `stop`. `with_searches`: also by knapsacks and searches; else by
 * multipliers alone.
 */
hs_status hsi_certify_by_cases(const hsi_problem *rows, double target, bool with_searches,
                               const hsi_stop *stop, hs_certificate *certificate);

extern const hs_bound hsi_bound_theorem2, hsi_bound_min_time, hsi_bound_deadline, hsi_bound_area;
extern const hs_bound hsi_bound_critical_path, hsi_bound_paths, hsi_bound_work_paths;
extern const hs_bound hsi_bound_place_windows, hsi_bound_place_probes;
extern const hs_bound hsi_bound_allocation, hsi_bound_mip, hsi_bound_configuration;

#endif
