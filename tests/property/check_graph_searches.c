/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searches on small graphs: each result is a valid schedule, no longer than any member's and equal
 * for any number of threads. Where brute force is possible, neither makespans nor proofs contradict
 * the optimum.
 */
#include "config.h"

#include <check.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#ifdef HAVE_GLPK
#include <glpk.h>
#endif

#include "algorithm/run_algorithm.h"
#include "counted_clock.h"
#include "graph_brute_force.h"
#include "graph_sample.h"
#include "literal_transfers.h"
#include "refine/best/best.h"
#include "refine/graph/schedule_tree.h"
#include "sample.h"
#include "suite.h"

#define ROUNDING 1e-10

static hs_settings settings_with_iterations(uint64_t iterations)
{
    hs_settings settings;

    hs_settings_init(&settings);
    settings.iterations = iterations;
    settings.time_limit = INFINITY;
    return settings;
}

static hs_schedule *search_and_check(const graph_sample *s, const char *name,
                                     const hs_settings *settings, hs_report *report)
{
    hs_schedule *found = NULL;
    hs_error     v;
    hs_status    st;

    hs_report_init(report);
    st = hs_solve_reported(hs_algorithm_find(name), s->in, settings, &found, report);
    GRAPH_REQUIRE(s, st == HS_OK, "%s: %s", name, hs_status_text(st));
    GRAPH_REQUIRE(s, hs_schedule_check(s->in, found, &v) == HS_OK, "%s: %s", name,
                  v.why);
    GRAPH_REQUIRE(s, report->bound <= hs_schedule_makespan(found) * (1 + ROUNDING),
                  "%s: no schedule beats %.17g, but %.17g does", name, report->bound,
                  hs_schedule_makespan(found));
    return found;
}

static void require_no_worse(const graph_sample *s, double makespan, const hs_algorithm *member,
                             hs_rank rank)
{
    hs_schedule *its = NULL;
    hs_settings  settings;

    hs_settings_init(&settings);
    settings.rank = rank;
    if (hs_solve(member, s->in, &settings, &its) != HS_OK)
        return;
    GRAPH_REQUIRE(s, makespan <= hs_schedule_makespan(its), "best takes %.17g, %s:%s %.17g",
                  makespan, hs_algorithm_name(member), hs_rank_name(rank),
                  hs_schedule_makespan(its));
    hs_schedule_free(its);
}

/* Check that the members outside the registry make schedules, and that none is shorter than the
 * result on a graph with transfer times. */
static void require_no_worse_than_unregistered(const graph_sample *s, double makespan)
{
    const hsi_algorithm *const members[] = {&hsi_alg_cpop, &hsi_alg_sufferage};

    for (size_t i = 0; i < 2; i++) {
        hs_schedule *its = NULL;
        hs_settings  settings;
        hs_error     v;

        hs_settings_init(&settings);
        ck_assert_int_eq(hsi_run_algorithm(members[i], s->in, &settings, &its), HS_OK);
        GRAPH_REQUIRE(s, hs_schedule_check(s->in, its, &v) == HS_OK, "%s: %s",
                      members[i]->about.name, v.why);
        GRAPH_REQUIRE(s, !s->links || makespan <= hs_schedule_makespan(its),
                      "best takes %.17g, %s %.17g", makespan, members[i]->about.name,
                      hs_schedule_makespan(its));
        hs_schedule_free(its);
    }
}

/* Return the i-th sample number. The numbers 276 and 218 revealed two faults, so they replace the
 * numbers 0 and 2 to be part of short runs. */
static size_t telling_first(size_t i)
{
    static const size_t telling[] = {276, 218};
    const size_t        count = sizeof telling / sizeof *telling;

    for (size_t k = 0; k < count; k++)
        if (i == 2 * k || i == telling[k])
            return i == 2 * k ? telling[k] : 2 * k;
    return i;
}

