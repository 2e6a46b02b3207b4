/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: run the algorithms of a campaign on one instance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "common/certified.h"
#include "common/clock.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/options.h"

#define USUAL_TIME 10.0 /* seconds: time limit of `exact` by default */

typedef struct work {
    const bench_campaign *c;
    const bench_case     *one;
    bench_instance        made;
    const hs_instance    *truth; /* instance with the times of the simulated run */
    /* reference of all ratios: `proved`, or the makespan of the witness */
    hs_named_bound        bound;
    hs_named_bound        proved; /* largest proved lower bound */
    double                requested; /* largest requested lower bound, whatever algorithms prove */
} work;

static int failed(const work *w, const char *what, hs_status status)
{
    message("%s, seed %llu: %s: %s%s", w->one->recipe, (unsigned long long)w->one->seed, what,
            hs_status_text(status),
            status == HS_EDEPENDENT
                ? "; hsched-solve --list says which algorithms take graphs"
                : "");
    return exit_code(status);
}

static void settings_of(const work *w, hs_settings *settings)
{
    hs_settings_init(settings);
    settings->time_limit = w->c->time_limit;
    if (w->c->iterations > 0) {
        settings->iterations = w->c->iterations;
        if (!(w->c->time_limit > 0))
            settings->time_limit = INFINITY;
    }
    settings->seed = w->one->seed;
}

static void keep_larger(hs_named_bound *bound, const char *name, double value)
{
    if (!(value > bound->value))
        return;
    bound->value = value;
    snprintf(bound->name, sizeof bound->name, "%s", name);
}

/*
 * Compute the requested bounds and keep the best; `witness` is no bound, only a reference for
 * ratios.
 */
static int compute_bound(work *w)
{
    const char *list = w->c->bounds;
    char        name[32]; /* name of a bound, of at most the length in hs_named_bound */
    hs_settings settings;

    settings_of(w, &settings);
    settings.time_limit = w->c->time_limit;
    while (list_next("bounds", &list, name, sizeof name)) {
        double    value = w->made.witness ? hs_schedule_makespan(w->made.witness) : 0;
        hs_status status = HS_OK;

        if (strcmp(name, "witness") != 0)
            status = hs_bound_compute(hs_bound_find(name), w->truth, &settings, &value);
        else if (!w->made.witness) {
            message("%s: no witness is known: only unchanged worst cases and "
                    "gamma --kernel-count have one", w->one->recipe);
            return EXIT_USAGE;
        }
        if (status != HS_OK)
            return failed(w, name, status);
        if (strcmp(name, "witness") != 0)
            keep_larger(&w->proved, name, value);
        keep_larger(&w->bound, name, value);
    }
    w->requested = w->proved.value;
    return EXIT_OK;
}

/* Simulate a policy or a plan, made with the times of `in`, with the times in w->truth. */
static hs_status simulate(const work *w, const bench_algorithm *a, const hs_instance *in,
                          const hs_schedule *plan, hs_schedule **out)
{
    hs_policy_settings settings;

    hs_policy_settings_init(&settings);
    settings.tolerance = BENCH_TOLERANCE;
    if (a->manner >= BENCH_LIVE && a->manner <= BENCH_SECOND_RUN)
        settings.rank = a->rank;
    if (a->manner == BENCH_FIRST_RUN || a->manner == BENCH_SECOND_RUN)
        return bench_simulate_unknown(a, in, w->truth, &settings, out);
    return hs_policy_simulate(a->policy, in, plan, w->truth, &settings, out, NULL);
}

/* Let an external solver make a plan from the estimated times. */
static hs_status solve_by_peer(const work *w, const bench_algorithm *a, const hs_instance *in,
                               hs_schedule **plan)
{
    return bench_peer_solve(a->peer, in,
                            w->c->time_limit > 0 ? w->c->time_limit : USUAL_TIME, plan);
}

/* Schedule with the estimates in `in`. */
static hs_status schedule(const work *w, const bench_algorithm *a, const hs_instance *in,
                          hs_schedule **out, hs_report *report, double *seconds)
{
    hs_settings  settings;
    hs_schedule *plan = NULL;
    double       start = clock_now();
    hs_status    status = HS_OK;

    settings_of(w, &settings);
    settings.rank = a->rank;
    if (a->algorithm)
        status = hs_solve_reported(a->algorithm, in, &settings, &plan, report);
    else if (a->peer)
        status = solve_by_peer(w, a, in, &plan);
    *seconds = clock_now() - start;
    if (status != HS_OK || (a->peer && !plan))
        return status;
    if ((a->manner == BENCH_PLAN || a->manner == BENCH_PEER) && w->truth == in) {
        *out = plan;
        return HS_OK;
    }
    status = simulate(w, a, in, plan, out);
    hs_schedule_free(plan);
    return status;
}

