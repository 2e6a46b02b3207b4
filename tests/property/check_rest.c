/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hs_solve() and bounds on the rest of a run: schedules are valid, no bound exceeds the optimum by
 * brute force with the done tasks on their workers, and exact reaches it.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "dice.h"
#include "graph_brute_force.h"
#include "graph_sample.h"
#include "sample.h"
#include "suite.h"

/* A random set of done tasks, closed under predecessors, and their workers; a worker that does not
 * exist stands for the first host. */
typedef struct past {
    unsigned char skip[GRAPH_TASKS];
    uint32_t      worker[GRAPH_TASKS];
    size_t        left;
} past;

static bool may_be_done(const graph_sample *s, const past *p, size_t task)
{
    for (size_t from = 0; from < s->n; from++)
        if (s->edge[from][task] && !p->skip[from])
            return false;
    return true;
}

static void draw_past(const graph_sample *s, past *p)
{
    dice     d = {s->seed ^ 0x9a57};
    unsigned most = dice_between(&d, 1, 4);

    *p = (past){.left = s->n};
    for (size_t at = 0; at < s->n; at++)
        for (size_t task = 0; task < s->n; task++) {
            if (s->position[task] != at)
                continue;
            p->skip[task] = may_be_done(s, p, task) && dice_below(&d, 4) < most;
            p->worker[task] = dice_below(&d, s->m + s->k + 1);
            p->left -= p->skip[task];
        }
}

static hs_settings settings_of(const past *p)
{
    hs_settings settings;

    hs_settings_init(&settings);
    settings.skip = p->skip;
    settings.skip_worker = p->worker;
    settings.iterations = 50;
    settings.time_limit = INFINITY;
    settings.transfers = 1;
    return settings;
}

static void require_valid(const graph_sample *s, const past *p, const char *name,
                          const hs_schedule *found)
{
    hs_violation violation;
    hs_error     error;
    size_t       count;
    const hs_transfer *transfer = hs_schedule_transfers(found, &count);

    GRAPH_REQUIRE(s,
                  hs_schedule_check_rest(s->in, found, NULL, p->skip, p->worker, &error) == HS_OK,
                  "%s: %s", name, error.why);
    hs_violation_init(&violation);
    GRAPH_REQUIRE(s,
                  hs_schedule_find_violation(s->in, found, NULL, p->skip, p->worker, &violation) ==
                          HS_OK && violation.kind == HS_VALID,
                  "%s: another check finds violation %d", name, (int)violation.kind);
    for (size_t i = 0; i < count; i++)
        GRAPH_REQUIRE(s, transfer[i].data < s->data || transfer[i].data == HS_NONE,
                      "%s: a transfer of data %u", name, transfer[i].data);
}

/* Solve with each algorithm, and return the makespan of exact if `is_small`, else NaN. */
static double solve_all(const graph_sample *s, const past *p, bool is_small)
{
    hs_settings settings = settings_of(p);
    double      least = NAN, makespan;

    for (size_t a = 0; a < hs_algorithm_count(); a++) {
        const hs_algorithm *alg = hs_algorithm_at(a);
        hs_schedule        *found = NULL;
        hs_status           st;

        if (!hs_algorithm_supports_graphs(alg) || (algorithm_takes_seconds(alg) && !is_small))
            continue;
        st = hs_solve(alg, s->in, &settings, &found);
        if (st == HS_EWORKER)
            continue; /* cpu-only, gpu-only */
        GRAPH_REQUIRE(s, st == HS_OK, "%s: %s", alg->name, hs_status_text(st));
        require_valid(s, p, alg->name, found);
        if (strcmp(alg->name, "exact") == 0)
            least = hs_schedule_makespan(found);
        if (!algorithm_takes_seconds(alg)) {
            GRAPH_REQUIRE(
                s, hs_solve_makespan(NULL, alg, s->in, &settings, &makespan, NULL) == HS_OK,
                "%s", alg->name);
            GRAPH_REQUIRE(s, makespan == hs_schedule_makespan(found), "%s: %.17g", alg->name,
                          makespan);
        }
        hs_schedule_free(found);
    }
    return least;
}

static void bound_all(const graph_sample *s, const past *p, double optimum)
{
    hs_settings settings = settings_of(p);
    double      value;

    for (size_t b = 0; b < hs_bound_count(); b++) {
        const char *name = hs_bound_name(hs_bound_at(b));
        hs_status   st = hs_bound_compute(hs_bound_at(b), s->in, &settings, &value);

        GRAPH_REQUIRE(s, st == HS_OK, "%s: %s", name, hs_status_text(st));
        GRAPH_REQUIRE(s, value <= optimum * (1 + 1e-11), "%s is %.17g, above the optimum %.17g",
                      name, value, optimum);
    }
}