START_TEST(best_is_no_worse_than_a_member)
{
    size_t rounds = rounds_scaled(300);

    for (size_t i = 0; i < rounds; i++) {
        hs_settings  settings = settings_with_iterations(40);
        graph_sample s;
        hs_report    report;
        hs_schedule *found;

        graph_sample_make(&s, 81000000 + telling_first(i));
        found = search_and_check(&s, "best", &settings, &report);
        for (size_t a = 0; hs_instance_has_graph(s.in) && a < hs_algorithm_count(); a++)
            for (int rank = HS_RANK_DEFAULT; rank <= HS_RANK_FIFO; rank++)
                if (!algorithm_takes_seconds(hs_algorithm_at(a)))
                    require_no_worse(&s, hs_schedule_makespan(found), hs_algorithm_at(a),
                                     (hs_rank)rank);
        if (hs_instance_has_graph(s.in))
            require_no_worse_than_unregistered(&s, hs_schedule_makespan(found));
        hs_schedule_free(found);
        graph_sample_free(&s);
    }
}
END_TEST

static void require_optimal_at_most(const graph_sample *s, const char *name, double makespan,
                                    const hs_report *report, double optimum)
{
    GRAPH_REQUIRE(s, makespan >= optimum * (1 - ROUNDING), "%s takes %.17g, the optimum is %.17g",
                  name, makespan, optimum);
    GRAPH_REQUIRE(s, report->bound <= optimum * (1 + ROUNDING),
                  "%s says that nothing is shorter than %.17g, but %.17g is", name, report->bound,
                  optimum);
    GRAPH_REQUIRE(s, !report->proved || makespan <= optimum * (1 + ROUNDING),
                  "%s says that %.17g is optimal, but %.17g is shorter", name, makespan, optimum);
}

START_TEST(best_agrees_with_brute_force)
{
    size_t rounds = rounds_scaled(1500), looked_at = 0, met = 0;

    for (size_t i = 0; i < rounds; i++) {
        hs_settings  settings = settings_with_iterations(i % 2 ? 1 : 400);
        graph_sample s;
        hs_report    report;
        hs_schedule *found;
        double       optimum;

        graph_sample_make(&s, 82000000 + telling_first(i));
        if (s.n <= GRAPH_BRUTE_FORCE_TASKS) {
            looked_at++;
            optimum = graph_brute_force(&s);
            found = search_and_check(&s, "best", &settings, &report);
            require_optimal_at_most(&s, "best", hs_schedule_makespan(found), &report, optimum);
            GRAPH_REQUIRE(&s, report.proved || !hs_instance_has_graph(s.in),
                          "best has proved nothing of a tiny graph");
            met += hs_schedule_makespan(found) <= optimum * (1 + ROUNDING);
            hs_schedule_free(found);
        }
        graph_sample_free(&s);
    }
    ck_assert_uint_ge(looked_at * 4, rounds);
    ck_assert_uint_ge(met * 50, looked_at * 49);
}
END_TEST

/* Return the least makespan found by branch and bound without a first schedule. */
static double branch_alone(const graph_sample *s)
{
    hs_settings        settings = settings_with_iterations(1);
    hsi_stop          stop = hsi_stop_after(&settings, INFINITY);
    atomic_int        halt = 0;
    hsi_interrupt     interrupt = {&stop, &halt, true, NULL, NULL, NULL};
    hsi_problem       pb;
    hsi_arcs          arcs;
    hsi_schedule_tree *branch = NULL;
    double            least = INFINITY;

    ck_assert_int_eq(hsi_problem_of_tasks(s->in, NULL, &pb), HS_OK);
    ck_assert_int_eq(hsi_arcs_open(&pb, &arcs), HS_OK);
    ck_assert_int_eq(hsi_schedule_tree_open(&arcs, &branch), HS_OK);
    while (!hsi_schedule_tree_ended(branch)) {
        hs_schedule *found = NULL;

        hsi_schedule_tree_continue(branch, least, 7, &interrupt);
        if (!hsi_schedule_tree_has_found(branch))
            continue;
        ck_assert_int_eq(hsi_schedule_tree_build_found(branch, &found), HS_OK);
        GRAPH_REQUIRE(s, hs_schedule_check(s->in, found, NULL) == HS_OK, "no schedule");
        GRAPH_REQUIRE(s, hs_schedule_makespan(found) < least, "not shorter");
        least = hs_schedule_makespan(found);
        hs_schedule_free(found);
    }
    hsi_schedule_tree_close(branch);
    hsi_arcs_close(&arcs);
    hsi_problem_close(&pb);
    return least;
}

