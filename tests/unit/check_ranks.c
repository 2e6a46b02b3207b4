/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factorisations by several ranks, which are threads of this process. The factors are those of one
 * process, bit for bit, and each rank sends exactly the tiles that the structure of the factorisation
 * demands.
 */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "factorisation.h"
#include "fake_mpi.h"
#include "rounds.h"
#include "suite.h"

enum { MOST_RANKS = 7 };

static uint64_t dice;

static unsigned roll(unsigned sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % sides;
}

/* A process of the run. */
typedef struct process {
    hs_exec       *exec;
    const hs_mpi  *mpi;
    hs_exec_report report;
    hs_status      status;
    hs_error       error;
    pthread_t      thread;
} process;

static void *run_process(void *data)
{
    process *p = data;

    hs_exec_report_init(&p->report);
    p->status = hs_exec_run(p->exec, &p->report, &p->error);
    if (p->status != HS_OK)
        hs_mpi_abort((hs_mpi *)(uintptr_t)p->mpi, 1);
    return NULL;
}

/* Run all processes, and wait for them. */
static void run_all(process *p, unsigned ranks)
{
    for (unsigned r = 0; r < ranks; r++)
        ck_assert_int_eq(pthread_create(&p[r].thread, NULL, run_process, &p[r]), 0);
    for (unsigned r = 0; r < ranks; r++)
        pthread_join(p[r].thread, NULL);
}

static void create(process *p, const hs_instance *in, const hs_schedule *plan,
                   const hs_exec_settings *s, const hs_mpi *mpi)
{
    hs_exec_settings own = *s;

    own.run.mpi = mpi;
    *p = (process){.mpi = mpi};
    p->status = hs_exec_create(in, plan, &own, &p->exec, &p->error);
    ck_assert_msg(p->status == HS_OK, "%s", p->error.why);
}

static void free_all(process *p, unsigned ranks)
{
    for (unsigned r = 0; r < ranks; r++)
        hs_exec_free(p[r].exec);
}

static hs_exec_settings settings_of(const hs_policy_kind *policy)
{
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    s.decide.policy = policy;
    s.place.unbound = 1;
    s.run.emulate[HS_GPU] = 1;
    s.run.time_scale = 1e-6; /* emulated GPUs do not wait */
    s.run.matrix_seed = roll(1000);
    return s;
}

/* The rank of a tile: P is the largest divisor of `ranks` that is at most its root. */
static unsigned owner(unsigned ranks, unsigned i, unsigned j)
{
    unsigned p = (unsigned)sqrt((double)ranks);

    while (ranks % p)
        p--;
    return i % p * (ranks / p) + j % (ranks / p);
}

/* Count the different ranks of a list of tiles, without one of them. */
typedef struct rank_set {
    unsigned ranks, from;
    bool     is_in[MOST_RANKS];
} rank_set;

static void add(rank_set *set, unsigned i, unsigned j)
{
    set->is_in[owner(set->ranks, i, j)] = true;
}

static unsigned size(const rank_set *set)
{
    unsigned count = 0;

    for (unsigned r = 0; r < set->ranks; r++)
        count += set->is_in[r] && r != set->from;
    return count;
}

#define TO(i, j) ((rank_set){.ranks = n, .from = owner(n, i, j)})

/* Count the tiles that each of n ranks sends in a Cholesky factorisation of t x t tiles. */
static void count_cholesky(unsigned t, unsigned n, uint64_t *sent)
{
    for (unsigned k = 0; k < t; k++) {
        rank_set panel = TO(k, k);

        for (unsigned i = k + 1; i < t; i++) {
            rank_set row = TO(i, k);

            add(&panel, i, k);
            for (unsigned j = k + 1; j <= i; j++)
                add(&row, i, j);
            for (unsigned j = i; j < t; j++)
                add(&row, j, i);
            sent[row.from] += size(&row);
        }
        sent[panel.from] += size(&panel);
    }
}

static void count_lu(unsigned t, unsigned n, uint64_t *sent)
{
    for (unsigned k = 0; k < t; k++) {
        rank_set panel = TO(k, k);

        for (unsigned i = k + 1; i < t; i++) {
            rank_set row = TO(i, k), column = TO(k, i);

            add(&panel, i, k);
            add(&panel, k, i);
            for (unsigned j = k + 1; j < t; j++) {
                add(&row, i, j);
                add(&column, j, i);
            }
            sent[row.from] += size(&row);
            sent[column.from] += size(&column);
        }
        sent[panel.from] += size(&panel);
    }
}

