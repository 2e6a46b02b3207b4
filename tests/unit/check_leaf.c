/* SPDX-License-Identifier: BSD-3-Clause */

/* Compare the verdicts of hsched-check on leaves of a proof with exhaustive searches over all
 * assignments of tasks to workers. */

#include <check.h>
#include <math.h>
#include <string.h>

#include "check/proof_tree.h"
#include "check/knapsack.h"
#include "check/packing.h"
#include "support/random.h"

#include "suite.h"

enum { MOST_KINDS = 3, MOST_COUNT = 4, UNIT = -2, MOST_CELLS = 64, ROUNDS = 20000 };

static limits ample_limits(void)
{
    return (limits){0, UINT64_MAX, SIZE_MAX};
}

/* Task kinds with random times and counts, and one case of a proof about these kinds. */
typedef struct knapsack_case {
    task_kind   kind[MOST_KINDS];
    uint32_t    low[MOST_KINDS], high[MOST_KINDS];
    int64_t     worth[MOST_KINDS * CLASSES]; /* of a task, at [kind * CLASSES + class] */
    unsigned    longest;                     /* deadline of the case, in units of 2^UNIT */
    certificate c;
    limits      l;
    cases       cs;
} knapsack_case;

/* Return a multiple of 2^UNIT, or INFINITY for one draw in ten. */
static double draw_time(hsi_random *r)
{
    return hsi_random_below(r, 10) ? ldexp(1 + (double)hsi_random_below(r, 24), UNIT) : INFINITY;
}

static void open_stage(knapsack_case *s, hsi_random *r)
{
    memset(s, 0, sizeof *s);
    s->c.kinds = 1 + hsi_random_below(r, MOST_KINDS);
    s->c.worth = s->worth;
    s->l = ample_limits();
    s->cs = (cases){
        .c = &s->c, .kind = s->kind, .unit = UNIT, .low = s->low, .high = s->high, .l = &s->l};
    for (int type = 0; type < 2; type++)
        s->cs.workers[type] = (unsigned)hsi_random_below(r, 4);
    s->longest = 8 + (unsigned)hsi_random_below(r, 32);
    mpz_init_set_ui(s->cs.longest, s->longest);
    for (size_t i = 0; i < s->c.kinds; i++) {
        uint32_t count = 1 + (uint32_t)hsi_random_below(r, MOST_COUNT);

        s->kind[i] = (task_kind){{draw_time(r), draw_time(r)}, count};
        s->high[i] = (uint32_t)hsi_random_below(r, count + 1);
        s->low[i] = (uint32_t)hsi_random_below(r, s->high[i] + 1);
    }
}

static void close_stage(knapsack_case *s)
{
    mpz_clear(s->cs.longest);
}

static uint32_t count_of_class(const knapsack_case *s, size_t kind, int class)
{
    const uint32_t count[CLASSES] = {[CLASS_FREE] = s->high[kind] - s->low[kind],
                                     [CLASS_CPU] = s->low[kind],
                                     [CLASS_GPU] = s->kind[kind].count - s->high[kind]};

    return count[class];
}

/* Return the largest total worth of tasks on one worker of this type within the capacity: a 0/1
 * knapsack by dynamic programming, with weights in cells of 2^grid. */
static int64_t largest_worth_of_worker(const knapsack_case *s, int type, long grid,
                                       int64_t capacity)
{
    int64_t best[MOST_CELLS + 1] = {0};

    for (size_t i = 0; i < s->c.kinds * CLASSES; i++) {
        double whole = floor(ldexp(s->kind[i / CLASSES].time[type], -(int)grid));
        int class = i % CLASSES;
        int64_t weight = (int64_t)fmin(whole, MOST_CELLS + 1);

        if (class == (type ? CLASS_CPU : CLASS_GPU) || whole > (double)capacity)
            continue;
        for (uint32_t task = 0; task < count_of_class(s, i / CLASSES, class); task++)
            for (int64_t c = capacity; c >= weight; c--)
                if (best[c - weight] + s->worth[i] > best[c])
                    best[c] = best[c - weight] + s->worth[i];
    }
    return best[capacity];
}

static bool sums_refute(const knapsack_case *s, const proof_node *node)
{
    int64_t all = 0;

    for (size_t i = 0; i < s->c.kinds * CLASSES; i++)
        all += s->worth[i] * count_of_class(s, i / CLASSES, i % CLASSES);
    for (int type = 0; type < 2; type++)
        all -= node->knapsacks.most[type] * s->cs.workers[type];
    return all > 0;
}

