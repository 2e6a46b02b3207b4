/* SPDX-License-Identifier: BSD-3-Clause */

/* Each allocation of the dispatcher fails once, and then all allocations from some point on:
 * the run returns HS_ENOMEM or succeeds, its threads end, and its files are closed. The address
 * sanitizer checks this test for leaks. */

#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec_fixture.h"
#include "failing_memory.h"
#include "rounds.h"
#include "suite.h"

typedef struct failing_run {
    hs_instance     *in;
    hs_status        status; /* expected status and number of done tasks */
    uint64_t         done;
    hs_exec_settings settings;
    char             folder[64], journal[96];
} failing_run;

static hs_instance *independent(failing_run *s)
{
    const script_row rows[] = {{1, 1, "fail:1", 60, 0},
                               {1, 1.5, "busy:300", 1, 0},
                               {1, 2, "done", 60, 0},
                               {2, 1, "none-gpu", 30, 0},
                               END_ROW};

    s->status = HS_OK;
    s->done = 151;
    return instance_of(rows, 1, 1, HS_MICROSECONDS);
}

/* Return a graph of five rows: two rows with a predecessor, and two tasks that fail for good,
 * with a successor. */
static hs_instance *graph(failing_run *s)
{
    static const script_row rows[] = {{1, 1, "fail:1", 4, 0},   {1, 2, "done", 3, 0},
                                      {2, 1, "none-gpu", 2, 0}, {1, 1, "fail:9", 2, 0},
                                      {1, 1, "done", 3, 0},     END_ROW};
    static const size_t     before[] = {0, 0, 0, 0, 3};
    hs_builder             *b = NULL;
    hs_instance            *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(b, HS_MICROSECONDS), HS_OK);
    for (size_t i = 0; rows[i].cpu > 0; i++) {
        hs_task task = {.struct_size = sizeof task,
                        .cpu = rows[i].cpu,
                        .gpu = rows[i].gpu,
                        .kernel = rows[i].kernel,
                        .count = rows[i].count};

        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        if (before[i] < i)
            ck_assert_int_eq(hs_builder_add_predecessor(b, i, before[i], 0, 0), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    s->status = HS_EFAILED;
    s->done = 9;
    return in;
}

/* Make a run with failures, retries, aborts, records beyond the allocated room, a journal and
 * logs. */
static void set_up(failing_run *s, const char *policy, int is_graph)
{
    strcpy(s->folder, "check_exec_memory.XXXXXX");
    ck_assert(mkdtemp(s->folder) != NULL);
    snprintf(s->journal, sizeof s->journal, "%s/journal", s->folder);
    s->in = is_graph ? graph(s) : independent(s);
    s->settings = scripted_settings(policy);
    s->settings.fail.halt = is_graph ? HS_HALT_NEVER : HS_HALT_SOON;
    s->settings.fail.retries = 1;
    s->settings.keep.log_folder = s->folder;
    s->settings.keep.separate_errors = true;
    s->settings.keep.journal = s->journal;
}

static void clean_up(failing_run *s)
{
    rmdir(s->folder);
    hs_instance_free(s->in);
}

static hs_status run_once(const failing_run *s, long first, int from_there_on, uint64_t *done,
                          long *failed)
{
    hs_exec_report r;
    hs_exec       *exec = NULL;
    hs_schedule   *predicted = NULL;
    hs_error       error;
    hs_status      st;

    hs_exec_report_init(&r);
    r.done = 0;
    memory_fail_after(first, from_there_on);
    st = hs_exec_create(s->in, NULL, &s->settings, &exec, &error);
    if (st == HS_OK)
        st = hs_exec_predict(exec, &predicted);
    hs_schedule_free(predicted);
    if (st == HS_OK)
        st = hs_exec_run(exec, &r, &error);
    hs_exec_free(exec);
    *failed = memory_stop_failing();
    *done = r.done;
    unlink(s->journal);
    return st;
}

/* Return the distance between failing allocations: 5 if there are few rounds. */
static long stride(void)
{
    return rounds(5) < 5 ? 5 / rounds(5) : 1;
}

#if defined HAVE_OPENBLAS && defined HAVE_LAPACKE
/* A matrix of 2 x 2 tiles; with retries its tasks work on copies. */
static hs_instance *matrix(void)
{
    static const char *const rows[][3] = {{"dpotrf:8", "A-0-0", NULL},
                                          {"dtrsm:8", "A-1-0", "A-0-0"},
                                          {"dsyrk:8", "A-1-1", "A-1-0"},
                                          {"dpotrf:8", "A-1-1", NULL}};
    hs_builder              *b = NULL;
    hs_instance             *in = NULL;
    size_t                   data;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 2, 0);
    for (size_t i = 0; i < 4; i++) {
        const hs_task task = {
            .struct_size = sizeof task, .cpu = 1, .gpu = 1, .count = 1, .kernel = rows[i][0]};

        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        for (int k = 2; k > 0; k--)
            if (rows[i][k]) {
                ck_assert_int_eq(hs_builder_add_handle(b, rows[i][k], &data), HS_OK);
                hs_builder_add_access(b, i, data, k == 1 ? HS_READ_WRITE : HS_READ);
            }
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

START_TEST(allocations_of_a_matrix_fail)
{
    int         threads;
    failing_run s = {.in = matrix()};
    uint64_t    done;
    long        first = _i % stride(), failed;

    hs_exec_settings_init(&s.settings);
    s.settings.decide.policy = hs_policy_find("dynamic");
    s.settings.place.oversubscribe = s.settings.place.unbound = true;
    s.settings.fail.retries = 1;
    ck_assert_int_eq(run_once(&s, -1, 0, &done, &failed), HS_OK);
    threads = live_threads(); /* includes the threads of BLAS, which stay */
    do {
        hs_status st = run_once(&s, first, _i, &done, &failed);

        ck_assert_msg(st == HS_ENOMEM || (st == HS_OK && done == 4) ||
                          (st == HS_EFAILED && done < 4),
                      "without allocation %ld: %s", first, hs_status_text(st));
        ck_assert_int_eq(live_threads(), threads);
        first += stride();
    } while (failed);
    ck_assert_int_gt(first, 20);
    hs_instance_free(s.in);
}
END_TEST
#endif

START_TEST(allocations_fail)
{
    int         files, threads;
    failing_run s;
    uint64_t    done;
    long        first = _i % stride(), failed, none;

    set_up(&s, "heteroprio", _i / 2);
    ck_assert_int_eq(run_once(&s, -1, 0, &done, &none), s.status);
    ck_assert_uint_eq(done, s.done);
    files = open_files();
    threads = live_threads();
    do {
        hs_status st = run_once(&s, first, _i % 2, &done, &failed);

        ck_assert_msg(st == HS_ENOMEM || (st == s.status && done == s.done),
                      "without allocation %ld: %s, %lu done", first, hs_status_text(st),
                      (unsigned long)done);
        ck_assert_int_eq(open_files(), files);
        ck_assert_int_eq(live_threads(), threads);
        ck_assert_int_eq(scripted.opened, scripted.closed);
        ck_assert_int_eq(scripted.overlaps + scripted.wrong_states, 0);
        ck_assert_int_eq(run_once(&s, -1, 0, &done, &none), s.status);
        ck_assert_uint_eq(done, s.done);
        first += stride();
    } while (failed);
    ck_assert_int_gt(first, 20);
    clean_up(&s);
}
END_TEST

/* A renewal fails: the accessors stay valid, and the handle runs again later. */
START_TEST(renewals_fail)
{
    const script_row rows[] = {{1, 1, "done", 8, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 2, 1, HS_MICROSECONDS);
    hs_exec_settings s = scripted_settings("dynamic");
    hs_exec         *exec = NULL;
    int              files = open_files();

    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, NULL), HS_OK);
    ck_assert_int_eq(hs_exec_run(exec, NULL, NULL), HS_OK);
    for (long first = 0, failed = 1; failed; first++) {
        hs_error         error;
        hs_exec_activity activity = {.struct_size = sizeof activity};
        hs_status        st;
        size_t           count = 1, waits = 1, records = 0;

        memory_fail_after(first, _i);
        st = hs_exec_run(exec, NULL, &error);
        failed = memory_stop_failing();
        ck_assert_msg(st == HS_ENOMEM || st == HS_OK, "%s", error.why);
        for (unsigned w = 0; w < 3; w++) {
            hs_exec_records(exec, w, &count);
            hs_exec_waits(exec, w, &waits);
            hs_exec_describe_activity(exec, w, &activity);
            ck_assert_uint_eq(waits, 0);
            ck_assert(!activity.running);
            records += count;
        }
        ck_assert(st != HS_OK || records == 8);
    }
    ck_assert_int_eq(hs_exec_run(exec, NULL, NULL), HS_OK);
    hs_exec_free(exec);
    ck_assert_int_eq(open_files(), files);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec memory");
    TCase *cases = tcase_create("failing allocations");

    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, scripted_reset, NULL);
    tcase_add_loop_test(cases, allocations_fail, 0, 4);
    tcase_add_loop_test(cases, renewals_fail, 0, 2);
#if defined HAVE_OPENBLAS && defined HAVE_LAPACKE
    tcase_add_loop_test(cases, allocations_of_a_matrix_fail, 0, 2);
#endif
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
