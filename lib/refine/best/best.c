/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default algorithm: the portfolio, then annealing, with lower bounds beside
 * it that say when to end. What is returned is always the schedule of the least
 * makespan that was met, so it is no worse than any member that finished.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "core/order.h"
#include "core/report.h"
#include "refine/search.h"

static double allowed(const hsi_search *search)
{
    double gap = search->settings->gap;

    return gap > 0 ? nextafter((1 + gap) * search->bound, 0) : search->bound;
}

int hsi_search_met(const hsi_search *search)
{
    double enough = fmax(allowed(search), nextafter(search->refuted, INFINITY));

    return search->found && search->makespan <= enough * (1 + 0x1p-20) &&
           hsi_certified_makespan(search->in, search->found) <= enough;
}

double hsi_search_enough(const hsi_search *search)
{
    return allowed(search) * (1 - 0x1p-50);
}

static void take(hsi_search *search, hs_schedule *s)
{
    hs_schedule_free(search->found);
    search->found = s;
    search->makespan = hs_schedule_makespan(s);
}

/* Takes an assignment if it is shorter, or as long and `equal` is good enough. */
static hs_status offer(hsi_search *search, const uint32_t *worker, int equal)
{
    double       makespan = hsi_assignment_makespan(&search->pb, worker, search->load);
    hs_schedule *s = NULL;
    hs_status    st;

    if (search->found && !(makespan < search->makespan || (equal && makespan == search->makespan)))
        return HS_OK;
    st = hsi_assignment_schedule(&search->pb, worker, &s);
    if (st != HS_OK)
        return st;
    take(search, s);
    if (worker != search->worker)
        memcpy(search->worker, worker, search->pb.n * sizeof *worker);
    return HS_OK;
}

hs_status hsi_search_offer(hsi_search *search, hs_schedule *s)
{
    if (search->found && hs_schedule_makespan(s) >= search->makespan) {
        hs_schedule_free(s);
        return HS_OK;
    }
    take(search, s);
    hsi_assignment_of(s, search->worker);
    if (hs_schedule_size(s) == search->pb.n)
        return HS_OK;
    return offer(search, search->worker, 1); /* without what was aborted */
}

hs_status hsi_search_offer_assignment(hsi_search *search, const uint32_t *worker)
{
    return offer(search, worker, 0);
}

hs_status hsi_search_offer_exact(hsi_search *search, const uint32_t *worker)
{
    double       makespan = hsi_assignment_makespan(&search->pb, worker, search->load);
    hs_schedule *s = NULL;
    hs_status    st;

    if (makespan != search->makespan)
        return hsi_search_offer_assignment(search, worker);
    st = hsi_assignment_schedule(&search->pb, worker, &s);
    if (st != HS_OK)
        return st;
    if (hsi_certified_makespan(search->in, s) >=
        hsi_certified_makespan(search->in, search->found)) {
        hs_schedule_free(s);
        return HS_OK;
    }
    take(search, s);
    memcpy(search->worker, worker, search->pb.n * sizeof *worker);
    return HS_OK;
}

static void tell(void *data)
{
    hsi_search       *search = data;
    const double      interval = 0.2;
    const hs_settings *settings = search->settings;
    double            seconds = hsi_stop_elapsed(&search->stop);
    hs_progress       progress = {.seconds = seconds,
                                  .makespan = search->found ? search->makespan : INFINITY,
                                  .bound = search->bound,
                                  .iterations = search->report->iterations,
                                  .phase = search->phase};

    if (!settings->progress || seconds < search->next_tell)
        return;
    search->next_tell = seconds + interval;
    settings->progress(settings->progress_data, &progress);
}

static hs_status open_search(hsi_search *search)
{
    size_t    n, workers;
    hs_status st = hsi_problem_of_tasks(search->in, &search->pb);

    if (st != HS_OK)
        return st;
    n = search->pb.n;
    workers = (size_t)search->pb.m + search->pb.k;
    search->order = malloc((n + 1) * sizeof *search->order);
    search->worker = malloc((n + 1) * sizeof *search->worker);
    search->load = malloc(workers * sizeof *search->load);
    return search->order && search->worker && search->load ? HS_OK : HS_ENOMEM;
}

