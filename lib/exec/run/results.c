/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/run/results.h"

#include <stdlib.h>
#include <string.h>

#include "exec/vertex_order.h"
#include "support/atomic.h"

struct hsi_results {
    hsi_journal     *journal; /* NULL: none */
    hsi_journal_past past;
    uint64_t         left_out; /* number of unfinished tasks outside this run */
    unsigned char   *is_out;   /* indexed by task; NULL: no task is left out */
    unsigned char   *state;    /* indexed by task: an hsi_task_state, atomic */
    uint16_t        *attempts; /* attempts of each task, earlier runs included */
    uint16_t        *failures; /* failed attempts of each task in this run */
    uint64_t         counts[HSI_COUNTS];
    uint32_t        *blocker; /* after the run, by vertex of the graph: a failed task before the
                                 vertex, or HS_NONE; NULL: no task failed */
    uint64_t     blocked;
    hsi_failure *failure;
    size_t       failure_count, failure_capacity;
};

hs_status hsi_results_create(hsi_results **out, const hsi_run_spec *spec)
{
    size_t       n = hs_instance_tasks(spec->in);
    hsi_results *results = calloc(1, sizeof *results);

    if (!results)
        return HS_ENOMEM;
    results->state = calloc(n + 1, sizeof *results->state);
    results->attempts = calloc(n + 1, sizeof *results->attempts);
    results->failures = calloc(n + 1, sizeof *results->failures);
    if (results->state && results->attempts && results->failures) {
        *out = results;
        return HS_OK;
    }
    hsi_results_free(results);
    return HS_ENOMEM;
}

/* Set state[] to IS_OUT for vertices outside a run that resumes failed tasks only. Failed tasks run
 * again; so do their successors, unless another predecessor is not done. */
static void leave_out(hsi_results *results, const hsi_vertex_order *order, size_t tasks,
                      unsigned char *state)
{
    enum { IS_OUT = 1, IS_AGAIN = 2 };

    for (size_t i = 0; i < (order->graph ? order->count : tasks); i++) {
        size_t          v = order->graph ? order->vertex[i] : i, count = 0;
        const uint32_t *before =
            order->graph ? hs_graph_predecessors(order->graph, v, &count, NULL) : NULL;
        unsigned char all = 0;

        for (; count > 0; count--, before++)
            all |= state[*before];
        if (v < tasks) {
            hsi_element_address past = (hsi_element_address)results->past.state[v];

            all |= past == HSI_PAST_FAILED ? IS_AGAIN : 0;
            all = past == HSI_PAST_DONE ? 0 : all & IS_OUT || !(all & IS_AGAIN) ? IS_OUT : IS_AGAIN;
        }
        state[v] = all;
    }
    for (size_t t = 0; t < tasks; t++)
        results->left_out += state[t] &= IS_OUT;
}

static hs_status find_left_out(hsi_results *results, const hsi_run_spec *spec)
{
    size_t           tasks = hs_instance_tasks(spec->in);
    hsi_vertex_order order;
    hs_status        st = HS_OK;

    if (spec->settings.keep.resume != HS_RESUME_FAILED)
        return HS_OK;
    st = hsi_vertex_order_find(&order, spec->in);
    if (st != HS_OK)
        return st;
    results->is_out = calloc((order.graph ? order.count : tasks) + 1, 1);
    if (results->is_out)
        leave_out(results, &order, tasks, results->is_out);
    hsi_vertex_order_free(&order);
    return results->is_out ? HS_OK : HS_ENOMEM;
}

hs_status hsi_results_open_journal(hsi_results *results, const hsi_run_spec *spec, hs_error *error)
{
    const hs_exec_settings *s = &spec->settings;
    hsi_journal_past       *past = &results->past;
    bool                    resume = s->keep.resume != HS_RESUME_NOT;
    hs_status               st;

    if (!s->keep.journal)
        return HS_OK;
    past->state = calloc(hs_instance_tasks(spec->in) + 1, 1);
    if (!past->state)
        return HS_ENOMEM;
    past->attempts = results->attempts;
    past->calls = (hsi_calls){.in = spec->in, .list = s->run.calls};
    past->others = s->keep.other_journals;
    past->other_count = s->keep.other_journal_count;
    past->idle_count = s->keep.idle_journal_count;
    past->emulated = s->run.emulate[HS_CPU] || s->run.emulate[HS_GPU];
    if (s->keep.dry_run)
        st = hsi_journal_inspect(s->keep.journal, spec->in, resume, past, error);
    else
        st = hsi_journal_open(s->keep.journal, spec->in, resume, past, &results->journal, error);
    return st == HS_OK ? find_left_out(results, spec) : st;
}

hs_status hsi_results_close_journal(hsi_results *results, uint64_t *lost, hs_error *error)
{
    hsi_journal *journal = results->journal;

    results->journal = NULL;
    return hsi_journal_close(journal, lost, error);
}

void hsi_results_free(hsi_results *results)
{
    size_t i;

    if (!results)
        return;
    hsi_journal_close(results->journal, &(uint64_t){0}, &(hs_error){0});
    for (i = 0; i < results->failure_count; i++) {
        free(results->failure[i].why);
        free(results->failure[i].log);
    }
    free(results->failure);
    free(results->state);
    free(results->attempts);
    free(results->failures);
    free(results->past.state);
    free(results->is_out);
    free(results->blocker);
    free(results);
}

