/* SPDX-License-Identifier: BSD-3-Clause */
#include "invariants.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/certified.h"

/* Relative tolerances: of proofs, which rounded sums may miss, and of certificates. */
#define PROOF_ROUNDING       1e-10
#define CERTIFICATE_ROUNDING 1e-12

enum { BEST_ITERATIONS = 100 };

/* The comparison of one instance. */
typedef struct comparison {
    const invariants *v;
    hs_settings       settings;
    hs_schedule      *shortest; /* shortest schedule so far */
    double            makespan; /* its makespan, rounded up; INFINITY: none */
    double            deadline, theorem2, min_time;
    char              broken[512]; /* empty: every promise holds */
} comparison;

__attribute__((format(printf, 3, 4))) static void require(comparison *c, bool holds,
                                                          const char *format, ...)
{
    va_list args;

    if (holds || c->broken[0])
        return;
    va_start(args, format);
    vsnprintf(c->broken, sizeof c->broken, format, args);
    va_end(args);
}

/* Return whether some task cannot run on one of the types, which algorithms of one type refuse. */
static bool is_partial(const hs_instance *in)
{
    if (hs_instance_cpus(in) == 0 || hs_instance_gpus(in) == 0)
        return true;
    for (size_t i = 0; i < hs_instance_tasks(in); i++)
        if (isinf(hs_instance_time(in, i, HS_CPU)) || isinf(hs_instance_time(in, i, HS_GPU)))
            return true;
    return false;
}

static bool is_restartable(const hs_instance *in)
{
    for (size_t i = 0; i < hs_instance_tasks(in); i++)
        if (!hs_instance_is_restartable(in, i))
            return false;
    return true;
}

/* Compare a makespan with the algorithm's approximation ratio. */
static void check_guarantee(comparison *c, const hs_algorithm *alg, double makespan)
{
    const hs_instance *in = c->v->in;
    double             ratio = hs_algorithm_guarantee(alg, hs_instance_cpus(in),
                                                      hs_instance_gpus(in), &c->settings);

    /* Times near the ends of the range of doubles have larger rounding errors. */
    if (hs_instance_has_graph(in) || !is_restartable(in) || !(c->v->low > 1e-290) ||
        !(c->v->low < 1e290))
        return;
    require(c, makespan <= ratio * c->v->low * (1 + 1e-9), "%s takes %.17g, above %g x %.17g",
            hs_algorithm_name(alg), makespan, ratio, c->v->low);
}

/* Check that workers can run their lists in order: no task waits for a task behind it. */
static void check_order(comparison *c, const char *name, const hs_schedule *plan)
{
    hs_schedule *run = NULL;
    hs_status    st =
        hs_policy_simulate(hs_policy_find("plan"), c->v->in, plan, c->v->in, NULL, &run, NULL);

    require(c, st == HS_OK, "%s: its plan cannot run: %s", name, hs_status_text(st));
    hs_schedule_free(run);
}

/* Check the schedule of an algorithm, and keep the shortest. Takes over `plan`. */
static void check_plan(comparison *c, const hs_algorithm *alg, hs_schedule *plan,
                       const hs_report *report)
{
    const char *name = hs_algorithm_name(alg);
    hs_error    error;
    hs_status   st = hs_schedule_check(c->v->in, plan, &error);
    double      makespan = certified_makespan(c->v->in, plan), slack, alone = NAN;

    slack = certified_slack(c->v->in, plan);
    require(c, st == HS_OK, "%s: %s", name, error.why);
    check_order(c, name, plan);
    require(c, makespan + slack >= c->v->low, "%s takes %.17g, below the optimum %.17g", name,
            makespan, c->v->low);
    require(c, report->bound <= c->v->high, "%s: its bound %.17g is above the optimum %.17g", name,
            report->bound, c->v->high);
    require(c, report->bound <= makespan + slack, "%s: its bound %.17g is above its makespan %.17g",
            name, report->bound, makespan);
    require(c, !report->proved || report->certified <= c->v->high * (1 + PROOF_ROUNDING),
            "%s proves %.17g, but the optimum is %.17g", name, report->certified, c->v->high);
    require(c, report->proved || strcmp(name, "exact") != 0, "exact has proved nothing");
    check_guarantee(c, alg, hs_schedule_makespan(plan));
    st = hs_solve_makespan(NULL, alg, c->v->in, &c->settings, &alone, NULL);
    require(c, st == HS_OK && alone == hs_schedule_makespan(plan),
            "%s: status %d and %.17g without a schedule, %.17g with one", name, (int)st, alone,
            hs_schedule_makespan(plan));
    if (strcmp(name, "best") == 0 || strcmp(name, "exact") == 0)
        require(c, makespan <= c->makespan * (1 + PROOF_ROUNDING),
                "%s takes %.17g, another algorithm %.17g", name, makespan, c->makespan);
    if (makespan < c->makespan || !c->shortest) {
        hs_schedule_free(c->shortest);
        c->shortest = plan;
        c->makespan = makespan;
    } else {
        hs_schedule_free(plan);
    }
}

