/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrappers for copies of the tools (ld --wrap): wrong bounds, and signals at defined moments.
 * Environment variables select the behaviour:
 *
 *   ODD_BOUND=NAME   multiply the named bound, or a value that a search proved with it, by ten
 *   ODD_SIGNAL=N     send signal N to this process ...
 *   ODD_TWICE=1      ... twice ...
 *   ODD_AT=NAME      ... at the start of the named bound or algorithm; for `best` and `exact`, at
 *                    the first schedule
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
double    __real_hs_certificate_proved_value(const hs_certificate *certificate);
double    __wrap_hs_certificate_proved_value(const hs_certificate *certificate);
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

static bool is_named(const char *variable, const char *name)
{
    const char *wanted = getenv(variable);

    return wanted && strcmp(wanted, name) == 0;
}

/* Send the signal and return after a thread has handled it. With ODD_TWICE, send it again and never
 * return. */
static void send_signal(void)
{
    static atomic_flag sent = ATOMIC_FLAG_INIT;
    const char        *number = getenv("ODD_SIGNAL");

    if (!number)
        return;
    if (!atomic_flag_test_and_set(&sent)) /* by a single thread */
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

double __wrap_hs_certificate_proved_value(const hs_certificate *certificate)
{
    double value = __real_hs_certificate_proved_value(certificate);

    raise_bound(hs_certificate_bound_name(certificate), &value);
    return value;
}

/* The tool's progress settings, called from the progress callback of this file. */
typedef struct progress_of {
    const hs_settings *tool;
    bool               sends;
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
    bool        searches = strcmp(name, "best") == 0 || strcmp(name, "exact") == 0;
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
