/* SPDX-License-Identifier: BSD-3-Clause */
/* Lower bounds for the search on a graph; the shares of the paths bound seed the search. */
#include <math.h>
#include <stdlib.h>

#include "bound/bound.h"
#include "config.h"
#include "refine/graph/graph_search.h"
#include "refine/graph/places/place_probes.h"
#include "refine/graph/seeds.h"
#ifdef HAVE_GLPK
#include "bound/graph/paths_bound.h"
#endif

/* Limits of tasks. With counted iterations a bound is fast up to its limit, without a clock. */
enum {
    COUNTED_FOR_PATHS = 2000,
    COUNTED_FOR_WINDOWS = 400,
    COUNTED_FOR_PROBES = 30,
    COUNTED_FOR_WORK = 400,
    WINDOWS_TASKS = 20000 /* a test of a guess takes a tenth of a second at this size */
};

/* Return the settings of a bound that takes up to a part of the time left. */
static hs_settings settings_of_bound(const hsi_best *best, double part)
{
    double      left = hsi_stop_seconds_left(&best->stop);
    hs_settings settings;

    hs_settings_init(&settings);
    settings.cancel = best->settings->cancel;
    settings.cancel_data = best->settings->cancel_data;
    settings.iterations = best->settings->iterations;
    if (best->counted)
        settings.time_limit = INFINITY;
    else
        settings.time_limit = isinf(left) ? HSI_BOUND_SECONDS : fmax(1e-3, part * left);
    return settings;
}

/* Raise the bound of the search by a bound, within a part of the time left. */
static hs_status raise_by(hsi_best *best, const hs_bound *bound, double part)
{
    hs_settings settings = settings_of_bound(best, part);
    double      value;
    hs_status   st = hsi_bound_compute_for_rows(bound, &best->asking, &settings, &value, NULL);

    if (st == HS_OK)
        hsi_bounds_raise_to(best, value, bound->name);
    return st == HS_ENOMEM ? st : HS_OK; /* without this bound the search continues */
}

hs_status hsi_graph_compute_windows_bound(hsi_best *best)
{
    if (best->pb.n > (best->counted ? COUNTED_FOR_WINDOWS : WINDOWS_TASKS))
        return HS_OK;
    best->phase = "place-windows bound";
    return raise_by(best, &hsi_bound_place_windows, 0.1);
}

hs_status hsi_graph_compute_probes_bound(hsi_best *best)
{
    hs_settings settings = settings_of_bound(best, 0.05); /* aims raise the bound further */
    hsi_stop    stop = hsi_stop_after(&settings, HSI_BOUND_SECONDS);
    double      value = best->bound;
    bool        limit_reached;
    hs_status   st;

    if (best->counted && best->pb.n > COUNTED_FOR_PROBES)
        return HS_OK;
    best->phase = "place-probes bound";
    st = hsi_place_probes_raise(&best->asking, &stop, &value, &limit_reached);
    if (st == HS_OK)
        hsi_bounds_raise_to(best, value, hsi_bound_place_probes.name);
    return st == HS_ENOMEM ? st : HS_OK;
}

#ifdef HAVE_GLPK
static const double part_of_time = 0.2; /* part of the time left, for each linear program */

hs_status hsi_graph_compute_path_bound(hsi_best *best)
{
    hs_settings settings = settings_of_bound(best, part_of_time);
    double     *share, value;
    int         known;
    hsi_random  random;
    hs_status   st;

    if (!best->seeds || (best->counted && best->pb.n > COUNTED_FOR_PATHS))
        return HS_OK;
    share = malloc((best->pb.n + 1) * sizeof *share);
    if (!share)
        return HS_ENOMEM;
    best->phase = "paths bound";
    st = hsi_paths_bound_find(&best->pb, &settings, &value, share, &known);
    if (st == HS_OK)
        hsi_bounds_raise_to(best, value, hsi_bound_paths.name);
    if (st == HS_OK && known) {
        hsi_random_seed(&random, best->settings->seed, HSI_ROUNDING_STREAM);
        hsi_seeds_add_cpu_shares(best->seeds, share, &random);
        st = hsi_seeds_offer_best(best);
    }
    free(share);
    return st == HS_ENOMEM || st == HS_OK ? st : HS_OK; /* without this bound the search
                                                           continues */
}

hs_status hsi_graph_compute_work_bound(hsi_best *best)
{
    if (best->counted && best->pb.n > COUNTED_FOR_WORK)
        return HS_OK;
    best->phase = "work-paths bound";
    return raise_by(best, &hsi_bound_work_paths, part_of_time);
}

#else

hs_status hsi_graph_compute_work_bound(hsi_best *best)
{
    (void)best;
    return HS_OK;
}

hs_status hsi_graph_compute_path_bound(hsi_best *best)
{
    (void)best;
    return HS_OK;
}

#endif
