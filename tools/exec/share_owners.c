/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --share: the share of each task. */
#include <math.h>
#include <stdlib.h>

#include "common/checked_memory.h"
#include "common/message.h"
#include "exec/share.h"

/* A group of tasks that depend on each other, named by its smallest task. */
typedef struct group {
    double   work[2]; /* by hs_type: time of the tasks that are faster on the type */
    uint32_t task;
} group;

static bool has_nodes(const hs_instance *in)
{
    unsigned cpus, gpus;

    return hs_instance_node(in, 0, &cpus, &gpus) != NULL;
}

unsigned exec_share_of_worker(const hs_instance *in, unsigned worker, unsigned shares)
{
    return has_nodes(in) ? (unsigned)hs_instance_node_of(in, worker) : worker % shares;
}

/* Return the root of a vertex, and shorten the path to it. */
static uint32_t root_of(uint32_t *parent, uint32_t vertex)
{
    while (parent[vertex] != vertex) {
        parent[vertex] = parent[parent[vertex]];
        vertex = parent[vertex];
    }
    return vertex;
}

/* Join the vertices of each edge. The root of a group is its smallest vertex, a task. */
static void join(const hs_graph *graph, uint32_t *parent)
{
    for (size_t v = 0; v < hs_graph_vertex_count(graph); v++) {
        size_t          count;
        const uint32_t *before = hs_graph_predecessors(graph, v, &count, NULL);

        for (; count > 0; count--, before++) {
            uint32_t a = root_of(parent, *before), b = root_of(parent, (uint32_t)v);

            parent[a > b ? a : b] = a < b ? a : b;
        }
    }
}

/* Return the type on which the task is faster, among the types that the instance has. */
static hs_type faster_type(const hs_instance *in, size_t task)
{
    double cpu = hs_instance_time(in, task, HS_CPU), gpu = hs_instance_time(in, task, HS_GPU);

    if (hs_instance_cpus(in) == 0 || hs_instance_gpus(in) == 0)
        return hs_instance_gpus(in) == 0 ? HS_CPU : HS_GPU;
    if (isnan(cpu) ||
        isnan(gpu)) /* a type that cannot run the task, or has an unknown time, loses */
        return isinf(cpu) || isfinite(gpu) ? HS_GPU : HS_CPU;
    return gpu < cpu ? HS_GPU : HS_CPU;
}

/* Return the time of a task on its faster type; NaN: unknown. */
static double work_of(const hs_instance *in, size_t task)
{
    double time = hs_instance_time(in, task, faster_type(in, task));

    return isfinite(time) ? time : (double)NAN;
}

/* Return the mean of the known times; 1 if none is known. */
static double mean_work(const hs_instance *in)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < hs_instance_tasks(in); i++)
        if (!isnan(work_of(in, i))) {
            sum += work_of(in, i);
            count++;
        }
    return count > 0 ? sum / (double)count : 1;
}

/* Return the type that does most of a group's work. */
static hs_type main_type(const group *g)
{
    return g->work[HS_GPU] > g->work[HS_CPU] ? HS_GPU : HS_CPU;
}

