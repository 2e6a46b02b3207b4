/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure policies under wrong estimates: several kinds of errors, on tasks with independent times
 * and on a factorisation of few kernels, 6 CPUs and 2 GPUs. Prints the mean makespan over the area
 * bound of the true times, for plan, plan+steal and heteroprio, for the last two also without
 * restartable tasks; and the ratio of heteroprio to the best of the other four.
 *
 *   bench_wrong [INSTANCES-A-ROW [SECONDS-PER-UNIT]]      default 10, and a virtual clock
 *
 * The program has its own virtual clock, because workers may be slow. With SECONDS-PER-UNIT it uses
 * the wall clock and workers that sleep, the five runs in parallel; a task takes 10 to 100 units,
 * kernels 1 to 50.
 */
#include "config.h" /* this macro must come first, for ppoll() */

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "support/clock.h"

enum { CPUS = 6, GPUS = 2, WORKERS = CPUS + GPUS, MOST = 400 };

typedef struct row {
    const char *name;
    double      spread;   /* largest factor by which a time is wrong; 1: exact estimates */
    bool        coin;     /* whether each time is wrong by exactly the factor `spread` or its
                             inverse */
    int         slow;     /* slow worker; -1: none */
    double      slowness; /* factor of the slow worker, or of the slow tasks */
    double      part;     /* fraction of slow tasks */
    double      type[2];  /* factor of the times, by hs_type */
} row;

static const row rows[] = {
    {"exact", 1, false, -1, 1, 0, {1, 1}},
    {"within 1.3 x", 1.3, false, -1, 1, 0, {1, 1}},
    {"within 2 x", 2, false, -1, 1, 0, {1, 1}},
    {"half or double", 2, true, -1, 1, 0, {1, 1}},
    {"one CPU 4 x slow", 1, false, 0, 4, 0, {1, 1}},
    {"one GPU 4 x slow", 1, false, CPUS, 4, 0, {1, 1}},
    {"5 % of tasks 10 x", 1, false, -1, 10, 0.05, {1, 1}},
    {"CPUs 2 x slow", 1.2, false, -1, 1, 0, {2, 1}},
    {"GPUs 2 x slow", 1.2, false, -1, 1, 0, {1, 2}},
};

typedef struct scene {
    size_t       n;
    hs_instance *in, *fixed; /* instance of the same tasks, not restartable */
    double       truth[2][MOST];
    const row   *row;
    hs_schedule *plan;
} scene;

static uint64_t state;

static double draw_unit(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 33) * 0x1p-31;
}

static void require_ok(hs_status status, const char *what)
{
    if (status == HS_OK)
        return;
    fprintf(stderr, "bench_wrong: %s: %s\n", what, hs_status_text(status));
    exit(1);
}

static double error_of(const row *r)
{
    double factor = r->coin ? (draw_unit() < 0.5 ? r->spread : 1 / r->spread)
                            : pow(r->spread, 2 * draw_unit() - 1);

    return draw_unit() < r->part ? factor * r->slowness : factor;
}

static hs_instance *make_instance(int kernels, hs_restartable restartable, uint64_t seed)
{
    static const char *const name[] = {"potrf", "trsm", "syrk", "gemm"};
    static const double      cpu[] = {17, 24, 25, 48}, gpu[] = {10, 3, 1.2, 1.7};
    static const unsigned    count[] = {8, 28, 28, 56};
    hs_builder              *b = NULL;
    hs_instance             *in = NULL;
    unsigned                 i, j;

    state = seed;
    require_ok(hs_builder_create(&b), "builder");
    require_ok(hs_builder_set_workers(b, CPUS, GPUS), "workers");
    for (i = 0; i < (kernels ? 4 : 1); i++)
        for (j = 0; j < (kernels ? count[i] : 40); j++) {
            double  p = kernels ? cpu[i] : 10 + 90 * draw_unit();
            hs_task t;

            hs_task_init(&t);
            t.cpu = p;
            t.gpu = kernels ? gpu[i] : p / (pow(4, draw_unit()) / 1.4);
            t.kernel = kernels ? name[i] : NULL;
            t.restartable = restartable;
            require_ok(hs_builder_add_row(b, &t), "task");
        }
    require_ok(hs_builder_finish(b, &in, NULL), "instance");
    hs_builder_free(b);
    return in;
}

