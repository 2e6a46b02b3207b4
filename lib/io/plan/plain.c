/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plain rows of a plan, some at a time, so that the places of their ids in the table of
 * tasks are on their way from memory together. As in instance/plain.c nothing is refused
 * here: a row that is not plain, or not right, is left to the careful reader.
 */
#include <math.h>
#include <string.h>

#include "io/text/plain.h"
#include "io/plan/reader.h"

enum { UNKNOWN = HSI_PLAN_COLUMNS }; /* a column that is not read */

enum { BATCH = 32 };

typedef struct plain_row {
    hsi_row      row;
    hs_placement placement;
    uint64_t     hash; /* of the id */
    size_t       next; /* where the next row begins */
} plain_row;

hs_status hsi_plain_plan_prepare(struct hsi_plan_reader *r)
{
    r->kind = hsi_columns_kinds(r->column, HSI_PLAN_COLUMNS, r->width);
    return r->kind ? HS_OK : HS_ENOMEM;
}

static const char *worker(const struct hsi_plan_reader *r, const char *at, const char *end,
                          uint32_t *value)
{
    int     is_gpu;
    int64_t number;

    if (end - at < 4 || memcmp(at + 1, "pu", 2) != 0 || (*at != 'c' && *at != 'g'))
        return NULL;
    is_gpu = *at == 'g';
    at += 3;
    if (*at == '-' || (*at == '0' && at + 1 < end && at[1] != ','))
        return NULL;
    at = hsi_plain_whole(at, end, &number);
    if (!at || number >= (is_gpu ? r->header.gpus : r->header.cpus))
        return NULL;
    *value = (uint32_t)number + (is_gpu ? r->header.cpus : 0);
    return at;
}

/* A number that is positive or, in one digit, 0. */
static const char *moment(const char *at, const char *end, double *value)
{
    const char *start = at;

    at = hsi_decimal_read(at, end, value);
    return at && *value < INFINITY && (*value > 0 || (at == start + 1 && *start == '0')) ? at
                                                                                         : NULL;
}

static const char *state(const char *at, const char *end, uint32_t *value)
{
    hsi_text word;

    at = hsi_plain_text(at, end, &word);
    if (word.length == 3 && memcmp(word.at, "run", 3) == 0)
        *value = HS_RUN;
    else if (word.length == 7 && memcmp(word.at, "aborted", 7) == 0)
        *value = HS_ABORTED;
    else
        return NULL;
    return at;
}

static const char *field(const struct hsi_plan_reader *r, int kind, const char *at,
                         const char *end, plain_row *p)
{
    hsi_text ignored;

    switch (kind) {
    case HSI_PLAN_ID:
        return hsi_plain_text(at, end, &p->row.id);
    case HSI_PLAN_WORKER:
        return worker(r, at, end, &p->placement.worker);
    case HSI_PLAN_START:
        return moment(at, end, &p->placement.start);
    case HSI_PLAN_END:
        return moment(at, end, &p->placement.end);
    case HSI_PLAN_STATE:
        return state(at, end, &p->placement.state);
    case UNKNOWN:
        return hsi_plain_text(at, end, &ignored);
    default:
        return hsi_plain_field(kind - HSI_PLAN_SHARED, at, end, &p->row);
    }
}

static int is_right(const plain_row *p)
{
    const hsi_row *row = &p->row;

    return row->cpu > 0 && row->gpu > 0 && row->cpu < INFINITY && row->gpu < INFINITY &&
           row->id.length > 0 && row->id.length <= HSI_MAX_NAME &&
           p->placement.end >= p->placement.start;
}

/* The row at `at`: the start of the next, or NULL if it is for the careful reader. */
static const char *read_row(const struct hsi_plan_reader *r, const char *at, const char *end,
                            plain_row *p)
{
    size_t last = r->width - 1;

    if (at == end || *at == '#')
        return NULL;
    for (size_t i = 0;; i++) {
        at = field(r, r->kind[i], at, end, p);
        if (!at || at == end)
            return NULL;
        if (i == last)
            break;
        if (*at++ != ',')
            return NULL;
    }
    if (*at == '\r' && at + 1 < end)
        at++;
    return *at == '\n' && is_right(p) ? at + 1 : NULL;
}

/* As many as there are, or fit. */
static size_t read_batch(const struct hsi_plan_reader *r, plain_row batch[BATCH])
{
    const char *window = r->csv.window, *at = window + r->csv.next, *end = window + r->csv.clean;
    size_t      count = 0;

    for (; count < BATCH; count++) {
        plain_row *p = &batch[count];

        p->row = (hsi_row){.count = 1};
        at = read_row(r, at, end, p);
        if (!at)
            break;
        p->next = (size_t)(at - window);
        p->hash = hsi_name_table_hash(&r->tasks, p->row.id);
    }
    return count;
}

/* The row's task; *is_plain = 0: a row before it says something else of the same. */
static hs_status enter(struct hsi_plan_reader *r, plain_row *p, int *is_plain)
{
    const hsi_store *store = hsi_builder_store(r->builder);
    size_t           task = hsi_name_table_at(&r->tasks, &store->id, p->row.id, p->hash, r->count);

    *is_plain = 1;
    p->placement.task = (uint32_t)task;
    if (task == r->count)
        return hsi_plan_add_task(r, &p->row, r->csv.next_line);
    *is_plain = hsi_plan_difference(store, task, &p->row) < 0;
    return HS_OK;
}

static hs_status add_batch(struct hsi_plan_reader *r, plain_row *batch, size_t count, size_t *added)
{
    int       is_plain;
    hs_status st;

    if (hsi_vector_reserve(&r->placements, count * sizeof batch->placement))
        return HS_ENOMEM;
    for (*added = 0; *added < count; ++*added) {
        plain_row *p = &batch[*added];

        st = enter(r, p, &is_plain);
        if (st != HS_OK || !is_plain)
            return st;
        (void)hsi_vector_append(&r->placements, &p->placement, sizeof p->placement);
        r->csv.next = p->next;
        r->csv.next_line++;
    }
    return HS_OK;
}

hs_status hsi_plain_plan_rows(struct hsi_plan_reader *r)
{
    plain_row batch[BATCH];
    size_t    count, added;
    hs_status st;

    do {
        if (r->count > HS_MAX_TASKS - BATCH)
            return HS_OK;
        st = hsi_name_table_expect(&r->tasks, BATCH);
        if (st != HS_OK)
            return st;
        count = read_batch(r, batch);
        added = 0;
        if (count > 0)
            st = add_batch(r, batch, count, &added);
    } while (st == HS_OK && added == BATCH);
    return st;
}
