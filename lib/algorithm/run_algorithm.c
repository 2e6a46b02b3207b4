/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/run_algorithm.h"

#include "core/schedule_impl.h"

/* Bytes of a heuristic's memory per task and per worker. */
enum { WORK_A_TASK = 41, WORK_A_WORKER = 256, WORK_AT_LEAST = 4096 };

/* Create the problem in the form that the algorithm takes, and reserve memory for `items` items. */
static hs_status open_problem(const hsi_algorithm *alg, const hs_instance *in,
                              const hs_settings *settings, size_t items, hsi_arena *arena,
                              hsi_token *token, hsi_problem *pb)
{
    size_t    workers = (size_t)hs_instance_cpus(in) + hs_instance_gpus(in);
    hs_status st;

    if (hsi_arena_reserve_chunk(arena,
                                WORK_A_TASK * items + WORK_A_WORKER * workers + WORK_AT_LEAST))
        return HS_ENOMEM;
    st = hsi_problem_open_in(arena, in, alg->by_rows, token, pb);
    pb->available = settings->available;
    return st;
}

/* Run a heuristic; if it was cancelled, its result is discarded. */
static hs_status run_polling(const hsi_algorithm *alg, const hsi_problem *pb,
                             const hs_settings *settings, hsi_recorder *recorder)
{
    hs_status st;

    if (hsi_poll(pb->token))
        return HS_ECANCELED;
    st = alg->run(pb, settings, recorder);
    return st == HS_OK && hsi_poll(pb->token) ? HS_ECANCELED : st;
}

hs_status hsi_run_algorithm_in(const hsi_algorithm *alg, const hs_instance *in,
                               const hs_settings *settings, hsi_arena *arena, hs_schedule *s)
{
    hsi_problem  pb;
    hsi_token    token = hsi_token_of(settings);
    hsi_recorder recorder = {0};
    hs_status    st = open_problem(alg, in, settings, hs_instance_tasks(in), arena, &token, &pb);

    if (st == HS_OK)
        st = run_polling(alg, &pb, settings, &recorder);
    return st == HS_OK ? hsi_recorder_build_schedule_in(&recorder, &pb, s) : st;
}

hs_status hsi_run_algorithm(const hsi_algorithm *alg, const hs_instance *in,
                            const hs_settings *settings, hs_schedule **out)
{
    hsi_arena    arena = {0};
    hs_schedule *s = hsi_schedule_new();
    hs_status    st = s ? hsi_run_algorithm_in(alg, in, settings, &arena, s) : HS_ENOMEM;

    hsi_arena_close(&arena);
    if (st == HS_OK)
        *out = s;
    else
        hs_schedule_free(s);
    return st;
}

hs_status hsi_run_algorithm_makespan(const hsi_algorithm *alg, const hs_instance *in,
                                     const hs_settings *settings, hsi_arena *arena,
                                     double *makespan, hs_report *report)
{
    hsi_problem      pb;
    hsi_worker_loads loads;
    hsi_token        token = hsi_token_of(settings);
    hsi_recorder     recorder = {.loads = &loads};
    size_t           items = alg->by_rows ? hs_instance_rows(in) : hs_instance_tasks(in);
    hs_status        st = open_problem(alg, in, settings, items, arena, &token, &pb);

    if (st == HS_OK)
        st = hsi_worker_loads_open(&loads, &pb);
    if (st == HS_OK)
        st = run_polling(alg, &pb, settings, &recorder);
    if (st != HS_OK)
        return st;
    hsi_worker_loads_totals(&loads, makespan, &report->certified);
    if (pb.graph) /* in a graph a sum of times is no makespan */
        report->certified = *makespan;
    report->aborted = recorder.aborts;
    return HS_OK;
}

double hsi_guarantee_2(void *data, unsigned cpus, unsigned gpus, const hs_settings *settings)
{
    (void)data;
    (void)cpus;
    (void)gpus;
    (void)settings;
    return 2;
}