static double time_of(const scene *s, unsigned worker, uint32_t task)
{
    hs_type type = worker < CPUS ? HS_CPU : HS_GPU;
    double  slow = s->row->part == 0 && (int)worker == s->row->slow ? s->row->slowness : 1;

    return s->truth[type][task] * slow;
}

typedef struct worker_state {
    double   due;
    uint32_t task;
    bool     runs;
} worker_state;

/* Simulate a policy; after each event every waiting worker decides again. */
static double simulated_makespan(const scene *s, const char *policy, const hs_instance *in,
                                 unsigned *takes)
{
    hs_policy_settings settings;
    hs_policy         *p = NULL;
    worker_state       of[WORKERS] = {{0, 0, false}};
    double             now = 0, makespan = 0;
    size_t             done = 0;

    hs_policy_settings_init(&settings);
    settings.tolerance = 0.02;
    require_ok(hs_policy_create(hs_policy_find(policy), in, s->plan, &settings, &p), policy);
    while (done < s->n) {
        unsigned    i, w = CPUS;
        hs_decision d;

        for (i = 0; i < WORKERS; i++) {
            unsigned other = (CPUS + i) % WORKERS;

            if (of[other].due < of[w].due)
                w = other;
        }
        if (isinf(of[w].due))
            break;
        now = of[w].due;
        if (of[w].runs) {
            of[w].runs = false;
            done++;
            makespan = now;
            hs_policy_ended(p, w, of[w].task, HS_ENDING_DONE, now, NULL);
            for (i = 0; i < WORKERS; i++)
                if (!of[i].runs)
                    of[i].due = now;
        }
        hs_policy_next(p, w, now, &d, NULL);
        while (d.kind == HS_DECIDE_SPOLIATE) {
            ++*takes;
            of[d.victim] = (worker_state){now, 0, false};
            hs_policy_ended(p, d.victim, d.task, HS_ENDING_ABORTED, now, NULL);
            hs_policy_next(p, w, now, &d, NULL);
        }
        of[w] = d.kind == HS_DECIDE_START ? (worker_state){now + time_of(s, w, d.task), d.task, true}
                                          : (worker_state){d.until, 0, false};
        if (d.kind == HS_DECIDE_START)
            for (i = 0; i < WORKERS; i++)
                if (!of[i].runs && of[i].due > now)
                    of[i].due = now;
    }
    hs_policy_free(p);
    return done == s->n ? makespan : NAN;
}

/* Result of a policy on an instance. */
typedef struct trial {
    const scene       *scene;
    const char        *policy;
    const hs_instance *in;
    hs_body            body;
    double             makespan;
    unsigned           takes;
    pthread_t          thread;
} trial;

static double seconds_per_unit; /* 0: the virtual clock */

static hs_status wait_body(const hs_backend_options *options, const hs_task *task, hs_type type,
                           hs_body **out, hs_error *error)
{
    (void)task;
    (void)type;
    (void)error->why;
    *out = &((trial *)options->data)->body;
    return HS_OK;
}

/* Sleep for the task's time: many workers share few cores, so spinning would disturb. */
static hs_outcome wait_run(hs_backend_worker *worker, const hs_body *body, hs_attempt *a)
{
    const trial *t = (const trial *)((const char *)body - offsetof(trial, body));
    double       seconds = seconds_per_unit * time_of(t->scene, a->worker, a->task);
    int64_t      end = hsi_clock_ns() + (int64_t)(1e9 * seconds), left;

    (void)worker;
    while ((left = end - hsi_clock_ns()) > 0 && !hs_attempt_cancelled(a)) {
        struct pollfd   wake = {.fd = a->wake_fd, .events = POLLIN};
        struct timespec rest = hsi_timespec(left);

        ppoll(&wake, 1, &rest, NULL);
    }
    return left > 0 ? HS_OUTCOME_ABORTED : HS_OUTCOME_DONE;
}

