/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure the dispatch cost per task: empty tasks on two workers, each between two time stamps,
 * compared with bare static lists with equal stamps in the same run. Medians of 9, the rows taking
 * turns; rows with `calls` run empty functions by settings.run.calls, the others an empty backend.
 * Then the same for dependent tasks: the graph of a Cholesky factorisation, on two CPUs.
 *
 * us_per_task is workers x wall time / tasks. us_less_bodies excludes the time between the stamps
 * and the time without work, like the report of a run. On a busy machine best_us is more meaningful
 * than the median.
 *
 *   bench_exec [TASKS [TILES]]      default 100000 and 40 x 40 (11480 tasks)
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "support/clock.h"
#include "exec/machine/topology.h"

enum { REPEATS = 9, WORKERS = 2, MOST = 32 };

typedef struct row {
    const char *what;
    double      us[REPEATS], less[REPEATS];
} row;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_row(row *r, size_t tasks)
{
    qsort(r->us, REPEATS, sizeof *r->us, by_value);
    qsort(r->less, REPEATS, sizeof *r->less, by_value);
    printf("%s,%zu,%d,%.4f,%.4f,%.4f\n", r->what, tasks, WORKERS, r->us[REPEATS / 2],
           r->less[REPEATS / 2], r->us[0]);
}

typedef struct stamp {
    double   start, end;
    uint32_t task;
} stamp;

typedef struct bare {
    pthread_barrier_t  *ready;
    int                 os_cpu;
    stamp              *stamps;
    uint32_t            count;
    int64_t             start_ns, end_ns;
} bare;

static void *run_bare(void *data)
{
    bare    *b = data;
    uint32_t i;

    hsi_bind_thread(0, &b->os_cpu, 1);
    memset(b->stamps, 0, b->count * sizeof *b->stamps);
    pthread_barrier_wait(b->ready);
    b->start_ns = hsi_clock_ns();
    for (i = 0; i < b->count; i++) {
        int64_t start = hsi_clock_ns(), end = hsi_clock_ns();

        b->stamps[i] =
            (stamp){1e-9 * (double)(start - b->start_ns), 1e-9 * (double)(end - b->start_ns), i};
    }
    b->end_ns = hsi_clock_ns();
    return NULL;
}

static void measure_bare(uint32_t tasks, row *out, int repeat)
{
    hs_error          error;
    hsi_topology     *topology = NULL;
    pthread_barrier_t ready;
    pthread_t         thread[WORKERS];
    bare              b[WORKERS];
    int64_t           first, last;
    unsigned          w;

    if (hsi_topology_open(&topology, false, &error) != HS_OK ||
        hsi_topology_threads(topology) < WORKERS)
        abort();
    pthread_barrier_init(&ready, NULL, WORKERS);
    for (w = 0; w < WORKERS; w++) {
        b[w] = (bare){&ready, hsi_topology_cpu(topology, w), NULL, tasks / WORKERS, 0, 0};
        b[w].stamps = malloc(b[w].count * sizeof *b[w].stamps);
        if (!b[w].stamps || pthread_create(&thread[w], NULL, run_bare, &b[w]) != 0)
            abort();
    }
    for (w = 0; w < WORKERS; w++) {
        pthread_join(thread[w], NULL);
        free(b[w].stamps);
    }
    first = b[0].start_ns < b[1].start_ns ? b[0].start_ns : b[1].start_ns;
    last = b[0].end_ns > b[1].end_ns ? b[0].end_ns : b[1].end_ns;
    out->us[repeat] = out->less[repeat] = 1e-3 * (double)(last - first) * WORKERS / tasks;
    pthread_barrier_destroy(&ready);
    hsi_topology_close(topology);
}

static hs_body empty;

static hs_status make_nothing(const hs_backend_options *options, const hs_task *task, hs_type type,
                              hs_body **out, hs_error *error)
{
    (void)options;
    (void)task;
    (void)type;
    (void)error->why;
    *out = &empty;
    return HS_OK;
}

static hs_outcome do_nothing(hs_backend_worker *worker, const hs_body *body, hs_attempt *attempt)
{
    (void)worker;
    (void)body;
    (void)attempt;
    return HS_OUTCOME_DONE;
}

static const hs_backend nothing = {
    .struct_size = sizeof(hs_backend), .name = "nothing", .body_create = make_nothing, .run = do_nothing};

static int return_at_once(void *argument, const hs_plugin_task *task)
{
    (void)argument;
    (void)task;
    return HS_PLUGIN_DONE;
}

/* Return empty functions for every task. */
static hs_exec_call *make_calls(size_t count)
{
    hs_exec_call *calls = malloc(count * sizeof *calls);

    if (!calls)
        abort();
    for (size_t i = 0; i < count; i++)
        calls[i] = (hs_exec_call){{return_at_once, return_at_once}, NULL};
    return calls;
}

