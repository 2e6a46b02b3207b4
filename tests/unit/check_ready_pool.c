/* SPDX-License-Identifier: BSD-3-Clause */

/* The pool of ready tasks, compared with a linear search for the first task in HeteroPrio's
 * order: equal ratios, ratios that only round to equal doubles, priorities, cells, and arrival
 * order. */

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "policy/ready_pool.h"
#include "property/dice.h"
#include "support/ratio.h"

#include "rounds.h"
#include "suite.h"

enum { MOST_TASKS = 60 };

typedef struct model {
    dice           d;
    hsi_problem    pb;
    double         p[MOST_TASKS], q[MOST_TASKS], width;
    int64_t        priority[MOST_TASKS];
    int            in_pool[MOST_TASKS];
    hsi_ready_pool pool;
} model;

static void draw_model(model *m)
{
    static const double widths[] = {0, 0, 0.1};

    m->width = widths[dice_below(&m->d, 3)];
    m->pb = (hsi_problem){.n = dice_between(&m->d, 0, MOST_TASKS),
                          .m = 1,
                          .k = 1,
                          .p = m->p,
                          .q = m->q,
                          .priority = dice_below(&m->d, 4) ? m->priority : NULL};
    for (size_t i = 0; i < m->pb.n; i++) {
        double   scale = dice_between(&m->d, 1, 5) / 3.0;
        unsigned what = dice_below(&m->d, 12);

        m->p[i] = scale * (1 + dice_below(&m->d, 3) * 0x1p-52) * dice_between(&m->d, 1, 3);
        m->q[i] = scale * dice_between(&m->d, 1, 3);
        if (what < 2)
            *(what ? &m->p[i] : &m->q[i]) = INFINITY;
        m->priority[i] = (int64_t)dice_below(&m->d, 4) - 2;
        m->in_pool[i] = 0;
    }
}

/* Return true if task a is nearer to the GPU end than task b. */
static bool is_before(const model *m, size_t a, size_t b)
{
    int64_t first = hsi_priority_of(&m->pb, a), second = hsi_priority_of(&m->pb, b);
    double  cell_a = m->width > 0 ? hsi_heteroprio_cell(m->p[a], m->q[a], m->width) : 0;
    double  cell_b = m->width > 0 ? hsi_heteroprio_cell(m->p[b], m->q[b], m->width) : 0;
    int     ratio = m->width > 0 ? (cell_a < cell_b) - (cell_a > cell_b)
                                 : hsi_compare_ratios(m->p[a], m->q[a], m->p[b], m->q[b]);

    if (ratio)
        return ratio > 0;
    if (first != second)
        return (first > second) == (m->p[a] >= m->q[a]);
    return a < b;
}

static uint32_t first_for(const model *m, hs_type type)
{
    uint32_t found = HS_NONE;

    for (uint32_t i = 0; i < m->pb.n; i++)
        if (m->in_pool[i] && (found == HS_NONE || is_before(m, i, found) == (type == HS_GPU)))
            found = i;
    return found != HS_NONE && isinf(type == HS_GPU ? m->q[found] : m->p[found]) ? HS_NONE : found;
}

static void take_both(model *m)
{
    hs_type  type = dice_below(&m->d, 2) ? HS_GPU : HS_CPU;
    uint32_t right = first_for(m, type);
    uint32_t task = HS_NONE;

    ck_assert_int_eq(hsi_ready_pool_take(&m->pool, type, &task), right != HS_NONE);
    ck_assert_uint_eq(task, right);
    if (right != HS_NONE)
        m->in_pool[right] = 0;
}

/* Add a random task, which may be in the pool or have been there before. With arrival order as
 * priority (latest != NULL) the first arrival counts. */
static void add_both(model *m, int64_t *latest)
{
    uint32_t task = dice_below(&m->d, (unsigned)m->pb.n);

    if (latest && m->priority[task] == 0)
        m->priority[task] = --*latest;
    hsi_ready_pool_add(&m->pool, task);
    m->in_pool[task] = 1;
}

static void remove_both(model *m)
{
    uint32_t task = dice_below(&m->d, (unsigned)m->pb.n);

    hsi_ready_pool_remove(&m->pool, task);
    m->in_pool[task] = 0;
}

static void run_model(model *m, int by_arrival)
{
    int64_t latest = 0;

    for (size_t i = 0; i < m->pb.n && by_arrival; i++)
        m->priority[i] = 0;
    if (by_arrival)
        m->pb.priority = m->priority;
    ck_assert_int_eq(hsi_ready_pool_open(&m->pool, &m->pb, m->width), HS_OK);
    for (int step = 0; step < 200; step++)
        switch (m->pb.n ? dice_below(&m->d, 5) : 0) {
        case 0:
        case 1:
            take_both(m);
            break;
        case 2:
            remove_both(m);
            break;
        default:
            add_both(m, by_arrival ? &latest : NULL);
        }
    hsi_ready_pool_close(&m->pool);
}

START_TEST(takes_the_first_task_in_order)
{
    for (int i = 0, games = rounds(400); i < games; i++) {
        model m = {.d = {80000000 + (uint64_t)i}};

        draw_model(&m);
        run_model(&m, i % 2);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ready_pool");
    TCase *cases = tcase_create("ready_pool");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, takes_the_first_task_in_order);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
