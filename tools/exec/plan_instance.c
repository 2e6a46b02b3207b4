/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: a plan, or only a bound, for an instance given instead of a plan. */
#include <stdio.h>

#include <hybridsched/solve.h>

#include "common/certified.h"
#include "common/message.h"
#include "common/progress.h"
#include "exec/exec.h"

static void show_progress(void *data, const hs_progress *progress)
{
    const plan *p = data;
    char        makespan[32];

    hs_format_rounded(progress->makespan, 6, makespan);
    progress_set_done(0, "%s: planning, makespan %s", p->path, makespan);
}

static void print_plan(const plan *p, const hs_report *report)
{
    char        makespan[32];
    double      gap = certified_gap(p->in, p->s, report->bound);
    const char *unit = hs_unit_name(hs_instance_unit(p->in));

    hs_format_rounded(certified_time_beside(p->in, p->s, report->bound), 6, makespan);
    if (gap > 0 && !report->proved)
        message("%s: planned by best: makespan %s %s, at most %.2g%% above the optimum", p->path,
                makespan, unit, 100 * gap);
    else
        message("%s: planned by best: makespan %s %s, which is optimal", p->path, makespan, unit);
}

static void note_bound(plan *p, const char *name, double value)
{
    if (!(value > 0))
        return;
    snprintf(p->info.bounds[0].name, sizeof p->info.bounds[0].name, "%s", name);
    p->info.bounds[0].value = value;
    p->info.bound_count = 1;
}

int exec_bound_instance(plan *p)
{
    static const char name[] = "deadline";
    double            bound = 0;
    hs_status         status = hs_bound_compute(hs_bound_find(name), p->in, NULL, &bound);

    if (status != HS_OK)
        return message_status(status, p->path);
    note_bound(p, name, bound);
    return EXIT_OK;
}

int exec_plan_instance(plan *p, int quiet)
{
    hs_settings settings;
    hs_report   report;
    hs_status   status;

    hs_settings_init(&settings);
    hs_report_init(&report);
    settings.progress = show_progress;
    settings.progress_data = p;
    status = hs_solve_reported(hs_algorithm_find("best"), p->in, &settings, &p->s, &report);
    if (status != HS_OK)
        return message_status(status, p->path);
    if (certified_check_bound(p->path, p->in, certified_time_beside(p->in, p->s, 0),
                              hs_schedule_entry_count(p->s), report.bound_name, report.bound))
        return EXIT_WORK;
    snprintf(p->info.algorithm, sizeof p->info.algorithm, "best");
    note_bound(p, report.bound_name, report.bound);
    if (!quiet)
        print_plan(p, &report);
    return EXIT_OK;
}