/* Run the algorithm on the made machine once, and add the times of the tasks to the cost models. */
static hs_status observe_first_run(work *w, const bench_algorithm *a, const hs_instance *estimates,
                                   hs_cost *cost)
{
    work         first = *w;
    bench_case   run = *w->one;
    hs_instance *truth = NULL;
    hs_schedule *s = NULL;
    hs_report    report;
    double       seconds;
    hs_status    status = HS_ENOMEM;

    run.run++;
    hs_report_init(&report);
    if (bench_machine_instance(&run, &truth) == EXIT_OK) {
        first.truth = truth;
        status = schedule(&first, a, estimates, &s, &report, &seconds);
    }
    if (status == HS_OK)
        status = bench_observe(s, truth, cost);
    hs_schedule_free(s);
    hs_instance_free(truth);
    return status;
}

/* Schedule with estimates of cost models, and set their mean error. */
static hs_status schedule_estimated(work *w, const bench_algorithm *a, hs_schedule **out,
                                    hs_report *report, bench_row *row)
{
    hs_instance    *estimates = NULL;
    hs_cost        *cost = NULL;
    bench_estimates first = a->estimates == BENCH_ONLINE ? BENCH_LAWS : a->estimates;
    hs_status       status = bench_machine_measure(w->one, first, &cost);

    if (status == HS_OK)
        status = bench_estimate(w->truth, cost, first, &estimates);
    if (status == HS_OK && a->estimates == BENCH_ONLINE) {
        status = observe_first_run(w, a, estimates, cost);
        hs_instance_free(estimates);
        estimates = NULL;
        if (status == HS_OK)
            status = bench_estimate(w->truth, cost, a->estimates, &estimates);
    }
    if (status == HS_OK)
        status = schedule(w, a, estimates, out, report, &row->seconds);
    if (status == HS_OK && *out)
        row->error = bench_mean_error(*out, estimates, w->truth);
    hs_instance_free(estimates);
    hs_cost_free(cost);
    return status;
}

/* Fill the fields of a row that describe the case; results become NaN. */
static void fill_case(const work *w, const bench_algorithm *a, bench_row *row)
{
    const hs_instance *in = w->truth;

    row->label = checked_strdup(w->one->family->label);
    row->recipe = checked_strdup(w->one->recipe);
    row->algorithm = checked_strdup(a->name);
    row->version = checked_strdup(bench_version());
    snprintf(row->platform, sizeof row->platform, "%u+%u", hs_instance_cpus(in),
             hs_instance_gpus(in));
    snprintf(row->bound_name, sizeof row->bound_name, "%s", w->bound.name);
    row->size = w->one->size;
    row->seed = w->one->seed;
    row->tasks = hs_instance_tasks(in);
    row->bound = w->bound.value;
    row->makespan = row->gap = row->optimal = NAN;
    for (int type = HS_CPU; type <= HS_GPU; type++)
        row->acceleration[type] = row->idle[type] = NAN;
}

/*
 * Check that the bound is not above a valid schedule: such a bound would make the schedule look
 * optimal.
 */
static int check_bound(const work *w, const hs_schedule *s)
{
    char what[128];

    snprintf(what, sizeof what, "%.80s, seed %llu", w->one->recipe,
             (unsigned long long)w->one->seed);
    return certified_check_bound(what, w->truth, certified_time_beside(w->truth, s, 0),
                                 hs_schedule_entry_count(s), w->proved.name, w->proved.value);
}

/* Return whether the algorithm has proved the schedule, which is its plan and runs as planned. */
static bool is_proved(const work *w, const bench_algorithm *a, const hs_report *report)
{
    return report->proved && w->truth == w->made.in && a->manner == BENCH_PLAN &&
           a->estimates == BENCH_GIVEN;
}