/* Compare with the policy, which knows done tasks itself, where both break ties by the same order. */
static void compare_with_policy(const graph_sample *s, const past *p, const char *name)
{
    hs_settings        settings = settings_of(p);
    hs_policy_settings its;
    hs_schedule       *found = NULL;
    double             makespan;

    for (size_t task = 0; task < s->n; task++)
        if (s->position[task] != task)
            return;
    hs_policy_settings_init(&its);
    its.skip = p->skip;
    its.skip_worker = p->worker;
    GRAPH_REQUIRE(s,
                  hs_policy_simulate(hs_policy_find(name), s->in, NULL, s->in, &its, &found,
                                     NULL) == HS_OK,
                  "%s", name);
    GRAPH_REQUIRE(s,
                  hs_solve_makespan(NULL, hs_algorithm_find(name), s->in, &settings, &makespan,
                                    NULL) == HS_OK && makespan == hs_schedule_makespan(found),
                  "%s: %.17g, as a policy %.17g", name, makespan, hs_schedule_makespan(found));
    hs_schedule_free(found);
}

START_TEST(rest_is_planned_as_by_brute_force)
{
    size_t rounds = rounds_scaled(1500), small = 0;

    for (size_t i = 0; i < rounds; i++) {
        graph_sample s;
        past         p;
        double       optimum, least;
        bool         is_small;

        graph_sample_make(&s, 97000000 + i);
        draw_past(&s, &p);
        is_small = p.left <= GRAPH_BRUTE_FORCE_TASKS && hs_instance_has_graph(s.in);
        if (hs_instance_has_graph(s.in)) {
            compare_with_policy(&s, &p, "dmda");
            compare_with_policy(&s, &p, "dynamic");
            least = solve_all(&s, &p, is_small);
            optimum = is_small ? graph_brute_force_rest(&s, p.skip, p.worker) : INFINITY;
            GRAPH_REQUIRE(&s, !is_small || fabs(least - optimum) <= 1e-11 * optimum,
                          "exact gives %.17g, the optimum is %.17g", least, optimum);
            bound_all(&s, &p, optimum);
        }
        small += is_small && p.left > 0 && p.left < s.n;
        graph_sample_free(&s);
    }
    ck_assert_uint_gt(small, rounds / 10);
}
END_TEST

/* a -> b with 90 bytes, and a writes x of 90 bytes that b reads; a was done on the GPU. */
static hs_instance *pair(void)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;
    size_t       x;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, 1), HS_OK);
    hs_task_init(&task);
    task.cpu = 200;
    task.gpu = 10;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 90), HS_OK);
    ck_assert_int_eq(hs_builder_add_handle(b, "x", &x), HS_OK);
    ck_assert_int_eq(hs_builder_set_handle_bytes(b, x, 90), HS_OK);
    ck_assert_int_eq(hs_builder_add_access(b, 0, x, HS_WRITE), HS_OK);
    ck_assert_int_eq(hs_builder_add_access(b, 1, x, HS_READ), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

START_TEST(results_lie_where_the_task_ran)
{
    static const char *const names[] = {"heft", "mct", "dmda", "best", "exact", "heteroprio"};
    const unsigned char      first[] = {1, 0};
    const uint32_t           gpu[] = {1, HS_NONE};
    hs_instance             *in = pair();
    hs_settings              settings;
    double                   makespan;

    hs_settings_init(&settings);
    settings.skip = first;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        settings.skip_worker = gpu;
        ck_assert_int_eq(hs_solve_makespan(NULL, hs_algorithm_find(names[i]), in, &settings,
                                           &makespan, NULL),
                         HS_OK);
        ck_assert_msg(makespan == 10, "%s: %g", names[i], makespan);
        settings.skip_worker = NULL;
        ck_assert_int_eq(hs_solve_makespan(NULL, hs_algorithm_find(names[i]), in, &settings,
                                           &makespan, NULL),
                         HS_OK);
        ck_assert_msg(makespan == 100, "%s: %g", names[i], makespan);
    }
    hs_instance_free(in);
}
END_TEST

/* Two copies of a row that follow the two copies of another. */
static hs_instance *two_pairs(void)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 0), HS_OK);
    hs_task_init(&task);
    task.cpu = 1;
    task.count = 2;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

START_TEST(predecessors_of_done_copies_are_done)
{
    const unsigned char partly[] = {1, 0, 1, 0}, wholly[] = {1, 1, 1, 0};
    hs_instance        *in = two_pairs();
    hs_settings         settings;
    hs_schedule        *found = NULL;

    hs_settings_init(&settings);
    settings.skip = partly;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, &settings, &found), HS_EINVAL);
    settings.skip = wholly;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, &settings, &found), HS_OK);
    ck_assert_uint_eq(hs_schedule_entries(found, 0, &(size_t){0})->task, 3);
    hs_schedule_free(found);
    hs_instance_free(in);
}
END_TEST