/* Reflectors and their factors go along the row; the tiles of row k go down from task to task. */
static void count_qr(unsigned t, unsigned n, uint64_t *sent)
{
    for (unsigned k = 0; k < t; k++)
        for (unsigned i = k; i < t; i++) {
            rank_set row = TO(i, k);

            for (unsigned j = k + 1; j < t; j++)
                add(&row, i, j);
            sent[row.from] += 2 * size(&row);
            for (unsigned j = k; j < t && i + 1 < t; j++) {
                rank_set down = TO(i, j);

                add(&down, i + 1, j);
                sent[down.from] += size(&down);
            }
        }
}

static void expect_sent(const process *p, int kind, unsigned tiles, unsigned ranks)
{
    void (*const count[])(unsigned, unsigned, uint64_t *) = {count_cholesky, count_lu, count_qr};
    uint64_t     sent[MOST_RANKS] = {0}, tasks = 0;
    hs_exec_rank rank;

    count[kind % SINGLE](tiles, ranks, sent);
    hs_exec_rank_init(&rank);
    for (unsigned r = 0; r < ranks; r++) {
        ck_assert_int_eq(hs_exec_rank_at(p->exec, r, &rank), 1);
        ck_assert_uint_eq(rank.sent, sent[r]);
        ck_assert(rank.sent_bytes >= rank.sent && (rank.sent > 0) == (rank.sent_bytes > 0));
        tasks += rank.tasks;
    }
    ck_assert_int_eq(hs_exec_rank_at(p->exec, ranks, &rank), 0);
    ck_assert_uint_eq(p->report.tasks, p->report.done);
    hs_exec_rank_at(p->exec, p->mpi->rank, &rank);
    ck_assert_uint_eq(rank.tasks, p->report.done);
    ck_assert(tasks >= p->report.done);
}

static double *factors(const hs_exec *exec, size_t order)
{
    double *a = calloc(order * order, sizeof *a);

    ck_assert_int_eq(hs_exec_copy_factors(exec, a), HS_OK);
    return a;
}

/* Return the factors of a run in one process. */
static double *factors_of_one(const hs_instance *in, const hs_schedule *plan,
                              const hs_exec_settings *s, size_t order)
{
    hs_exec *exec = NULL;
    double  *a;

    ck_assert_int_eq(hs_exec_create(in, plan, s, &exec, NULL), HS_OK);
    ck_assert_int_eq(hs_exec_run(exec, NULL, NULL), HS_OK);
    a = factors(exec, order);
    hs_exec_free(exec);
    return a;
}

/* Check a run: each rank, and at rank 0 all factors. */
static void expect_factors(const process *p, unsigned ranks, const double *expected, int kind,
                           unsigned tiles)
{
    hs_exec_factorisation f;
    hs_exec_rank          rank;
    double               *a;

    hs_exec_factorisation_init(&f);
    for (unsigned r = 0; r < ranks; r++) {
        ck_assert_msg(p[r].status == HS_OK, "rank %u: %s", r, p[r].error.why);
        ck_assert_int_eq(hs_exec_describe_factorisation(p[r].exec, &f), 1);
        ck_assert(f.verified && !f.wrong);
        ck_assert_double_lt(f.relative_residual, f.single_precision ? 5e-6 : 1e-13);
        expect_sent(&p[r], kind, tiles, ranks);
        hs_exec_rank_init(&rank);
        ck_assert_int_eq(hs_exec_rank_at(p->exec, r, &rank), 1);
        ck_assert_uint_eq(rank.tasks, p[r].report.tasks);
        if (r > 0)
            ck_assert_int_eq(hs_exec_copy_factors(p[r].exec, &(double){0}), HS_EINVAL);
    }
    a = factors(p->exec, f.order);
    ck_assert(memcmp(a, expected, f.order * f.order * sizeof *a) == 0);
    free(a);
}

/* Check a kind with a number of ranks, by a policy: two runs with one handle. */
static void check(int kind, unsigned ranks, const hs_policy_kind *policy)
{
    const unsigned   tiles = 1 + roll(7), n = 1 + roll(40), cpus = 1 + roll(2), gpus = roll(2);
    hs_instance     *in = factorisation(kind, tiles, n, cpus, gpus);
    hs_exec_settings s = settings_of(policy);
    fake_world      *world = fake_world_create(ranks, dice);
    process          p[MOST_RANKS];
    hs_schedule     *plan = NULL;
    double          *expected;

    if (hs_policy_needs_plan(policy))
        ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &plan), HS_OK);
    s.fail.retries = roll(2);
    expected = factors_of_one(in, plan, &s, tiles * n);
    s.run.collect_factors = true;
    for (unsigned r = 0; r < ranks; r++)
        create(&p[r], in, plan, &s, fake_world_rank(world, r));
    for (int again = 0; again < 2; again++) {
        run_all(p, ranks);
        expect_factors(p, ranks, expected, kind, tiles);
        ck_assert_uint_eq(fake_world_left(world), 0);
    }
    free_all(p, ranks);
    free(expected);
    fake_world_free(world);
    hs_schedule_free(plan);
    hs_instance_free(in);
}

