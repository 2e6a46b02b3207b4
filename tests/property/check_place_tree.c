/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Branch and bound over places, on random graphs with links, ties and tasks of one type: it finds a
 * schedule below a cutoff slightly above the optimum, and refutes the optimum itself. The optimum
 * comes from brute force or, for larger graphs, from branch and bound over start orders. Likewise
 * the searches made of it: aims, and large neighbourhoods.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "graph_brute_force.h"
#include "graph_sample.h"
#include "refine/graph/places/neighbourhoods.h"
#include "refine/graph/places/place_aims.h"
#include "refine/graph/places/place_tree.h"
#include "refine/graph/schedule_tree.h"
#include "sample.h"
#include "suite.h"

enum { NODES = 100000 /* limit of the search over start orders */ };

/* A graph of a sample, opened for searches. */
typedef struct graph {
    graph_sample  s;
    hsi_problem   pb;
    hsi_arcs      arcs;
    hs_settings   settings;
    hsi_stop      stop;
    atomic_int    halt;
    hsi_interrupt interrupt;
} graph;

/* Make a graph with links of at most `most` tasks, on one node or on several. Return false if the
 * sample is no such graph; there is nothing to close then. */
static bool open_graph_on(graph *g, uint64_t seed, size_t most, bool several)
{
    graph_sample_make(&g->s, seed);
    if (!g->s.links || g->s.n > most || several != (hs_instance_nodes(g->s.in) > 1)) {
        graph_sample_free(&g->s);
        return false;
    }
    hs_settings_init(&g->settings);
    g->stop = hsi_stop_after(&g->settings, INFINITY);
    atomic_init(&g->halt, 0);
    g->interrupt = (hsi_interrupt){.stop = &g->stop, .halt = &g->halt, .leads = true};
    ck_assert_int_eq(hsi_problem_of_tasks(g->s.in, NULL, &g->pb), HS_OK);
    ck_assert_int_eq(hsi_arcs_open(&g->pb, &g->arcs), HS_OK);
    return true;
}

static bool open_graph(graph *g, uint64_t seed, size_t most)
{
    return open_graph_on(g, seed, most, false);
}

static void close_graph(graph *g)
{
    hsi_arcs_close(&g->arcs);
    hsi_problem_close(&g->pb);
    graph_sample_free(&g->s);
}

/* Return the makespan of the first schedule below the cutoff; INFINITY: the cutoff is refuted. The
 * search stops after every `steps` steps, 0: never. */
static double search_below(graph *g, double cutoff, uint64_t steps)
{
    hsi_place_tree *tree = NULL;
    hs_schedule    *found = NULL;
    double          makespan = INFINITY;

    ck_assert_int_eq(hsi_place_tree_open(&g->arcs, &tree), HS_OK);
    while (!found && !hsi_place_tree_ended(tree)) {
        ck_assert_int_eq(hsi_place_tree_continue(tree, cutoff, steps, &g->interrupt), HS_OK);
        found = hsi_place_tree_take_found(tree);
    }
    if (found) {
        GRAPH_REQUIRE(&g->s, hs_schedule_check(g->s.in, found, NULL) == HS_OK, "no schedule");
        makespan = hs_schedule_makespan(found);
        GRAPH_REQUIRE(&g->s, makespan < cutoff, "%.17g is not below %.17g", makespan, cutoff);
    }
    hs_schedule_free(found);
    hsi_place_tree_close(tree);
    return makespan;
}

/* Return the least makespan that a search from a high cutoff down finds, checking each. */
static double search_down(graph *g, double cutoff)
{
    hsi_place_tree *tree = NULL;
    double          least = cutoff;

    ck_assert_int_eq(hsi_place_tree_open(&g->arcs, &tree), HS_OK);
    while (!hsi_place_tree_ended(tree)) {
        hs_schedule *found;

        ck_assert_int_eq(hsi_place_tree_continue(tree, least, 3, &g->interrupt), HS_OK);
        found = hsi_place_tree_take_found(tree);
        if (!found)
            continue;
        GRAPH_REQUIRE(&g->s, hs_schedule_check(g->s.in, found, NULL) == HS_OK, "no schedule");
        GRAPH_REQUIRE(&g->s, hs_schedule_makespan(found) < least, "not shorter");
        least = hs_schedule_makespan(found);
        hs_schedule_free(found);
    }
    hsi_place_tree_close(tree);
    return least;
}