/* The done task `a` left bytes for both copies of `b` on the GPU; `c` follows the second copy. */
static hs_instance *copies_with_pieces(void)
{
    static const double times[] = {1, 10, 20};
    hs_builder         *b = NULL;
    hs_instance        *in = NULL;
    hs_task             task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, 1), HS_OK);
    hs_task_init(&task);
    for (int i = 0; i < 3; i++) {
        task.gpu = times[i];
        task.count = i == 1 ? 2 : 1;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 5), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 2, 1, 2, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

START_TEST(a_copy_that_reads_bytes_is_a_predecessor)
{
    const unsigned char first[] = {1, 0, 0, 0};
    const uint32_t      gpu[4] = {0};
    hs_instance        *in = copies_with_pieces();
    hs_settings         settings;
    hs_schedule        *found = NULL;
    hs_error            error = {0};

    hs_settings_init(&settings);
    settings.skip = first;
    settings.skip_worker = gpu;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, &settings, &found), HS_OK);
    ck_assert_msg(hs_schedule_check_rest(in, found, NULL, first, gpu, &error) == HS_OK, "%s",
                  error.why);
    ck_assert(hs_schedule_makespan(found) == 40);
    hs_schedule_free(found);
    hs_instance_free(in);
}
END_TEST

/* Independent tasks, the first of which is done, with a start that has the others. */
START_TEST(start_of_a_rest)
{
    const unsigned char first[] = {1, 0, 0};
    const double        time[] = {1, 2, 3};
    hs_instance        *in = NULL;
    hs_settings         settings;
    hs_schedule        *start = NULL, *found = NULL;

    ck_assert_int_eq(hs_instance_wrap(3, time, time, NULL, 2, 0, &in), HS_OK);
    hs_settings_init(&settings);
    settings.skip = first;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, &settings, &start), HS_OK);
    settings.start = start;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("best"), in, &settings, &found), HS_OK);
    ck_assert(hs_schedule_makespan(found) == 3);
    hs_schedule_free(found);
    hs_schedule_free(start);
    hs_instance_free(in);
}
END_TEST

/* Return two rows of copies for one GPU: each copy of the second row reads 8 bytes of each copy
 * of the first. */
static hs_instance *copies_after_copies(uint32_t copies)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, 1), HS_OK);
    hs_task_init(&task);
    task.gpu = 1;
    task.count = copies;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 8), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* The bytes of all done copies arrive together; they are no data of their own for each pair. */
START_TEST(copies_after_done_copies)
{
    enum { COPIES = 2000 };
    static unsigned char skip[2 * COPIES];
    hs_instance         *in = copies_after_copies(COPIES);
    hs_settings          settings;
    hs_schedule         *found = NULL;
    hs_error             error = {0};

    for (int i = 0; i < COPIES; i++)
        skip[i] = 1;
    hs_settings_init(&settings);
    settings.skip = skip;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, &settings, &found), HS_OK);
    ck_assert_msg(hs_schedule_check_rest(in, found, NULL, skip, NULL, &error) == HS_OK, "%s",
                  error.why);
    ck_assert(hs_schedule_makespan(found) == 8 + COPIES);
    hs_schedule_free(found);
    hs_instance_free(in);
}
END_TEST

START_TEST(impossible_pasts_are_refused)
{
    const unsigned char second[] = {0, 1}, first[] = {1, 0}, both[] = {1, 1};
    hs_instance        *in = pair();
    hs_settings         settings;
    hs_schedule        *whole = NULL, *found = NULL;
    hs_certificate     *certificate = NULL;
    double              value;

    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &whole), HS_OK);
    hs_settings_init(&settings);
    settings.skip = second;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, &settings, &found), HS_EINVAL);
    ck_assert_int_eq(hs_bound_compute(hs_bound_find("deadline"), in, &settings, &value), HS_EINVAL);
    settings.skip = first;
    ck_assert_int_eq(
        hs_certificate_create(hs_bound_find("deadline"), in, &settings, &certificate), HS_EINVAL);
    settings.start = whole; /* it has an entry of the done task */
    ck_assert_int_eq(hs_solve(hs_algorithm_find("best"), in, &settings, &found), HS_EINVAL);
    settings.start = NULL;
    settings.skip = both;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("best"), in, &settings, &found), HS_OK);
    ck_assert_uint_eq(hs_schedule_entry_count(found), 0);
    hs_schedule_free(found);
    hs_schedule_free(whole);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rest of a run");
    TCase *tcase = tcase_create("by hs_solve");

    tcase_add_test(tcase, rest_is_planned_as_by_brute_force);
    tcase_add_test(tcase, results_lie_where_the_task_ran);
    tcase_add_test(tcase, predecessors_of_done_copies_are_done);
    tcase_add_test(tcase, a_copy_that_reads_bytes_is_a_predecessor);
    tcase_add_test(tcase, start_of_a_rest);
    tcase_add_test(tcase, copies_after_done_copies);
    tcase_add_test(tcase, impossible_pasts_are_refused);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