START_TEST(factors_are_those_of_one_process)
{
    dice = (uint64_t)_i;
    for (int round = 0; round < rounds(20); round++) {
        const hs_policy_kind *policy = hs_policy_at(roll((unsigned)hs_policy_count()));

        check(_i, 1 + roll(MOST_RANKS), policy);
    }
}
END_TEST

START_TEST(every_policy_serves_ranks)
{
    dice = (uint64_t)_i;
    for (int kind = 0; kind < SINGLE; kind++)
        check(kind, 4, hs_policy_at((size_t)_i));
}
END_TEST

/* A failed task ends the run of its rank, and hs_mpi_abort() then ends the other ranks. */
START_TEST(a_failed_task_ends_all)
{
    enum { TILES = 5, N = 8, ORDER = TILES * N, RANKS = 4 };
    hs_instance     *in = factorisation(HS_CHOLESKY, TILES, N, 2, 0);
    hs_exec_settings s = settings_of(hs_policy_find(_i % 2 ? "heteroprio" : "dynamic"));
    fake_world      *world = fake_world_create(RANKS, (uint64_t)_i);
    process          p[RANKS];
    double          *matrix = calloc(ORDER * ORDER, sizeof *matrix);
    unsigned         failed = 0;

    for (size_t i = 0; i < ORDER; i++)
        matrix[i * ORDER + i] = i == (size_t)_i * N ? -1 : 1; /* potrf of tile (_i, _i) fails */
    s.run.matrix = matrix;
    s.run.matrix_order = ORDER;
    s.fail.halt = HS_HALT_NEVER;
    for (unsigned r = 0; r < RANKS; r++)
        create(&p[r], in, NULL, &s, fake_world_rank(world, r));
    run_all(p, RANKS);
    for (unsigned r = 0; r < RANKS; r++) {
        ck_assert(p[r].status == HS_EFAILED || p[r].status == HS_EIO);
        failed += p[r].status == HS_EFAILED;
        ck_assert_int_eq(p[r].report.failed, p[r].status == HS_EFAILED);
    }
    ck_assert_uint_eq(failed, 1);
    ck_assert_int_eq(p[owner(RANKS, (unsigned)_i, (unsigned)_i)].status, HS_EFAILED);
    free_all(p, RANKS);
    fake_world_free(world);
    free(matrix);
    hs_instance_free(in);
}
END_TEST

/* A message that MPI refuses ends the run with the reason. */
START_TEST(a_failed_message_ends_all)
{
    enum { RANKS = 3 };
    hs_instance     *in = factorisation(_i % SINGLE, 4, 5, 1, 0);
    hs_exec_settings s = settings_of(hs_policy_find("heteroprio"));
    fake_world      *world = fake_world_create(RANKS, (uint64_t)_i);
    process          p[RANKS];
    unsigned         told = 0;

    for (unsigned r = 0; r < RANKS; r++)
        create(&p[r], in, NULL, &s, fake_world_rank(world, r));
    fake_world_fail(world, 1 + (unsigned)_i);
    run_all(p, RANKS);
    for (unsigned r = 0; r < RANKS; r++) {
        ck_assert_int_eq(p[r].status, HS_EIO);
        told += strcmp(p[r].error.why, "fake: a message cannot begin") == 0;
    }
    ck_assert_uint_eq(told, 1);
    free_all(p, RANKS);
    fake_world_free(world);
    hs_instance_free(in);
}
END_TEST

