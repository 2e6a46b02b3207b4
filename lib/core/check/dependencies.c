/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check the executions of all tasks in the order of the program. Predecessors come from the rows'
 * own lists, not from the graph built for the algorithms, and times of transfers from the links and
 * nodes, not from the functions of the algorithms. Among copies of a row, and among readers since
 * the last write, only the latest matter: see `add_latest`. O(executions x entries in the lists of
 * their rows), times the memories of several nodes for predecessors with a count.
 */
#include "core/check/dependencies.h"

#include <math.h>
#include <stdlib.h>

#define NO_TASK SIZE_MAX

typedef struct execution {
    double   start, end;
    unsigned worker;
    size_t   entry;
} execution;

/* Memories of the workers: host 0, 1, ..., then the GPUs. */
typedef struct machine {
    uint32_t *host; /* per worker: its node */
    uint32_t  hosts;
    unsigned  cpus;
    double    latency[HS_LINKS], bandwidth[HS_LINKS]; /* bandwidth: bytes per second */
    double    second;                                 /* units of time per second */
    bool      has[HS_LINKS];
} machine;

typedef struct history {
    size_t writer; /* last writer of the handle; NO_TASK: none */
    size_t reader; /* last reader of the handle to end since the last write */
} history;

typedef struct work {
    const hs_instance *in;
    const hs_schedule *s;
    size_t            *at; /* start of each task's executions in `executions`; the first
                              is its run */
    execution *executions;
    size_t    *first;  /* first task of each row, and the number of tasks */
    size_t    *latest; /* per row: `kept` tasks or NO_TASK, see `add_latest`; only for
                          instances with counts */
    size_t               kept;
    const unsigned char *skip;        /* tasks done before the start; NULL: none */
    const uint32_t      *skip_worker; /* by task; NULL: the first host has all results */
    machine              machine;
    history             *data;
    hs_violation        *v;
} work;

static const execution *run_of(const work *w, size_t task)
{
    return &w->executions[w->at[task]];
}

static uint32_t memory_of(const work *w, unsigned worker)
{
    const machine *of = &w->machine;

    if (worker == HS_NONE)
        return 0;
    return worker < of->cpus ? of->host[worker] : of->hosts + worker - of->cpus;
}

static uint32_t node_of(const work *w, size_t task)
{
    return memory_of(w, run_of(w, task)->worker);
}

/* Return the time of a transfer between the memories of one node. */
static double time_within(const work *w, bool from_host, bool to_host, double bytes)
{
    const machine *of = &w->machine;
    hs_link        link = from_host ? HS_H2D : to_host ? HS_D2H : HS_D2D;

    if (!of->has[link])
        return time_within(w, false, true, bytes) + time_within(w, true, false, bytes);
    return of->latency[link] + bytes * of->second / of->bandwidth[link];
}

/* Return the time of a transfer between two memories. */
static double transfer_time(const work *w, uint32_t from, uint32_t to, double bytes)
{
    const machine *of = &w->machine;
    bool           from_host = from < of->hosts, to_host = to < of->hosts;
    uint32_t       from_node = from_host ? from : of->host[of->cpus + from - of->hosts];
    uint32_t       to_node = to_host ? to : of->host[of->cpus + to - of->hosts];
    double         time = 0;

    if (from == to || !(bytes > 0) || !of->has[HS_H2D])
        return 0;
    if (from_node == to_node)
        return time_within(w, from_host, to_host, bytes);
    if (!from_host)
        time = time_within(w, false, true, bytes);
    time += of->latency[HS_N2N] + bytes * of->second / of->bandwidth[HS_N2N];
    return to_host ? time : time + time_within(w, true, false, bytes);
}

static bool ends_later(const work *w, size_t task, size_t than)
{
    return than == NO_TASK || run_of(w, task)->end > run_of(w, than)->end;
}

/*
 * Record a task of a row if its result may arrive later somewhere than those of the others. With
 * one node: the last task to end on the host, the last on any GPU, and the last on any other GPU.
 * With several nodes: the last task to end in each memory.
 */
static void add_latest(const work *w, size_t *latest, size_t task)
{
    uint32_t node = node_of(w, task);

    if (w->machine.hosts > 1 || node == 0) {
        if (ends_later(w, task, latest[node]))
            latest[node] = task;
    } else if (latest[1] != NO_TASK && node_of(w, latest[1]) == node) {
        if (ends_later(w, task, latest[1]))
            latest[1] = task;
    } else if (ends_later(w, task, latest[1])) {
        latest[2] = latest[1];
        latest[1] = task;
    } else if (ends_later(w, task, latest[2])) {
        latest[2] = task;
    }
}

