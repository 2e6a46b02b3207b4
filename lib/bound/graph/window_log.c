/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound/graph/window_log.h"

#include <stdlib.h>
#include <string.h>

typedef struct step {
    hsi_row_kind kind;
    uint32_t     task, other, types; /* types: bit set of the raised values */
    uint32_t     before[2];          /* the step that raised the value before, by type */
    double       multiplier[2];
    size_t       first, tasks; /* tasks within `sets` */
    bool         needed;
} step;

static step *step_at(const hsi_window_log *log, size_t index)
{
    return (step *)log->steps.data + index;
}

static size_t step_count(const hsi_window_log *log)
{
    return log->steps.size / sizeof(step);
}

static uint32_t *last_of(const hsi_window_log *log, bool backward, uint32_t task, uint32_t type)
{
    return &log->last[2 * ((size_t)backward * log->n + task) + type];
}

hs_status hsi_window_log_open(hsi_window_log *log, size_t n)
{
    *log = (hsi_window_log){.n = (uint32_t)n};
    log->last = malloc((4 * n + 1) * sizeof *log->last);
    if (!log->last)
        return HS_ENOMEM;
    hsi_window_log_clear(log);
    return HS_OK;
}

void hsi_window_log_close(hsi_window_log *log)
{
    hsi_vector_free(&log->steps);
    hsi_vector_free(&log->sets);
    free(log->last);
}

void hsi_window_log_clear(hsi_window_log *log)
{
    log->steps.size = log->sets.size = 0;
    memset(log->last, 0xff, 4 * (size_t)log->n * sizeof *log->last); /* HS_NONE */
}

static void add_step(hsi_window_log *log, bool backward, step added)
{
    uint32_t index = (uint32_t)step_count(log);

    for (uint32_t type = HS_CPU; type <= HS_GPU; type++)
        added.before[type] = *last_of(log, backward, added.task, type);
    if (log->failed || index == HS_NONE || hsi_vector_append(&log->steps, &added, sizeof added)) {
        log->failed = true;
        return;
    }
    for (uint32_t type = HS_CPU; type <= HS_GPU; type++)
        if (added.types >> type & 1)
            *last_of(log, backward, added.task, type) = index;
}

void hsi_window_log_arc(hsi_window_log *log, bool backward, uint32_t task, uint32_t type,
                        uint32_t other)
{
    add_step(log, backward,
             (step){.kind = backward ? HSI_ROW_TAIL : HSI_ROW_HEAD,
                    .task = task,
                    .other = other,
                    .types = 1u << type});
}

void hsi_window_log_load(hsi_window_log *log, bool backward, uint32_t task, uint32_t types,
                         const hsi_shared_load *load)
{
    step added = {.kind = backward ? HSI_ROW_DESCENDANTS : HSI_ROW_ANCESTORS,
                  .task = task,
                  .types = types,
                  .first = log->sets.size / sizeof(uint32_t),
                  .tasks = load->tasks};

    memcpy(added.multiplier, load->multiplier, sizeof added.multiplier);
    if (hsi_vector_append(&log->sets, load->task, load->tasks * sizeof *load->task))
        log->failed = true;
    else
        add_step(log, backward, added);
}

/* Mark the steps that raised the values of a task. */
static void need_values(hsi_window_log *log, uint32_t task)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t type = HS_CPU; type <= HS_GPU; type++) {
            uint32_t index = *last_of(log, side, task, type);

            if (index != HS_NONE)
                step_at(log, index)->needed = true;
        }
}

static const uint32_t *tasks_of(const hsi_window_log *log, const step *s)
{
    return (const uint32_t *)log->sets.data + s->first;
}

/* Mark the steps on which the marked ones depend, from the last to the first, each with the values
 * before it. Return the number of marked steps. */
static size_t mark_needed(hsi_window_log *log)
{
    size_t count = 0;

    for (size_t index = step_count(log); index-- > 0;) {
        step *s = step_at(log, index);
        bool  backward = s->kind == HSI_ROW_TAIL || s->kind == HSI_ROW_DESCENDANTS;

        for (uint32_t type = HS_CPU; type <= HS_GPU; type++)
            *last_of(log, backward, s->task, type) = s->before[type];
        if (!s->needed)
            continue;
        count++;
        if (!hsi_row_has_tasks(s->kind))
            need_values(log, s->other);
        for (size_t i = 0; i < s->tasks; i++)
            need_values(log, tasks_of(log, s)[i]);
    }
    return count;
}

/* Copy the tasks of a row. */
static hs_status fill_tasks(hsi_proof_row *row, const uint32_t *task, size_t tasks)
{
    row->list = malloc((tasks + 1) * sizeof *row->list);
    if (!row->list)
        return HS_ENOMEM;
    row->tasks = tasks;
    memcpy(row->list, task, tasks * sizeof *task);
    return HS_OK;
}

static hs_status fill_row(const hsi_window_log *log, const step *s, hsi_proof_row *row)
{
    *row = (hsi_proof_row){.kind = s->kind,
                           .task = s->task,
                           .type = s->types == 1u << HS_GPU ? HS_GPU : HS_CPU,
                           .other = s->other};
    memcpy(row->multiplier, s->multiplier, sizeof row->multiplier);
    return hsi_row_has_tasks(s->kind) ? fill_tasks(row, tasks_of(log, s), s->tasks) : HS_OK;
}

/* Fill the row of the contradiction. */
static hs_status fill_end(uint32_t task, const hsi_shared_load *load, hsi_proof_row *row)
{
    *row = (hsi_proof_row){.kind = HSI_ROW_CLOSED, .task = task};
    if (task != HS_NONE)
        return HS_OK;
    row->kind = HSI_ROW_WINDOW;
    memcpy(row->multiplier, load->multiplier, sizeof row->multiplier);
    return fill_tasks(row, load->task, load->tasks);
}

hs_status hsi_window_log_prove(hsi_window_log *log, uint32_t task, const hsi_shared_load *load,
                               hsi_proof_node *proof)
{
    hs_status st = HS_OK;
    size_t    count;

    *proof = (hsi_proof_node){.step = HSI_STEP_WINDOWS};
    if (log->failed)
        return HS_ENOMEM;
    if (task != HS_NONE)
        need_values(log, task);
    for (size_t i = 0; task == HS_NONE && i < load->tasks; i++)
        need_values(log, load->task[i]);
    count = mark_needed(log);
    proof->row = calloc(count + 1, sizeof *proof->row);
    if (!proof->row)
        return HS_ENOMEM;
    for (size_t index = 0; index < step_count(log) && st == HS_OK; index++)
        if (step_at(log, index)->needed)
            st = fill_row(log, step_at(log, index), &proof->row[proof->rows++]);
    if (st == HS_OK)
        st = fill_end(task, load, &proof->row[proof->rows++]);
    return st;
}
