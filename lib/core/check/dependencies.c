/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check the executions of all tasks in the order of the program. Predecessors come from the rows'
 * own lists, not from the graph built for the algorithms. Among copies of a row, and among readers
 * since the last write, only the latest matter: see `latest`. O(executions x entries in the lists
 * of their rows).
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

/*
 * Among several tasks: the last to end on the host, the last to end on any GPU, and the last on any
 * other GPU. Results of the remaining tasks arrive no later at any node.
 */
typedef struct latest {
    size_t task[3]; /* NO_TASK: none */
} latest;

typedef struct history {
    size_t writer; /* last writer of the handle; NO_TASK: none */
    size_t reader; /* last reader of the handle to end since the last write */
} history;

typedef struct work {
    const hs_instance *in;
    const hs_schedule *s;
    size_t            *at;         /* start of each task's executions in `executions`; the first
                                      is its run */
    execution         *executions;
    size_t            *first;      /* first task of each row, and the number of tasks */
    latest            *of_row;     /* latest executions by row; only for instances with counts */
    history           *data;
    hs_violation      *v;
} work;

static const execution *run_of(const work *w, size_t task)
{
    return &w->executions[w->at[task]];
}

static uint32_t node_of(const work *w, size_t task)
{
    return hs_instance_memory_node(w->in, run_of(w, task)->worker);
}

static bool ends_later(const work *w, size_t task, size_t than)
{
    return than == NO_TASK || run_of(w, task)->end > run_of(w, than)->end;
}

static void add_latest(const work *w, latest *l, size_t task)
{
    uint32_t node = node_of(w, task);

    if (node == 0) {
        if (ends_later(w, task, l->task[0]))
            l->task[0] = task;
    } else if (l->task[1] != NO_TASK && node_of(w, l->task[1]) == node) {
        if (ends_later(w, task, l->task[1]))
            l->task[1] = task;
    } else if (ends_later(w, task, l->task[1])) {
        l->task[2] = l->task[1];
        l->task[1] = task;
    } else if (ends_later(w, task, l->task[2])) {
        l->task[2] = task;
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
    uint32_t         node = hs_instance_memory_node(w->in, e->worker);
    double           there;

    if (e->start < made->end)
        return set_violation(w, HS_TOO_EARLY, task, e, predecessor, made->end);
    there = made->end + hs_instance_transfer_time(w->in, node_of(w, predecessor), node, bytes);
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
        for (int j = 0; j < 3; j++)
            if (w->of_row[earlier].task[j] != NO_TASK &&
                check_pair(w, task, e, w->of_row[earlier].task[j], bytes))
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
    there = hs_instance_transfer_time(w->in, 0, hs_instance_memory_node(w->in, e->worker), bytes);
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

static bool check_all(const work *w)
{
    for (size_t row = 0; row < hs_instance_rows(w->in); row++)
        for (size_t task = w->first[row]; task < w->first[row + 1]; task++) {
            for (size_t i = w->at[task]; i < w->at[task + 1]; i++)
                if (check_execution(w, row, task, &w->executions[i]))
                    return true;
            record_accesses(w, row, task);
        }
    return false;
}

/* Group the executions by task, in two passes: count them, then store them. */
static void group_by_task(const work *w)
{
    unsigned workers = hs_schedule_cpus(w->s) + hs_schedule_gpus(w->s);
    size_t   tasks = hs_instance_tasks(w->in), count;

    for (int pass = 0; pass < 2; pass++) {
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
    for (size_t row = 0; w->of_row && row < hs_instance_rows(w->in); row++) {
        w->of_row[row] = (latest){{NO_TASK, NO_TASK, NO_TASK}};
        for (task = w->first[row]; task < w->first[row + 1]; task++)
            add_latest(w, &w->of_row[row], task);
    }
}

static size_t count_data(const hs_instance *in)
{
    size_t count = 0;

    while (hs_instance_handle_name(in, count))
        count++;
    return count;
}

hs_status hsi_check_dependencies(const hs_instance *in, const hs_schedule *s, hs_violation *v)
{
    size_t    tasks = hs_instance_tasks(in), rows = hs_instance_rows(in), data = count_data(in);
    work      w = {.in = in, .s = s, .v = v};
    hs_status st = HS_ENOMEM;

    w.at = calloc(2 * tasks + 2, sizeof *w.at);
    w.executions = malloc((hs_schedule_entry_count(s) + 1) * sizeof *w.executions);
    w.first = malloc((rows + 1) * sizeof *w.first);
    w.of_row = rows < tasks ? malloc(rows * sizeof *w.of_row) : NULL;
    w.data = malloc((data + 1) * sizeof *w.data);
    if (w.at && w.executions && w.first && (w.of_row || rows == tasks) && w.data) {
        for (size_t i = 0; i < data; i++)
            w.data[i] = (history){NO_TASK, NO_TASK};
        group_by_task(&w);
        find_rows(&w);
        st = check_all(&w) ? HS_ESCHEDULE : HS_OK;
    }
    free(w.at);
    free(w.executions);
    free(w.first);
    free(w.of_row);
    free(w.data);
    return st;
}