static bool set_violation(const work *w, hs_violation_kind kind, size_t task, const execution *e,
                          size_t predecessor, double expected)
{
    *w->v = (hs_violation){.kind = kind,
                           .worker = e->worker,
                           .entry = e->entry,
                           .task = task,
                           .predecessor = predecessor,
                           .expected = expected,
                           .found = e->start};
    return true;
}

/* Check an execution of `task` against its `predecessor`, which produced `bytes` for it. */
static bool check_pair(const work *w, size_t task, const execution *e, size_t predecessor,
                       double bytes)
{
    const execution *made = run_of(w, predecessor);
    double           there;

    if (e->start < made->end)
        return set_violation(w, HS_TOO_EARLY, task, e, predecessor, made->end);
    there = made->end + transfer_time(w, node_of(w, predecessor), memory_of(w, e->worker), bytes);
    return e->start < there ? set_violation(w, HS_INPUT_LATE, task, e, predecessor, there) : false;
}

static bool check_after(const work *w, size_t row, size_t task, const execution *e)
{
    size_t   earlier;
    uint32_t copy;
    double   bytes;

    for (size_t i = 0; hs_instance_predecessor(w->in, row, i, &earlier, &copy, &bytes); i++) {
        size_t first = w->first[earlier], count = w->first[earlier + 1] - first;

        if (count == 1 || copy > 0) {
            if (check_pair(w, task, e, first + (copy ? copy - 1 : 0), bytes))
                return true;
            continue;
        }
        for (size_t j = earlier * w->kept; j < (earlier + 1) * w->kept; j++)
            if (w->latest[j] != NO_TASK && check_pair(w, task, e, w->latest[j], bytes))
                return true;
    }
    return false;
}

static bool check_access(const work *w, size_t data, hs_access_mode mode, size_t task,
                         const execution *e)
{
    const history *h = &w->data[data];
    double         bytes = mode & HS_READ ? hs_instance_handle_bytes(w->in, data) : 0, there;

    if (h->writer != NO_TASK && check_pair(w, task, e, h->writer, bytes))
        return true;
    if (mode & HS_WRITE && h->reader != NO_TASK && check_pair(w, task, e, h->reader, 0))
        return true;
    if (h->writer != NO_TASK)
        return false;
    there = transfer_time(w, hs_instance_handle_memory_node(w->in, data), memory_of(w, e->worker),
                          bytes);
    return e->start < there ? set_violation(w, HS_INPUT_LATE, task, e, NO_TASK, there) : false;
}

static bool check_execution(const work *w, size_t row, size_t task, const execution *e)
{
    size_t         data;
    hs_access_mode mode;

    if (check_after(w, row, task, e))
        return true;
    for (size_t i = 0; hs_instance_access(w->in, row, i, &data, &mode); i++)
        if (check_access(w, data, mode, task, e))
            return true;
    return false;
}

/* Record a task's accesses for the checks of later tasks. */
static void record_accesses(const work *w, size_t row, size_t task)
{
    size_t         data;
    hs_access_mode mode;

    for (size_t i = 0; hs_instance_access(w->in, row, i, &data, &mode); i++) {
        history *h = &w->data[data];

        if (mode & HS_WRITE)
            *h = (history){task, NO_TASK};
        else if (ends_later(w, task, h->reader))
            h->reader = task;
    }
}

static bool is_skipped(const work *w, size_t task)
{
    return w->skip && w->skip[task];
}

static bool check_all(const work *w)
{
    for (size_t row = 0; row < hs_instance_rows(w->in); row++)
        for (size_t task = w->first[row]; task < w->first[row + 1]; task++) {
            for (size_t i = w->at[task]; i < w->at[task + 1] && !is_skipped(w, task); i++)
                if (check_execution(w, row, task, &w->executions[i]))
                    return true;
            record_accesses(w, row, task);
        }
    return false;
}

/* Count or store the execution, until 0, of each task that was done before the start. */
static void add_skipped(const work *w, int pass)
{
    unsigned workers = hs_instance_cpus(w->in) + hs_instance_gpus(w->in);

    for (size_t task = 0; task < hs_instance_tasks(w->in); task++) {
        unsigned worker = w->skip_worker ? w->skip_worker[task] : HS_NONE;

        if (!is_skipped(w, task))
            continue;
        if (pass == 0)
            w->at[task + 1]++;
        else
            w->executions[w->at[task]] = (execution){.worker = worker < workers ? worker : HS_NONE};
    }
}