static void require_bound_holds(graph *g, double optimum)
{
    hsi_place_tree *tree = NULL;
    double          bound;

    ck_assert_int_eq(hsi_place_tree_open(&g->arcs, &tree), HS_OK);
    bound = hsi_place_tree_bound(tree, 0, 2 * optimum, NULL);
    GRAPH_REQUIRE(&g->s, bound <= optimum * (1 + 1e-14), "bound %.17g, optimum %.17g", bound,
                  optimum);
    GRAPH_REQUIRE(&g->s, bound > 0, "no bound");
    hsi_place_tree_close(tree);
}

/* Check the bounds by windows and by probes against the optimum. */
static void require_place_bounds_hold(graph *g, double optimum)
{
    double windows, probes;

    g->settings.time_limit = INFINITY;
    ck_assert_int_eq(
        hs_bound_compute(hs_bound_find("place-windows"), g->s.in, &g->settings, &windows), HS_OK);
    ck_assert_int_eq(
        hs_bound_compute(hs_bound_find("place-probes"), g->s.in, &g->settings, &probes), HS_OK);
    GRAPH_REQUIRE(&g->s, windows <= probes && probes <= optimum * (1 + 1e-14),
                  "place-windows %.17g, place-probes %.17g, optimum %.17g", windows, probes,
                  optimum);
}

/* Check that a search that was restarted with some tasks frozen, as in a schedule, finds nothing
 * below the optimum, that it keeps what is frozen in no way that loses the schedule itself, and
 * that a restart without frozen tasks finds the optimum. */
static void require_restarts_hold(graph *g, const hs_schedule *s, double optimum, uint64_t seed)
{
    uint64_t         order[GRAPH_TASKS] = {0};
    uint32_t         place[GRAPH_TASKS];
    hsi_place_frozen frozen = {place, order};
    hsi_place_tree  *tree = NULL;
    hs_schedule     *found = NULL;
    double           makespan = hs_schedule_makespan(s);

    for (unsigned w = 0; w < g->s.m + g->s.k; w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++) {
            place[entries[i].task] =
                (seed >> entries[i].task & 1) ? hsi_place_of_worker(&g->arcs, w) : HS_NONE;
            for (size_t j = 0; j < i; j++)
                order[entries[j].task] |= 1ull << entries[i].task;
        }
    }
    for (uint32_t task = 0; task < g->s.n; task++)
        for (uint32_t later = 0; later < g->s.n; later++)
            if (place[task] == HS_NONE || place[later] == HS_NONE)
                order[task] &= ~(1ull << later);
    ck_assert_int_eq(hsi_place_tree_open(&g->arcs, &tree), HS_OK);
    for (int part = 0; part < 3; part++) {
        double cutoff = part == 1 ? optimum : nextafter(part == 0 ? makespan : optimum, INFINITY);

        hsi_place_tree_restart(tree, part < 2 ? &frozen : NULL);
        ck_assert_int_eq(hsi_place_tree_continue(tree, cutoff, 0, &g->interrupt), HS_OK);
        found = hsi_place_tree_take_found(tree);
        GRAPH_REQUIRE(&g->s, (found != NULL) == (part != 1), "part %d: %s below %.17g", part,
                      found ? "a schedule" : "no schedule", cutoff);
        GRAPH_REQUIRE(&g->s, !found || hs_schedule_check(g->s.in, found, NULL) == HS_OK,
                      "no schedule");
        hs_schedule_free(found);
    }
    hsi_place_tree_close(tree);
}

/* Check that aims meet the optimum from both sides, in parts of a few steps. */
static void require_aims_meet(graph *g, double optimum)
{
    hsi_place_aims *aims = NULL;
    hsi_aims_run    run = {.steps = 7, .bound = 0.1 * optimum, .makespan = 3 * optimum};

    ck_assert_int_eq(hsi_place_aims_open(&g->arcs, &aims), HS_OK);
    while (hsi_has_aims(run.bound, run.makespan)) {
        ck_assert_int_eq(hsi_place_aims_continue(aims, &run, &g->interrupt), HS_OK);
        GRAPH_REQUIRE(&g->s, run.bound <= optimum, "refuted %.17g, the optimum is %.17g", run.bound,
                      optimum);
        if (!run.found)
            continue;
        GRAPH_REQUIRE(&g->s, hs_schedule_check(g->s.in, run.found, NULL) == HS_OK, "no schedule");
        GRAPH_REQUIRE(&g->s, hs_schedule_makespan(run.found) < run.makespan, "not shorter");
        run.makespan = hs_schedule_makespan(run.found);
        hs_schedule_free(run.found);
    }
    hsi_place_aims_close(aims);
}

