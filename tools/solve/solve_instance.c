/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve: the work on one instance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/available.h"
#include "common/certified.h"
#include "common/clock.h"
#include "common/input.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/progress.h"
#include "common/stop.h"
#include "solve/solve_instance.h"

static void add_name(name_list *list, const char *name)
{
    if (list->used < sizeof list->text)
        list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used,
                                       "%s%s", list->used ? ", " : "", name);
}

/*
 * Return whether a signal may stop the work now. A search may call this function in several
 * threads.
 */
static int may_stop(void *data)
{
    const run *r = data;

    return stop_requested(NULL) && __atomic_load_n(&r->has_result, __ATOMIC_RELAXED);
}

static void set_has_result(run *r, bool has)
{
    __atomic_store_n(&r->has_result, has, __ATOMIC_RELAXED);
}

size_t solve_steps(const solve_request *request)
{
    return 1 + request->bound_count + request->algorithm_count;
}

static int read_affinities(const solve_request *request, const hs_instance *in,
                           hs_affinity **affinities, size_t *count)
{
    hs_error      error = {0};
    input         file;
    int           code;

    if (!request->affinity)
        return EXIT_OK;
    code = input_open(request->affinity, &file);
    if (code)
        return code;
    code = input_status(&file, hs_affinities_read(file.fd, in, affinities, count, &error), &error);
    input_close(&file);
    return code;
}

int solve_failed(const run *r, const char *what, hs_status status)
{
    message("%s: %s: %s%s", r->result->path, what, hs_status_text(status),
            status == HS_EDEPENDENT   ? "; hsched-solve --list says which algorithms take graphs"
            : status == HS_EAVAILABLE ? "; hsched-solve --list says which take --available"
                                      : "");
    return exit_code(status);
}

static void add_bound(solve_result *result, const char *name, double value, double seconds)
{
    solve_row *row = &result->bounds[result->bound_count++];

    row->name = name;
    row->value = value;
    row->seconds = seconds;
    if (result->bound_count == 1 || value > result->bound.value) {
        result->bound.value = value;
        snprintf(result->bound.name, sizeof result->bound.name, "%s", name);
    }
}

/*
 * Return whether a bound may be left out: it was not named, and it is unsupported for this instance
 * or its solver failed.
 */
static bool may_leave_out(const wanted_bound *wanted, hs_status status)
{
    return !wanted->by_name && (status == HS_ETOOBIG || status == HS_ESOLVER ||
                                status == HS_EUNSUPPORTED || status == HS_EAVAILABLE);
}

static int compute_bound(run *r, const wanted_bound *wanted)
{
    const hs_bound *bound = wanted->bound;
    const char     *name = hs_bound_name(bound);
    double          start = clock_now(), value;
    hs_bound_report report;
    hs_status       status;

    if (may_stop(r)) {
        add_name(&r->stopped, name);
        return EXIT_OK;
    }
    hs_bound_report_init(&report);
    progress_set_done(r->step++, "%s: bound %s", r->result->path, name);
    if (solve_certificate_wanted(r) && hs_bound_supports_certificate(bound))
        status = solve_certify(r, bound, &value);
    else
        status = hs_bound_compute_reported(bound, r->in, &r->settings, &value, &report);
    if (status == HS_ECANCELED) {
        add_name(&r->stopped, name);
        return EXIT_OK;
    }
    if (may_leave_out(wanted, status)) {
        message("%s: bound '%s' left out: %s", r->result->path, name, hs_status_text(status));
        return EXIT_OK;
    }
    if (status != HS_OK)
        return solve_failed(r, name, status);
    if (report.limit_reached)
        message("%s: bound '%s' stopped at its time limit; a longer limit (-t) may raise it",
                r->result->path, name);
    add_bound(r->result, name, value, clock_now() - start);
    return EXIT_OK;
}

static bool is_late(const wanted_bound *wanted)
{
    return wanted->slow && !wanted->by_name;
}

