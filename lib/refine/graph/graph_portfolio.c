/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The portfolio on graphs: all algorithms that take graphs, with each rank, in the order of the
 * registry; where transfers take time, then cpop, sufferage and all tasks on one place. All but the
 * first are cancelled when their part of the time is over. An algorithm that cannot handle the
 * instance is skipped.
 */
#include <stdlib.h>

#include "algorithm/run_algorithm.h"
#include "refine/graph/graph_search.h"
#include "refine/graph/seeds.h"

enum { SUFFERAGE_TASKS = 1000 /* limit of the tasks: it takes a tenth of a second at this size */ };

static const double part_of_time = 0.3;

static int is_over(void *data)
{
    hsi_best *best = data;

    if (!best->found)
        return best->settings->cancel && best->settings->cancel(best->settings->cancel_data);
    return hsi_interrupted(&best->interrupt) ||
           (!best->counted && hsi_stop_seconds_elapsed(&best->stop) >
                                  part_of_time * (best->stop.end - best->stop.begin));
}

static hs_status run_ranked(hsi_best *best, const hs_algorithm *alg, hs_rank rank)
{
    hs_settings  settings;
    hs_schedule *s = NULL;
    hs_status    st;

    hs_settings_init(&settings);
    settings.rank = rank;
    settings.seed = best->settings->seed;
    settings.transfers = best->settings->transfers;
    settings.available = best->settings->available;
    settings.available_count = best->settings->available_count;
    settings.cancel = is_over;
    settings.cancel_data = best;
    st = best->members->run(alg, best->in, &settings, &s);
    hsi_best_set_member(best, alg->name, rank);
    if (st == HS_OK)
        st = hsi_best_offer(best, s);
    hsi_best_set_member(best, NULL, HS_RANK_DEFAULT);
    return st;
}

/* Run an algorithm with each rank that it takes, or once without ranks. */
static hs_status run_member(hsi_best *best, const hs_algorithm *alg)
{
    unsigned  ranks = alg->supported_ranks;
    hs_status st = ranks ? HS_OK : run_ranked(best, alg, HS_RANK_DEFAULT);

    for (int rank = HS_RANK_MIN; st == HS_OK && ranks >> rank; rank++)
        if (ranks >> rank & 1)
            st = run_ranked(best, alg, (hs_rank)rank);
    if (st == HS_OK)
        hsi_report_add_member(best->report, alg->name);
    return st;
}

/* Run an algorithm that is not in the registry. */
static hs_status run_unregistered(hsi_best *best, const hsi_algorithm *alg)
{
    hs_settings  settings = *best->settings;
    hs_schedule *s = NULL;
    hs_status    st;

    settings.cancel = is_over;
    settings.cancel_data = best;
    st = hsi_run_algorithm(alg, best->in, &settings, &s);
    if (st != HS_OK)
        return st == HS_ENOMEM ? st : HS_OK;
    hsi_best_set_member(best, alg->about.name, HS_RANK_DEFAULT);
    st = hsi_best_offer(best, s);
    hsi_best_set_member(best, NULL, HS_RANK_DEFAULT);
    return st;
}

/* Add the schedules that are short where transfers take long. */
static hs_status add_for_transfers(hsi_best *best)
{
    hs_status st = run_unregistered(best, &hsi_alg_cpop);

    if (st == HS_OK && best->pb.n <= SUFFERAGE_TASKS)
        st = run_unregistered(best, &hsi_alg_sufferage);
    if (st == HS_OK)
        hsi_seeds_add_single_places(best->seeds);
    return st == HS_OK ? hsi_seeds_offer_best(best) : st;
}

hs_status hsi_graph_run_portfolio(hsi_best *best)
{
    hs_status st = HS_OK;

    for (size_t i = 0; i < best->members->count(); i++) {
        const hs_algorithm *alg = best->members->at(i);

        if (best->pb.available && !alg->supports_available)
            continue;
        if (!alg->supports_graphs || alg == &hsi_alg_best.about || alg == &hsi_alg_exact.about)
            continue;
        if (best->found && is_over(best))
            break;
        st = run_member(best, alg);
        if (st == HS_ENOMEM || (st == HS_ECANCELED && !best->found))
            return st;
    }
    if (!best->found || !best->seeds)
        return best->found ? HS_OK : st;
    return best->pb.links->has[HS_H2D] ? add_for_transfers(best) : hsi_seeds_offer_best(best);
}

/* Copy a schedule entry by entry. */
static hs_status copy_schedule(const hs_schedule *s, hs_schedule **out)
{
    unsigned      cpus = hs_schedule_cpus(s), gpus = hs_schedule_gpus(s);
    hs_placement *all = malloc((hs_schedule_entry_count(s) + 1) * sizeof *all);
    size_t        size = 0;
    hs_status     st;

    if (!all)
        return HS_ENOMEM;
    for (unsigned worker = 0; worker < cpus + gpus; worker++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(s, worker, &count);

        for (size_t i = 0; i < count; i++)
            all[size++] = (hs_placement){e[i].start, e[i].end, e[i].task, worker, e[i].state};
    }
    st = hs_schedule_build(cpus, gpus, size, all, out);
    free(all);
    return st;
}

hs_status hsi_graph_offer_start(hsi_best *best, const hs_schedule *start)
{
    hs_schedule *s = NULL;
    hs_status    st = copy_schedule(start, &s);

    return st == HS_OK ? hsi_best_offer(best, s) : st;
}
