/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run the empty tasks of bench_exec with oneTBB: a task_group in an arena of two threads, two time
 * stamps per task. Median of 9. Then run the factorisations of bench_exec_tiled.h as flow graphs,
 * with edges from the last writer of each tile (no tile is written after a read by another task):
 * with a new graph for each run, and with a graph built in advance.
 *
 *   bench_exec_tbb [TASKS [ORDER [TILE [TILES]]]]      default 100000 4096 256 40
 */
#include <deque>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "bench_exec_tiled.h"

namespace flow = tbb::flow;

static double run(tbb::task_arena &arena, uint32_t tasks, stamp *stamps)
{
    int64_t start = clock_ns();

    arena.execute([=] {
        tbb::task_group group;

        for (uint32_t i = 0; i < tasks; i++)
            group.run([=] { take_time_stamps(&stamps[i]); });
        group.wait();
    });
    return us_per_task(clock_ns() - start, tasks);
}

typedef flow::continue_node<flow::continue_msg> node;

/* The `data` of a factorisation under oneTBB. */
struct graph {
    flow::graph         all;
    std::deque<node>    nodes;
    std::vector<node *> writer; /* last writer of each tile */
};

static void add_step(const step *now)
{
    graph *g = (graph *)now->of->data;
    step   s = *now;
    int    n = s.of->tiles, ij = s.i * n + s.j, ik = s.i * n + s.k, jk = s.j * n + s.k;

    g->nodes.emplace_back(g->all, [s](const flow::continue_msg &) { do_step(&s); });
    if (g->writer[ij])
        flow::make_edge(*g->writer[ij], g->nodes.back());
    if (ik != ij)
        flow::make_edge(*g->writer[ik], g->nodes.back());
    if (jk != ij && jk != ik)
        flow::make_edge(*g->writer[jk], g->nodes.back());
    g->writer[ij] = &g->nodes.back();
}

/* Run a graph in the arena in which it was built. */
static int64_t run_graph(const tiled *t)
{
    graph  *g = (graph *)t->data;
    int64_t start = clock_ns();

    g->nodes.front().try_put(flow::continue_msg());
    g->all.wait_for_all();
    return clock_ns() - start;
}

static int64_t build_and_run(const tiled *t)
{
    int64_t start = clock_ns();
    graph   g;
    tiled   other = *t;

    g.writer.resize((size_t)t->tiles * (size_t)t->tiles);
    other.data = &g;
    each_step(&other, add_step);
    run_graph(&other);
    return clock_ns() - start;
}

static void measure_graph(int n, int tiles)
{
    tiled t = make_tiled(n, tiles);
    graph g;

    g.writer.resize((size_t)tiles * (size_t)tiles);
    t.data = &g;
    each_step(&t, add_step);
    (n ? compute : empty)("tbb-flow-graph", &t, build_and_run);
    (n ? compute : empty)("tbb-flow-graph, built before", &t, run_graph);
    free_tiled(&t);
}

int main(int argc, char **argv)
{
    uint32_t        tasks = (uint32_t)argument(argc, argv, 1, 100000);
    stamp          *stamps = make_stamps(tasks);
    tbb::task_arena arena(WORKERS);
    double          us[REPEATS];

    for (int i = 0; i < REPEATS; i++)
        us[i] = run(arena, tasks, stamps);
    print_row("tbb-task-group", tasks, us);
    free(stamps);
    arena.execute([=] {
        int n = argument(argc, argv, 3, 256);

        measure_graph(n, argument(argc, argv, 2, 4096) / n);
        measure_graph(0, argument(argc, argv, 4, 40));
    });
    return 0;
}
