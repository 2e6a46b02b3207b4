/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve: the work on one instance. */
#include <stdlib.h>
#include <time.h>

#include "common/certify.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/progress.h"
#include "solve.h"

/* What solve_instance() works on. */
typedef struct run {
    const solve_request *request;
    solve_result        *result;
    const hs_instance   *in;
    hs_settings          settings; /* the request's, and this instance's affinities */
    hs_schedule         *best;
    double               best_makespan;
    size_t               step;
} run;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

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

/* ---- bounds and algorithms ------------------------------------------------------- */

static int failed(const run *r, const char *what, hs_status status)
{
    message("%s: %s: %s", r->result->path, what, hs_status_text(status));
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
    return !wanted->by_name &&
           (status == HS_ETOOBIG || status == HS_ESOLVER || status == HS_EUNSUPPORTED);
}

static int compute_bound(run *r, const wanted_bound *wanted)
{
    const char *name = hs_bound_name(wanted->bound);
    double      start = now(), value;
    hs_status   status;

    progress_step(r->step++, "%s: bound %s", r->result->path, name);
    status = hs_bound_compute(wanted->bound, r->in, &r->settings, &value);
    if (may_leave_out(wanted, status)) {
        message("%s: bound '%s' left out: %s", r->result->path, name, hs_status_text(status));
        return EXIT_OK;
    }
    if (status != HS_OK)
        return failed(r, name, status);
    add_bound(r->result, name, value, now() - start);
    return EXIT_OK;
}

static int compute_bounds(run *r)
{
    int code = EXIT_OK;

    for (size_t i = 0; i < r->request->bound_count && !code; i++)
        code = compute_bound(r, &r->request->bounds[i]);
    return code;
}

/* An algorithm whose schedule is not one is a defect of ours: nothing of it is reported. */
static int check(const run *r, const char *name, const hs_schedule *s)
{
    hs_violation first;
    hs_status    status = hs_schedule_check(r->in, s, &first);

    if (status == HS_ESCHEDULE) {
        message("%s: internal error: the schedule of %s is not valid: %s", r->result->path, name,
                hs_violation_text(first.kind));
        return exit_code(status);
    }
    return status == HS_OK ? EXIT_OK : failed(r, name, status);
}

static int run_algorithm(run *r, const hs_algorithm *alg, solve_row *row)
{
    hs_schedule *s = NULL;
    double       start = now();
    hs_status    status;
    int          code;

    row->name = hs_algorithm_name(alg);
    progress_step(r->step++, "%s: %s", r->result->path, row->name);
    status = hs_solve(alg, r->in, &r->settings, &s);
    if (status != HS_OK)
        return failed(r, row->name, status);
    row->seconds = now() - start;
    code = check(r, row->name, s);
    if (code)
        goto out;

    row->value = hs_schedule_makespan(s);
    row->gap = certified_gap(r->in, s, r->result->bound.value);
    row->spoliated = hs_schedule_size(s) - r->result->tasks;
    if (!r->best || row->value < r->best_makespan) {
        hs_schedule_free(r->best);
        r->best = s;
        r->best_makespan = row->value;
        s = NULL;
    }
out:
    hs_schedule_free(s);
    return code;
}

static int run_algorithms(run *r)
{
    int code = EXIT_OK;

    for (size_t i = 0; i < r->request->algorithm_count && !code; i++)
        code = run_algorithm(r, r->request->algorithms[i], &r->result->algorithms[i]);
    return code;
}

static void describe(const solve_request *request, const char *path, const hs_instance *in,
                     solve_result *result)
{
    result->path = path;
    result->tasks = hs_instance_tasks(in);
    result->cpus = hs_instance_cpus(in);
    result->gpus = hs_instance_gpus(in);
    result->unit = hs_instance_unit(in);
    result->algorithms = checked_calloc(request->algorithm_count, sizeof *result->algorithms);
    result->bounds = checked_calloc(request->bound_count, sizeof *result->bounds);
}

int solve_instance(const solve_request *request, const char *path, size_t step,
                   solve_result *result, hs_instance **in, hs_schedule **best)
{
    hs_affinity *affinities = NULL;
    run          r = {.request = request, .result = result, .step = step + 1};
    int          code;

    progress_step(step, "reading %s", path);
    code = input_instance(path, &request->reading, in);
    if (code)
        return code;

    describe(request, path, *in, result);
    r.in = *in;
    r.settings = request->settings;
    code = read_affinities(request, *in, &affinities, &r.settings.affinity_count);
    r.settings.affinities = affinities;
    if (!code)
        code = compute_bounds(&r);
    if (!code)
        code = run_algorithms(&r);
    *best = r.best;
    free(affinities);
    return code;
}

void solve_result_free(solve_result *result)
{
    free(result->algorithms);
    free(result->bounds);
}

/* ---- files ------------------------------------------------------------------------ */

static const char *best_algorithm(const solve_request *request, const solve_result *result)
{
    const solve_row *best = &result->algorithms[0];

    for (size_t i = 1; i < request->algorithm_count; i++)
        if (result->algorithms[i].value < best->value)
            best = &result->algorithms[i];
    return best->name;
}

static hs_status write_plan(int fd, const solve_request *request, const solve_result *result,
                            const hs_instance *in, const hs_schedule *best)
{
    enum { ROOM = sizeof(((hs_plan_info *)0)->bounds) / sizeof(hs_named_bound) };
    hs_plan_info info;

    hs_plan_info_init(&info);
    snprintf(info.algorithm, sizeof info.algorithm, "%s", best_algorithm(request, result));
    for (size_t i = 0; i < result->bound_count && i < ROOM; i++) {
        hs_named_bound *bound = &info.bounds[info.bound_count++];

        snprintf(bound->name, sizeof bound->name, "%s", result->bounds[i].name);
        bound->value = result->bounds[i].value;
    }
    return hs_plan_write(fd, in, best, &info);
}

static hs_status write_file(int which, int fd, const solve_request *request,
                            const solve_result *result, const hs_instance *in,
                            const hs_schedule *best)
{
    hs_picture picture;
    char       title[256];

    if (which == SOLVE_PLAN)
        return write_plan(fd, request, result, in, best);
    snprintf(title, sizeof title, "%s: %s", result->path, best_algorithm(request, result));
    hs_picture_init(&picture);
    picture.title = title;
    picture.bound = &result->bound;
    return which == SOLVE_GANTT ? hs_gantt_write(fd, in, best, &picture)
                                : hs_trace_write(fd, in, best, &picture);
}

int solve_write(solve_request *request, const solve_result *result, const hs_instance *in,
                const hs_schedule *best)
{
    output **file = request->file;
    int      code = EXIT_OK;

    for (int i = 0; i < SOLVE_FILES && !code; i++) {
        hs_status st = HS_OK;

        if (file[i])
            st = write_file(i, output_fd(file[i]), request, result, in, best);
        if (st != HS_OK) {
            code = output_close(file[i], st);
            file[i] = NULL;
        }
    }
    for (int i = 0; i < SOLVE_FILES && !code; i++) {
        if (file[i])
            code = output_close(file[i], HS_OK);
        file[i] = NULL;
    }
    return code;
}
