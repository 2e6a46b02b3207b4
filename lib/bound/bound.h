/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_BOUND_H
#define HSI_BOUND_H

#include <hybridsched/certificate.h>

#include "core/problem.h"
#include "core/stop.h"

struct hs_bound {
    const char *name;
    const char *summary;
    const char *source;
    const char *cost;
    int         graph; /* where there is one, it is of the tasks and their graph, not of the rows */
    int         available; /* it takes settings.available; then it is in the rows */
    /* *value is the caller's own scratch; the report has been begun. */
    hs_status (*compute)(const hsi_problem *rows, const hs_settings *settings, double *value,
                         hs_bound_report *report);
    /* The same, and fills in value and proof; NULL: there are no certificates of it. */
    hs_status (*certify)(const hs_bound *bound, const hsi_problem *rows,
                         const hs_settings *settings, hs_certificate *c);
};

/* The time limit of a bound that takes time, unless the settings have one. */
#define HSI_BOUND_SECONDS 10

/* The instance as the bound takes it; to be closed. */
hs_status hsi_bound_problem(const hs_bound *bound, const hs_instance *in, hsi_asker *asker,
                            hsi_problem *pb);

/* A bound of an instance; the settings are resolved, `report` may be NULL. */
hs_status hsi_bound_run(const hs_bound *bound, const hs_instance *in, const hs_settings *settings,
                        double *value, hs_bound_report *report);

/* The same of rows, which may be another bound's. */
hs_status hsi_bound_of_rows(const hs_bound *bound, const hsi_problem *rows,
                            const hs_settings *settings, double *value, hs_bound_report *report);

/* By compute() and then hsi_certify_value(): for bounds that deadline dominates. */
hs_status hsi_certify_divisible(const hs_bound *bound, const hsi_problem *rows,
                                const hs_settings *settings, hs_certificate *c);

/* Proves `value`, which is no more than deadline's; in the last bit perhaps less. */
hs_status hsi_certify_value(const hsi_problem *rows, double value, hs_certificate *c);

/*
 * Proves by cases (bound/prove.h) that no schedule is shorter than `target`, or as much of
 * that as can be until `stop`. `deep`: with knapsacks and searches, else by multipliers alone.
 */
hs_status hsi_certify_tree(const hsi_problem *rows, double target, int deep, const hsi_stop *stop,
                           hs_certificate *certificate);

extern const hs_bound hsi_bound_theorem2, hsi_bound_min_time, hsi_bound_deadline, hsi_bound_area;
extern const hs_bound hsi_bound_critical_path, hsi_bound_paths, hsi_bound_work_paths;
extern const hs_bound hsi_bound_allocation, hsi_bound_mip, hsi_bound_configuration;

#endif
