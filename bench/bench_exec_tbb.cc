/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oneTBB tasks that do nothing, as bench_exec has them: a task_group in an arena of two
 * threads, two time stamps a task. Median of 9.
 *
 *   bench_exec_tbb [TASKS]      default 100000
 */
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "bench_exec_rows.h"

static double run(tbb::task_arena &arena, uint32_t tasks, stamp *stamps)
{
    int64_t start = clock_ns();

    arena.execute([=] {
        tbb::task_group group;

        for (uint32_t i = 0; i < tasks; i++)
            group.run([=] { take_stamps(&stamps[i]); });
        group.wait();
    });
    return us_per_task(clock_ns() - start, tasks);
}

int main(int argc, char **argv)
{
    uint32_t        tasks = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
    stamp          *stamps = make_stamps(tasks);
    tbb::task_arena arena(WORKERS);
    double          us[REPEATS];

    for (int i = 0; i < REPEATS; i++)
        us[i] = run(arena, tasks, stamps);
    print_row("tbb-task-group", tasks, us);
    free(stamps);
    return 0;
}
