/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compare plans on the wall clock with their predictions.
 *
 * exact: bodies that compute for 1 ms on two cores, with exact estimates: the ratio of achieved to
 * predicted makespan, median of 7 (and least and most).
 *
 * wrong: 300 gamma tasks on 20 CPUs and 4 GPUs whose times are the estimates times 0.7 to 1.3. For
 * 20 seeds, the makespan of live heteroprio and of heteroprio's plan from the estimates, over the
 * makespan of heteroprio-ns with the true times; on the wall clock (with workers that wait) and
 * under the virtual clock.
 *
 *   bench_exec_live [SECONDS-PER-UNIT]      default 0.005
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "exec/backend/backends.h"
#include "support/clock.h"

enum { REPEATS = 7, SEEDS = 20, TASKS = 300 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void require_ok(hs_status st, const char *why)
{
    if (st == HS_OK)
        return;
    fprintf(stderr, "bench_exec_live: %s: %s\n", hs_status_text(st), why);
    exit(1);
}

static double run_exec(const hs_instance *in, const hs_schedule *plan, const hs_exec_settings *s)
{
    hs_error       error = {0};
    hs_exec_report r;
    hs_exec       *exec = NULL;

    hs_exec_report_init(&r);
    require_ok(hs_exec_create(in, plan, s, &exec, &error), error.why);
    require_ok(hs_exec_run(exec, &r, &error), error.why);
    hs_exec_free(exec);
    return r.seconds;
}

static hs_schedule *solve_instance(const char *algorithm, const hs_instance *in)
{
    hs_schedule *plan = NULL;

    require_ok(hs_solve(hs_algorithm_find(algorithm), in, NULL, &plan), algorithm);
    return plan;
}

static void measure_exact_estimates(void)
{
    enum { BODIES = 200 };
    hs_builder      *b = NULL;
    hs_instance     *in = NULL;
    hs_schedule     *plan;
    hs_task          task = {.struct_size = sizeof task,
                             .cpu = 1, .gpu = INFINITY, .kernel = "spin:1000", .count = BODIES};
    hs_exec_settings s;
    double           ratio[REPEATS];
    int              i;

    require_ok(hs_builder_create(&b), "");
    require_ok(hs_builder_set_workers(b, 2, 0), "");
    require_ok(hs_builder_set_unit(b, HS_MILLISECONDS), "");
    require_ok(hs_builder_add_row(b, &task), "");
    require_ok(hs_builder_finish(b, &in, NULL), "");
    plan = solve_instance("lpt", in);
    hs_exec_settings_init(&s);
    for (i = 0; i < REPEATS; i++)
        ratio[i] = run_exec(in, plan, &s) / (1e-3 * hs_schedule_makespan(plan));
    qsort(ratio, REPEATS, sizeof *ratio, by_value);
    printf("exact,plan,wall,%d,2,0,%.4f,%.4f,%.4f\n", BODIES, ratio[REPEATS / 2], ratio[0],
           ratio[REPEATS - 1]);
    hs_schedule_free(plan);
    hs_instance_free(in);
    hs_builder_free(b);
}

typedef struct truth_body {
    hs_body base;
    hs_type type;
} truth_body;

static const hs_instance *truth;
static double             seconds_per_unit;
static truth_body         bodies[2];

static hs_status truth_body_create(const hs_backend_options *options, const hs_task *row,
                                   hs_type type, hs_body **out, hs_error *error)
{
    (void)options;
    (void)row;
    (void)error->why;
    *out = &bodies[type].base;
    return HS_OK;
}

static hs_outcome truth_run(hs_backend_worker *worker, const hs_body *body, hs_attempt *a)
{
    double  time = hs_instance_time(truth, a->task, ((const truth_body *)body)->type);
    int64_t end = hsi_clock_ns() + (int64_t)(1e9 * time * seconds_per_unit);

    (void)worker;
    return hsi_wait_until(a, end) ? HS_OUTCOME_ABORTED : HS_OUTCOME_DONE;
}

static const hs_backend truth_backend = {
    .struct_size = sizeof(hs_backend), .name = "truth", .body_create = truth_body_create, .run = truth_run};

static uint64_t dice;

static double draw_factor(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return 0.7 + 0.6 * (double)(dice >> 11) / 9007199254740992.0;
}

static hs_instance *true_times(const hs_instance *estimates, double *cpu, double *gpu)
{
    hs_instance *in = NULL;
    size_t       i;

    for (i = 0; i < TASKS; i++) {
        cpu[i] = draw_factor() * hs_instance_time(estimates, i, HS_CPU);
        gpu[i] = draw_factor() * hs_instance_time(estimates, i, HS_GPU);
    }
    require_ok(hs_instance_wrap(TASKS, cpu, gpu, NULL, 20, 4, &in), "");
    return in;
}

enum { LIVE, VIRTUAL, LIVE_PLAN, VIRTUAL_PLAN, WAYS };

static double simulated_makespan(const char *policy, const hs_instance *in, const hs_schedule *plan,
                                 double tolerance)
{
    hs_policy_settings settings;
    hs_schedule       *s = NULL;
    double             makespan;

    hs_policy_settings_init(&settings);
    settings.tolerance = tolerance;
    require_ok(
        hs_policy_simulate(hs_policy_find(policy), in, plan, truth, &settings, &s, NULL), policy);
    makespan = hs_schedule_makespan(s);
    hs_schedule_free(s);
    return makespan;
}

static double live_makespan(const char *policy, const hs_instance *in, const hs_schedule *plan)
{
    static const hs_backend *const only[] = {&truth_backend};
    hs_exec_settings               s;

    hs_exec_settings_init(&s);
    s.decide.policy = hs_policy_find(policy);
    s.run.time_scale = seconds_per_unit;
    s.place.oversubscribe = 1;
    s.run.backends = only;
    s.run.backend_count = 1;
    return run_exec(in, plan, &s) / seconds_per_unit;
}

static void measure_seed(uint64_t seed, double ratio[WAYS])
{
    hs_gamma     spec = {sizeof spec, TASKS, 20, 4, 15, 0.2, 1, 1, seed};
    hs_instance *in = NULL, *real;
    hs_schedule *plan, *informed;
    double       cpu[TASKS], gpu[TASKS], base;

    require_ok(hs_generate_gamma(&spec, &in, NULL), "");
    dice = seed;
    truth = real = true_times(in, cpu, gpu);
    plan = solve_instance("heteroprio", in);
    informed = solve_instance("heteroprio-ns", real);
    base = hs_schedule_makespan(informed);
    ratio[LIVE] = live_makespan("heteroprio", in, NULL) / base;
    ratio[VIRTUAL] = simulated_makespan("heteroprio", in, NULL, 0.02) / base;
    ratio[LIVE_PLAN] = live_makespan("plan", in, plan) / base;
    ratio[VIRTUAL_PLAN] = simulated_makespan("plan", in, plan, 0) / base;
    hs_schedule_free(informed);
    hs_schedule_free(plan);
    hs_instance_free(real);
    hs_instance_free(in);
}

static void measure_wrong_estimates(void)
{
    static const char *const ways[] = {"heteroprio,wall", "heteroprio,virtual", "plan,wall",
                                       "plan,virtual"};
    double                   ratio[SEEDS][WAYS], one_way[SEEDS];
    int                      seed, way;

    for (seed = 0; seed < SEEDS; seed++)
        measure_seed((uint64_t)seed + 1, ratio[seed]);
    for (way = 0; way < WAYS; way++) {
        for (seed = 0; seed < SEEDS; seed++)
            one_way[seed] = ratio[seed][way];
        qsort(one_way, SEEDS, sizeof *one_way, by_value);
        printf("wrong,%s,%d,20,4,%.4f,%.4f,%.4f\n", ways[way], TASKS,
               (one_way[SEEDS / 2 - 1] + one_way[SEEDS / 2]) / 2, one_way[0], one_way[SEEDS - 1]);
    }
}

int main(int argc, char **argv)
{
    seconds_per_unit = argc > 1 ? atof(argv[1]) : 0.005;
    bodies[HS_CPU] = (truth_body){{&truth_backend}, HS_CPU};
    bodies[HS_GPU] = (truth_body){{&truth_backend}, HS_GPU};
    printf("estimates,policy,clock,tasks,cpus,gpus,median,least,most\n");
    measure_exact_estimates();
    measure_wrong_estimates();
    return 0;
}
