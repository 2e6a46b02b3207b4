/* SPDX-License-Identifier: BSD-3-Clause */

/* Bin completion, and the bound by numbers of tasks, compared with optima found by enumeration; the
 * levelling of loads. */

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "bound/task_count.h"
#include "refine/completion.h"
#include "refine/refine.h"
#include "refine/regroup.h"
#include "suite.h"

enum { MOST_TASKS = 9, MOST_WORKERS = 5, ROUNDS = 4000, PLENTY = 1 << 30 };

typedef struct sample {
    size_t   n;
    unsigned workers;
    int64_t  weight[MOST_TASKS];
    double   time[MOST_TASKS];
} sample;

static const hs_settings settings = {.struct_size = sizeof settings};
static const hsi_stop    never = {0, INFINITY, &settings};

/* Draw weights: ties and few kinds; a narrow range; any values; or more cells than a capacity
 * has bits. */
static sample draw_sample(hsi_random *r)
{
    static const int64_t least[] = {1, 20, 1, 1 << 20}, range[] = {5, 15, 1000, INT64_C(1) << 44};
    unsigned             how = (unsigned)hsi_random_below(r, 4);
    sample               s = {.n = 1 + hsi_random_below(r, MOST_TASKS),
                              .workers = 1 + (unsigned)hsi_random_below(r, MOST_WORKERS)};
    size_t               i;

    for (i = 0; i < s.n; i++) {
        s.weight[i] = least[how] + (int64_t)hsi_random_below(r, (uint64_t)range[how]);
        s.time[i] = (double)s.weight[i];
    }
    return s;
}

typedef __int128 wide;

static wide optimum_from_task(const sample *s, const wide *weight, size_t task, wide *load,
                              unsigned used_workers, wide best)
{
    unsigned w;

    if (task == s->n) {
        for (best = 0, w = 0; w < used_workers; w++)
            best = load[w] > best ? load[w] : best;
        return best;
    }
    for (w = 0; w < used_workers + 1 && w < s->workers; w++) {
        load[w] += weight[task];
        if (load[w] < best) {
            wide found =
                optimum_from_task(s, weight, task + 1, load,
                                  w == used_workers ? used_workers + 1 : used_workers, best);

            best = found < best ? found : best;
        }
        load[w] -= weight[task];
    }
    return best;
}

static int64_t optimum_of(const sample *s)
{
    wide   weight[MOST_TASKS], load[MOST_WORKERS] = {0};
    size_t i;

    for (i = 0; i < s->n; i++)
        weight[i] = s->weight[i];
    return (int64_t)optimum_from_task(s, weight, 0, load, 0, INT64_MAX);
}

/* Return a time in cells; the times are multiples of the cell. */
static wide in_cells(double time)
{
    return (wide)ldexp(time, 56);
}

static wide optimum_in_cells(const sample *s)
{
    wide   weight[MOST_TASKS], load[MOST_WORKERS] = {0}, all = 0;
    size_t i;

    for (i = 0; i < s->n; i++)
        all += weight[i] = in_cells(s->time[i]);
    return optimum_from_task(s, weight, 0, load, 0, all + 1);
}

static void check_found(const sample *s, int64_t capacity, const uint32_t *worker)
{
    int64_t load[MOST_WORKERS] = {0};
    size_t  i;

    for (i = 0; i < s->n; i++) {
        ck_assert_uint_lt(worker[i], s->workers);
        load[worker[i]] += s->weight[i];
    }
    for (i = 0; i < s->workers; i++)
        ck_assert_int_le(load[i], capacity);
}

static hsi_verdict search_by_completion(hsi_completion *c, const sample *s, int64_t capacity,
                                        hsi_random *random)
{
    uint32_t             worker[MOST_TASKS];
    hsi_completion_query query = {.capacity = capacity,
                                  .most_steps = PLENTY,
                                  .sparing = random ? 4 : 0,
                                  .random = random,
                                  .worker = worker};
    hsi_verdict          verdict = hsi_completion_search(c, &query, &never);

    if (verdict == HSI_FOUND)
        check_found(s, capacity, worker);
    return verdict;
}