static void *run_live(void *data)
{
    trial                  *t = data;
    const hs_backend        waits = {.struct_size = sizeof(hs_backend),
                                     .name = "waits",
                                     .data = t,
                                     .body_create = wait_body,
                                     .run = wait_run};
    const hs_backend *const only[] = {&waits};
    hs_error                error = {0};
    hs_exec_settings        settings;
    hs_exec_report          report;
    hs_exec                *exec = NULL;

    t->body.backend = &waits;
    hs_exec_settings_init(&settings);
    settings.decide.policy = hs_policy_find(t->policy);
    settings.run.time_scale = seconds_per_unit;
    settings.place.oversubscribe = settings.place.unbound = true;
    settings.run.backends = only;
    settings.run.backend_count = 1;
    hs_exec_report_init(&report);
    require_ok(hs_exec_create(t->in, t->scene->plan, &settings, &exec, &error), error.why);
    require_ok(hs_exec_run(exec, &report, &error), error.why);
    t->makespan = report.seconds / seconds_per_unit;
    t->takes = (unsigned)report.aborted;
    hs_exec_free(exec);
    return NULL;
}

static void *run_trial(void *data)
{
    trial *t = data;

    if (seconds_per_unit > 0)
        return run_live(t);
    t->makespan = simulated_makespan(t->scene, t->policy, t->in, &t->takes);
    return NULL;
}

static double area_bound(const scene *s)
{
    hs_instance *truth = NULL;
    double       bound = 0;

    require_ok(hs_instance_wrap(s->n, s->truth[HS_CPU], s->truth[HS_GPU], NULL, CPUS, GPUS, &truth),
               "truth");
    require_ok(hs_bound_compute(hs_bound_find("theorem2"), truth, NULL, &bound), "bound");
    hs_instance_free(truth);
    return bound;
}

enum { TRIALS = 5 };

static void try_all(const scene *s, double sum[TRIALS], unsigned takes[TRIALS])
{
    static const char *const policy[TRIALS] = {"plan", "plan+steal", "heteroprio", "plan+steal",
                                               "heteroprio"};
    double                   bound = area_bound(s);
    trial                    t[TRIALS];
    int                      i;

    for (i = 0; i < TRIALS; i++) {
        t[i] = (trial){.scene = s, .policy = policy[i], .in = i < 3 ? s->in : s->fixed};
        if (pthread_create(&t[i].thread, NULL, run_trial, &t[i]))
            require_ok(HS_ERESOURCE, "thread");
    }
    for (i = 0; i < TRIALS; i++) {
        pthread_join(t[i].thread, NULL);
        sum[i] += t[i].makespan / bound;
        takes[i] += t[i].takes;
    }
}

static void measure_row(const row *r, int kernels, unsigned instances)
{
    double   sum[TRIALS] = {0}, best;
    unsigned takes[TRIALS] = {0}, i, j;
    size_t   t;

    for (i = 0; i < instances; i++) {
        scene s = {.row = r};

        s.in = make_instance(kernels, HS_RESTART_YES, i + 1);
        s.fixed = make_instance(kernels, HS_RESTART_NO, i + 1);
        s.n = hs_instance_tasks(s.in);
        require_ok(hs_solve(hs_algorithm_find("heteroprio-ns"), s.in, NULL, &s.plan), "plan");
        state = 1000 + i;
        for (t = 0; t < s.n; t++)
            for (j = 0; j < 2; j++)
                s.truth[j][t] = hs_instance_time(s.in, t, (hs_type)j) * error_of(r) * r->type[j];
        try_all(&s, sum, takes);
        hs_schedule_free(s.plan);
        hs_instance_free(s.in);
        hs_instance_free(s.fixed);
    }
    for (i = 0; i < TRIALS; i++)
        sum[i] /= instances;
    best = fmin(fmin(sum[0], sum[1]), fmin(sum[3], sum[4]));
    printf("%-18s %-12s %6.3f %6.3f %6.3f %6.3f %6.3f   %5.3f  %5.1f\n", r->name,
           kernels ? "kernels" : "all differ", sum[0], sum[1], sum[2], sum[3], sum[4],
           sum[2] / best, (double)takes[2] / instances);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    unsigned instances = argc > 1 ? (unsigned)atoi(argv[1]) : 10, i;

    seconds_per_unit = argc > 2 ? atof(argv[2]) : 0;
    printf("%-18s %-12s %6s %6s %6s %6s %6s   %5s  %5s\n", "times", "tasks", "plan", "steal", "hp",
           "st-no", "hp-no", "hp/", "takes");
    for (i = 0; i < 2 * sizeof rows / sizeof *rows; i++)
        measure_row(&rows[i / 2], (int)(i & 1), instances);
    return 0;
}