START_TEST(branch_and_bound_finds_the_optimum)
{
    size_t rounds = rounds_scaled(4000), looked_at = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph_sample s;

        graph_sample_make(&s, 85000000 + i);
        if (hs_instance_has_graph(s.in) &&
            (s.n <= GRAPH_BRUTE_FORCE_TASKS || (s.n <= 8 && i % 8 == 0 && s.m + s.k <= 3))) {
            double found = branch_alone(&s), optimum = graph_brute_force(&s);

            looked_at++;
            GRAPH_REQUIRE(&s, fabs(found - optimum) <= ROUNDING * optimum,
                          "found %.17g, the optimum is %.17g", found, optimum);
        }
        graph_sample_free(&s);
    }
    ck_assert_uint_ge(looked_at * 4, rounds);
}
END_TEST

START_TEST(exact_agrees_with_brute_force)
{
    size_t rounds = rounds_scaled(4000), looked_at = 0;

    for (size_t i = 0; i < rounds; i++) {
        hs_settings  settings;
        graph_sample s;
        hs_report    report;
        hs_schedule *found;

        hs_settings_init(&settings);
        settings.time_limit = INFINITY;
        graph_sample_make(&s, 84000000 + i);
        if (s.n <= GRAPH_BRUTE_FORCE_TASKS || (s.n <= 8 && i % 20 == 0 && s.m + s.k <= 3)) {
            looked_at++;
            found = search_and_check(&s, "exact", &settings, &report);
            GRAPH_REQUIRE(&s, report.proved, "exact has proved nothing");
            require_optimal_at_most(&s, "exact", hs_schedule_makespan(found), &report,
                                    graph_brute_force(&s));
            hs_schedule_free(found);
        }
        graph_sample_free(&s);
    }
    ck_assert_uint_ge(looked_at * 4, rounds);
}
END_TEST

/* Check that the mixed integer program is never above the optimum, and near it if the solver ended
 * within READINGS readings of the clock. */
START_TEST(mip_bound_agrees_with_brute_force)
{
    enum { READINGS = 100 };
    size_t rounds = rounds_scaled(400), ended = 0, looked_at = 0;

    for (size_t i = 0; hs_bound_find("mip") && i < rounds; i++) {
        graph_sample    s;
        hs_settings     settings;
        hs_bound_report report;
        double          value, optimum;

        hs_settings_init(&settings);
        settings.time_limit = 0.2;
        hs_bound_report_init(&report);
        graph_sample_make(&s, 86000000 + telling_first(i));
        if (hs_instance_has_graph(s.in) && s.n <= GRAPH_BRUTE_FORCE_TASKS) {
            counted_clock_start(settings.time_limit, READINGS);
            ck_assert_int_eq(
                hs_bound_compute_reported(hs_bound_find("mip"), s.in, &settings, &value, &report),
                HS_OK);
            counted_clock_stop();
            optimum = graph_brute_force(&s);
            looked_at++;
            ended += !report.limit_reached;
            GRAPH_REQUIRE(&s, value <= optimum * (1 + 1e-14), "%.17g, the optimum is %.17g", value,
                          optimum);
            GRAPH_REQUIRE(&s, report.limit_reached || value >= optimum * (1 - 1e-6),
                          "it ended with %.17g, the optimum is %.17g", value, optimum);
        }
        graph_sample_free(&s);
    }
    ck_assert_uint_ge(ended * 2, looked_at);
}
END_TEST

static bool are_same(const graph_sample *s, const hs_schedule *a, const hs_schedule *b)
{
    for (unsigned w = 0; w < s->m + s->k; w++) {
        size_t          x, y;
        const hs_entry *left = hs_schedule_entries(a, w, &x);
        const hs_entry *right = hs_schedule_entries(b, w, &y);

        if (x != y)
            return false;
        for (size_t i = 0; i < x; i++)
            if (left[i].task != right[i].task || left[i].start != right[i].start)
                return false;
    }
    return true;
}

