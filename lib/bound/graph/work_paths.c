/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bound `work-paths`: the LP of `paths`, in which a path may also jump. The work between two
 * tasks, done by all workers of a type together, must fit between them, as all work must fit into
 * T. The LP cuts tasks, but may use types that are closed to a task: a schedule shorter than a
 * guess runs no task on a type where its span (task_spans.h) reaches the guess.
 *
 * So the LP's value, or the guess if that is less, bounds all schedules. Guesses lie halfway
 * between the proved value and the least guess that was too high to prove.
 */
#include <math.h>
#include <string.h>

#include "bound/bound.h"
#include "bound/graph/path_search.h"
#include "bound/graph/task_spans.h"

enum { GUESSES = 4, GUESSES_TASKS = 1000 }; /* least number of guesses, and a product of guesses and
                                               tasks for small graphs */

static const double far = 1.01, near = 1 + 1e-9; /* factor of the first guess, and of the last */

typedef struct climb {
    const hsi_problem *pb;
    hsi_stop           stop;
    hsi_task_spans     spans;
    hsi_arena          arena;
    hsi_problem        closed; /* copy of the problem, with infinite times where the guess closes
                                  a type */
    double            *p, *q;  /* times of `closed` */
    hsi_flow           flow;   /* flow found by the last LP */
    double             value;  /* value proved so far */
    hs_certificate    *c;      /* certificate that receives the proof; NULL: no proof is needed */
    bool               limit_reached;
} climb;

static hs_status open_climb(climb *cl)
{
    const hsi_problem *pb = cl->pb;

    cl->p = hsi_arena_alloc(&cl->arena, pb->n, sizeof *cl->p);
    cl->q = hsi_arena_alloc(&cl->arena, pb->n, sizeof *cl->q);
    cl->closed = *pb;
    cl->closed.p = cl->p;
    cl->closed.q = cl->q;
    return cl->p && cl->q ? hsi_task_spans_find(pb, &cl->arena, &cl->spans) : HS_ENOMEM;
}

/* Close types for a guess. Return the number of infinite times that this sets. */
static size_t close_types(climb *cl, double guess)
{
    size_t closed = 0;

    for (size_t i = 0; i < cl->pb->n; i++) {
        bool cpu = cl->spans.cpu[i] >= guess, gpu = cl->spans.gpu[i] >= guess;

        cl->p[i] = cpu ? INFINITY : cl->pb->p[i];
        cl->q[i] = gpu ? INFINITY : cl->pb->q[i];
        closed += (size_t)cpu + (size_t)gpu;
    }
    return closed;
}

/* Solve the LP with types closed for the guess. *proved bounds the schedules that are shorter than
 * the guess. */
static hs_status try_guess(climb *cl, double guess, double *proved)
{
    hsi_path_search s = {.pb = &cl->closed, .stop = cl->stop, .jumps = true, .known = &cl->flow};
    hs_status       st = hsi_path_search_run(&s, proved);

    if (st == HS_OK && fmin(*proved, guess) > cl->value) {
        cl->value = fmin(*proved, guess);
        if (cl->c)
            st = hsi_path_search_certify(&s, cl->value, cl->c);
    }
    cl->limit_reached = s.limit_reached;
    hsi_flow_close(&cl->flow);
    cl->flow = s.flow;
    s.flow = (hsi_flow){.between = NULL};
    hsi_path_search_close(&s);
    return st;
}

/* Solve first with no type closed, then by guesses; skip a guess that closes the same types as a
 * failed one. */
static hs_status climb_up(climb *cl)
{
    double    high = INFINITY, guess = INFINITY, proved = 0, step = far;
    size_t    failed = SIZE_MAX, guesses = GUESSES + GUESSES_TASKS / cl->pb->n;
    hs_status st = open_climb(cl);

    for (size_t i = 0; st == HS_OK && i <= guesses && !cl->limit_reached; i++) {
        size_t closed = close_types(cl, guess);

        if (closed != failed)
            st = try_guess(cl, guess, &proved);
        if (closed == failed || proved < guess) {
            high = guess;
            failed = closed;
        } else {
            step *= step;
        }
        guess = isinf(high) ? cl->value * step : sqrt(cl->value) * sqrt(high);
        if (high < cl->value * near || !(guess > cl->value))
            break;
    }
    hsi_flow_close(&cl->flow);
    hsi_arena_close(&cl->arena);
    return st;
}

/* Start from the value that deadline proves. */
static hs_status climb_from_deadline(climb *cl, const hs_settings *settings)
{
    hs_status st =
        hsi_bound_compute_for_rows(&hsi_bound_deadline, cl->pb, settings, &cl->value, NULL);

    if (st != HS_OK || !cl->pb->graph)
        return st;
    if (cl->pb->graph->vertices > HSI_TASKS_BETWEEN_MOST)
        return HS_ETOOBIG;
    if (cl->c)
        st = hsi_certify_value(cl->pb, cl->value, cl->c);
    return st == HS_OK ? climb_up(cl) : st;
}

static hs_status compute(const hsi_problem *pb, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    climb     cl = {.pb = pb, .stop = hsi_stop_after(settings, HSI_BOUND_SECONDS)};
    hs_status st = climb_from_deadline(&cl, settings);

    *value = cl.value;
    report->limit_reached = cl.limit_reached;
    return st;
}

static hs_status certify(const hs_bound *bound, const hsi_problem *pb, const hs_settings *settings,
                         hs_certificate *c)
{
    climb cl = {.pb = pb, .stop = hsi_stop_after(settings, HSI_BOUND_SECONDS), .c = c};

    return pb->graph ? climb_from_deadline(&cl, settings)
                     : hsi_certify_divisible(bound, pb, settings, c);
}

const hs_bound hsi_bound_work_paths = {
    .name = "work-paths",
    .summary = "paths and deadline, and the work between two tasks fits between their times (LP "
               "by GLPK)",
    .source = "extends paths and deadline; dominates both",
    .cost = "LPs of n columns; O(n^2) memory; up to 20,000 tasks",
    .graph = true,
    .supports_available = true,
    .compute = compute,
    .certify = certify,
};
