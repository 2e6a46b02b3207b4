/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound `place-probes`: the largest guess that the rules of the search over places and its
 * probes refute, before any branch. Starts from the bound `place-windows`. */
#include "refine/graph/places/place_probes.h"

#include <stdlib.h>

#include "bound/bound.h"
#include "bound/graph/climb.h"
#include "refine/graph/places/place_probe.h"

enum { MOST_ROUNDS = 10 /* limit of the rounds of probes for one guess */ };

static const double near = 1e-6; /* relative precision of the bound */

typedef struct probing {
    hsi_place_model  model;
    hsi_place_rules  rules;
    hsi_place_prober prober;
    hsi_place_state *state;
    const hsi_stop  *stop;
} probing;

static hs_status open_probing(probing *p, const hsi_arcs *arcs)
{
    hs_status st = hsi_place_model_open(&p->model, arcs);

    if (st == HS_OK)
        st = hsi_place_rules_open(&p->rules, &p->model);
    if (st == HS_OK)
        st = hsi_place_prober_open(&p->prober, &p->rules);
    if (st != HS_OK)
        return st;
    p->state = hsi_place_state_alloc(&p->model);
    return p->state ? HS_OK : HS_ENOMEM;
}

static void close_probing(probing *p)
{
    free(p->state);
    hsi_place_prober_close(&p->prober);
    hsi_place_rules_close(&p->rules);
    hsi_place_model_close(&p->model);
}

static unsigned count_open(const probing *p)
{
    unsigned count = 0;

    for (uint32_t task = 0; task < p->model.n; task++)
        count += (unsigned)__builtin_popcount(p->state->open[task]);
    return count;
}

/* Probe all tasks once. Return false if the guess is refuted; true also if the time is up. */
static bool probe_all(probing *p)
{
    hsi_place_prober_begin(&p->prober);
    while (!hsi_place_prober_ended(&p->prober)) {
        if (hsi_stop_is_due(p->stop))
            return true;
        if (!hsi_place_prober_step(&p->prober, p->state))
            return false;
    }
    return true;
}

static bool refute(void *data, double guess)
{
    probing *p = data;
    unsigned before;

    hsi_place_rules_set_cutoff(&p->rules, guess);
    hsi_place_state_clear(&p->model, p->state);
    if (!hsi_place_rules_apply(&p->rules, p->state) || !hsi_place_rule_loads(&p->rules, p->state))
        return true;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        before = count_open(p);
        if (!probe_all(p) || !hsi_place_rule_loads(&p->rules, p->state))
            return true;
        if (count_open(p) == before || hsi_stop_is_due(p->stop))
            return false;
    }
    return false;
}

hs_status hsi_place_probes_raise(const hsi_problem *pb, const hsi_stop *stop, double *value,
                                 bool *limit_reached)
{
    hsi_arcs  arcs;
    probing   p = {.stop = stop};
    hs_status st = hsi_arcs_open(pb, &arcs);

    *limit_reached = false;
    if (st == HS_OK)
        st = open_probing(&p, &arcs);
    if (st == HS_OK)
        *limit_reached = hsi_climb(refute, &p, near, stop, value);
    close_probing(&p);
    hsi_arcs_close(&arcs);
    return st == HS_ETOOBIG ? HS_OK : st;
}

static hs_status compute(const hsi_problem *pb, const hs_settings *settings, double *value,
                         hs_bound_report *report)
{
    hsi_stop  stop = hsi_stop_after(settings, HSI_BOUND_SECONDS);
    bool      limit_reached;
    hs_status st =
        hsi_bound_compute_for_rows(&hsi_bound_place_windows, pb, settings, value, report);

    if (st != HS_OK || !pb->graph || !(*value > 0))
        return st;
    st = hsi_place_probes_raise(pb, &stop, value, &limit_reached);
    report->limit_reached |= limit_reached;
    return st;
}

const hs_bound hsi_bound_place_probes = {
    .name = "place-probes",
    .summary = "as place-windows, and each task is tried in each memory",
    .source = "this project; the search of exact over places, without branches",
    .cost = "milliseconds at 30 tasks, seconds at 120; more tasks, or no links: as place-windows",
    .graph = true,
    .compute = compute,
};