/* Search neighbourhoods of a schedule, in several parts, and return the last makespan. *found is
 * the last schedule; it replaces and frees `from`. */
static double search_neighbourhoods(graph *g, uint64_t seed, uint64_t steps, hs_schedule **s)
{
    hsi_neighbourhoods   *search = NULL;
    hsi_neighbourhood_run run = {.steps = steps, .enough = 0};
    hsi_random            random;

    hsi_random_seed(&random, seed, 0);
    ck_assert_int_eq(hsi_neighbourhoods_open(&g->arcs, &search), HS_OK);
    for (int part = 0; part < 4; part++) {
        hs_schedule *found;

        hsi_neighbourhoods_begin(search, *s);
        ck_assert_int_eq(hsi_neighbourhoods_run(search, &random, &run, &g->interrupt, &found),
                         HS_OK);
        GRAPH_REQUIRE(&g->s, run.made >= steps, "made %g steps of %g", (double)run.made,
                      (double)steps);
        if (!found)
            continue;
        GRAPH_REQUIRE(&g->s, hs_schedule_check(g->s.in, found, NULL) == HS_OK, "no schedule");
        GRAPH_REQUIRE(&g->s, hs_schedule_makespan(found) < hs_schedule_makespan(*s), "not shorter");
        hs_schedule_free(*s);
        *s = found;
    }
    hsi_neighbourhoods_close(search);
    return hs_schedule_makespan(*s);
}

/* Return a schedule without aborted entries. */
static hs_schedule *first_schedule(graph *g)
{
    hs_schedule *s = NULL;

    ck_assert_int_eq(hs_solve(hs_algorithm_find("mct"), g->s.in, NULL, &s), HS_OK);
    return s;
}

START_TEST(parts_of_the_tree_agree_with_brute_force)
{
    size_t rounds = rounds_scaled(4000), looked_at = 0, met = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph        g;
        hs_schedule *s;
        double       optimum, makespan;

        if (!open_graph(&g, 90000000 + i, GRAPH_BRUTE_FORCE_TASKS))
            continue;
        looked_at++;
        optimum = graph_brute_force(&g.s);
        s = first_schedule(&g);
        require_restarts_hold(&g, s, optimum, i / 3);
        require_aims_meet(&g, optimum);
        makespan = hs_schedule_makespan(s);
        if (makespan > optimum)
            makespan = search_neighbourhoods(&g, i, 30, &s);
        GRAPH_REQUIRE(&g.s, makespan >= optimum, "%.17g is below the optimum, %.17g", makespan,
                      optimum);
        met += makespan == optimum;
        hs_schedule_free(s);
        close_graph(&g);
    }
    ck_assert_uint_ge(looked_at * 8, rounds);
    ck_assert_uint_ge(met * 20, looked_at * 19);
}
END_TEST

/* Check that neighbourhoods of larger graphs hold schedules, the same in parts of any size. */
START_TEST(neighbourhoods_of_larger_graphs_hold_schedules)
{
    size_t rounds = rounds_scaled(300), looked_at = 0, shortened = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph        g;
        hs_schedule *s, *longer;
        double       first, after;

        if (!open_graph(&g, 91000000 + i, GRAPH_TASKS))
            continue;
        looked_at++;
        s = first_schedule(&g);
        longer = first_schedule(&g);
        first = hs_schedule_makespan(s);
        after = search_neighbourhoods(&g, i, 100, &s);
        GRAPH_REQUIRE(&g.s, search_neighbourhoods(&g, i, 20, &longer) <= first, "longer");
        shortened += after < first;
        hs_schedule_free(s);
        hs_schedule_free(longer);
        close_graph(&g);
    }
    ck_assert_uint_ge(shortened * 8, looked_at);
}
END_TEST

START_TEST(tree_agrees_with_brute_force)
{
    size_t rounds = rounds_scaled(8000), looked_at = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph  g;
        double optimum;

        if (!open_graph(&g, 88000000 + i, GRAPH_BRUTE_FORCE_TASKS))
            continue;
        looked_at++;
        optimum = graph_brute_force(&g.s);
        GRAPH_REQUIRE(&g.s, isfinite(search_below(&g, 1.0005 * optimum, i % 3)),
                      "found nothing below 1.0005 times the optimum, %.17g", optimum);
        GRAPH_REQUIRE(&g.s, isfinite(search_below(&g, nextafter(optimum, INFINITY), 0)),
                      "has not found the optimum, %.17g", optimum);
        GRAPH_REQUIRE(&g.s, isinf(search_below(&g, optimum, i % 5)),
                      "found a schedule below the optimum, %.17g", optimum);
        GRAPH_REQUIRE(&g.s, search_down(&g, 3 * optimum) == optimum, "missed the optimum, %.17g",
                      optimum);
        require_bound_holds(&g, optimum);
        require_place_bounds_hold(&g, optimum);
        close_graph(&g);
    }
    ck_assert_uint_ge(looked_at * 8, rounds);
}
END_TEST