START_TEST(threads_do_not_change_the_schedule)
{
    size_t rounds = rounds_scaled(60);

    for (size_t i = 0; i < rounds; i++) {
        hs_settings  settings = settings_with_iterations(3000);
        graph_sample s;
        hs_report    report;
        hs_schedule *one, *three;

        graph_sample_make(&s, 83000000 + i);
        one = search_and_check(&s, "best", &settings, &report);
        settings.threads = 3;
        three = search_and_check(&s, "best", &settings, &report);
        GRAPH_REQUIRE(&s, are_same(&s, one, three), "another schedule by three threads");
        settings.start = one;
        settings.seed = 5;
        settings.iterations = 1;
        hs_schedule_free(three);
        three = search_and_check(&s, "best", &settings, &report);
        GRAPH_REQUIRE(&s, hs_schedule_makespan(three) <= hs_schedule_makespan(one),
                      "%.17g is longer than what it began with, %.17g", hs_schedule_makespan(three),
                      hs_schedule_makespan(one));
        hs_schedule_free(one);
        hs_schedule_free(three);
        graph_sample_free(&s);
    }
}
END_TEST

/* Make a graph of up to 80 tasks of one of the shapes, with links in two of three cases. */
static void make_shaped(graph_sample *s, size_t i)
{
    static const double ccr[] = {0, 0.5, 2};
    hs_shaped           spec;

    hs_shaped_init(&spec);
    spec.shape = (hs_shape)(i % (HS_TOPCUOGLU + 1));
    spec.tasks = 40 + i * 7 % 41;
    spec.cpus = s->m = 2 + i % 3;
    spec.gpus = s->k = 1 + i % 2;
    spec.ccr = ccr[i % 3];
    spec.seed = i;
    s->seed = i;
    s->links = spec.ccr > 0;
    ck_assert_int_eq(hs_generate_shaped(&spec, &s->in, NULL), HS_OK);
}

/* Check that a search with more iterations is never worse, up to the rounding errors within which a
 * search ends at its bound. */
START_TEST(more_iterations_are_never_worse)
{
    static const uint64_t iterations[] = {1, 400, 600, 900, 1400, 2000, 3000, 4500};
    size_t                rounds = rounds_scaled(24), shortened = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph_sample s = {.n = 0};
        double       first = 0, before = INFINITY;

        make_shaped(&s, i);
        for (size_t k = 0; k < sizeof iterations / sizeof *iterations; k++) {
            hs_settings  settings = settings_with_iterations(iterations[k]);
            hs_report    report;
            hs_schedule *found;

            settings.threads = 1;
            found = search_and_check(&s, "best", &settings, &report);
            GRAPH_REQUIRE(&s, hs_schedule_makespan(found) <= before * (1 + ROUNDING),
                          "%.17g after %g iterations, %.17g after fewer",
                          hs_schedule_makespan(found), (double)iterations[k], before);
            before = hs_schedule_makespan(found);
            first = fmax(first, before);
            if (k == 0)
                require_no_worse_than_unregistered(&s, before);
            hs_schedule_free(found);
        }
        shortened += before < first;
        hs_instance_free(s.in);
    }
    ck_assert(rounds < 10 || shortened * 2 >= rounds);
}
END_TEST

/* A cancel token that cancels at poll number `stop_at`. */
typedef struct caller {
    long asked, stop_at; /* number of polls so far; number of the poll that cancels, 0: never */
} caller;

static int cancel_at_poll(void *data)
{
    caller *c = data;

    return ++c->asked >= c->stop_at && c->stop_at;
}

/* Check that the transfers of a schedule start as early as the known schedule permits; return their
 * number. */
static size_t require_foreseen(const graph_sample *s, const char *name, hs_schedule *found)
{
    static literal_transfers moves;

    moves.count = 0;
    literal_add_planned_transfers(s, found, &moves);
    return literal_require_transfers(s, name, &moves, found);
}

/* Check that searches return the transfers of their schedule, also when cancelled at any poll. */
START_TEST(searches_return_the_transfers_of_their_schedule)
{
    static const char *const names[] = {"best", "exact"};
    size_t                   rounds = rounds_scaled(100), moved = 0, stopped = 0;

    for (size_t i = 0; i < rounds; i++) {
        caller       c = {1, 1};
        hs_settings  settings = settings_with_iterations(200);
        graph_sample s;

        settings.transfers = 1;
        settings.cancel = cancel_at_poll;
        settings.cancel_data = &c;
        graph_sample_make(&s, 87000000 + telling_first(i));
        for (long next = 1; c.asked >= c.stop_at; next += 1 + next / 4) {
            hs_schedule *found = NULL;

            c = (caller){0, next};
            if (hs_solve(hs_algorithm_find(names[i % 2]), s.in, &settings, &found) != HS_OK)
                continue;
            moved += require_foreseen(&s, names[i % 2], found);
            stopped += c.asked >= c.stop_at;
            hs_schedule_free(found);
        }
        graph_sample_free(&s);
    }
    ck_assert(rounds < 10 || (moved >= rounds && stopped >= rounds));
}
END_TEST

