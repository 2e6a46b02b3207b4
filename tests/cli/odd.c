/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linked into copies of the tools, in place of some calls of the library: bounds that are wrong,
 * and signals at a moment that is sure. The environment says which:
 *
 *   ODD_BOUND=NAME   the bound of that name, or what a search proved by it, is ten times as high
 *   ODD_SIGNAL=N     this process gets signal N ...
 *   ODD_TWICE=1      ... twice ...
 *   ODD_AT=NAME      ... when that bound or algorithm is begun; of `best` and `exact`, when it has
 *                    its first schedule
 *   ODD_CALL=I       ... or at call I of hs_solve_makespan()
 */
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "common/stop.h"

hs_status __real_hs_bound_compute(const hs_bound *bound, const hs_instance *in,
                                  const hs_settings *settings, double *value);
hs_status __wrap_hs_bound_compute(const hs_bound *bound, const hs_instance *in,
                                  const hs_settings *settings, double *value);
hs_status __real_hs_bound_compute_reported(const hs_bound *bound, const hs_instance *in,
                                           const hs_settings *settings, double *value,
                                           hs_bound_report *report);
hs_status __wrap_hs_bound_compute_reported(const hs_bound *bound, const hs_instance *in,
                                           const hs_settings *settings, double *value,
                                           hs_bound_report *report);
hs_status __real_hs_certificate_create(const hs_bound *bound, const hs_instance *in,
                                       const hs_settings *settings, hs_certificate **out);
hs_status __wrap_hs_certificate_create(const hs_bound *bound, const hs_instance *in,
                                       const hs_settings *settings, hs_certificate **out);
double    __real_hs_certificate_value(const hs_certificate *certificate);
double    __wrap_hs_certificate_value(const hs_certificate *certificate);
hs_status __real_hs_solve_reported(const hs_algorithm *alg, const hs_instance *in,
                                   const hs_settings *settings, hs_schedule **out,
                                   hs_report *report);
hs_status __wrap_hs_solve_reported(const hs_algorithm *alg, const hs_instance *in,
                                   const hs_settings *settings, hs_schedule **out,
                                   hs_report *report);
hs_status __real_hs_solve_makespan(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                                   const hs_settings *settings, double *makespan,
                                   hs_report *report);
hs_status __wrap_hs_solve_makespan(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                                   const hs_settings *settings, double *makespan,
                                   hs_report *report);

static int is_named(const char *variable, const char *name)
{
    const char *wanted = getenv(variable);

    return wanted && strcmp(wanted, name) == 0;
}

/* It returns once the signal has been dealt with, by whichever thread; twice: never. */
static void send_signal(void)
{
    static atomic_flag sent = ATOMIC_FLAG_INIT;
    const char        *number = getenv("ODD_SIGNAL");

    if (!number)
        return;
    if (!atomic_flag_test_and_set(&sent)) /* of several threads, one */
        kill(getpid(), atoi(number));
    while (!stop_requested(NULL))
        sched_yield();
    if (!getenv("ODD_TWICE"))
        return;
    kill(getpid(), atoi(number));
    for (;;)
        pause();
}

static void begin(const char *name)
{
    if (is_named("ODD_AT", name))
        send_signal();
}

static void raise_bound(const char *name, double *value)
{
    if (is_named("ODD_BOUND", name))
        *value *= 10;
}

hs_status __wrap_hs_bound_compute(const hs_bound *bound, const hs_instance *in,
                                  const hs_settings *settings, double *value)
{
    hs_status status = __real_hs_bound_compute(bound, in, settings, value);

    raise_bound(hs_bound_name(bound), value);
    return status;
}

hs_status __wrap_hs_bound_compute_reported(const hs_bound *bound, const hs_instance *in,
                                           const hs_settings *settings, double *value,
                                           hs_bound_report *report)
{
    hs_status status;

    begin(hs_bound_name(bound));
    status = __real_hs_bound_compute_reported(bound, in, settings, value, report);
    raise_bound(hs_bound_name(bound), value);
    return status;
}

hs_status __wrap_hs_certificate_create(const hs_bound *bound, const hs_instance *in,
                                       const hs_settings *settings, hs_certificate **out)
{
    begin(hs_bound_name(bound));
    return __real_hs_certificate_create(bound, in, settings, out);
}

double __wrap_hs_certificate_value(const hs_certificate *certificate)
{
    double value = __real_hs_certificate_value(certificate);

    raise_bound(hs_certificate_bound(certificate), &value);
    return value;
}

/* The progress callback that a tool has set, behind one's own. */
typedef struct progress_of {
    const hs_settings *tool;
    int                sends;
} progress_of;

static void on_progress(void *data, const hs_progress *progress)
{
    const progress_of *of = data;

    if (of->tool->progress)
        of->tool->progress(of->tool->progress_data, progress);
    if (of->sends && isfinite(progress->makespan))
        send_signal();
}

hs_status __wrap_hs_solve_reported(const hs_algorithm *alg, const hs_instance *in,
                                   const hs_settings *settings, hs_schedule **out,
                                   hs_report *report)
{
    const char *name = hs_algorithm_name(alg);
    int         searches = strcmp(name, "best") == 0 || strcmp(name, "exact") == 0;
    progress_of of = {settings, searches && is_named("ODD_AT", name)};
    hs_settings its = *settings;
    hs_status   status;

    its.progress = on_progress;
    its.progress_data = &of;
    if (!searches)
        begin(name);
    status = __real_hs_solve_reported(alg, in, &its, out, report);
    if (status == HS_OK && report)
        raise_bound(report->bound_name, &report->bound);
    return status;
}

hs_status __wrap_hs_solve_makespan(hs_workspace *ws, const hs_algorithm *alg, const hs_instance *in,
                                   const hs_settings *settings, double *makespan, hs_report *report)
{
    static uint64_t calls;
    const char     *at = getenv("ODD_CALL");

    if (at && ++calls == strtoull(at, NULL, 10))
        send_signal();
    return __real_hs_solve_makespan(ws, alg, in, settings, makespan, report);
}