/* Group the executions by task, in two passes: count them, then store them. */
static void group_by_task(const work *w)
{
    unsigned workers = hs_schedule_cpus(w->s) + hs_schedule_gpus(w->s);
    size_t   tasks = hs_instance_tasks(w->in), count;

    for (int pass = 0; pass < 2; pass++) {
        add_skipped(w, pass);
        for (unsigned worker = 0; worker < workers; worker++) {
            const hs_entry *entries = hs_schedule_entries(w->s, worker, &count);

            for (size_t i = 0; i < count; i++) {
                const hs_entry *e = &entries[i];
                execution       found = {e->start, e->end, worker, i};

                if (pass == 0)
                    w->at[e->task + 1]++;
                else if (e->state == HS_RUN) /* one per task */
                    w->executions[w->at[e->task]] = found;
                else
                    w->executions[--w->at[tasks + 1 + e->task]] = found;
            }
        }
        for (size_t task = 0; pass == 0 && task < tasks; task++) {
            w->at[task + 1] += w->at[task];
            w->at[tasks + 1 + task] = w->at[task + 1]; /* aborted executions are filled in from
                                                          the end */
        }
    }
}

static void find_rows(const work *w)
{
    size_t task = 0;

    for (size_t row = 0; row < hs_instance_rows(w->in); row++) {
        hs_task described;

        w->first[row] = task;
        hs_instance_row(w->in, row, &described);
        task += described.count;
    }
    w->first[hs_instance_rows(w->in)] = task;
    for (size_t row = 0; w->latest && row < hs_instance_rows(w->in); row++) {
        for (size_t j = row * w->kept; j < (row + 1) * w->kept; j++)
            w->latest[j] = NO_TASK;
        for (task = w->first[row]; task < w->first[row + 1]; task++)
            add_latest(w, &w->latest[row * w->kept], task);
    }
}

/* Number the nodes of the workers, and copy the links. */
static hs_status find_machine(work *w)
{
    static const double units[] = {1, 1e3, 1e6, 1e9}; /* per second, by hs_unit */
    machine            *of = &w->machine;
    unsigned            gpus = hs_instance_gpus(w->in), first[2] = {0}, cpus_here, gpus_here;

    of->second = units[hs_instance_unit(w->in)];
    of->cpus = hs_instance_cpus(w->in);
    of->hosts = 1;
    of->host = calloc((size_t)of->cpus + gpus, sizeof *of->host);
    if (!of->host)
        return HS_ENOMEM;
    for (uint32_t node = 0; hs_instance_node(w->in, node, &cpus_here, &gpus_here); node++) {
        of->hosts = node + 1;
        for (unsigned i = 0; i < cpus_here; i++)
            of->host[first[HS_CPU]++] = node;
        for (unsigned i = 0; i < gpus_here; i++)
            of->host[of->cpus + first[HS_GPU]++] = node;
    }
    for (int link = 0; link < HS_LINKS; link++)
        of->has[link] =
            hs_instance_link(w->in, (hs_link)link, &of->latency[link], &of->bandwidth[link]);
    w->kept = of->hosts > 1 ? of->hosts + (size_t)gpus : 3;
    return HS_OK;
}

static size_t count_data(const hs_instance *in)
{
    size_t count = 0;

    while (hs_instance_handle_name(in, count))
        count++;
    return count;
}

hs_status hsi_check_dependencies(const hs_instance *in, const hs_schedule *s,
                                 const unsigned char *skip, const uint32_t *skip_worker,
                                 hs_violation *v)
{
    size_t    tasks = hs_instance_tasks(in), rows = hs_instance_rows(in), data = count_data(in);
    work      w = {.in = in, .s = s, .v = v, .skip = skip, .skip_worker = skip_worker};
    hs_status st = HS_ENOMEM;

    if (find_machine(&w) != HS_OK)
        return HS_ENOMEM;
    w.at = calloc(2 * tasks + 2, sizeof *w.at);
    w.executions =
        malloc((hs_schedule_entry_count(s) + (skip ? tasks : 0) + 1) * sizeof *w.executions);
    w.first = malloc((rows + 1) * sizeof *w.first);
    if (rows < tasks && rows <= SIZE_MAX / sizeof *w.latest / w.kept)
        w.latest = malloc(rows * w.kept * sizeof *w.latest);
    w.data = malloc((data + 1) * sizeof *w.data);
    if (w.at && w.executions && w.first && (w.latest || rows == tasks) && w.data) {
        for (size_t i = 0; i < data; i++)
            w.data[i] = (history){NO_TASK, NO_TASK};
        group_by_task(&w);
        find_rows(&w);
        st = check_all(&w) ? HS_ESCHEDULE : HS_OK;
    }
    free(w.at);
    free(w.executions);
    free(w.first);
    free(w.latest);
    free(w.data);
    free(w.machine.host);
    return st;
}
