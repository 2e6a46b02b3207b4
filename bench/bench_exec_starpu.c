/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run the empty tasks of bench_exec with StarPU: two CPU workers, two time stamps per task. Median
 * of 9 for each scheduler. Then run the factorisations of bench_exec_tiled.h, with tiles as StarPU
 * data, from which StarPU infers the dependencies.
 *
 *   bench_exec_starpu [TASKS [ORDER [TILE [TILES]]]]      default 100000 4096 256 40
 */
#include <starpu.h>

#include "bench_exec_tiled.h"

static void record_stamp(void *buffers[], void *at)
{
    (void)buffers;
    take_time_stamps(at);
}

static double estimate_of_microsecond(struct starpu_task *task, unsigned nimpl)
{
    (void)task;
    (void)nimpl;
    return 1;
}

static struct starpu_perfmodel model = {
    .type = STARPU_COMMON, .cost_function = estimate_of_microsecond, .symbol = "empty"};

static struct starpu_codelet codelet = {
    .cpu_funcs = {record_stamp}, .nbuffers = 0, .model = &model};

static double run_tasks(uint32_t tasks, stamp *stamps)
{
    int64_t  start = clock_ns();
    uint32_t i;

    for (i = 0; i < tasks; i++) {
        struct starpu_task *task = starpu_task_create();

        task->cl = &codelet;
        task->cl_arg = &stamps[i];
        task->cl_arg_size = sizeof stamps[i];
        if (starpu_task_submit(task) != 0)
            abort();
    }
    starpu_task_wait_for_all();
    return us_per_task(clock_ns() - start, tasks);
}

static void run_step(void *buffers[], void *at)
{
    (void)buffers; /* the step itself has the addresses of its tiles */
    do_step(at);
}

/* Codelets by the number of tiles read; the last tile is the one written. */
static struct starpu_codelet step_codelets[] = {
    {.cpu_funcs = {run_step}, .nbuffers = 1, .modes = {STARPU_RW}},
    {.cpu_funcs = {run_step}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}},
    {.cpu_funcs = {run_step}, .nbuffers = 3, .modes = {STARPU_R, STARPU_R, STARPU_RW}}};

/* Handles of the tiles registered with StarPU: the `data` of a factorisation. */
typedef struct registered {
    starpu_data_handle_t *tile;
    step                 *steps; /* arguments of the tasks, kept until they end */
} registered;

static void submit_step(const step *now)
{
    const registered   *r = now->of->data;
    int                 n = now->of->tiles, reads = 0;
    int                 ij = now->i * n + now->j, ik = now->i * n + now->k, jk = now->j * n + now->k;
    struct starpu_task *task = starpu_task_create();

    if (ik != ij)
        task->handles[reads++] = r->tile[ik];
    if (jk != ij && jk != ik)
        task->handles[reads++] = r->tile[jk];
    task->handles[reads] = r->tile[ij];
    r->steps[now->task] = *now;
    task->cl = &step_codelets[reads];
    task->cl_arg = &r->steps[now->task];
    task->cl_arg_size = sizeof *now;
    if (starpu_task_submit(task) != 0)
        abort();
}

static int64_t run_graph(const tiled *t)
{
    int64_t start = clock_ns();

    each_step(t, submit_step);
    starpu_task_wait_for_all();
    return clock_ns() - start;
}

static void measure_graph(const char *what, int order, int tiles)
{
    tiled  t = make_tiled(order, tiles);
    size_t count = (size_t)tiles * (size_t)tiles,
           bytes = (size_t)order * (size_t)order * sizeof *t.a, i;
    registered r = {calloc(count, sizeof *r.tile), calloc(count_steps(tiles), sizeof *r.steps)};

    if (!r.tile || !r.steps)
        abort();
    for (i = 0; i < count; i++)
        if (order)
            starpu_variable_data_register(&r.tile[i], STARPU_MAIN_RAM,
                                          (uintptr_t)t.a + i * bytes, bytes);
        else
            starpu_void_data_register(&r.tile[i]);
    t.data = &r;
    (order ? compute : empty)(what, &t, run_graph);
    for (i = 0; i < count; i++)
        starpu_data_unregister(r.tile[i]);
    free(r.tile);
    free(r.steps);
    free_tiled(&t);
}

static int start_starpu(const char *scheduler)
{
    struct starpu_conf conf;

    starpu_conf_init(&conf);
    conf.sched_policy_name = scheduler;
    conf.ncpus = WORKERS;
    conf.ncuda = conf.nopencl = 0;
    conf.bus_calibrate = 0;
    return starpu_init(&conf) == 0;
}

static void measure_tasks(const char *scheduler, uint32_t tasks, stamp *stamps)
{
    char   what[64];
    double us[REPEATS];
    int    i;

    if (!start_starpu(scheduler))
        return;
    for (i = 0; i < REPEATS; i++)
        us[i] = run_tasks(tasks, stamps);
    starpu_shutdown();
    snprintf(what, sizeof what, "starpu-%s", scheduler);
    print_row(what, tasks, us);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const schedulers[] = {"eager", "lws", "dmda", "heteroprio",
                                             "modular-heteroprio"};
    uint32_t                 tasks = (uint32_t)usual_argument(argc, argv, 1, 100000);
    stamp                   *stamps = make_stamps(tasks);
    size_t                   i;

    setenv("STARPU_SILENT", "1", 0);
    for (i = 0; i < sizeof schedulers / sizeof *schedulers; i++)
        measure_tasks(schedulers[i], tasks, stamps);
    free(stamps);
    for (i = 0; i < 2 && start_starpu(schedulers[i]); i++) {
        int  n = usual_argument(argc, argv, 3, 256);
        char what[64];

        snprintf(what, sizeof what, "starpu-%s", schedulers[i]);
        measure_graph(what, n, usual_argument(argc, argv, 2, 4096) / n);
        measure_graph(what, 0, usual_argument(argc, argv, 4, 40));
        starpu_shutdown();
    }
    return 0;
}
