/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-calibrate: time kernels with the executor of hsched-exec, by a plan with one list per
 * core.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "calibrate/calibrate.h"
#include "calibrate/settled_times.h"
#include "common/escape.h"
#include "common/checked_memory.h"
#include "common/message.h"

/* A measurement: its workers and runs, and the resources to free. */
typedef struct bench {
    unsigned     cpus, gpus, runs;
    hs_instance *in;
    hs_schedule *plan;
    hs_exec     *exec;
    double      *times; /* times of all runs, ordered by worker, then start */
    size_t       count;

    hs_exec_report report;
} bench;

static void bench_free(bench *b)
{
    hs_exec_free(b->exec);
    hs_schedule_free(b->plan);
    hs_instance_free(b->in);
    free(b->times);
}

static unsigned workers_of(const bench *b)
{
    return b->cpus + b->gpus;
}

static hs_status make_instance(bench *b, const char *kernel)
{
    hs_builder *builder = NULL;
    hs_task     row = {.struct_size = sizeof row, .id = kernel,
                       .cpu = b->cpus ? 1 : INFINITY,
                       .gpu = b->gpus ? 1 : INFINITY,
                       .kernel = kernel,
                       .count = workers_of(b) * b->runs};
    hs_status   st = hs_builder_create(&builder);

    if (st == HS_OK)
        st = hs_builder_set_workers(builder, b->cpus, b->gpus);
    if (st == HS_OK)
        st = hs_builder_add_row(builder, &row);
    if (st == HS_OK)
        st = hs_builder_finish(builder, &b->in, NULL);
    hs_builder_free(builder);
    return st;
}

static hs_status make_plan(bench *b)
{
    size_t        count = (size_t)workers_of(b) * b->runs;
    hs_placement *all = checked_calloc(count, sizeof *all), *at = all;
    hs_status     st;

    for (unsigned worker = 0; worker < workers_of(b); worker++)
        for (unsigned i = 0; i < b->runs; i++)
            *at++ = (hs_placement){
                .start = i, .end = i + 1, .task = worker * b->runs + i, .worker = worker};
    st = hs_schedule_build(b->cpus, b->gpus, count, all, &b->plan);
    free(all);
    return st;
}

static int fail(const char *kernel, hs_status status, const char *why)
{
    message("%s: %s", kernel, why[0] ? why : hs_status_text(status));
    return exit_code(status);
}

static hs_status create(const calibrate_request *request, bench *b, hs_error *error)
{
    hs_exec_settings settings;

    hs_exec_settings_init(&settings);
    settings.run.verify = request->verify;
    settings.run.allow_plugins = true; /* the user has named the kernel on the command line */
    settings.gpu.resident = request->resident;
    return hs_exec_create(b->in, b->plan, &settings, &b->exec, error);
}

static int run(const char *kernel, bench *b)
{
    hs_exec_failure failure;
    hs_error        error = {0};
    hs_status       st;

    hs_exec_report_init(&b->report);
    hs_exec_failure_init(&failure);
    st = hs_exec_run(b->exec, &b->report, &error);
    if (st == HS_EFAILED && hs_exec_failure_at(b->exec, 0, &failure))
        return fail(kernel, st, failure.why);
    return st == HS_OK ? EXIT_OK : fail(kernel, st, error.why);
}

static size_t collect(const calibrate_request *request, const bench *b)
{
    size_t found = 0;

    for (unsigned worker = 0; worker < workers_of(b); worker++) {
        size_t                count;
        const hs_exec_record *record = hs_exec_records(b->exec, worker, &count);

        for (size_t i = request->warm_up; i < count; i++)
            b->times[found++] = record[i].end - record[i].start;
    }
    return found;
}

/* Return the time, at least a nanosecond, the resolution of the clock: times must be above 0. */
static double at_least_a_tick(double seconds)
{
    return seconds > 1e-9 ? seconds : 1e-9;
}

/*
 * Measure one round. Return 0, or an exit code after a message. *refused is the status of the
 * preparation; HS_ERESOURCE or HS_EUNSUPPORTED: the kernel cannot run on this type.
 */
static int measure(const calibrate_request *request, const char *kernel, bench *b,
                   hs_status *refused)
{
    hs_error  error = {0};
    hs_status st;
    int       code;

    b->runs = request->warm_up + request->repeats;
    st = make_instance(b, kernel);
    if (st == HS_OK)
        st = make_plan(b);
    if (st == HS_OK)
        st = create(request, b, &error);
    *refused = st;
    if (st != HS_OK)
        return fail(kernel, st, error.why);
    code = run(kernel, b);
    if (code)
        return code;
    b->times = checked_calloc((size_t)workers_of(b) * request->repeats, sizeof *b->times);
    b->count = collect(request, b);
    return EXIT_OK;
}