/* Run the tasks by `calls`; NULL: by an empty backend. */
static void measure_policy(const hs_policy_kind *kind, hs_rank rank, const hs_instance *in,
                           const hs_schedule *plan, const hs_exec_call *calls, row *out, int repeat)
{
    static const hs_backend *const only[] = {&nothing};
    hs_error                       error;
    hs_exec_settings               s;
    hs_exec_report                 r;
    hs_exec                       *exec = NULL;

    empty.backend = &nothing;
    hs_exec_settings_init(&s);
    s.decide.policy = kind;
    s.decide.rank = rank;
    s.run.backends = only;
    s.run.backend_count = calls ? 0 : 1;
    s.run.calls = calls;
    hs_exec_report_init(&r);
    if (hs_exec_create(in, plan, &s, &exec, &error) != HS_OK ||
        hs_exec_run(exec, &r, &error) != HS_OK) {
        fprintf(stderr, "bench_exec: %s\n", error.why);
        exit(1);
    }
    out->us[repeat] = 1e6 * r.seconds * WORKERS / (double)r.tasks;
    out->less[repeat] = 1e6 * r.overhead;
    hs_exec_free(exec);
}

/*
 * Generate tasks for one CPU and one GPU, so both ends of the queue are used; each gets half of the
 * work.
 */
static hs_instance *make_tasks(size_t count)
{
    hs_gamma     spec = {sizeof spec, count, 1, 1, 1, 0.5, 1, 0.5, 1};
    hs_instance *in = NULL;

    if (hs_generate_gamma(&spec, &in, NULL) != HS_OK)
        abort();
    return in;
}

/* Build a plan with equally long lists for both workers. */
static hs_schedule *make_plan(const hs_instance *in)
{
    size_t        n = hs_instance_tasks(in), i;
    hs_placement *p = calloc(n, sizeof *p);
    double        end[WORKERS] = {0, 0};
    hs_schedule  *plan = NULL;

    if (!p)
        abort();
    for (i = 0; i < n; i++) {
        unsigned w = (unsigned)(i * 2654435761u >> 16 & 1);

        p[i].task = (uint32_t)i;
        p[i].worker = w;
        p[i].start = end[w];
        p[i].end = end[w] += hs_instance_time(in, i, w ? HS_GPU : HS_CPU);
    }
    if (hs_schedule_build(1, 1, n, p, &plan) != HS_OK)
        abort();
    free(p);
    return plan;
}

static void measure_independent(size_t count)
{
    row           all[MOST] = {{.what = "static-list"}};
    row           called[] = {{.what = "plan calls"}, {.what = "heteroprio calls"}};
    size_t        rows = 1, i;
    hs_instance  *in = make_tasks(count);
    hs_schedule  *plan = make_plan(in);
    hs_exec_call *calls = make_calls(count);
    int           repeat;

    for (i = 0; i < hs_policy_count() && rows < MOST; i++)
        all[rows++].what = hs_policy_name(hs_policy_at(i));
    for (repeat = 0; repeat < REPEATS; repeat++) {
        measure_bare((uint32_t)count, &all[0], repeat);
        for (i = 1; i < rows; i++)
            measure_policy(hs_policy_at(i - 1), HS_RANK_DEFAULT, in, plan, NULL, &all[i], repeat);
        measure_policy(hs_policy_find("plan"), HS_RANK_DEFAULT, in, plan, calls, &called[0],
                       repeat);
        measure_policy(hs_policy_find("heteroprio"), HS_RANK_DEFAULT, in, plan, calls, &called[1],
                       repeat);
    }
    for (i = 0; i < rows; i++)
        print_row(&all[i], count);
    for (i = 0; i < sizeof called / sizeof *called; i++)
        print_row(&called[i], count);
    free(calls);
    hs_schedule_free(plan);
    hs_instance_free(in);
}

static void measure_graph(unsigned tiles)
{
    hs_tiled     spec = {sizeof(hs_tiled),
                         HS_CHOLESKY,
                         tiles,
                         WORKERS,
                         0,
                         0,
                         1,
                         hs_kernel_table_find("k40m-960"),
                         0};
    hs_instance *in = NULL;
    hs_schedule *plan = NULL;
    row          all[MOST];
    size_t       i, rows = 0;
    int          repeat;

    if (hs_generate_tiled(&spec, &in, NULL) != HS_OK ||
        hs_solve(hs_algorithm_find("heft"), in, NULL, &plan) != HS_OK)
        abort();
    for (i = 0; i < hs_policy_count(); i++)
        all[i].what = hs_policy_name(hs_policy_at(i));
    rows = i;
    for (repeat = 0; repeat < REPEATS; repeat++)
        for (i = 0; i < rows; i++)
            if (hs_policy_supports_graphs(hs_policy_at(i)))
                measure_policy(hs_policy_at(i), HS_RANK_DEFAULT, in, plan, NULL, &all[i], repeat);
    printf("\nCholesky of %u x %u tiles, ranks by default\n", tiles, tiles);
    for (i = 0; i < rows; i++)
        if (hs_policy_supports_graphs(hs_policy_at(i)))
            print_row(&all[i], hs_instance_tasks(in));
    hs_schedule_free(plan);
    hs_instance_free(in);
}

int main(int argc, char **argv)
{
    printf("what,tasks,workers,us_per_task,us_less_bodies,best_us\n");
    measure_independent(argc > 1 ? strtoull(argv[1], NULL, 10) : 100000);
    measure_graph(argc > 2 ? (unsigned)atoi(argv[2]) : 40);
    return 0;
}