bool hsi_results_have_journal(const hsi_results *results)
{
    return results->journal != NULL;
}

hs_status hsi_results_record(hsi_results *results, const hsi_journal_record *record)
{
    return hsi_journal_add(results->journal, record);
}

hs_status hsi_results_revoke(hsi_results *results, uint32_t task)
{
    unsigned char *past = results->past.state;
    hs_status      st;

    if (!past || past[task] != HSI_PAST_CHANGED)
        return HS_OK;
    st = hsi_journal_undo(results->journal, task);
    if (st == HS_OK)
        past[task] = HSI_PAST_UNDONE;
    return st;
}

const hsi_journal_past *hsi_results_past(const hsi_results *results)
{
    return &results->past;
}

bool hsi_is_done_by_earlier_run(const hsi_results *results, uint32_t task)
{
    return results->past.state && results->past.state[task] == HSI_PAST_DONE;
}

bool hsi_is_unselected(const hsi_results *results, uint32_t task)
{
    return results->is_out && results->is_out[task];
}

uint64_t hsi_results_unselected_tasks(const hsi_results *results)
{
    return results->left_out;
}

bool hsi_results_change_state(hsi_results *results, uint32_t task, hsi_task_state from,
                              hsi_task_state to)
{
    return hsi_atomic_compare_exchange_byte(&results->state[task], (unsigned char)from,
                                            (unsigned char)to);
}

void hsi_results_set_state(hsi_results *results, uint32_t task, hsi_task_state state)
{
    __atomic_store_n(&results->state[task], (unsigned char)state, __ATOMIC_RELEASE);
}

hsi_task_state hsi_results_state(const hsi_results *results, uint32_t task)
{
    unsigned char state;

    __atomic_load(&results->state[task], &state, __ATOMIC_ACQUIRE);
    return (hsi_task_state)state;
}

unsigned hsi_results_attempts(const hsi_results *results, uint32_t task)
{
    return results->attempts[task];
}

bool hsi_results_count_attempt(hsi_results *results, uint32_t task)
{
    if (results->attempts[task] >= UINT16_MAX - 1)
        return false;
    results->attempts[task]++;
    return true;
}

unsigned hsi_results_failures(const hsi_results *results, uint32_t task)
{
    return results->failures[task];
}

void hsi_results_count_failure(hsi_results *results, uint32_t task)
{
    results->failures[task]++;
}

void hsi_results_count_event(hsi_results *results, hsi_event what, uint64_t number)
{
    results->counts[what] += number;
}

uint64_t hsi_results_event_count(const hsi_results *results, hsi_event what)
{
    return results->counts[what];
}

static bool make_room(hsi_results *r)
{
    size_t       capacity = r->failure_capacity ? 2 * r->failure_capacity : 16;
    hsi_failure *more;

    if (r->failure_count < r->failure_capacity)
        return true;
    more = realloc(r->failure, capacity * sizeof *more);
    if (!more)
        return false;
    r->failure = more;
    r->failure_capacity = capacity;
    return true;
}

bool hsi_results_add_failure(hsi_results *results, const hsi_failure *failure)
{
    if (!failure->why || !make_room(results)) {
        free(failure->why);
        free(failure->log);
        return false;
    }
    results->failure[results->failure_count++] = *failure;
    return true;
}

const hsi_failure *hsi_results_failure(const hsi_results *results, size_t index)
{
    return index < results->failure_count ? &results->failure[index] : NULL;
}

/* Return the lowest of the failed tasks before a vertex, or HS_NONE. */
static uint32_t first_before(const hsi_results *results, const hsi_vertex_order *order,
                             uint32_t vertex)
{
    size_t          count;
    const uint32_t *before = hs_graph_predecessors(order->graph, vertex, &count, NULL);
    uint32_t        first = HS_NONE;

    for (; count > 0; count--, before++)
        if (results->blocker[*before] < first)
            first = results->blocker[*before];
    return first;
}

/* Fill `blocker` in topological order. A failed task is its own blocker. */
static void follow(hsi_results *results, const hsi_vertex_order *order, size_t tasks)
{
    for (size_t i = 0; i < order->count; i++) {
        uint32_t v = order->vertex[i];

        results->blocker[v] = first_before(results, order, v);
        if (v >= tasks)
            continue;
        if (results->state[v] == HSI_TASK_FAILED)
            results->blocker[v] = v;
        else if (hsi_is_unselected(results, v))
            results->blocker[v] = HS_NONE;
        else
            results->blocked += results->blocker[v] != HS_NONE;
    }
}

hs_status hsi_results_find_blocked(hsi_results *results, const hsi_run_spec *spec)
{
    hsi_vertex_order order;
    hs_status        st;

    if (!results->counts[HSI_COUNT_FAILED] || !hs_instance_has_graph(spec->in))
        return HS_OK;
    st = hsi_vertex_order_find(&order, spec->in);
    if (st != HS_OK)
        return st;
    results->blocker = malloc((order.count + 1) * sizeof *results->blocker);
    if (results->blocker)
        follow(results, &order, hs_instance_tasks(spec->in));
    hsi_vertex_order_free(&order);
    return results->blocker ? HS_OK : HS_ENOMEM;
}

uint64_t hsi_results_blocked_tasks(const hsi_results *results)
{
    return results->blocked;
}

uint32_t hsi_results_blocking_task(const hsi_results *results, uint32_t task)
{
    return results->blocker ? results->blocker[task] : HS_NONE;
}