/*
 * A GPU has several tasks in flight, and the time of a task counts only the time since the previous
 * task ended: almost none if both end together. The useful time is the mean over so many
 * consecutive tasks that the tasks in flight at either end do not matter.
 */
enum { AT_ONCE = 8 }; /* more than the tasks in flight */

static double mean(const double *times, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += times[i];
    return sum / (double)count;
}

/*
 * Return the times of a worker's runs in order; on a GPU, means of AT_ONCE runs. The caller frees
 * them.
 */
static double *times_in_a_row(const bench *b, size_t *runs)
{
    size_t  together = b->gpus ? AT_ONCE : 1, count = b->count / together;
    double *times = checked_calloc(count, sizeof *times);

    for (size_t i = 0; i < count; i++)
        times[i] = mean(b->times + together * i, together);
    *runs = count / workers_of(b);
    return times;
}

/* Return whether the times have settled; if not, `why` has the reason. */
static bool has_settled(const bench *b, char why[SETTLE_WHY])
{
    size_t  runs;
    double *times = times_in_a_row(b, &runs);
    bool    settled = settle(times, workers_of(b), runs, &b->report, why);

    free(times);
    return settled;
}

/*
 * Measure rounds, each with twice as many runs, until one has settled or the limit is reached; `b`
 * holds the last round.
 */
static int measure_settled(const calibrate_request *request, calibrate_kernel *kernel, bench *b,
                           hs_status *refused)
{
    const bench       fresh = *b;
    calibrate_request more = *request;
    char              why[SETTLE_WHY];
    double            spent = 0;

    for (unsigned done = 1;; done++, more.repeats *= 2) {
        int code = measure(&more, kernel->name, b, refused);

        if (code || has_settled(b, why))
            return code;
        spent += b->report.seconds;
        if (!may_repeat(done, request->rounds, spent, b->report.seconds)) {
            kernel->unsettled = true;
            message("kernel %s%s did not settle in %u round%s: %s; measure it again while nothing "
                    "else runs here, or with more --repeats",
                    kernel->name, b->gpus ? " on the GPU" : "", done, plural(done), why);
            return EXIT_OK;
        }
        bench_free(b);
        *b = fresh;
    }
}

/*
 * Add the runs of a kernel to the request's cost models. On a GPU, where tasks overlap, a run is the
 * mean of AT_ONCE runs in a row.
 */
static int keep_runs(const calibrate_request *request, const char *kernel, const bench *b)
{
    hs_type           type = b->gpus ? HS_GPU : HS_CPU;
    hs_feature_index *index = NULL;
    hs_features       features;
    size_t            runs;
    double           *times = times_in_a_row(b, &runs);
    hs_status         st = hs_feature_index_create(b->in, &index);

    hs_features_init(&features);
    if (st == HS_OK)
        hs_feature_index_get(index, 0, type, &features);
    for (size_t i = 0; st == HS_OK && i < runs * workers_of(b); i++)
        st = hs_cost_observe(request->fresh, type, &features, at_least_a_tick(times[i]),
                             (int64_t)time(NULL));
    hs_feature_index_free(index);
    free(times);
    return st == HS_OK ? EXIT_OK : message_status(st, kernel);
}

int calibrate_measure(const calibrate_request *request, calibrate_kernel *kernel)
{
    bench     b = {.cpus = request->cores};
    hs_status refused;
    int       code = measure_settled(request, kernel, &b, &refused);

    if (!code && request->fresh)
        code = keep_runs(request, kernel->name, &b);
    if (!code) {
        quartiles q = quartiles_of(b.times, b.count); /* sorts the times */

        kernel->low = at_least_a_tick(q.low);
        kernel->median = at_least_a_tick(q.median);
        kernel->high = at_least_a_tick(q.high);
        kernel->runs = b.count;
    }
    bench_free(&b);
    return code;
}

/* Measure the GPU time. A kernel without GPU support keeps no GPU time, after a message. */
int calibrate_measure_gpu(const calibrate_request *request, calibrate_kernel *kernel)
{
    calibrate_request more = *request;
    bench             b = {.gpus = 1};
    hs_status         refused;
    int               code;

    more.warm_up = AT_ONCE * (request->warm_up + 1);
    more.repeats = AT_ONCE * request->repeats;
    code = measure_settled(&more, kernel, &b, &refused);
    if (!code) {
        kernel->gpu = at_least_a_tick(mean(b.times, b.count));
        if (request->fresh)
            code = keep_runs(request, kernel->name, &b);
    } else if (refused == HS_ERESOURCE || refused == HS_EUNSUPPORTED) {
        code = EXIT_OK;
    }
    bench_free(&b);
    return code;
}