static void close_search(hsi_search *search)
{
    hsi_lower_close(search);
    hs_schedule_free(search->found);
    free(search->order);
    free(search->worker);
    free(search->load);
    hsi_problem_close(&search->pb);
}

static hs_status warm_start(hsi_search *search)
{
    const hs_schedule *start = search->settings->start;
    hs_status          st;

    if (!start)
        return HS_OK;
    st = hs_schedule_check(search->in, start, NULL);
    if (st != HS_OK)
        return st;
    hsi_assignment_of(start, search->worker);
    return hsi_search_offer_assignment(search, search->worker);
}

/* The best schedule, with its loads levelled type by type. */
static hs_status level(hsi_search *search)
{
    size_t    bytes = search->pb.n * sizeof *search->worker;
    uint32_t *worker = malloc(bytes + 1);
    hs_status st;

    if (!worker)
        return HS_ENOMEM;
    memcpy(worker, search->worker, bytes);
    st = hsi_level(&search->pb, HS_CPU, &search->watch, worker);
    if (st == HS_OK)
        st = hsi_level(&search->pb, HS_GPU, &search->watch, worker);
    if (st == HS_OK)
        st = hsi_search_offer_assignment(search, worker);
    free(worker);
    return st;
}

static hs_status improve(hsi_search *search)
{
    hs_status st;

    if (search->pb.n == 0)
        return HS_OK;
    st = hsi_lower_open(search);
    if (st == HS_OK && !hsi_search_met(search) && !hsi_watch_ends(&search->watch))
        st = hsi_order_by_rho(&search->pb, HSI_RHO_UP, search->order);
    if (st == HS_OK && !hsi_search_met(search) && !hsi_watch_ends(&search->watch))
        st = hsi_portfolio_rest(search);
    if (st == HS_OK && !hsi_search_met(search) && !hsi_watch_ends(&search->watch)) {
        st = hsi_narrow(search);
    }
    if (st == HS_OK && !hsi_search_met(search) && !hsi_watch_ends(&search->watch)) {
        search->phase = "local search";
        st = level(search);
    }
    if (st == HS_OK && !hsi_search_met(search) && !hsi_watch_ends(&search->watch))
        st = hsi_rounds(search);
    return st;
}

static void fill_report(hsi_search *search)
{
    hs_report *report = search->report;

    report->certified = hsi_certified_makespan(search->in, search->found);
    report->proved = search->pb.n == 0 || hsi_search_met(search);
    if (report->proved)
        report->limit_reached = 0;
}

static hs_status run_best(const hs_instance *in, const hs_settings *settings, hs_schedule **out,
                          hs_report *report)
{
    hsi_search search = {.in = in,
                         .settings = settings,
                         .report = report,
                         .phase = "portfolio",
                         .pivot = 1,
                         .counted = settings->iterations > 0};
    hs_status  st;

    search.stop = hsi_stop_after(settings, search.counted ? INFINITY : 1);
    atomic_init(&search.halt, 0);
    search.watch = (hsi_watch){&search.stop, &search.halt, 1, tell, &search};
    st = open_search(&search);
    if (st == HS_OK)
        st = warm_start(&search);
    if (st == HS_OK)
        st = hsi_portfolio_first(&search);
    if (st == HS_OK)
        st = improve(&search);
    if (st == HS_OK) {
        report->limit_reached = report->limit_reached || hsi_watch_ends(&search.watch);
        fill_report(&search);
        *out = search.found;
        search.found = NULL;
    }
    close_search(&search);
    return st;
}

static double guarantee(unsigned cpus, unsigned gpus, const hs_settings *settings)
{
    return hsi_alg_heteroprio.guarantee(cpus, gpus, settings);
}

const hs_algorithm hsi_alg_best = {
    .name = "best",
    .summary = "the portfolio of the others, then local search until the time limit or a proof",
    .source = "this project; heteroprio, its first member, gives the guarantee",
    .cost = "its time limit, 1 s by default",
    .guarantee = guarantee,
    .method = &(const hsi_method){.search = run_best},
};