/* Return the optimum by branch and bound over start orders, or INFINITY if this takes too long. */
static double optimum_by_orders(graph *g)
{
    hsi_schedule_tree *tree = NULL;
    double             least = INFINITY;
    uint64_t           nodes = 0;

    ck_assert_int_eq(hsi_schedule_tree_open(&g->arcs, &tree), HS_OK);
    while (!hsi_schedule_tree_ended(tree) && nodes < NODES) {
        hs_schedule *found = NULL;

        hsi_schedule_tree_continue(tree, least / (1 + 1e-11), NODES, &g->interrupt);
        nodes += hsi_schedule_tree_nodes(tree);
        if (!hsi_schedule_tree_has_found(tree))
            continue;
        ck_assert_int_eq(hsi_schedule_tree_build_found(tree, &found), HS_OK);
        least = hs_schedule_makespan(found);
        hs_schedule_free(found);
    }
    if (!hsi_schedule_tree_ended(tree))
        least = INFINITY;
    hsi_schedule_tree_close(tree);
    return least;
}

/* Check that no bound, except the search of mip, exceeds what the search finds. */
static void require_bounds_hold(graph *g, double optimum)
{
    for (size_t i = 0; i < hs_bound_count(); i++) {
        double value;

        g->settings.time_limit = INFINITY;
        if (strcmp(hs_bound_name(hs_bound_at(i)), "mip") != 0 &&
            hs_bound_compute(hs_bound_at(i), g->s.in, &g->settings, &value) == HS_OK)
            GRAPH_REQUIRE(&g->s, value <= optimum * (1 + 1e-11), "%s says %.17g, found %.17g",
                          hs_bound_name(hs_bound_at(i)), value, optimum);
    }
}

START_TEST(tree_agrees_with_start_orders_and_bounds)
{
    size_t rounds = rounds_scaled(1000), looked_at = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph  g;
        double optimum;

        if (!open_graph(&g, 89000000 + i, 14))
            continue;
        optimum = optimum_by_orders(&g);
        if (isfinite(optimum)) {
            looked_at++;
            GRAPH_REQUIRE(&g.s, isfinite(search_below(&g, 1.0005 * optimum, 0)),
                          "found nothing below 1.0005 times the optimum, %.17g", optimum);
            GRAPH_REQUIRE(&g.s, isinf(search_below(&g, optimum * (1 - 2e-11), 0)),
                          "found a schedule below the optimum, %.17g", optimum);
            require_bound_holds(&g, optimum);
            require_bounds_hold(&g, optimum);
        }
        close_graph(&g);
    }
    ck_assert_uint_ge(looked_at * 4, rounds);
}
END_TEST

/* Check that graphs without links or tasks, and graphs on several nodes, are refused. */
START_TEST(unsuitable_graphs_are_refused)
{
    graph           g;
    hsi_place_tree *tree = NULL;
    uint64_t        seed = 88000000;

    while (!open_graph(&g, seed, GRAPH_TASKS))
        seed++;
    g.pb.n = 0;
    ck_assert_int_eq(hsi_place_tree_open(&g.arcs, &tree), HS_ETOOBIG);
    g.pb.n = 193;
    ck_assert_int_eq(hsi_place_tree_open(&g.arcs, &tree), HS_ETOOBIG);
    g.pb.n = g.s.n;
    g.pb.links = &(hsi_links){0};
    ck_assert_int_eq(hsi_place_tree_open(&g.arcs, &tree), HS_ETOOBIG);
    close_graph(&g);
    while (!open_graph_on(&g, seed, GRAPH_TASKS, true))
        seed++;
    ck_assert_int_eq(hsi_place_tree_open(&g.arcs, &tree), HS_ETOOBIG);
    close_graph(&g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("branch and bound over places");
    TCase *cases = tcase_create("on small graphs");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, tree_agrees_with_brute_force);
    tcase_add_test(cases, tree_agrees_with_start_orders_and_bounds);
    tcase_add_test(cases, parts_of_the_tree_agree_with_brute_force);
    tcase_add_test(cases, neighbourhoods_of_larger_graphs_hold_schedules);
    tcase_add_test(cases, unsuitable_graphs_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