START_TEST(verdicts_equal_brute_force)
{
    hsi_random r;
    int        round, again;

    hsi_random_seed(&r, 5, 0);
    for (round = 0; round < ROUNDS; round++) {
        sample          s = draw_sample(&r);
        int64_t         least = optimum_of(&s);
        hsi_completion *c = NULL;

        ck_assert_int_eq(hsi_completion_open(s.n, s.weight, s.workers, &c), HS_OK);
        for (again = 0; again < 2; again++) { /* searching twice tests the remembered sets, also
                                                 for the next capacity */
            ck_assert_int_eq(search_by_completion(c, &s, least - 1, NULL), HSI_REFUTED);
            ck_assert_int_eq(search_by_completion(c, &s, least - 1, NULL), HSI_REFUTED);
            ck_assert_int_ne(search_by_completion(c, &s, least - 1, &r), HSI_FOUND);
            ck_assert_int_ne(search_by_completion(c, &s, least, &r), HSI_REFUTED);
            ck_assert_int_eq(search_by_completion(c, &s, least, NULL), HSI_FOUND);
            ck_assert_int_eq(
                search_by_completion(c, &s, least + 1 + (int64_t)hsi_random_below(&r, 9), NULL),
                HSI_FOUND);
        }
        hsi_completion_close(c);
    }
}
END_TEST

enum { SHARES = 120, SHARING_WORKERS = 20, STEPS = 1 << 16 };

/* Fill workers completely, or nearly, with random tasks. Return the number of tasks. */
static size_t share_out(hsi_random *r, int64_t capacity, unsigned workers, int64_t *weight)
{
    unsigned most = 2 + (unsigned)hsi_random_below(r, 4);
    size_t   n = 0, i;

    for (unsigned w = 0; w < workers; w++) {
        unsigned tasks = 1 + (unsigned)hsi_random_below(r, most);
        int64_t  left = capacity - (int64_t)hsi_random_below(r, 3) / 2;

        for (; tasks > 1 && left > 2; tasks--, n++) {
            int64_t part = 1 + (int64_t)hsi_random_below(r, (uint64_t)(2 * left) / tasks);

            weight[n] = part < left ? part : left - 1;
            left -= weight[n];
        }
        weight[n++] = left;
    }
    for (i = 1; i < n; i++) {
        size_t  other = hsi_random_below(r, i + 1);
        int64_t mine = weight[i];

        weight[i] = weight[other];
        weight[other] = mine;
    }
    return n;
}

/* Search packings of too many tasks to enumerate: a packing exists, so it must not be refuted. */
START_TEST(existing_packing_is_not_refuted)
{
    hsi_random r;

    hsi_random_seed(&r, 7, 0);
    for (int round = 0; round < 3 * ROUNDS; round++) {
        int64_t  capacity = 100 + (int64_t)hsi_random_below(&r, round % 2 ? 900 : 1 << 16);
        unsigned workers = 2 + (unsigned)hsi_random_below(&r, SHARING_WORKERS - 1);
        int64_t  weight[SHARES];
        uint32_t worker[SHARES];
        size_t   n = share_out(&r, capacity, workers, weight);
        hsi_completion_query query = {.capacity = capacity, .most_steps = STEPS, .worker = worker};
        hsi_completion      *c = NULL;

        ck_assert_int_eq(hsi_completion_open(n, weight, workers, &c), HS_OK);
        ck_assert_msg(hsi_completion_search(c, &query, &never) != HSI_REFUTED, "round %d", round);
        hsi_completion_close(c);
    }
}
END_TEST

/* Check three workers with a load of 652 each: a schedule of 653 is not optimal. */
START_TEST(best_does_not_claim_too_much)
{
    static const double times[] = {191, 188, 174, 172, 167, 163, 150, 144, 140, 140, 117, 106, 103};
    hs_builder         *b = NULL;
    hs_instance        *in = NULL;
    hs_schedule        *s = NULL;
    hs_task             task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 3, 0), HS_OK);
    hs_task_init(&task);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        task.cpu = task.gpu = times[i];
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(hs_solve(hs_algorithm_find(i ? "exact" : "best"), in, NULL, &s), HS_OK);
        ck_assert_double_eq(hs_schedule_makespan(s), 652);
        hs_schedule_free(s);
    }
    hs_instance_free(in);
}
END_TEST

