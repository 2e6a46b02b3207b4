/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * StarPU tasks that do nothing, as bench_exec has them: two CPU workers, two time stamps
 * a task. Median of 9 for each scheduler.
 *
 *   bench_exec_starpu [TASKS]      default 100000
 */
#include <starpu.h>

#include "bench_exec_rows.h"

static void body(void *buffers[], void *at)
{
    (void)buffers;
    take_stamps(at);
}

static double microsecond(struct starpu_task *task, unsigned nimpl)
{
    (void)task;
    (void)nimpl;
    return 1;
}

static struct starpu_perfmodel model = {
    .type = STARPU_COMMON, .cost_function = microsecond, .symbol = "empty"};

static struct starpu_codelet codelet = {.cpu_funcs = {body}, .nbuffers = 0, .model = &model};

static double run(uint32_t tasks, stamp *stamps)
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

static void measure(const char *scheduler, uint32_t tasks, stamp *stamps)
{
    struct starpu_conf conf;
    char               what[64];
    double             us[REPEATS];
    int                i;

    starpu_conf_init(&conf);
    conf.sched_policy_name = scheduler;
    conf.ncpus = WORKERS;
    conf.ncuda = conf.nopencl = 0;
    conf.bus_calibrate = 0;
    if (starpu_init(&conf) != 0)
        return;
    for (i = 0; i < REPEATS; i++)
        us[i] = run(tasks, stamps);
    starpu_shutdown();
    snprintf(what, sizeof what, "starpu-%s", scheduler);
    print_row(what, tasks, us);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const schedulers[] = {"eager", "lws", "dmda", "heteroprio",
                                             "modular-heteroprio"};
    uint32_t                 tasks = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
    stamp                   *stamps = make_stamps(tasks);
    size_t                   i;

    setenv("STARPU_SILENT", "1", 0);
    for (i = 0; i < sizeof schedulers / sizeof *schedulers; i++)
        measure(schedulers[i], tasks, stamps);
    free(stamps);
    return 0;
}