static void fill_schedule(const work *w, const bench_algorithm *a, const hs_schedule *s,
                          const hs_report *report, bench_row *row)
{
    const hs_instance *in = w->truth;
    double             known = w->bound.value, lower = w->requested;
    hs_metrics         metrics;

    hs_schedule_compute_metrics(in, s, &metrics);
    row->makespan = certified_time_beside(in, s, w->bound.value);
    row->aborted = metrics.type[HS_CPU].aborted + metrics.type[HS_GPU].aborted;
    row->gpu_tasks = metrics.type[HS_GPU].tasks;
    if (w->truth == w->made.in && a->estimates == BENCH_GIVEN) {
        known = fmax(known, report->bound);
        lower = fmax(lower, report->bound);
    }
    row->optimal = is_proved(w, a, report) || row->makespan <= lower;
    row->gap = row->optimal > 0 || row->makespan <= known ? 0 : row->makespan / known - 1;
    snprintf(row->found_by, sizeof row->found_by, "%s", report->found_by);
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        row->acceleration[type] = metrics.type[type].acceleration;
        row->idle[type] = hs_metrics_idle_share(
            &metrics, (hs_type)type, type == HS_CPU ? hs_instance_cpus(in) : hs_instance_gpus(in),
            w->bound.value);
    }
}

/*
 * Run an algorithm and fill its row. An invalid schedule or a bound above it is a defect of this
 * software; no row is kept.
 */
static int run_one(work *w, const bench_algorithm *a, bench_row *row)
{
    hs_schedule *s = NULL;
    hs_report    report;
    hs_error     error;
    hs_status    status;
    int          code = EXIT_OK;

    hs_report_init(&report);
    row->error = NAN;
    if (a->estimates != BENCH_GIVEN && !(w->one->machine > 0)) {
        message("%s: %s: only tasks of a made machine, --machine, have such estimates",
                w->one->recipe, a->name);
        return EXIT_USAGE;
    }
    if (a->estimates != BENCH_GIVEN)
        status = schedule_estimated(w, a, &s, &report, row);
    else
        status = schedule(w, a, w->made.in, &s, &report, &row->seconds);
    if (status == HS_OK && s)
        status = hs_schedule_check(w->truth, s, &error);
    if (status == HS_ESCHEDULE)
        message("%s: internal error: the schedule of %s is not valid: %s", w->one->recipe, a->name,
                error.why);
    else if (status == HS_OK)
        fill_case(w, a, row);
    if (status == HS_OK && s) {
        if (w->truth == w->made.in && a->estimates == BENCH_GIVEN)
            keep_larger(&w->proved, report.bound_name, report.bound);
        code = check_bound(w, s);
        fill_schedule(w, a, s, &report, row);
    }
    hs_schedule_free(s);
    return status == HS_OK ? code : failed(w, a->name, status);
}

int bench_measure_case(const bench_campaign *c, const bench_case *one, const char *wanted,
                       bench_row *rows)
{
    work w = {.c = c, .one = one};
    int  code;

    if (one->held_out.key)
        return bench_measure_held_out(c, one, wanted, rows);
    code = bench_instance_make(one, strstr(c->bounds, "witness") != NULL, &w.made);

    w.truth = w.made.truth ? w.made.truth : w.made.in;
    if (!code)
        code = compute_bound(&w);
    for (size_t a = 0; a < c->algorithm_count && !code; a++)
        if (wanted[a])
            code = run_one(&w, &c->algorithms[a], &rows[a]);
    bench_instance_free(&w.made);
    return code;
}

double bench_value(const bench_row *row, bench_measure measure)
{
    switch (measure) {
    case BENCH_RATIO:
        return row->makespan == row->bound ? 1 : row->makespan / row->bound;
    case BENCH_PERFORMANCE:
        return row->makespan <= 0 ? 1 : row->bound / row->makespan;
    case BENCH_GAP:
        return 100 * row->gap;
    case BENCH_MAKESPAN:
        return row->makespan;
    case BENCH_SECONDS:
        return row->seconds;
    case BENCH_GPU_SHARE:
        return row->tasks ? (double)row->gpu_tasks / (double)row->tasks : NAN;
    case BENCH_CPU_ACCELERATION:
        return row->acceleration[HS_CPU];
    case BENCH_GPU_ACCELERATION:
        return row->acceleration[HS_GPU];
    case BENCH_CPU_IDLE:
        return row->idle[HS_CPU];
    case BENCH_GPU_IDLE:
        return row->idle[HS_GPU];
    case BENCH_ERROR:
        return row->error;
    default:
        return NAN;
    }
}
