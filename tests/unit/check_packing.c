/* SPDX-License-Identifier: BSD-3-Clause */

/* Sets of tasks that fit on a worker, fractions of them, and dives: against trying everything. */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "bound/packing/cover.h"
#include "refine/packing/dive.h"
#include "bound/packing/pricing.h"

#include "failing_memory.h"
#include "rounds.h"
#include "small_optimum.h"
#include "suite.h"

enum { MOST_TASKS = 9 };

typedef struct sample {
    size_t   n;
    unsigned workers;
    int64_t  weight[MOST_TASKS];
} sample;

static const hs_settings settings = {.struct_size = sizeof settings};
static const hsi_stop    never = {0, INFINITY, &settings};

/* Ties and few kinds; a narrow range; anything. */
static sample draw(hsi_random *r)
{
    static const int64_t least[] = {1, 20, 1}, range[] = {5, 15, 1000};
    unsigned             how = (unsigned)hsi_random_below(r, 3);
    sample               s = {.n = 1 + hsi_random_below(r, MOST_TASKS),
                              .workers = 1 + (unsigned)hsi_random_below(r, OPTIMUM_WORKERS)};
    size_t               i;

    for (i = 0; i < s.n; i++)
        s.weight[i] = least[how] + (int64_t)hsi_random_below(r, (uint64_t)range[how]);
    return s;
}

static int64_t optimum_of_sample(const sample *s)
{
    double      time[MOST_TASKS];
    hsi_problem pb = {.n = s->n, .m = s->workers, .p = time};

    for (size_t i = 0; i < s->n; i++)
        time[i] = (double)s->weight[i];
    return (int64_t)optimum_of(&pb);
}

static void check_fits(size_t n, const int64_t *weight, unsigned workers, int64_t capacity,
                       const uint32_t *worker)
{
    int64_t *load = calloc(workers, sizeof *load);
    size_t   i;

    ck_assert_ptr_nonnull(load);
    for (i = 0; i < n; i++) {
        ck_assert_uint_lt(worker[i], workers);
        load[worker[i]] += weight[i];
    }
    for (i = 0; i < workers; i++)
        ck_assert_int_le(load[i], capacity);
    free(load);
}

/* Up to so many dives, from all tasks on one worker. *capacity: what is refuted, if so. */
static hsi_verdict dive(hsi_dive *d, size_t n, const int64_t *weight, unsigned workers,
                        int64_t *capacity, hsi_random *random, int turns)
{
    uint32_t   *worker = calloc(n, sizeof *worker);
    hsi_verdict verdict = HSI_STOPPED;

    ck_assert_ptr_nonnull(worker);
    while (verdict == HSI_STOPPED && turns-- > 0)
        ck_assert_int_eq(hsi_dive_go(d, capacity, random, &never, worker, &verdict), HS_OK);
    if (verdict == HSI_FOUND)
        check_fits(n, weight, workers, *capacity, worker);
    free(worker);
    return verdict;
}

/* From above, where sets of before do not fit any more, and from below, where they do. */
START_TEST(answers_are_those_of_brute_force)
{
    hsi_random r;
    int        round, all = rounds(2000), refuted = 0;

    hsi_random_seed(&r, 1, 0);
    for (round = 0; round < all; round++) {
        sample    s = draw(&r);
        int64_t   least = optimum_of_sample(&s), at;
        hsi_dive *d = NULL;
        int       turn;

        ck_assert_int_eq(hsi_dive_open(s.n, s.weight, s.workers, least + 20, &d), HS_OK);
        for (turn = 0; turn < 4; turn++) {
            int64_t from = least - 3 + (int64_t)hsi_random_below(&r, 9);

            from = at = from > 0 ? from : 1;
            switch (dive(d, s.n, s.weight, s.workers, &at, &r, 1)) {
            case HSI_FOUND:
                ck_assert_int_ge(at, least);
                break;
            case HSI_REFUTED:
                ck_assert_int_lt(at, least);
                ck_assert_int_ge(at, from);
                refuted++;
                break;
            default:
                ck_assert_msg(at < least, "%d: %d is the optimum, and not found", round, (int)at);
            }
        }
        hsi_dive_close(d);
    }
    ck_assert_int_ge(refuted, all);
}
END_TEST