/* If a signal stopped all bounds, compute the quick "deadline" bound: makespans then have a gap. */
static int compute_quick_bound(run *r)
{
    hs_named_bound *found = &r->result->bound;
    const hs_bound *bound = hs_bound_find("deadline");
    hs_status       status;

    if (!stop_requested(NULL) || r->result->bound_count > 0)
        return EXIT_OK;
    r->settings.cancel = NULL;
    status = solve_certificate_wanted(r)
                 ? solve_certify(r, bound, &found->value)
                 : hs_bound_compute(bound, r->in, &r->settings, &found->value);
    r->settings.cancel = may_stop;
    snprintf(found->name, sizeof found->name, "%s", hs_bound_name(bound));
    return status == HS_OK ? EXIT_OK : solve_failed(r, found->name, status);
}

static int compute_bounds(run *r)
{
    int code = EXIT_OK;

    for (size_t i = 0; i < r->request->bound_count && !code; i++)
        if (!is_late(&r->request->bounds[i]))
            code = compute_bound(r, &r->request->bounds[i]);
    return code ? code : compute_quick_bound(r);
}

/*
 * Check the schedule of an algorithm. An invalid schedule is a defect of this software and is not
 * reported as a result.
 */
static int check(const run *r, const char *name, const hs_schedule *s)
{
    hs_error     error;
    hs_status    status = hs_schedule_check_available(r->in, s, r->settings.available, &error);

    if (status == HS_ESCHEDULE) {
        message("%s: internal error: the schedule of %s is invalid: %s", r->result->path, name,
                error.why);
        return exit_code(status);
    }
    return status == HS_OK ? EXIT_OK : solve_failed(r, name, status);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/*
 * Show the state of the search in the progress line; from its first schedule on, a signal may stop
 * it.
 */
static void show_progress(void *data, const hs_progress *progress)
{
    run   *r = data;
    double bound = larger(progress->bound, r->result->bound.value);
    char   makespan[32], least[32];

    if (isfinite(progress->makespan))
        set_has_result(r, true);
    hs_format_rounded(progress->makespan, 6, makespan);
    hs_format_rounded(bound, 6, least);
    progress_set_done(r->step - 1, "%s: %s, makespan %s, bound %s, gap %.4f%%", r->result->path,
                      progress->phase, makespan, least,
                      bound > 0 ? 100 * larger(0, progress->makespan / bound - 1) : INFINITY);
}

/* Keep the bound of a search if it is larger than the bounds computed before. */
static void take_bound(solve_result *result, const hs_report *report)
{
    if (!(report->bound > result->bound.value))
        return;
    result->bound.value = report->bound;
    snprintf(result->bound.name, sizeof result->bound.name, "%s", report->bound_name);
}

/*
 * Return whether the schedule itself is needed, not only its makespan. Copies of a row need no own
 * entries if no plan is written. A graph always needs its schedule, because the certified makespan
 * is compared with bounds.
 */
static bool schedule_wanted(const run *r)
{
    output *const *file = r->request->file;

    return file[SOLVE_PLAN] || file[SOLVE_GANTT] || file[SOLVE_TRACE] || r->request->metrics ||
           hs_instance_has_graph(r->in) || hs_instance_rows(r->in) == hs_instance_tasks(r->in);
}

static void keep_best(run *r, hs_schedule *s, double makespan)
{
    if (r->result->best && makespan >= r->best_makespan) {
        hs_schedule_free(s);
        return;
    }
    hs_schedule_free(r->result->best);
    r->result->best = s;
    r->best_makespan = makespan;
}

/*
 * Handle a failed algorithm. Return 0 if it may be left out because only `all` selected it, or a
 * signal stopped it; otherwise an exit code after a message.
 */
static int refused(const run *r, const wanted_algorithm *wanted, solve_row *row, hs_status status)
{
    if (!wanted->by_name &&
        (status == HS_EDEPENDENT || status == HS_EWORKER || status == HS_EAVAILABLE)) {
        row->left_out = true;
        return EXIT_OK;
    }
    if (status == HS_ECANCELED) {
        row->stopped = true;
        return EXIT_OK;
    }
    if (status != HS_EWORKER)
        return solve_failed(r, row->name, status);
    message("%s: %s: a task cannot run on the type of worker that this algorithm uses",
            r->result->path,
            row->name);
    return exit_code(status);
}

static void measure(const hs_instance *in, const hs_schedule *s, solve_row *row)
{
    size_t             count;
    const hs_transfer *transfers = hs_schedule_transfers(s, &count);

    hs_schedule_compute_metrics(in, s, &row->metrics);
    row->copied = transfer_totals_of(in, transfers, count);
}

static int run_scheduling(run *r, const wanted_algorithm *wanted, solve_row *row, hs_report *report)
{
    hs_schedule *s = NULL;
    double       start = clock_now();
    hs_status    status = hs_solve_reported(wanted->algorithm, r->in, &r->settings, &s, report);
    int          code;

    if (status != HS_OK)
        return refused(r, wanted, row, status);
    row->seconds = clock_now() - start;
    code = check(r, row->name, s);
    if (code) {
        hs_schedule_free(s);
        return code;
    }
    row->value = larger(certified_time_beside(r->in, s, 0), report->certified);
    row->spoliated = hs_schedule_entry_count(s) - hs_instance_tasks(r->in);
    if (r->request->metrics)
        measure(r->in, s, row);
    keep_best(r, s, row->value);
    return EXIT_OK;
}

static int run_unscheduled(run *r, const wanted_algorithm *wanted, solve_row *row,
                           hs_report *report)
{
    double    start = clock_now();
    hs_status status =
        hs_solve_makespan(NULL, wanted->algorithm, r->in, &r->settings, &row->value, report);

    if (status != HS_OK)
        return refused(r, wanted, row, status);
    row->seconds = clock_now() - start;
    row->value = larger(row->value, report->certified);
    row->spoliated = report->aborted;
    return EXIT_OK;
}

static int run_algorithm(run *r, const wanted_algorithm *wanted, solve_row *row)
{
    hs_report report;
    int       code;

    row->name = wanted->name;
    r->settings.rank = wanted->rank;
    progress_set_done(r->step++, "%s: %s", r->result->path, row->name);
    hs_report_init(&report);
    code = schedule_wanted(r) ? run_scheduling(r, wanted, row, &report)
                              : run_unscheduled(r, wanted, row, &report);
    if (code || row->left_out || row->stopped)
        return code;
    snprintf(row->members, sizeof row->members, "%s", report.members);
    snprintf(row->found_by, sizeof row->found_by, "%s", report.found_by);
    row->optimal = report.proved && r->settings.gap == 0;
    take_bound(r->result, &report);
    return EXIT_OK;
}

/* Print the names of bounds and algorithms without a result because of a signal. */
static void print_stopped(run *r)
{
    if (r->stopped.used > 0)
        message("%s: stopped before the result of: %s", r->result->path, r->stopped.text);
}

int solve_check_bound(const run *r, const char *name, double bound)
{
    size_t tasks = hs_instance_tasks(r->in);
    int    code = EXIT_OK;

    for (size_t i = 0; i < r->result->algorithm_count && !code; i++) {
        const solve_row *row = &r->result->algorithms[i];

        code = certified_check_bound(r->result->path, r->in, row->value, tasks + row->spoliated,
                                     name, bound);
    }
    return code;
}

/* Set the gaps to the best bound. A makespan no larger than a proved optimum is optimal too. */
static int set_gaps(const run *r)
{
    solve_result *result = r->result;
    double        bound = result->bound.value, optimum = bound;
    size_t        tasks = hs_instance_tasks(r->in);
    int           code = solve_check_bound(r, result->bound.name, bound);

    for (size_t i = 0; i < result->algorithm_count; i++) {
        solve_row *row = &result->algorithms[i];

        row->value = certified_makespan_beside(r->in, row->value, tasks + row->spoliated, bound);
        if (row->optimal)
            optimum = larger(optimum, row->value);
    }
    for (size_t i = 0; i < result->algorithm_count; i++) {
        solve_row *row = &result->algorithms[i];

        row->gap = row->value <= optimum ? 0 : row->value / bound - 1;
    }
    return code;
}

/* Run an algorithm and fill the next row, unless it has no result. */
static int add_algorithm(run *r, const wanted_algorithm *wanted, name_list *left_out)
{
    solve_result *result = r->result;
    solve_row    *row = &result->algorithms[result->algorithm_count];
    int           code = EXIT_OK;

    if (may_stop(r)) {
        add_name(&r->stopped, wanted->name);
        return EXIT_OK;
    }
    code = run_algorithm(r, wanted, row);
    if (row->left_out || row->stopped) {
        add_name(row->left_out ? left_out : &r->stopped, row->name);
        *row = (solve_row){.name = NULL};
        return code;
    }
    result->algorithm_count++;
    set_has_result(r, true);
    return code;
}

static int run_algorithms(run *r)
{
    solve_result *result = r->result;
    name_list     left_out = {.used = 0};
    int           code = EXIT_OK;

    set_has_result(r, false);
    for (size_t i = 0; i < r->request->algorithm_count && !code; i++)
        code = add_algorithm(r, &r->request->algorithms[i], &left_out);
    if (!code)
        code = set_gaps(r);
    if (!code && left_out.used > 0)
        message("%s: algorithms without support for such tasks%s left out: %s", result->path,
                r->settings.available ? " or busy workers" : "", left_out.text);
    return code;
}

static bool is_proved(const run *r)
{
    for (size_t i = 0; i < r->result->algorithm_count; i++)
        if (r->result->algorithms[i].gap == 0)
            return true;
    return false;
}

/* Compute the slow bounds of `all`, one by one until a schedule is proved optimal. */
static int compute_late_bounds(run *r)
{
    name_list left_out = {.used = 0};
    int       code = EXIT_OK;

    for (size_t i = 0; i < r->request->bound_count && !code; i++) {
        const wanted_bound *wanted = &r->request->bounds[i];

        if (!is_late(wanted))
            continue;
        if (!is_proved(r)) {
            code = compute_bound(r, wanted);
            if (!code)
                code = set_gaps(r);
        } else {
            r->step++;
            add_name(&left_out, hs_bound_name(wanted->bound));
        }
    }
    if (left_out.used > 0)
        message("%s: bounds left out, since a schedule is proved optimal: %s", r->result->path,
                left_out.text);
    return code;
}

int solve_gap_code(const solve_request *request, const solve_result *result)
{
    double least = INFINITY;

    for (size_t i = 0; i < result->algorithm_count; i++)
        if (result->algorithms[i].gap < least)
            least = result->algorithms[i].gap;
    if (!request->has_gap || least <= request->settings.gap)
        return EXIT_OK;
    message("%s: no schedule is within the gap; raise --gap or --time-limit", result->path);
    return EXIT_WORK;
}

int solve_instance(const solve_request *request, const char *path, size_t step,
                   solve_result *result)
{
    hs_affinity *affinities = NULL;
    hs_schedule *start = NULL;
    double      *available = NULL;
    run          r = {.request = request, .result = result, .step = step + 1, .has_result = 1};
    int          code;

    result->path = path;
    progress_set_done(step, "reading %s", path);
    code = input_instance(path, &request->reading, &result->in);
    if (!code)
        stop_begin();
    if (!code)
        code = solve_fill(request, result);
    if (!code)
        code = solve_partition(request, result);
    if (code || stop_requested(NULL))
        return code;
    result->algorithms = checked_calloc(request->algorithm_count, sizeof *result->algorithms);
    result->bounds = checked_calloc(request->bound_count, sizeof *result->bounds);

    r.in = result->in;
    r.settings = request->settings;
    code = read_affinities(request, r.in, &affinities, &r.settings.affinity_count);
    r.settings.affinities = affinities;
    if (!code)
        code = available_read(request->available, r.in, &available);
    r.settings.available = available;
    r.settings.available_count = hs_instance_cpus(r.in) + hs_instance_gpus(r.in);
    if (!code && request->start)
        code = solve_start(request->start, r.in, &start);
    r.settings.start = start;
    r.settings.transfers =
        request->file[SOLVE_GANTT] || request->file[SOLVE_TRACE] || request->metrics;
    r.settings.progress = show_progress;
    r.settings.progress_data = &r;
    r.settings.cancel = may_stop;
    r.settings.cancel_data = &r;
    if (!code)
        code = compute_bounds(&r);
    if (!code)
        code = run_algorithms(&r);
    if (!code)
        code = compute_late_bounds(&r);
    if (!code)
        code = solve_certify_best(&r);
    print_stopped(&r);
    hs_schedule_free(start);
    free(affinities);
    free(available);
    return code;
}

void solve_result_free(solve_result *result)
{
    free(result->algorithms);
    free(result->bounds);
    hs_certificate_free(result->certificate);
    hs_schedule_free(result->best);
    hs_instance_free(result->in);
}
