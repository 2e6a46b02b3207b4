/* SPDX-License-Identifier: BSD-3-Clause */

/* The pool against what its order says, asked anew for each task that is taken: ratios that are
 * the same and that only round to the same, priorities, cells, and who comes first. */

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "policy/ready_pool.h"
#include "property/dice.h"
#include "support/ratio.h"

#include "rounds.h"
#include "suite.h"

enum { MOST = 60, NOBODY = MOST };

typedef struct model {
    dice        d;
    hsi_problem pb;
    double      p[MOST], q[MOST], width;
    int64_t     priority[MOST];
    int         there[MOST];
    hsi_pool    pool;
} model;

static void draw(model *m)
{
    static const double widths[] = {0, 0, 0.1};

    m->width = widths[dice_below(&m->d, 3)];
    m->pb = (hsi_problem){.n = dice_between(&m->d, 0, MOST),
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
        m->there[i] = 0;
    }
}

/* Is a nearer to the GPU end? */
static int is_before(const model *m, size_t a, size_t b)
{
    int64_t first = hsi_priority(&m->pb, a), second = hsi_priority(&m->pb, b);
    double  cell_a = m->width > 0 ? hsi_queue_cell(m->p[a], m->q[a], m->width) : 0;
    double  cell_b = m->width > 0 ? hsi_queue_cell(m->p[b], m->q[b], m->width) : 0;
    int     ratio = m->width > 0 ? (cell_a < cell_b) - (cell_a > cell_b)
                                 : hsi_compare_ratios(m->p[a], m->q[a], m->p[b], m->q[b]);

    if (ratio)
        return ratio > 0;
    if (first != second)
        return (first > second) == (m->p[a] >= m->q[a]);
    return a < b;
}

static size_t first_for(const model *m, hs_type type)
{
    size_t found = NOBODY;

    for (size_t i = 0; i < m->pb.n; i++)
        if (m->there[i] && (found == NOBODY || is_before(m, i, found) == (type == HS_GPU)))
            found = i;
    return found != NOBODY && isinf(type == HS_GPU ? m->q[found] : m->p[found]) ? NOBODY : found;
}

static void take_both(model *m)
{
    hs_type  type = dice_below(&m->d, 2) ? HS_GPU : HS_CPU;
    size_t   right = first_for(m, type);
    uint32_t task = NOBODY;

    ck_assert_int_eq(hsi_pool_take(&m->pool, type, &task), right != NOBODY);
    ck_assert_uint_eq(task, right);
    if (right != NOBODY)
        m->there[right] = 0;
}

/* Any task, at times one that is there or was there; where they come, the first time counts. */
static void add_both(model *m, int64_t *latest)
{
    uint32_t task = dice_below(&m->d, (unsigned)m->pb.n);

    if (latest && m->priority[task] == 0)
        m->priority[task] = --*latest;
    hsi_pool_add(&m->pool, task);
    m->there[task] = 1;
}

static void remove_both(model *m)
{
    uint32_t task = dice_below(&m->d, (unsigned)m->pb.n);

    hsi_pool_remove(&m->pool, task);
    m->there[task] = 0;
}

static void play(model *m, hsi_pool_start start)
{
    int64_t latest = 0;

    for (size_t i = 0; i < m->pb.n && start == HSI_POOL_COMES; i++)
        m->priority[i] = 0;
    if (start == HSI_POOL_COMES)
        m->pb.priority = m->priority;
    ck_assert_int_eq(hsi_pool_open(&m->pool, &m->pb, start, m->width), HS_OK);
    for (size_t i = 0; i < m->pb.n; i++)
        m->there[i] = start == HSI_POOL_FULL;
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
            add_both(m, start == HSI_POOL_COMES ? &latest : NULL);
        }
    hsi_pool_close(&m->pool);
}

START_TEST(gives_what_its_order_says)
{
    for (int i = 0, games = rounds(400); i < games; i++) {
        model m = {.d = {80000000 + (uint64_t)i}};

        draw(&m);
        play(&m, (hsi_pool_start)(i % 4));
    }
}
END_TEST

static int counts(void *asked)
{
    ++*(long *)asked;
    return 0;
}

/* How often it is asked where all tasks have one ratio, and CPUs need `time`. */
static long asks(hsi_pool_start start, size_t n, double time, double *p, double *q)
{
    long        asked = 0;
    hsi_token   token = {counts, &asked, 0, 0};
    hsi_problem pb = {.n = n, .m = 1, .k = 1, .p = p, .q = q, .token = &token};
    hsi_pool    pool;

    for (size_t i = 0; i < n; i++) {
        p[i] = time;
        q[i] = 1;
    }
    ck_assert_int_eq(hsi_pool_open(&pool, &pb, start, 0), HS_OK);
    hsi_pool_close(&pool);
    return asked;
}

/* In each block of tasks by what gives places, fills the pool, and finds whom CPUs cannot run. */
START_TEST(each_pass_asks)
{
    enum { BLOCKS = 3 };
    size_t  n = (size_t)BLOCKS << 16;
    double *p = malloc(n * sizeof *p), *q = malloc(n * sizeof *q);
    long    empty = asks(HSI_POOL_EMPTY, n, 1, p, q);

    ck_assert_int_ge(empty, asks(HSI_POOL_COMES, n, 1, p, q) + BLOCKS);
    ck_assert_int_ge(asks(HSI_POOL_FULL, n, 1, p, q), empty + BLOCKS);
    ck_assert_int_ge(asks(HSI_POOL_EMPTY, n, INFINITY, p, q), empty + BLOCKS);
    free(p);
    free(q);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pool");
    TCase *cases = tcase_create("pool");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, gives_what_its_order_says);
    tcase_add_test(cases, each_pass_asks);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
