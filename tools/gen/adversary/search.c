/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen adversary: the search for bad cases. */
#include <math.h>

#include "common/clock.h"
#include "common/progress.h"
#include "common/stop.h"
#include "gen/adversary/grow.h"
#include "gen/adversary/search.h"

/*
 * A round accepts a case that is as bad as the present case, or as the case HISTORY steps ago (late
 * acceptance: Burke and Bykov 2017), and ends after PATIENCE steps without a new worst case. Ratios
 * are quotients of whole numbers: they are the same on every machine.
 */
enum { HISTORY = 50, PATIENCE = 20000, WITNESS_STEPS = 1000, SMALL_PART = 4 };

typedef struct search {
    const search_request *request;
    case_judge           *judge;
    dice                  dice;
    uint64_t              judged;
    double                until;
    bool                  late; /* whether the time `until` has passed */
    hs_status             status;
    double                worst; /* largest ratio so far, for the progress line */
} search;

static bool goes_on(search *s)
{
    if (s->judged % 64 == 0 && isfinite(s->until) && clock_now() >= s->until)
        s->late = true;
    return s->status == HS_OK && s->judged < s->request->iterations && !s->late &&
           !stop_requested(NULL);
}

static double judge(search *s, bad_case *c)
{
    if (s->status == HS_OK)
        s->status = case_compute_makespans(s->judge, c);
    if (s->judged++ % 1024 == 0)
        progress_set_done((size_t)s->judged, "ratio %.6g", s->worst);
    return s->status == HS_OK ? case_ratio(c) : 0;
}

/* Search locally from `c`; set `c` to the worst case found. */
static void descend(search *s, bad_case *c)
{
    double   history[HISTORY], at = judge(s, c), worst = at;
    bad_case now = *c, next;

    for (int i = 0; i < HISTORY; i++)
        history[i] = at;
    for (unsigned step = 0, idle = 0; idle < PATIENCE && goes_on(s); step++, idle++) {
        double ratio;

        next = now;
        case_change(&next, &s->dice, &s->request->limits);
        ratio = judge(s, &next);
        if (ratio >= at || ratio >= history[step % HISTORY]) {
            now = next;
            at = ratio;
        }
        if (at > worst) {
            *c = now;
            worst = at;
            idle = 0;
        }
        history[step % HISTORY] = at;
    }
}

/* Search for a better witness, which may show a larger ratio. Return true if the ratio grew. */
static bool find_witness(search *s, bad_case *c)
{
    hs_settings  settings;
    hs_instance *in = NULL;
    hs_schedule *found = NULL;
    bad_case     next = *c;
    double       before = case_ratio(c);

    hs_settings_init(&settings);
    settings.iterations = WITNESS_STEPS;
    if (s->status == HS_OK)
        s->status = case_instance(s->judge->builder, c, NULL, &in);
    if (s->status == HS_OK)
        s->status = hs_solve(hs_algorithm_find("best"), in, &settings, &found);
    if (s->status == HS_OK) {
        case_set_witness(&next, found);
        if (judge(s, &next) > before)
            *c = next;
    }
    hs_schedule_free(found);
    hs_instance_free(in);
    return case_ratio(c) > before;
}

static void run_round(search *s, bad_case *c)
{
    do
        descend(s, c);
    while (find_witness(s, c) && goes_on(s));
}

/* Run rounds, starting with `worst`, which may be empty; keep the worst case of all rounds. */
static void run_rounds(search *s, bad_case *worst)
{
    for (unsigned round = 0; goes_on(s); round++) {
        bad_case c = *worst;

        if (round % 2 == 0) {
            case_draw(&c, &s->dice, &s->request->limits);
            if (s->request->limits.graph)
                find_witness(s, &c); /* the random witness of a graph is too long to be useful */
        } else {
            for (int i = 0; i < 4; i++)
                case_change(&c, &s->dice, &s->request->limits);
        }
        run_round(s, &c);
        if (s->status == HS_OK && (worst->count == 0 || case_ratio(&c) > case_ratio(worst)))
            *worst = c;
        s->worst = case_ratio(worst);
    }
}

static void widen(search *s, bad_case *c, hs_type type)
{
    bad_case worst = *c, next = *c;

    for (size_t way = 0; case_widen(&next, type, way, &s->request->limits); way++, next = *c)
        if (judge(s, &next) > case_ratio(&worst) || way == 0)
            worst = next;
    *c = worst;
}

/*
 * Spend a part of the search on one worker of each type; set `worst` to the result, extended to all
 * workers.
 */
static void search_small(search *s, bad_case *worst)
{
    const search_request *all = s->request;
    search_request        one = *all;
    unsigned              cpus = all->cpus, gpus = all->gpus, copies = cpus < gpus ? cpus : gpus;

    if (copies == 0)
        copies = cpus + gpus;
    one.cpus = cpus > 0;
    one.gpus = gpus > 0;
    one.limits.tasks = copies < all->limits.tasks ? all->limits.tasks / copies : 1;
    one.iterations /= SMALL_PART;
    s->request = &one;
    s->until = clock_now() + all->seconds / SMALL_PART;
    *worst = (bad_case){.cpus = one.cpus, .gpus = one.gpus};
    run_rounds(s, worst);
    s->request = all;
    s->until += all->seconds - all->seconds / SMALL_PART;
    s->late = false;
    if (worst->count == 0) {
        *worst = (bad_case){.cpus = cpus, .gpus = gpus};
        return;
    }
    case_repeat(worst, copies * worst->count <= all->limits.tasks ? copies : 1);
    while (worst->cpus < cpus)
        widen(s, worst, HS_CPU);
    while (worst->gpus < gpus)
        widen(s, worst, HS_GPU);
    run_round(s, worst);
}

hs_status search_worst(search_request *request, case_judge *judge, bad_case *worst)
{
    search s = {.request = request, .judge = judge, .dice = {request->seed}};

    s.until = clock_now() + request->seconds;
    *worst = (bad_case){.cpus = request->cpus, .gpus = request->gpus};
    if (request->limits.graph && request->cpus + request->gpus > 2)
        search_small(&s, worst);
    run_rounds(&s, worst);
    request->stopped_at = stop_requested(NULL) ? s.judged : 0;
    return s.status;
}
