/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proves a schedule optimal, or stops at the time limit with the best schedule and
 * the best bound it has. `best` finds the schedule and often enough proves it. What
 * is left is searched for a shorter one, which ends with one or with the proof that
 * there is none: tiny instances task by task (refute.c), others by branch and price
 * (branch.c), and what resists that task by task again.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "bound/bound.h"
#include "bound/configuration.h"
#include "bound/grid.h"
#include "bound/refute.h"
#include "config.h"
#include "core/order.h"
#include "core/report.h"
#include "refine/branch.h"
#include "refine/refine.h"
#include "refine/squeeze.h"
#include "refine/target.h"

typedef struct proof {
    const hs_instance *in;
    const hs_settings *settings;
    hsi_stop           stop;
    hsi_problem        pb; /* one item a task */
    hs_schedule       *best;
    double             longest; /* what of it is certified */
    double             bound;
    const char        *bound_name;
    double             grid;     /* bound/grid.h */
    int                shortest; /* every shorter schedule is refuted */
    uint64_t          *worth[2]; /* a task: by the area bound, by the configuration bound */
    int                worths;
    uint32_t          *worker;
    uint64_t           nodes;
} proof;

static int is_proved(const proof *pf)
{
    return pf->shortest || pf->longest <= pf->bound * (1 + pf->settings->gap);
}

static void raise_bound(proof *pf, double bound, const char *name)
{
    bound = hsi_grid_up(bound, pf->grid);
    if (bound > pf->bound) {
        pf->bound = bound;
        pf->bound_name = name;
    }
}

/* Part of the time that is left, but no more than `most` seconds. */
static hs_settings share_of_time(const proof *pf, double part, double most)
{
    hs_settings settings = *pf->settings;

    settings.time_limit = fmin(part * hsi_stop_left(&pf->stop), most);
    if (!(settings.time_limit > 0))
        settings.time_limit = 1e-3;
    return settings;
}

/* With what is known so far; ends at a gap that the settings ask for, or at `gap`. */
static hs_status find_schedule(proof *pf, double part, double most, double gap)
{
    hs_settings  settings = share_of_time(pf, part, most);
    hs_report    report;
    hs_schedule *s = NULL;
    hs_status    st;

    settings.start = pf->best ? pf->best : pf->settings->start;
    settings.gap = fmax(settings.gap, gap);
    hs_report_init(&report);
    st = hs_solve_reported(&hsi_alg_best, pf->in, &settings, &s, &report);
    if (st != HS_OK)
        return st;
    if (!pf->best || report.certified < pf->longest) {
        hs_schedule_free(pf->best);
        pf->best = s;
        pf->longest = report.certified;
    } else {
        hs_schedule_free(s);
    }
    pf->shortest |= report.proved && settings.gap == 0;
    if (report.bound > pf->bound) {
        const hs_bound *bound = hs_bound_find(report.bound_name);

        pf->bound = report.bound;
        pf->bound_name = bound ? hs_bound_name(bound) : hsi_alg_exact.name;
    }
    return HS_OK;
}

static hs_status value_by_area(proof *pf, double *value)
{
    atomic_int halt = 0;
    hsi_watch  watch = {.stop = &pf->stop, .halt = &halt};
    uint32_t  *order = malloc((pf->pb.n + 1) * sizeof *order);
    double     pivot = 0;
    hs_status  st = order ? hsi_order_by_rho(&pf->pb, HSI_RHO_UP, order) : HS_ENOMEM;

    if (st == HS_OK)
        st = hsi_split(&pf->pb, order, 1, &watch, NULL, &pivot);
    if (st == HS_OK)
        hsi_area_worth(&pf->pb, pivot, value);
    free(order);
    return st;
}

#ifdef HAVE_GLPK
/* The configuration bound, and what it values the tasks at. */
static hs_status value_by_configuration(proof *pf, double *value)
{
    hs_settings        settings = share_of_time(pf, 0.2, 20);
    hsi_stop           slice = hsi_stop_after(&settings, 1);
    hsi_configuration *cf = NULL;
    hs_status          st = hsi_configuration_open(&pf->pb, 0, &cf);
    size_t             i;

    if (st != HS_OK)
        return st;
    while (st == HS_OK && !hsi_configuration_ended(cf) && !hsi_stop_now(&slice))
        st = hsi_configuration_step(cf, &slice);
    raise_bound(pf, hsi_configuration_bound(cf), "configuration");
    for (i = 0; i < pf->pb.n; i++)
        value[i] = hsi_configuration_worth(cf, i);
    hsi_configuration_close(cf);
    return st == HS_ENOMEM ? st : HS_OK;
}
#endif