static unsigned asked, for_transfers;

static hs_status collect_schedule(const hs_algorithm *alg, const hs_instance *in,
                                  const hs_settings *settings, hs_schedule **out)
{
    asked++;
    for_transfers += settings->transfers == 1;
    return hs_solve(alg, in, settings, out);
}

/* Check that an instance too large for a search gets a member's schedule together with its
 * transfers. */
START_TEST(transfers_are_requested_from_members)
{
    const hsi_members members = {hs_algorithm_count, hs_algorithm_at, collect_schedule};
    hs_settings       settings = settings_with_iterations(1);
    hs_schedule      *found = NULL;
    hs_report         report;
    graph_sample      s;

    settings.transfers = _i;
    hs_report_init(&report);
    graph_sample_make(&s, 87000002);
    ck_assert(hs_instance_has_graph(s.in));
    asked = for_transfers = 0;
    ck_assert_int_eq(hsi_best_run(&members, 0, s.in, &settings, &found, &report), HS_OK);
    ck_assert_uint_gt(asked, 5);
    ck_assert_uint_eq(for_transfers, _i ? asked : 0);
    hs_schedule_free(found);
    graph_sample_free(&s);
}
END_TEST

#ifdef HAVE_GLPK
static int limited_calls = -1; /* number of calls of GLPK with a time limit; negative: not
                                  counted */

int __real_glp_simplex(glp_prob *lp, const glp_smcp *parameters);
int __wrap_glp_simplex(glp_prob *lp, const glp_smcp *parameters);

/* Wrapper of glp_simplex(), to which the linker redirects calls of the library. */
int __wrap_glp_simplex(glp_prob *lp, const glp_smcp *parameters)
{
    if (limited_calls >= 0)
        limited_calls += parameters->tm_lim < INT_MAX;
    return __real_glp_simplex(lp, parameters);
}
#endif

/* Check that the speed of the machine does not change the schedule: neither if an hour passes
 * between two readings of the clock, nor through an interruption of GLPK, which would choose
 * another optimum of an LP with several. */
START_TEST(speed_of_the_machine_does_not_change_the_schedule)
{
    enum { HOUR = 3600 };
    hs_tiled spec = {
        sizeof spec, HS_CHOLESKY, 14, 20, 4, 0, 1, hs_kernel_table_find("k40m-960"), 0};
    hs_settings  settings = settings_with_iterations(1);
    graph_sample s = {.m = spec.cpus, .k = spec.gpus};
    hs_schedule *one, *slow;
    hs_report    report;

    ck_assert_int_eq(hs_generate_tiled(&spec, &s.in, NULL), HS_OK);
    one = search_and_check(&s, "best", &settings, &report);
#ifdef HAVE_GLPK
    limited_calls = 0;
#endif
    counted_clock_start(HOUR, 1);
    slow = search_and_check(&s, "best", &settings, &report);
    ck_assert_int_gt(counted_clock_stop(), 0);
    ck_assert(are_same(&s, one, slow));
#ifdef HAVE_GLPK
    ck_assert_int_eq(limited_calls, 0);
#endif
    hs_schedule_free(one);
    hs_schedule_free(slow);
    hs_instance_free(s.in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph searches");
    TCase *cases = tcase_create("on small graphs");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, best_is_no_worse_than_a_member);
    tcase_add_test(cases, best_agrees_with_brute_force);
    tcase_add_test(cases, branch_and_bound_finds_the_optimum);
    tcase_add_test(cases, exact_agrees_with_brute_force);
    tcase_add_test(cases, mip_bound_agrees_with_brute_force);
    tcase_add_test(cases, threads_do_not_change_the_schedule);
    tcase_add_test(cases, more_iterations_are_never_worse);
    tcase_add_loop_test(cases, transfers_are_requested_from_members, 0, 2);
    tcase_add_test(cases, searches_return_the_transfers_of_their_schedule);
    tcase_add_test(cases, speed_of_the_machine_does_not_change_the_schedule);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