/* Order groups by their main type, the longest first. */
static int by_type_and_work(const void *a, const void *b)
{
    const group *x = a, *y = b;
    hs_type      type = main_type(x);

    if (type != main_type(y))
        return type == HS_GPU ? -1 : 1;
    if (x->work[type] != y->work[type])
        return x->work[type] > y->work[type] ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

/* A share in a heap. */
typedef struct load {
    double   work[2]; /* by hs_type, as in a group */
    unsigned share;
} load;

/* Return whether a share has less work for the type, or else for the other type, or else a smaller
 * number. */
static bool precedes(const load *a, const load *b, hs_type type)
{
    hs_type other = type == HS_CPU ? HS_GPU : HS_CPU;

    if (a->work[type] != b->work[type])
        return a->work[type] < b->work[type];
    if (a->work[other] != b->work[other])
        return a->work[other] < b->work[other];
    return a->share < b->share;
}

/* Restore the heap below the position `at`. */
static void sink(load *heap, unsigned count, unsigned at, hs_type type)
{
    load     moved = heap[at];
    unsigned child;

    while ((child = 2 * at + 1) < count) {
        if (child + 1 < count && precedes(&heap[child + 1], &heap[child], type))
            child++;
        if (!precedes(&heap[child], &moved, type))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* Give each group to the share with the least work for the main type of the group, so that the
 * shares of a hybrid instance have work for both types: set owner[] of its smallest task. */
static void deal_groups(const group *groups, size_t count, unsigned shares, uint32_t *owner)
{
    load *heap = checked_calloc(shares, sizeof *heap);

    for (unsigned s = 0; s < shares; s++)
        heap[s].share = s;
    for (size_t i = 0; i < count; i++) {
        hs_type type = main_type(&groups[i]);

        if (i > 0 && type != main_type(&groups[i - 1]))
            for (unsigned at = shares / 2; at-- > 0;)
                sink(heap, shares, at, type);
        owner[groups[i].task] = heap[0].share;
        heap[0].work[HS_CPU] += groups[i].work[HS_CPU];
        heap[0].work[HS_GPU] += groups[i].work[HS_GPU];
        sink(heap, shares, 0, type);
    }
    free(heap);
}

static void deal(const hs_instance *in, uint32_t *parent, unsigned shares, uint32_t *owner)
{
    size_t n = hs_instance_tasks(in), count = 0;
    group *groups = checked_calloc(n + 1, sizeof *groups);
    double mean = mean_work(in);

    for (size_t i = 0; i < n; i++)
        groups[i].task = (uint32_t)i;
    for (size_t i = 0; i < n; i++) {
        double work = work_of(in, i);

        groups[root_of(parent, (uint32_t)i)].work[faster_type(in, i)] += isnan(work) ? mean : work;
    }
    for (size_t i = 0; i < n; i++)
        if (root_of(parent, (uint32_t)i) == i)
            groups[count++] = groups[i];
    qsort(groups, count, sizeof *groups, by_type_and_work);
    deal_groups(groups, count, shares, owner);
    for (size_t i = 0; i < n; i++)
        owner[i] = owner[root_of(parent, (uint32_t)i)];
    free(groups);
}

/* Set the owners from the completed entries of a plan. */
static void follow_plan(const plan *p, unsigned shares, uint32_t *owner)
{
    unsigned workers = hs_instance_cpus(p->in) + hs_instance_gpus(p->in);

    for (unsigned w = 0; w < workers; w++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(p->s, w, &count);

        for (; count > 0; count--, entry++)
            if (entry->state == HS_RUN)
                owner[entry->task] = exec_share_of_worker(p->in, w, shares);
    }
}

/* Refuse a plan that places dependent tasks in two shares. */
static int check_edges(const plan *p, uint32_t *parent, const uint32_t *owner, bool quiet)
{
    char first[HS_MAX_ID + 16], second[HS_MAX_ID + 16];

    for (size_t i = 0; i < hs_instance_tasks(p->in); i++) {
        uint32_t root = root_of(parent, (uint32_t)i);

        if (owner[i] == owner[root])
            continue;
        hs_instance_name(p->in, root, first, sizeof first);
        hs_instance_name(p->in, i, second, sizeof second);
        if (!quiet)
            message(
                "%s: --share: tasks %s and %s are connected by dependencies, and the plan places "
                "them in shares %u and %u, which do not wait for each other; give the instance "
                "instead of the plan: then connected tasks are in one share",
                p->path, first, second, (unsigned)owner[root] + 1, (unsigned)owner[i] + 1);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

/* Refuse nodes without a plan, or of another number than the shares. */
static int check_nodes(const plan *p, unsigned shares, bool quiet)
{
    size_t nodes = hs_instance_nodes(p->in);

    if (!has_nodes(p->in) || (p->s && nodes == shares))
        return EXIT_OK;
    if (quiet)
        return EXIT_USAGE;
    if (!p->s)
        message("%s: --share: the instance has '# node' lines: plan it with 'hsched-solve -o PLAN', "
                "and run shares I/%zu of the plan",
                p->path, nodes);
    else
        message("%s: --share: the plan has %zu nodes, so its shares are 1/%zu to %zu/%zu", p->path,
                nodes, nodes, nodes, nodes);
    return EXIT_USAGE;
}

/* Refuse a graph in which a row stands for several tasks. */
static int check_copies(const plan *p, bool quiet)
{
    if (!hs_instance_has_graph(p->in) || hs_instance_tasks(p->in) == hs_instance_rows(p->in))
        return EXIT_OK;
    if (!quiet)
        message("%s: --share: a row of a task graph has a count above 1: write a row for each task",
                p->path);
    return EXIT_USAGE;
}

int exec_share_owners(const plan *p, unsigned shares, bool quiet, uint32_t **out)
{
    size_t          n = hs_instance_tasks(p->in), vertices = n;
    const hs_graph *graph = NULL;
    hs_status       status = hs_instance_graph(p->in, &graph);
    uint32_t       *parent, *owner;
    int             code;

    if (status != HS_OK)
        return message_status(status, p->path);
    code = check_copies(p, quiet);
    if (!code)
        code = check_nodes(p, shares, quiet);
    if (code)
        return code;
    if (graph)
        vertices = hs_graph_vertex_count(graph);
    parent = checked_calloc(vertices + 1, sizeof *parent);
    owner = checked_calloc(n + 1, sizeof *owner);
    for (size_t v = 0; v < vertices; v++)
        parent[v] = (uint32_t)v;
    if (graph)
        join(graph, parent);
    if (p->s)
        follow_plan(p, shares, owner);
    else
        deal(p->in, parent, shares, owner);
    code = check_edges(p, parent, owner, quiet);
    free(parent);
    if (code)
        free(owner);
    else
        *out = owner;
    return code;
}