/* Draw the worth of each kind and class. In one half of the cases worths are random; in the other
 * half, which gives more proofs, the worth is min(weight on a type, most) - less. */
static void draw_worth(knapsack_case *s, long grid, hsi_random *r)
{
    int     type = (int)hsi_random_below(r, 4);
    int64_t most = 1 + (int64_t)hsi_random_below(r, 16);
    int64_t less = (int64_t)hsi_random_below(r, (uint64_t)most);

    for (size_t i = 0; i < s->c.kinds * CLASSES; i++) {
        double weight = floor(ldexp(s->kind[i / CLASSES].time[type % 2], -(int)grid));

        s->worth[i] = (int64_t)hsi_random_below(r, 9);
        if (type < 2)
            s->worth[i] = (int64_t)fmax(0, fmin(weight, (double)most) - (double)less);
    }
}

START_TEST(knapsack_leaves_limit_each_worker)
{
    hsi_random r;
    int        proved = 0, refuted = 0;

    hsi_random_seed(&r, 48, 0);
    for (int round = 0; round < ROUNDS; round++) {
        proof_node    node = {.step = STEP_CONFIGURATION};
        int64_t       capacity;
        bool          is_proof;
        knapsack_case s;

        open_stage(&s, &r);
        node.knapsacks.grid = UNIT - 2 + (long)hsi_random_below(&r, 5);
        draw_worth(&s, node.knapsacks.grid, &r);
        capacity = (int64_t)floor(ldexp(s.longest, UNIT - (int)node.knapsacks.grid));
        capacity += hsi_random_below(&r, 4) ? 0 : (int64_t)hsi_random_below(&r, 3) - 1;
        capacity = capacity > MOST_CELLS ? MOST_CELLS : capacity;
        node.knapsacks.capacity = capacity;
        is_proof = ldexp((double)capacity + 1, (int)node.knapsacks.grid) > ldexp(s.longest, UNIT);
        for (int type = 0; type < 2; type++) {
            int64_t most = largest_worth_of_worker(&s, type, node.knapsacks.grid, capacity);

            node.knapsacks.most[type] = most;
            if (hsi_random_below(&r, 4) == 0)
                node.knapsacks.most[type] += (int64_t)hsi_random_below(&r, 3) - 1;
            if (node.knapsacks.most[type] < 0)
                node.knapsacks.most[type] = 0;
            is_proof &= node.knapsacks.most[type] >= most || s.cs.workers[type] == 0;
        }
        is_proof &= sums_refute(&s, &node);
        ck_assert_int_eq(proof_leaf_flaw(&s.cs, &node) == NULL, is_proof);
        proved += is_proof;
        refuted += !is_proof;
        close_stage(&s);
    }
    ck_assert_int_gt(proved, ROUNDS / 20);
    ck_assert_int_gt(refuted, ROUNDS / 20);
}
END_TEST

/* Return true if `count` weights fit on the workers without a load above the capacity; `load` has
 * the initial loads, and is restored. */
static bool can_pack(const unsigned *weight, size_t count, unsigned *load, unsigned workers,
                     unsigned capacity)
{
    if (count == 0)
        return true;
    for (unsigned w = 0; w < workers; w++) {
        bool found;

        if (load[w] + weight[0] > capacity)
            continue;
        load[w] += weight[0];
        found = can_pack(weight + 1, count - 1, load, workers, capacity);
        load[w] -= weight[0];
        if (found)
            return true;
        if (load[w] == 0)
            return false; /* workers after an empty one are empty, too */
    }
    return false;
}