static const hs_identical known[] = {
    {sizeof(hs_identical), "planted", 90, 30, 0, 0, 1},
    {sizeof(hs_identical), "planted", 120, 40, 0, 0, 2},
    {sizeof(hs_identical), "planted", 60, 20, 1, 100, 3},
    {sizeof(hs_identical), "class-6", 120, 48, 0, 0, 1},
    {sizeof(hs_identical), "class-7", 120, 48, 0, 0, 3},
};
static const int64_t optimum_of_known[] = {1000, 1000, 100, 780, 1205};

/* Too many tasks to try everything, but the optimum is known: planted, or proved by a MIP solver.
 */
START_TEST(what_is_possible_is_found_and_no_more)
{
    const hs_identical *spec = &known[_i];
    int64_t             least = optimum_of_known[_i], at = least - 1, *weight;
    hs_instance        *in = NULL;
    hsi_dive           *d = NULL;
    hsi_random          r;

    hsi_random_seed(&r, 2, 0);
    ck_assert_int_eq(hs_generate_identical(spec, &in, NULL), HS_OK);
    weight = malloc(spec->tasks * sizeof *weight);
    ck_assert_ptr_nonnull(weight);
    for (size_t i = 0; i < spec->tasks; i++)
        weight[i] = (int64_t)hs_instance_time(in, i, HS_CPU);
    ck_assert_int_eq(hsi_dive_open(spec->tasks, weight, spec->cpus, least + 9, &d), HS_OK);
    ck_assert_int_eq(dive(d, spec->tasks, weight, spec->cpus, &at, &r, 1), HSI_REFUTED);
    ck_assert_int_eq(at, least - 1);
    ck_assert(!hsi_dive_covers(d, least + 9));
    at = least;
    ck_assert_int_eq(dive(d, spec->tasks, weight, spec->cpus, &at, &r, 50), HSI_FOUND);
    ck_assert(hsi_dive_covers(d, least));
    ck_assert(!hsi_dive_covers(d, least - 1));
    hsi_dive_close(d);
    free(weight);
    hs_instance_free(in);
}
END_TEST

/* What is settled may leave a rest that is not possible, which says nothing of all. */
START_TEST(dives_in_vain_refute_nothing)
{
    hsi_random r;
    int        round, all = rounds(200);

    hsi_random_seed(&r, 5, 0);
    for (round = 0; round < all; round++) {
        unsigned     workers = 24 + (unsigned)hsi_random_below(&r, 9);
        hs_identical spec = {sizeof spec, "planted", 3 * workers, workers, 2, 100, (uint64_t)round};
        int64_t      weight[96], at = 100;
        hs_instance *in = NULL;
        hsi_dive    *d = NULL;

        ck_assert_int_eq(hs_generate_identical(&spec, &in, NULL), HS_OK);
        for (size_t i = 0; i < spec.tasks; i++)
            weight[i] = (int64_t)hs_instance_time(in, i, HS_CPU);
        ck_assert_int_eq(hsi_dive_open(spec.tasks, weight, workers, at, &d), HS_OK);
        ck_assert_int_ne(dive(d, spec.tasks, weight, workers, &at, &r, 3), HSI_REFUTED);
        hsi_dive_close(d);
        hs_instance_free(in);
    }
}
END_TEST