/* Ranks with different tasks, input, policies, plans or ends of the run are refused before any task. */
START_TEST(different_ranks_are_refused)
{
    enum { RANKS = 3 };
    hs_instance     *in = factorisation(HS_LU, 3, 4, 1, 0);
    hs_instance     *other = factorisation(HS_LU, _i == 0 ? 4 : 3, 4, 1, 0);
    hs_exec_settings s = settings_of(hs_policy_find(_i == 3 ? "plan" : "heteroprio"));
    fake_world      *world = fake_world_create(RANKS, 1);
    hs_schedule     *plan = NULL, *reverse = NULL;
    process          p[RANKS];

    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &plan), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("dynamic"), in, NULL, &reverse), HS_OK);
    for (unsigned r = 0; r < RANKS; r++) {
        s.run.matrix_seed += _i == 1 && r == 2;
        if (_i == 2 && r == 2)
            s.decide.policy = hs_policy_find("dmda");
        s.run.verify = !(_i == 4 && r == 2);
        s.run.collect_factors = _i == 5 && r == 2;
        create(&p[r], _i == 0 && r == 2 ? other : in, _i != 3 ? NULL : r == 2 ? reverse : plan, &s,
               fake_world_rank(world, r));
    }
    run_all(p, RANKS);
    for (unsigned r = 0; r < RANKS; r++) {
        ck_assert_int_eq(p[r].status, HS_EINVAL);
        ck_assert_ptr_nonnull(strstr(p[r].error.why, "rank 2 has other tasks"));
        ck_assert_uint_eq(p[r].report.done, 0);
    }
    free_all(p, RANKS);
    fake_world_free(world);
    hs_schedule_free(plan);
    hs_schedule_free(reverse);
    hs_instance_free(in);
    hs_instance_free(other);
}
END_TEST

/* Return the factorisation with one more row, or with a dependency that no data explains. */
static hs_instance *with_more(hs_instance *in, bool row)
{
    hs_builder  *b = NULL;
    hs_instance *out = NULL;
    hs_task      task;
    const size_t rows = hs_instance_rows(in);

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 1, 0);
    for (size_t i = 0; i < rows + row; i++) {
        hs_instance_row(in, i < rows ? i : 0, &task);
        if (i == rows)
            task.id = "more", task.kernel = "sleep:1";
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_copy_graph(b, in), HS_OK);
    if (!row)
        ck_assert_int_eq(hs_builder_add_predecessor(b, 3, 2, 1, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &out, NULL), HS_OK);
    hs_builder_free(b);
    hs_instance_free(in);
    return out;
}

static void expect_refused(const hs_instance *in, const hs_exec_settings *s, hs_status status,
                           const char *part)
{
    hs_exec *exec = NULL;
    hs_error error = {0};

    ck_assert_int_eq(hs_exec_create(in, NULL, s, &exec, &error), status);
    ck_assert_msg(strstr(error.why, part), "%s", error.why);
}

START_TEST(what_ranks_cannot_run_is_refused)
{
    hs_instance     *in = factorisation(HS_CHOLESKY, 4, 4, 1, 0);
    hs_instance     *with_gpu = factorisation(HS_CHOLESKY, 4, 4, 1, 1);
    hs_exec_settings s = settings_of(hs_policy_find("heteroprio")), t;
    fake_world      *world = fake_world_create(4, 1);

    s.run.mpi = fake_world_rank(world, 0);
    t = s;
    t.keep.journal = "none";
    expect_refused(in, &t, HS_EINVAL, "settings.run.mpi excludes settings.keep.journal");
    t = s;
    t.run.emulate[HS_CPU] = 1;
    expect_refused(in, &t, HS_EINVAL, "settings.run.mpi excludes settings.run.emulate[HS_CPU]");
    t = s;
    t.run.emulate[HS_GPU] = 0;
    t.gpu.module = "emulated:devices=1";
    expect_refused(with_gpu, &t, HS_EINVAL, "settings.run.mpi divides tiles among CPUs");
    in = with_more(in, false);
    expect_refused(in, &s, HS_EDEPENDENT,
                   "waits for a task of another rank whose tiles it does not read");
    in = with_more(in, true);
    expect_refused(in, &s, HS_EDEPENDENT, "each task must be a step of the factorisation");
    fake_world_free(world);
    hs_instance_free(with_gpu);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ranks");
    TCase *cases = tcase_create("ranks");

    tcase_set_timeout(cases, 0); /* CONTRIBUTING.md: tests have no time limits */
    tcase_add_loop_test(cases, factors_are_those_of_one_process, 0, ALL_FACTORISATIONS);
    tcase_add_loop_test(cases, every_policy_serves_ranks, 0, (int)hs_policy_count());
    tcase_add_loop_test(cases, a_failed_task_ends_all, 0, 5);
    tcase_add_loop_test(cases, a_failed_message_ends_all, 0, 9);
    tcase_add_loop_test(cases, different_ranks_are_refused, 0, 6);
    tcase_add_test(cases, what_ranks_cannot_run_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