START_TEST(packing_leaves_are_refused_if_a_packing_exists)
{
    hsi_random r;
    int        held = 0;

    hsi_random_seed(&r, 49, 0);
    for (int round = 0; round < ROUNDS; round++) {
        packing_kind kind[MOST_KINDS];
        size_t       kinds = 1 + hsi_random_below(&r, MOST_KINDS), tasks = 0;
        unsigned     weight[MOST_KINDS * MOST_COUNT], load[4] = {0}, workers, capacity;
        limits       l = ample_limits();
        bool         holds;

        workers = (unsigned)hsi_random_below(&r, 5);
        capacity = 5 + (unsigned)hsi_random_below(&r, 30);
        for (size_t i = 0; i < kinds; i++) {
            kind[i] = (packing_kind){1 + (cells)hsi_random_below(&r, 20),
                                     1 + (uint32_t)hsi_random_below(&r, MOST_COUNT)};
            for (uint32_t j = 0; j < kind[i].count; j++)
                weight[tasks++] = (unsigned)kind[i].weight;
        }
        holds = !can_pack(weight, tasks, load, workers, capacity);
        ck_assert_int_eq(packing_check(kind, kinds, workers, capacity, &l), holds ? HOLDS : FAILS);
        held += holds;
    }
    ck_assert_int_gt(held, ROUNDS / 10);
    ck_assert_int_lt(held, ROUNDS * 9 / 10);
}
END_TEST

/* List the weights of all tasks bound to the type: by the case, or because the other type cannot
 * run the task before the deadline. Return the number of tasks. */
static size_t list_settled(const knapsack_case *s, int type, unsigned *weight)
{
    size_t tasks = 0;

    for (size_t i = 0; i < s->c.kinds; i++) {
        double   other = ldexp(s->kind[i].time[!type], -UNIT), own = s->kind[i].time[type];
        uint32_t count = other > s->longest ? s->kind[i].count
                                            : count_of_class(s, i, type ? CLASS_GPU : CLASS_CPU);

        for (uint32_t j = 0; j < count; j++)
            weight[tasks++] = isinf(own) ? s->longest + 1 : (unsigned)ldexp(own, -UNIT);
    }
    return tasks;
}

START_TEST(packing_leaves_have_the_assigned_tasks)
{
    hsi_random r;
    int        proved = 0;

    hsi_random_seed(&r, 50, 0);
    for (int round = 0; round < ROUNDS; round++) {
        proof_node    node = {.step = STEP_PACKING, .type = (int)hsi_random_below(&r, 2)};
        unsigned      weight[MOST_KINDS * MOST_COUNT], load[4] = {0};
        size_t        tasks;
        bool          is_proof;
        knapsack_case s;

        open_stage(&s, &r);
        tasks = list_settled(&s, node.type, weight);
        is_proof = !can_pack(weight, tasks, load, s.cs.workers[node.type], s.longest);
        ck_assert_int_eq(proof_leaf_flaw(&s.cs, &node) == NULL, is_proof);
        proved += is_proof;
        close_stage(&s);
    }
    ck_assert_int_gt(proved, ROUNDS / 10);
    ck_assert_int_lt(proved, ROUNDS * 9 / 10);
}
END_TEST

START_TEST(knapsack_leaves_hold_if_no_set_has_more_value)
{
    enum { MOST_ITEMS = 8 };
    hsi_random r;

    hsi_random_seed(&r, 51, 0);
    for (int round = 0; round < ROUNDS; round++) {
        knapsack_item item[MOST_ITEMS];
        size_t        count = hsi_random_below(&r, MOST_ITEMS + 1);
        int64_t       capacity = (int64_t)hsi_random_below(&r, 30), best = 0, most;
        limits        l = ample_limits();

        for (size_t i = 0; i < count; i++)
            item[i] = (knapsack_item){(int64_t)hsi_random_below(&r, 12),
                                      (int64_t)hsi_random_below(&r, 12)};
        for (unsigned set = 0; set < 1u << count; set++) {
            knapsack_item sum = {0, 0};

            for (size_t i = 0; i < count; i++) {
                sum.weight += set >> i & 1 ? item[i].weight : 0;
                sum.worth += set >> i & 1 ? item[i].worth : 0;
            }
            if (sum.weight <= capacity && sum.worth > best)
                best = sum.worth;
        }
        most = best + (int64_t)hsi_random_below(&r, 3) - 1;
        ck_assert_int_eq(knapsack_check(item, count, capacity, most, &l),
                         best > most ? FAILS : HOLDS);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("leaves of proofs");
    TCase *tc = tcase_create("leaves");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, knapsack_leaves_limit_each_worker);
    tcase_add_test(tc, packing_leaves_are_refused_if_a_packing_exists);
    tcase_add_test(tc, packing_leaves_have_the_assigned_tasks);
    tcase_add_test(tc, knapsack_leaves_hold_if_no_set_has_more_value);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