static void check_algorithm(comparison *c, const hs_algorithm *alg)
{
    const char  *name = hs_algorithm_name(alg);
    hs_schedule *plan = NULL;
    hs_report    report;
    hs_status    st;

    hs_report_init(&report);
    st = hs_solve_reported(alg, c->v->in, &c->settings, &plan, &report);
    if (hs_instance_has_graph(c->v->in) && !hs_algorithm_supports_graphs(alg))
        require(c, st == HS_EDEPENDENT, "%s: %s for a graph", name, hs_status_text(st));
    else if (st == HS_EWORKER)
        require(c, is_partial(c->v->in) && strstr(name, "-only"), "%s refuses tasks", name);
    else
        require(c, st == HS_OK, "%s: %s", name, hs_status_text(st));
    if (st == HS_OK)
        check_plan(c, alg, plan, &report);
}

/* Check that the certificate proves the requested value up to rounding, that a schedule does not
 * contradict the certificate, and that the checker accepts the certificate. */
static void check_certificate(comparison *c, const char *name, const hs_certificate *certificate)
{
    double proved = hs_certificate_proved_value(certificate);
    double requested = hs_certificate_requested_value(certificate);

    require(c, proved <= requested, "%s: %.17g is proved of %.17g", name, proved, requested);
    require(c, proved <= c->v->high, "%s: %.17g is proved, but the optimum is %.17g", name, proved,
            c->v->high);
    require(c, !c->v->verify || !c->shortest || c->v->verify(c->v->in, c->shortest, certificate),
            "%s: the certificate of %.17g is refused", name, proved);
}

static void certify(comparison *c, const hs_bound *bound)
{
    const char     *name = hs_bound_name(bound);
    hs_certificate *certificate = NULL;
    hs_status       st;

    if (!hs_bound_supports_certificate(bound))
        return;
    st = hs_certificate_create(bound, c->v->in, &c->settings, &certificate);
    require(c, st == HS_OK, "certificate of %s: %s", name, hs_status_text(st));
    if (st != HS_OK)
        return;
    check_certificate(c, name, certificate);
    require(c,
            hs_certificate_proved_value(certificate) >=
                hs_certificate_requested_value(certificate) * (1 - CERTIFICATE_ROUNDING) -
                    4 * 0x1p-1074,
            "%s: only %.17g of %.17g is proved", name, hs_certificate_proved_value(certificate),
            hs_certificate_requested_value(certificate));
    hs_certificate_free(certificate);
}

/* Certify slightly less than the shortest makespan: the certificate may prove less, but nothing
 * false. */
static void certify_makespan(comparison *c)
{
    hs_certificate *certificate = NULL;
    hs_status       st =
        hs_certificate_prove(c->v->in, "test", c->makespan, &c->settings, &certificate);

    require(c, st == HS_OK, "certificate of the makespan: %s", hs_status_text(st));
    if (st == HS_OK)
        check_certificate(c, "makespan", certificate);
    hs_certificate_free(certificate);
}

static bool is_slow(const hs_bound *bound)
{
    const char *name = hs_bound_name(bound);

    return strcmp(name, "allocation") == 0 || strcmp(name, "configuration") == 0 ||
           strcmp(name, "mip") == 0;
}

static void check_bound(comparison *c, const hs_bound *bound)
{
    const char *name = hs_bound_name(bound);
    double      value = NAN;
    hs_status   st = hs_bound_compute(bound, c->v->in, &c->settings, &value);

    require(c, st == HS_OK && value >= 0 && isfinite(value), "%s: %s, %g", name, hs_status_text(st),
            value);
    require(c, value <= c->v->high, "%s is %.17g, above the optimum %.17g", name, value,
            c->v->high);
    require(c, !c->shortest || value <= c->makespan + certified_slack(c->v->in, c->shortest),
            "%s is %.17g, but a valid schedule takes %.17g", name, value, c->makespan);
    if (strcmp(name, "deadline") == 0)
        c->deadline = value;
    if (strcmp(name, "theorem2") == 0)
        c->theorem2 = value;
    if (strcmp(name, "min-time") == 0)
        c->min_time = value;
    certify(c, bound);
}

const char *invariants_broken(const invariants *v)
{
    static char broken[sizeof((comparison *)NULL)->broken];
    comparison  c = {.v = v, .makespan = INFINITY};

    hs_settings_init(&c.settings);
    c.settings.iterations = BEST_ITERATIONS;
    c.settings.time_limit = INFINITY;
    for (size_t searches = 0; searches < 2; searches++) /* members before the searches */
        for (size_t i = 0; i < hs_algorithm_count(); i++) {
            const hs_algorithm *alg = hs_algorithm_at(i);
            const char         *name = hs_algorithm_name(alg);

            if ((strcmp(name, "best") == 0 || strcmp(name, "exact") == 0) == (searches == 1))
                check_algorithm(&c, alg);
        }
    for (size_t i = 0; i < hs_bound_count(); i++)
        if (v->slow || !is_slow(hs_bound_at(i)))
            check_bound(&c, hs_bound_at(i));
    require(&c, c.deadline >= c.theorem2 * (1 - DBL_EPSILON) && c.deadline >= c.min_time,
            "deadline is %.17g, theorem2 %.17g and min-time %.17g", c.deadline, c.theorem2,
            c.min_time);
    if (c.shortest)
        certify_makespan(&c);
    hs_schedule_free(c.shortest);
    memcpy(broken, c.broken, sizeof broken);
    return broken[0] ? broken : NULL;
}
