/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve: the work on one instance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/available.h"
#include "common/certified.h"
#include "common/clock.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/progress.h"
#include "solve/solve.h"

/* What solve_instance() works on. */
typedef struct run {
    const solve_request *request;
    solve_result        *result;
    const hs_instance   *in;
    hs_settings          settings; /* the request's, and what is this instance's own */
    double               best_makespan;
    size_t               step;
} run;

size_t solve_steps(const solve_request *request)
{
    return 1 + request->bound_count + request->algorithm_count;
}

static int read_affinities(const solve_request *request, const hs_instance *in,
                           hs_affinity **affinities, size_t *count)
{
    hs_diagnostic why = {0};
    input         file;
    int           code;

    if (!request->affinity)
        return EXIT_OK;
    code = input_open(request->affinity, &file);
    if (code)
        return code;
    code = input_status(&file, hs_affinities_read(file.fd, in, affinities, count, &why), &why);
    input_close(&file);
    return code;
}

static int failed(const run *r, const char *what, hs_status status)
{
    message("%s: %s: %s%s", r->result->path, what, hs_status_text(status),
            status == HS_EDEPENDENT ? "; hsched-solve --list says which algorithms take graphs"
            : status == HS_EBUSY    ? "; hsched-solve --list says which take --available"
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

/* May do without: it is too large for this bound, or the solver gave up. */
static int may_leave_out(const wanted_bound *wanted, hs_status status)
{
    return !wanted->by_name && (status == HS_ETOOBIG || status == HS_ESOLVER ||
                                status == HS_EUNSUPPORTED || status == HS_EBUSY);
}

static int certificate_wanted(const run *r)
{
    return r->request->file[SOLVE_CERTIFICATE] != NULL;
}

/* Keeps a certificate if none was as good before. */
static void keep_certificate(run *r, hs_certificate *made)
{
    hs_certificate **kept = &r->result->certificate;

    if (*kept && hs_certificate_value(*kept) >= hs_certificate_value(made)) {
        hs_certificate_free(made);
        return;
    }
    hs_certificate_free(*kept);
    *kept = made;
}

static void say_what_is_proved(const run *r, double proved, const char *proved_name, double found,
                               const char *found_name)
{
    char less[32], more[32];

    hs_format_double(proved, less);
    hs_format_double(found, more);
    message("%s: the certificate proves %s (%s) only, not %s (%s)", r->result->path, less,
            proved_name, more, found_name);
}

/* What is proved may differ from what was computed by the last few bits. */
static int is_less(double proved, double computed)
{
    return proved < computed * (1 - 1e-12);
}

/* Computes a bound and what proves it: `value` is what is proved. */
static hs_status certify(run *r, const hs_bound *bound, double *value)
{
    hs_certificate *made = NULL;
    hs_status       status = hs_certificate_create(bound, r->in, &r->settings, &made);

    if (status != HS_OK)
        return status;
    *value = hs_certificate_value(made);
    if (is_less(*value, hs_certificate_computed(made)))
        say_what_is_proved(r, *value, hs_bound_name(bound), hs_certificate_computed(made),
                           hs_bound_name(bound));
    keep_certificate(r, made);
    return HS_OK;
}

/* What a search has proved, proved anew: by the bound of that name if there is one, and by cases.
 */
static hs_status certify_found(run *r)
{
    const hs_named_bound *best = &r->result->bound;
    const hs_bound       *bound = hs_bound_find(best->name);
    hs_certificate       *made = NULL;
    hs_status             status = HS_EUNSUPPORTED;
    double                value;

    if (hs_bound_has_certificate(bound))
        status = certify(r, bound, &value);
    if (status == HS_OK && value >= best->value)
        return status;
    if (status != HS_OK && status != HS_EUNSUPPORTED && status != HS_ETOOBIG)
        return status;
    status = hs_certificate_prove(r->in, best->name, best->value, &r->settings, &made);
    if (status == HS_OK)
        keep_certificate(r, made);
    return status;
}

/* A search may have proved more than the certificate does: then that bound is certified. */
static int certify_best(run *r)
{
    const hs_named_bound *best = &r->result->bound;
    hs_certificate      **kept = &r->result->certificate;

    if (!certificate_wanted(r))
        return EXIT_OK;
    if (!*kept || hs_certificate_value(*kept) < best->value) {
        hs_status status = certify_found(r);

        if (status != HS_OK)
            return failed(r, "certificate", status);
        for (size_t i = 0; i < r->result->bound_count; i++)
            if (strcmp(r->result->bounds[i].name, hs_certificate_bound(*kept)) == 0)
                r->result->bounds[i].value = hs_certificate_value(*kept);
    }
    if (hs_certificate_value(*kept) < best->value)
        say_what_is_proved(r, hs_certificate_value(*kept), hs_certificate_bound(*kept), best->value,
                           best->name);
    return EXIT_OK;
}

static int compute_bound(run *r, const wanted_bound *wanted)
{
    const hs_bound *bound = wanted->bound;
    const char     *name = hs_bound_name(bound);
    double          start = clock_now(), value;
    hs_bound_report report;
    hs_status       status;

    hs_bound_report_init(&report);
    progress_step(r->step++, "%s: bound %s", r->result->path, name);
    if (certificate_wanted(r) && hs_bound_has_certificate(bound))
        status = certify(r, bound, &value);
    else
        status = hs_bound_compute_reported(bound, r->in, &r->settings, &value, &report);
    if (may_leave_out(wanted, status)) {
        message("%s: bound '%s' left out: %s", r->result->path, name, hs_status_text(status));
        return EXIT_OK;
    }
    if (status != HS_OK)
        return failed(r, name, status);
    if (report.limit_reached)
        message("%s: bound '%s' stopped at its time limit: with more it might be higher",
                r->result->path, name);
    add_bound(r->result, name, value, clock_now() - start);
    return EXIT_OK;
}

static int is_late(const wanted_bound *wanted)
{
    return wanted->slow && !wanted->by_name;
}

static int compute_bounds(run *r)
{
    int code = EXIT_OK;

    for (size_t i = 0; i < r->request->bound_count && !code; i++)
        if (!is_late(&r->request->bounds[i]))
            code = compute_bound(r, &r->request->bounds[i]);
    return code;
}

/* An algorithm whose schedule is not one is a defect of ours: nothing of it is reported. */
static int check(const run *r, const char *name, const hs_schedule *s)
{
    hs_violation first;
    hs_status    status = hs_schedule_check_available(r->in, s, r->settings.available, &first);

    if (status == HS_ESCHEDULE) {
        message("%s: internal error: the schedule of %s is not valid: %s", r->result->path, name,
                hs_violation_text(first.kind));
        return exit_code(status);
    }
    return status == HS_OK ? EXIT_OK : failed(r, name, status);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Where the search is, for the progress line. */
static void show_progress(void *data, const hs_progress *progress)
{
    const run *r = data;
    double     bound = larger(progress->bound, r->result->bound.value);
    char       makespan[32], least[32];

    hs_format_rounded(progress->makespan, 7, makespan);
    hs_format_rounded(bound, 7, least);
    progress_step(r->step - 1, "%s: %s, makespan %s, bound %s, gap %.4f%%", r->result->path,
                  progress->phase, makespan, least,
                  bound > 0 ? 100 * larger(0, progress->makespan / bound - 1) : INFINITY);
}

/* A search may prove a better bound than those that were asked for. */
static void take_bound(solve_result *result, const hs_report *report)
{
    if (!(report->bound > result->bound.value))
        return;
    result->bound.value = report->bound;
    snprintf(result->bound.name, sizeof result->bound.name, "%s", report->bound_name);
}

/*
 * Copies of rows need not be told apart where no plan of them is written. Those of a graph are in
 * any case, and what a schedule of it certifies is what is told beside bounds.
 */
static int schedule_wanted(const run *r)
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

/* What does not take these tasks was not wanted where all that do were. */
static int refused(const run *r, const wanted_algorithm *wanted, solve_row *row, hs_status status)
{
    if (!wanted->by_name &&
        (status == HS_EDEPENDENT || status == HS_EWORKER || status == HS_EBUSY)) {
        row->left_out = 1;
        return EXIT_OK;
    }
    if (status != HS_EWORKER)
        return failed(r, row->name, status);
    message("%s: %s: a task cannot run on the only workers that it uses", r->result->path,
            row->name);
    return exit_code(status);
}

static void measure(const hs_instance *in, const hs_schedule *s, solve_row *row)
{
    size_t             count;
    const hs_transfer *transfers = hs_schedule_transfers(s, &count);

    hs_schedule_metrics(in, s, &row->metrics);
    row->copied = copies_sum(transfers, count);
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
    row->value = certified_time(r->in, s, 0);
    row->spoliated = hs_schedule_size(s) - hs_instance_tasks(r->in);
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
    progress_step(r->step++, "%s: %s", r->result->path, row->name);
    hs_report_init(&report);
    code = schedule_wanted(r) ? run_scheduling(r, wanted, row, &report)
                              : run_unscheduled(r, wanted, row, &report);
    if (code || row->left_out)
        return code;
    snprintf(row->members, sizeof row->members, "%s", report.members);
    row->optimal = report.proved && r->settings.gap == 0;
    take_bound(r->result, &report);
    return EXIT_OK;
}

/* To the best bound; what is as short as a schedule that was proved optimal is optimal too. */
static void set_gaps(const run *r)
{
    solve_result *result = r->result;
    double        bound = result->bound.value, optimum = bound;
    size_t        tasks = hs_instance_tasks(r->in);

    for (size_t i = 0; i < result->algorithm_count; i++) {
        solve_row *row = &result->algorithms[i];

        row->value = certified_beside(r->in, row->value, tasks + row->spoliated, bound);
        if (row->optimal)
            optimum = larger(optimum, row->value);
    }
    for (size_t i = 0; i < result->algorithm_count; i++) {
        solve_row *row = &result->algorithms[i];

        row->gap = row->value <= optimum ? 0 : row->value / bound - 1;
    }
}

/* Names with commas between them; there is room for all that the library has. */
typedef struct name_list {
    char   text[512];
    size_t used;
} name_list;

static void add_name(name_list *list, const char *name)
{
    if (list->used < sizeof list->text)
        list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used,
                                       "%s%s", list->used ? ", " : "", name);
}

static int run_algorithms(run *r)
{
    solve_result *result = r->result;
    name_list     left_out = {.used = 0};
    int           code = EXIT_OK;

    for (size_t i = 0; i < r->request->algorithm_count && !code; i++) {
        solve_row *row = &result->algorithms[result->algorithm_count];

        code = run_algorithm(r, &r->request->algorithms[i], row);
        if (!row->left_out) {
            result->algorithm_count++;
            continue;
        }
        add_name(&left_out, row->name);
        *row = (solve_row){.name = NULL};
    }
    if (code)
        return code;
    set_gaps(r);
    if (left_out.used > 0)
        message("%s: algorithms left out, as they do not take such tasks%s: %s", result->path,
                r->settings.available ? " or busy workers" : "", left_out.text);
    return EXIT_OK;
}

static int is_proved(const run *r)
{
    for (size_t i = 0; i < r->result->algorithm_count; i++)
        if (r->result->algorithms[i].gap == 0)
            return 1;
    return 0;
}

/* Those of `all` that take time, one after another until a schedule is proved optimal. */
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
            set_gaps(r);
        } else {
            r->step++;
            add_name(&left_out, hs_bound_name(wanted->bound));
        }
    }
    if (left_out.used > 0)
        message("%s: bounds left out, as nothing is left to prove: %s", r->result->path,
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
    message("%s: the gap that was asked for was not reached", result->path);
    return EXIT_WORK;
}

int solve_instance(const solve_request *request, const char *path, size_t step,
                   solve_result *result)
{
    hs_affinity *affinities = NULL;
    hs_schedule *start = NULL;
    double      *available = NULL;
    run          r = {.request = request, .result = result, .step = step + 1};
    int          code;

    result->path = path;
    progress_step(step, "reading %s", path);
    code = input_instance(path, &request->reading, &result->in);
    if (code)
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
    if (!code)
        code = compute_bounds(&r);
    if (!code)
        code = run_algorithms(&r);
    if (!code)
        code = compute_late_bounds(&r);
    if (!code)
        code = certify_best(&r);
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