START_TEST(ends_without_a_verdict)
{
    int64_t              weight[60];
    uint32_t             worker[60];
    hsi_completion_query query = {.capacity = 0, .most_steps = 1000, .worker = worker};
    hsi_completion      *c = NULL;
    hsi_random           r;
    size_t               i;

    hsi_random_seed(&r, 1, 0);
    for (i = 0; i < 60; i++) {
        weight[i] = 1000000 + (int64_t)hsi_random_below(&r, 1000000);
        query.capacity += weight[i];
    }
    query.capacity = query.capacity / 12 + 1;
    ck_assert_int_eq(hsi_completion_open(60, weight, 12, &c), HS_OK);
    ck_assert_int_eq(hsi_completion_search(c, &query, &never), HSI_STOPPED);
    ck_assert_uint_ge(query.steps, 1000);
    ck_assert_uint_lt(query.steps, 100000);
    hsi_completion_close(c);
    c = NULL;
    ck_assert_int_eq(hsi_completion_open(1 << 13, NULL, 12, &c), HS_ETOOBIG);
    ck_assert_ptr_null(c);
}
END_TEST

/* Cancel callback: count the call and do not cancel. */
static int count_polls(void *asked)
{
    ++*(long *)asked;
    return 0;
}

/* Steps take longer if many tasks are of few kinds; the callback is still polled at least about
 * every 6 ms. */
START_TEST(long_steps_are_interrupted_by_polls)
{
    static int64_t    weight[4000];
    static uint32_t   worker[4000];
    long              asked = 0;
    const hs_settings asking = {
        .struct_size = sizeof asking, .cancel = count_polls, .cancel_data = &asked};
    const hsi_stop       stop = {0, INFINITY, &asking};
    hsi_completion_query query = {.most_steps = 1 << 16, .worker = worker};
    hsi_completion      *c = NULL;
    hsi_random           r;
    int64_t              kind[10];
    size_t               i;

    hsi_random_seed(&r, 3, 0);
    for (i = 0; i < 10; i++)
        kind[i] = 3000 + (int64_t)hsi_random_below(&r, 17000);
    for (i = 0; i < 4000; i++)
        query.capacity += weight[i] = kind[hsi_random_below(&r, 10)];
    query.capacity = query.capacity / 400 + 1;
    ck_assert_int_eq(hsi_completion_open(4000, weight, 400, &c), HS_OK);
    ck_assert_int_eq(hsi_completion_search(c, &query, &stop), HSI_STOPPED);
    ck_assert_int_ge(asked, 8);
    hsi_completion_close(c);
}
END_TEST

/* A turn visits all tasks. With a million tasks the callback must be polled at least every 64
 * turns. */
START_TEST(million_tasks_are_interrupted_by_polls)
{
    enum { TASKS = 1 << 20, TURNS = 20 };
    long              asked = 0;
    const hs_settings asking = {
        .struct_size = sizeof asking, .cancel = count_polls, .cancel_data = &asked};
    const hsi_stop stop = {0, INFINITY, &asking};
    hsi_random     random;
    int64_t       *weight = malloc(TASKS * sizeof *weight), load[2] = {TASKS / 2, TASKS / 2};
    uint32_t      *worker = malloc(TASKS * sizeof *worker);
    hsi_regroup    go = {TASKS, weight, 2, worker, load, &random, 0};
    int            done = 1;

    ck_assert(weight && worker);
    hsi_random_seed(&random, 4, 0);
    for (size_t i = 0; i < TASKS; i++) {
        weight[i] = 1;
        worker[i] = i % 2;
    }
    ck_assert_int_eq(hsi_regroup_search(&go, 1, TURNS * (TASKS / 16), &stop, &done), HS_OK);
    ck_assert_int_eq(done, 0);
    ck_assert_int_ge(asked, TURNS / 2);
    free(weight);
    free(worker);
}
END_TEST

/* Return the bound by its definition: of the k longest tasks, the load that the l workers with
 * one task more must run at least. */
static double literal_bound(const sample *s)
{
    double   sorted[MOST_TASKS], most = 0;
    size_t   i, j, k;
    unsigned l;

    for (i = 0; i < s->n; i++) {
        for (j = i; j > 0 && sorted[j - 1] < s->time[i]; j--)
            sorted[j] = sorted[j - 1];
        sorted[j] = s->time[i];
    }
    for (k = 1; k <= s->n; k++)
        for (l = 1; l < s->workers; l++) {
            double sum = 0;

            if (k % s->workers != l)
                continue;
            for (i = k - (k / s->workers + 1) * l; i < k; i++)
                sum += sorted[i];
            most = fmax(most, sum / l);
        }
    return most;
}