static hs_status find_multipliers(proof *pf)
{
    double   *value = malloc((pf->pb.n + 1) * sizeof *value);
    hs_status st = value ? value_by_area(pf, value) : HS_ENOMEM;

    if (st == HS_OK)
        hsi_refute_worth(pf->pb.n, value, pf->worth[pf->worths++]);
#ifdef HAVE_GLPK
    if (st == HS_OK)
        st = value_by_configuration(pf, value);
    if (st == HS_OK)
        hsi_refute_worth(pf->pb.n, value, pf->worth[pf->worths++]);
#endif
    free(value);
    return st;
}

static double last_target(const proof *pf)
{
    return hsi_last_target(pf->longest, pf->settings->gap, pf->grid);
}

static double middle_target(const proof *pf)
{
    double last = last_target(pf), middle = pf->bound + (last - pf->bound) / 2;

    if (pf->grid > 0)
        middle = floor(middle / pf->grid) * pf->grid;
    return last - pf->bound < 1e-5 * last || middle <= pf->bound ? last : middle;
}

static hs_status take_found(proof *pf)
{
    hs_schedule *s = NULL;
    hs_status    st = hsi_assignment_schedule(&pf->pb, pf->worker, &s);
    double       longest;

    if (st != HS_OK)
        return st;
    longest = hsi_certified_makespan(pf->in, s);
    if (longest >= pf->longest) { /* but for rounding it was shorter */
        hs_schedule_free(s);
        return HS_OK;
    }
    hs_schedule_free(pf->best);
    pf->best = s;
    pf->longest = longest;
    return HS_OK;
}

static void tell(const proof *pf)
{
    hs_progress progress = {hsi_stop_elapsed(&pf->stop), pf->longest, pf->bound, pf->nodes,
                            "proof"};

    if (pf->settings->progress)
        pf->settings->progress(pf->settings->progress_data, &progress);
}

/*
 * Which multipliers cut the search short is not known beforehand: they take turns,
 * each with four times the nodes of its last turn, up to `most` (0: until the end).
 */
static hs_status refute_target(proof *pf, double target, uint64_t most, hsi_verdict *verdict)
{
    hsi_refutation r = {.pb = &pf->pb, .worker = pf->worker, .target = target};
    uint64_t       nodes = 20000;
    hs_status      st = HS_OK;
    int            turn;

    *verdict = HSI_STOPPED;
    for (; (most == 0 || nodes <= most) && !hsi_stop_now(&pf->stop); nodes *= 4) {
        for (turn = 0; turn < pf->worths; turn++) {
            r.worth = pf->worth[turn];
            r.most_nodes = nodes;
            st = hsi_refute(&r, &pf->stop, verdict);
            pf->nodes += r.nodes;
            if (st != HS_OK || *verdict != HSI_STOPPED)
                return st;
        }
    }
    return st;
}

/* Learns what the verdict on a target says. */
static hs_status learn(proof *pf, double target, hsi_verdict verdict)
{
    if (verdict == HSI_FOUND)
        return take_found(pf);
    if (verdict == HSI_REFUTED) {
        pf->shortest = target >= nextafter(pf->longest, 0);
        raise_bound(pf, hsi_grid_above(target, pf->grid), hsi_alg_exact.name);
    }
    return HS_OK;
}

/*
 * The last target settles all; when it resists, one half way is next, which at least
 * raises the bound, and then the last one again with more nodes.
 */
static hs_status search_between(proof *pf, unsigned rounds)
{
    uint64_t  patience = 400000;
    hs_status st = HS_OK;

    for (; rounds-- && st == HS_OK && !is_proved(pf) && !hsi_stop_now(&pf->stop); patience *= 4) {
        hsi_verdict verdict = HSI_FOUND;
        double      target = 0, before = INFINITY;

        while (st == HS_OK && verdict == HSI_FOUND && pf->longest < before && !is_proved(pf)) {
            tell(pf);
            before = pf->longest;
            target = last_target(pf);
            st = refute_target(pf, target, patience, &verdict);
            if (st == HS_OK)
                st = learn(pf, target, verdict);
        }
        if (st != HS_OK || is_proved(pf) || verdict == HSI_REFUTED)
            continue;
        target = middle_target(pf);
        st = refute_target(pf, target, patience, &verdict);
        if (st == HS_OK)
            st = learn(pf, target, verdict);
    }
    return st;
}

