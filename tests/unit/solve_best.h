/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_SOLVE_BEST_H
#define TESTS_UNIT_SOLVE_BEST_H

#include <hybridsched/hybridsched.h>

#include "suite.h"

/* Solve an instance with `best`, and assert that the schedule is valid and the reported certified
 * makespan is at least the reported bound. The caller frees the schedule. */
static inline hs_schedule *solve_best(const hs_instance *in, const hs_settings *settings,
                                      hs_report *report)
{
    hs_schedule *s = NULL;

    hs_report_init(report);
    ck_assert_int_eq(hs_solve_reported(hs_algorithm_find("best"), in, settings, &s, report), HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, s, NULL), HS_OK);
    ck_assert_double_ge(report->certified, report->bound);
    return s;
}

#endif
