/* SPDX-License-Identifier: BSD-3-Clause */
/* Lower bounds for the search on a graph; the shares of the paths bound seed the search. */
#include <stdlib.h>

#include "config.h"
#include "refine/graph/graph_search.h"
#include "refine/graph/seeds.h"
#ifdef HAVE_GLPK
#include "bound/graph/paths_bound.h"

enum {
    COUNTED_TASKS = 2000,
    COUNTED_FOR_WORK = 400
}; /* limits of tasks with counted iterations:
      these bounds are fast there, without a
      clock */

static const double part_of_time = 0.2;

static hs_settings settings_of_bound(const hsi_best *best)
{
    double      left = hsi_stop_seconds_left(&best->stop);
    hs_settings settings;

    hs_settings_init(&settings);
    settings.cancel = best->settings->cancel;
    settings.cancel_data = best->settings->cancel_data;
    if (best->counted)
        settings.time_limit = INFINITY;
    else
        settings.time_limit = isinf(left) ? HSI_BOUND_SECONDS : fmax(1e-3, part_of_time * left);
    return settings;
}

hs_status hsi_graph_compute_path_bound(hsi_best *best)
{
    hs_settings settings = settings_of_bound(best);
    double     *share, value;
    int         known;
    hsi_random  random;
    hs_status   st;

    if (!best->seeds || (best->counted && best->pb.n > COUNTED_TASKS))
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
    hs_settings settings = settings_of_bound(best);
    double      value;
    hs_status   st;

    if (best->counted && best->pb.n > COUNTED_FOR_WORK)
        return HS_OK;
    best->phase = "work-paths bound";
    st = hsi_bound_compute_for_rows(&hsi_bound_work_paths, &best->pb, &settings, &value, NULL);
    if (st == HS_OK)
        hsi_bounds_raise_to(best, value, hsi_bound_work_paths.name);
    return st == HS_ENOMEM ? st : HS_OK;
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