/* Ends with the proof, whenever that is. */
START_TEST(best_finds_and_proves_it)
{
    const hs_identical *spec = &known[_i];
    hs_instance        *in = NULL;
    hs_schedule        *s = NULL;
    hs_report           report;
    hs_settings         its;

    hs_report_init(&report);
    hs_settings_init(&its);
    its.time_limit = 1e6;
    ck_assert_int_eq(hs_generate_identical(spec, &in, NULL), HS_OK);
    ck_assert_int_eq(hs_solve_reported(hs_algorithm_find("best"), in, &its, &s, &report), HS_OK);
    ck_assert_double_eq(hs_schedule_makespan(s), (double)optimum_of_known[_i]);
    ck_assert(report.proved);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

/* A question of sets: `kinds` of whole weights and values, in up to `limit` copies. */
typedef struct shop {
    size_t   kinds;
    int64_t  weight[MOST_TASKS], worth[MOST_TASKS], capacity;
    uint32_t limit[MOST_TASKS];
    double   value[MOST_TASKS];
} shop;

static shop draw_shop(hsi_random *r)
{
    shop   s = {.kinds = 1 + hsi_random_below(r, 6),
                .capacity = 1 + (int64_t)hsi_random_below(r, 60)};
    size_t i;

    for (i = 0; i < s.kinds; i++) {
        s.weight[i] = 1 + (int64_t)hsi_random_below(r, 30);
        s.worth[i] = (int64_t)hsi_random_below(r, 40);
        s.value[i] = (double)s.worth[i];
        s.limit[i] = (uint32_t)hsi_random_below(r, 4);
    }
    return s;
}

/* The most that kinds from `at` on are worth; of kind `one`, exactly one. -1: that does not fit. */
static int64_t most(const shop *s, size_t at, size_t one, int64_t room)
{
    int64_t  best = -1;
    uint32_t least = at == one, end = at == one ? 1 : s->limit[at < s->kinds ? at : 0], copies;

    if (at == s->kinds)
        return 0;
    for (copies = least; copies <= end && copies * s->weight[at] <= room; copies++) {
        int64_t rest = most(s, at + 1, one, room - copies * s->weight[at]);

        if (rest >= 0 && rest + copies * s->worth[at] > best)
            best = rest + copies * s->worth[at];
    }
    return best;
}

static void check_set(const shop *s, const uint32_t *take, double worth)
{
    int64_t weight = 0, sum = 0;

    for (size_t i = 0; i < s->kinds; i++) {
        ck_assert_uint_le(take[i], s->limit[i]);
        weight += take[i] * s->weight[i];
        sum += take[i] * s->worth[i];
    }
    ck_assert_int_le(weight, s->capacity);
    ck_assert_double_eq(worth, (double)sum);
}

START_TEST(the_best_sets_are_the_best)
{
    hsi_random r;
    int        round, all = rounds(5000);

    hsi_random_seed(&r, 3, 0);
    for (round = 0; round < all; round++) {
        shop        s = draw_shop(&r);
        hsi_arena   arena = {0};
        hsi_pricing p;
        int64_t     row[61];
        uint32_t    take[MOST_TASKS];
        size_t      at;

        ck_assert_int_eq(hsi_pricing_open(&p, &arena, s.kinds, s.weight, s.capacity), 0);
        hsi_pricing_solve(&p, s.value, s.limit);
        ck_assert_double_eq(hsi_pricing_best(&p, take), (double)most(&s, 0, s.kinds, s.capacity));
        check_set(&s, take, (double)most(&s, 0, s.kinds, s.capacity));
        for (at = 0; at < p.count; at++) {
            double worth = hsi_pricing_best_with(&p, at, take);

            ck_assert_double_eq(worth, (double)most(&s, 0, p.active[at], s.capacity));
            ck_assert_uint_eq(take[p.active[at]], 1);
            check_set(&s, take, worth);
        }
        hsi_pricing_most(s.kinds, s.weight, s.limit, s.worth, s.capacity, row);
        for (int64_t room = 0; room <= s.capacity; room++)
            ck_assert_int_eq(row[room], most(&s, 0, s.kinds, room));
        hsi_arena_close(&arena);
    }
}
END_TEST

/* Of what is so long, alone on a worker, LPs are not asked. */
START_TEST(nobody_holds_what_is_too_long)
{
    int64_t    weight[30], capacity = 8;
    hsi_dive  *d = NULL;
    hsi_random r;

    hsi_random_seed(&r, 1, 0);
    for (int i = 0; i < 30; i++)
        weight[i] = i % 3 ? 4 : 9;
    ck_assert_int_eq(hsi_dive_open(30, weight, 25, 20, &d), HS_OK);
    ck_assert_int_eq(dive(d, 30, weight, 25, &capacity, &r, 1), HSI_REFUTED);
    ck_assert_int_eq(capacity, 8);
    capacity = 9;
    ck_assert_int_eq(dive(d, 30, weight, 25, &capacity, &r, 20), HSI_FOUND);
    hsi_dive_close(d);
}
END_TEST

START_TEST(what_is_too_large_is_refused)
{
    const int64_t weight = INT64_C(1) << 40;
    uint32_t      worker = 0;
    int64_t       capacity = weight;
    hsi_dive     *d = NULL;
    hsi_random    r;
    hsi_verdict   verdict;

    hsi_random_seed(&r, 1, 0);
    ck_assert_int_eq(hsi_dive_open(1, &weight, 1, weight, &d), HS_OK);
    ck_assert_int_eq(hsi_dive_go(d, &capacity, &r, &never, &worker, &verdict), HS_ETOOBIG);
    hsi_dive_close(d);
}
END_TEST

/* Small tables, but for each of their cells thousands of copies are tried. */
START_TEST(what_takes_too_long_is_refused)
{
    enum { MANY = 4000 };
    int64_t     weight[MANY + 1], capacity = 20000;
    uint32_t    worker[MANY + 1] = {0};
    hsi_dive   *d = NULL;
    hsi_random  r;
    hsi_verdict verdict;
    size_t      i;

    hsi_random_seed(&r, 1, 0);
    for (i = 0; i < MANY; i++)
        weight[i] = 1;
    weight[MANY] = capacity;
    ck_assert_int_eq(hsi_dive_open(MANY + 1, weight, 400, capacity, &d), HS_OK);
    ck_assert_int_eq(hsi_dive_go(d, &capacity, &r, &never, worker, &verdict), HS_ETOOBIG);
    hsi_dive_close(d);
}
END_TEST

static int no_more(void *data)
{
    (void)data;
    return 1;
}

START_TEST(ends_when_asked_and_goes_on)
{
    const hs_settings ended = {.struct_size = sizeof ended, .cancel = no_more};
    const hsi_stop    now = {0, INFINITY, &ended};
    const int64_t     weight[] = {5, 4, 3, 3};
    uint32_t          worker[4] = {0};
    int64_t           capacity = 8;
    hsi_dive         *d = NULL;
    hsi_random        r;
    hsi_verdict       verdict;

    hsi_random_seed(&r, 1, 0);
    ck_assert_int_eq(hsi_dive_open(4, weight, 2, 9, &d), HS_OK);
    ck_assert_int_eq(hsi_dive_go(d, &capacity, &r, &now, worker, &verdict), HS_OK);
    ck_assert_int_eq(verdict, HSI_STOPPED);
    ck_assert_int_eq(hsi_dive_go(d, &capacity, &r, &never, worker, &verdict), HS_OK);
    ck_assert_int_eq(verdict, HSI_FOUND);
    check_fits(4, weight, 2, 8, worker);
    hsi_dive_close(d);
}
END_TEST

/* 40 tasks on 16 workers: LPs, dives and the last workers all have their turn. */
static hs_status dive_up(const int64_t *weight, uint32_t *worker)
{
    hsi_dive   *d = NULL;
    hsi_random  r;
    hsi_verdict verdict = HSI_REFUTED;
    int64_t     capacity = 0, sum = 0;
    hs_status   st;

    for (int i = 0; i < 40; i++)
        sum += weight[i];
    capacity = (sum + 15) / 16;
    hsi_random_seed(&r, 1, 0);
    st = hsi_dive_open(40, weight, 16, 2 * capacity, &d);
    for (; st == HS_OK && verdict != HSI_FOUND; capacity++)
        st = hsi_dive_go(d, &capacity, &r, &never, worker, &verdict);
    hsi_dive_close(d);
    return st;
}

START_TEST(every_allocation_may_fail)
{
    int64_t    weight[40];
    uint32_t   worker[40] = {0};
    hs_status  st = HS_ENOMEM;
    hsi_random r;
    long       k;

    hsi_random_seed(&r, 4, 0);
    for (k = 0; k < 40; k++)
        weight[k] = 40 + (int64_t)hsi_random_below(&r, 120);
    for (k = 0; st != HS_OK; k++) {
        memory_fails(k, 0);
        st = dive_up(weight, worker);
        memory_restored();
        ck_assert(st == HS_OK || st == HS_ENOMEM);
        ck_assert_int_lt(k, 5000);
    }
    ck_assert_int_gt(k, 20);
}
END_TEST

int main(void)
{
    const int many = sizeof known / sizeof *known;
    Suite    *suite = suite_create("packing");
    TCase    *tc = tcase_create("all");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, answers_are_those_of_brute_force);
    tcase_add_loop_test(tc, what_is_possible_is_found_and_no_more, 0, many);
    tcase_add_test(tc, dives_in_vain_refute_nothing);
    tcase_add_loop_test(tc, best_finds_and_proves_it, 0, many);
    tcase_add_test(tc, the_best_sets_are_the_best);
    tcase_add_test(tc, nobody_holds_what_is_too_long);
    tcase_add_test(tc, what_is_too_large_is_refused);
    tcase_add_test(tc, what_takes_too_long_is_refused);
    tcase_add_test(tc, ends_when_asked_and_goes_on);
    tcase_add_test(tc, every_allocation_may_fail);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