START_TEST(bound_equals_its_definition_and_is_safe)
{
    hsi_random r;
    int        round;

    hsi_random_seed(&r, 6, 0);
    for (round = 0; round < ROUNDS; round++) {
        sample               s = draw_sample(&r);
        hsi_task_count_bound crowd;
        double    bound, fraction = round % 2 ? 1 : 1.0 / (double)(3 + round % 7);
        size_t    i;

        for (i = 0; i < s.n; i++)
            s.time[i] *= fraction;
        ck_assert_int_eq(hsi_task_count_bound_find(s.n, s.time, s.workers, NULL, &crowd), HS_OK);
        bound = hsi_task_count_bound_value(&crowd);
        ck_assert(in_cells(bound) <= optimum_in_cells(&s));
        ck_assert_double_ge(bound, (1 - 1e-13) * literal_bound(&s));
    }
}
END_TEST

/* Check the purpose of planted packings: they have no slack, and their optimum is known. */
/*
 * Of 99 tasks of 1 and one of 2^-70 on ten workers, the 91 longest give a bound of 10: one worker has
 * ten of them. Cells that divide all times would overflow sums of 64 bits.
 */
START_TEST(sums_of_fine_cells_do_not_overflow)
{
    hsi_task_count_bound found;
    double               time[100];

    for (size_t i = 0; i < 100; i++)
        time[i] = i == 42 ? 0x1p-70 : 1;
    ck_assert_int_eq(hsi_task_count_bound_find(100, time, 10, NULL, &found), HS_OK);
    ck_assert_double_eq(hsi_task_count_bound_value(&found), 10);
    ck_assert(ldexp(100, -found.cell_exponent) < 0x1p62);
}
END_TEST

/* The list of a worker without tasks has room for eight: it gets eight of a hundred tasks, all others
 * keep their worker, and exchanges of equal tasks help no more. */
START_TEST(levelling_keeps_to_the_room_of_lists)
{
    double        time[100];
    uint32_t      worker[100], moved = 0;
    atomic_int    halt = 0;
    hsi_interrupt interrupt = {.stop = &never, .halt = &halt};
    hsi_problem   pb = {.n = 100, .m = 2, .p = time, .q = time};

    for (size_t i = 0; i < pb.n; i++) {
        time[i] = 1;
        worker[i] = 0;
    }
    ck_assert_int_eq(hsi_level_loads(&pb, HS_CPU, &interrupt, worker), HS_OK);
    for (size_t i = 0; i < pb.n; i++) {
        ck_assert_uint_le(worker[i], 1);
        moved += worker[i];
    }
    ck_assert_uint_eq(moved, 8);
}
END_TEST

START_TEST(best_finds_the_planted_packing)
{
    hs_identical spec = {sizeof spec, "planted", 75 + 25 * (size_t)_i, 30, 0, 0, (uint64_t)_i};
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    hs_report    report;
    hs_settings  its;

    hs_report_init(&report);
    hs_settings_init(&its);
    its.iterations = 3000000;
    ck_assert_int_eq(hs_generate_identical(&spec, &in, NULL), HS_OK);
    ck_assert_int_eq(hs_solve_reported(hs_algorithm_find("best"), in, &its, &s, &report), HS_OK);
    ck_assert_double_eq(hs_schedule_makespan(s), 1000);
    ck_assert(report.proved);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("filling");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, verdicts_equal_brute_force);
    tcase_add_test(tc, existing_packing_is_not_refuted);
    tcase_add_test(tc, best_does_not_claim_too_much);
    tcase_add_test(tc, ends_without_a_verdict);
    tcase_add_test(tc, long_steps_are_interrupted_by_polls);
    tcase_add_test(tc, million_tasks_are_interrupted_by_polls);
    tcase_add_test(tc, bound_equals_its_definition_and_is_safe);
    tcase_add_test(tc, sums_of_fine_cells_do_not_overflow);
    tcase_add_test(tc, levelling_keeps_to_the_room_of_lists);
    tcase_add_loop_test(tc, best_finds_the_planted_packing, 0, 5);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