/* Tasks of few kinds are searched by those (squeeze.h). */
static hs_status ask_by_kinds(proof *pf, hsi_squeeze *sq)
{
    hs_status st = HS_OK;

    while (st == HS_OK && !is_proved(pf) && !hsi_squeeze_ended(sq) && !hsi_stop_now(&pf->stop)) {
        hsi_squeeze_answer answer;
        double             before = pf->longest,
                           last = hsi_last_target(before, pf->settings->gap, 0);

        tell(pf);
        st = hsi_squeeze_ask(sq, pf->bound, last, 0, &pf->stop, &answer);
        if (st != HS_OK)
            break;
        pf->nodes += answer.nodes;
        if (answer.verdict == HSI_FOUND)
            memcpy(pf->worker, answer.worker, pf->pb.n * sizeof *pf->worker);
        st = learn(pf, answer.target, answer.verdict);
        if (answer.verdict == HSI_FOUND && pf->longest >= before)
            hsi_squeeze_vain(sq);
    }
    return st;
}

static hs_status search_kinds(proof *pf)
{
    hsi_squeeze *sq = NULL;
    double      *value = malloc((pf->pb.n + 1) * sizeof *value);
    hs_status    st = value ? hsi_squeeze_open(&pf->pb, &sq) : HS_ENOMEM;

#ifdef HAVE_GLPK
    if (st == HS_OK)
        st = value_by_configuration(pf, value);
    if (st == HS_OK)
        hsi_squeeze_value(sq, value);
#endif
    if (st == HS_OK)
        st = value_by_area(pf, value);
    if (st == HS_OK) {
        hsi_squeeze_value(sq, value);
        st = ask_by_kinds(pf, sq);
    }
    hsi_squeeze_close(sq);
    free(value);
    return st == HS_ETOOBIG ? HS_OK : st;
}

#ifdef HAVE_GLPK
static hs_status climb_tree(proof *pf, hsi_branch *tree)
{
    hs_status st = HS_OK;

    while (st == HS_OK && !is_proved(pf) && !hsi_branch_ended(tree) && !hsi_stop_now(&pf->stop)) {
        hs_settings     settings = share_of_time(pf, 1, 1);
        hsi_stop        slice = hsi_stop_after(&settings, 1);
        const uint32_t *found;

        tell(pf);
        st = hsi_branch_step(tree, hsi_cutoff(pf->longest, pf->settings->gap, pf->grid), &slice);
        if (st != HS_OK)
            break;
        raise_bound(pf, fmin(hsi_branch_bound(tree), pf->longest), "exact");
        found = hsi_branch_found(tree);
        if (found) {
            memcpy(pf->worker, found, pf->pb.n * sizeof *found);
            st = take_found(pf);
            if (st == HS_OK && !is_proved(pf)) /* what is near it may be better yet */
                st = find_schedule(pf, 0.05, 0.2, 0);
        }
    }
    pf->nodes += hsi_branch_nodes(tree);
    return st;
}

/* Branch and price: what settles nearly all that is not settled at once. */
static hs_status search_tree(proof *pf)
{
    hsi_branch *tree = NULL;
    hs_status   st;

    if (pf->pb.n > HSI_BRANCH_MOST_TASKS)
        return HS_OK;
    st = hsi_branch_open(&pf->pb, pf->bound, &tree);
    if (st != HS_OK)
        return st;
    st = climb_tree(pf, tree);
    hsi_branch_close(tree);
    return st;
}
#else
static hs_status search_tree(proof *pf)
{
    (void)pf;
    return HS_OK;
}
#endif

/* Without a time limit in the settings. */
#define DEFAULT_SECONDS 10.0

/*
 * Tiny instances are searched through faster than the tree has its first bound. On small
 * ones `best` climbs a tree of its own between its rounds, which settles nearly all that
 * there is to settle; where there are more tasks, a tree seldom closes the gap, and nearly
 * all of the time is for the schedule.
 */
enum { TINY = 20, SMALL = 120 };

static const double schedules_part = 0.97; /* of the time, for what is not small */
static const double endless = 10;          /* seconds for schedules, were there no limit */

static double most_for_schedules(const proof *pf)
{
    return isinf(pf->stop.end) ? endless : INFINITY;
}

/* By what they are made of, from a schedule that is found in so little of the time. */
static hs_status prove_by_kinds(proof *pf, double part)
{
    hs_status st = find_schedule(pf, part, 0.3, 0);

    return st == HS_OK && !is_proved(pf) ? search_kinds(pf) : st;
}

static hs_status prove_tiny(proof *pf)
{
    hs_status st = prove_by_kinds(pf, 0.1);

    if (st == HS_OK && !is_proved(pf))
        st = find_multipliers(pf);
    return st == HS_OK && !is_proved(pf) ? search_between(pf, 1) : st;
}

static hs_status prove_small(proof *pf)
{
    hs_status st = HS_OK;

    if (hsi_squeeze_may_open(&pf->pb))
        st = prove_by_kinds(pf, 0.02);
    if (st == HS_OK && !is_proved(pf))
        st = find_schedule(pf, 1, most_for_schedules(pf), HSI_CUTOFF_GAP);
    return st;
}

static hs_status prove_large(proof *pf)
{
    hs_status st = find_schedule(pf, schedules_part, most_for_schedules(pf), 0);

    return st == HS_OK && !is_proved(pf) ? search_kinds(pf) : st;
}

static hs_status prove(proof *pf)
{
    hs_status st = pf->pb.n <= TINY    ? prove_tiny(pf)
                   : pf->pb.n <= SMALL ? prove_small(pf)
                                       : prove_large(pf);

    if (st == HS_OK && !is_proved(pf))
        st = search_tree(pf);
    if (st != HS_OK || is_proved(pf) || hsi_stop_now(&pf->stop))
        return st;
    if (pf->pb.n > HSI_REFUTE_MOST_TASKS)
        return find_schedule(pf, 1, INFINITY, 0);
    if (pf->worths == 0)
        st = find_multipliers(pf);
    return st == HS_OK ? search_between(pf, UINT_MAX) : st;
}

static hs_status search(const hs_instance *in, const hs_settings *settings, hs_schedule **out,
                        hs_report *report)
{
    proof     pf = {.in = in, .settings = settings, .longest = INFINITY, .bound_name = "none"};
    hs_status st;

    pf.stop = hsi_stop_after(settings, DEFAULT_SECONDS);
    st = hsi_problem_of_tasks(in, &pf.pb);
    if (st != HS_OK)
        return st;
    pf.grid = hsi_grid_of(&pf.pb);
    pf.worth[0] = malloc((pf.pb.n + 1) * sizeof *pf.worth[0]);
    pf.worth[1] = malloc((pf.pb.n + 1) * sizeof *pf.worth[1]);
    pf.worker = malloc((pf.pb.n + 1) * sizeof *pf.worker);
    st = pf.worth[0] && pf.worth[1] && pf.worker ? prove(&pf) : HS_ENOMEM;
    if (st == HS_OK) {
        *out = pf.best;
        pf.best = NULL;
        report->bound = pf.bound;
        snprintf(report->bound_name, sizeof report->bound_name, "%s", pf.bound_name);
        report->certified = pf.longest;
        report->proved = is_proved(&pf);
        report->limit_reached = !report->proved;
        report->iterations = pf.nodes;
    }
    hs_schedule_free(pf.best);
    free(pf.worker);
    free(pf.worth[0]);
    free(pf.worth[1]);
    hsi_problem_close(&pf.pb);
    return st;
}

/* Whoever gives it all the time in the world gets the optimum. */
static double guarantee(unsigned cpus, unsigned gpus, const hs_settings *settings)
{
    (void)cpus;
    (void)gpus;
    return isinf(settings->time_limit) ? 1 + settings->gap : INFINITY;
}

const hs_algorithm hsi_alg_exact = {
    .name = "exact",
    .summary = "proves optimality, or stops at the time limit with the best it has",
    .source = "search against the configuration bound's multipliers",
    .cost = "exponential at worst; until the time limit",
    .guarantee = guarantee,
    .search = search,
};
