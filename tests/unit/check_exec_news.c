/* SPDX-License-Identifier: BSD-3-Clause */

/* Reports of the dispatcher during a run: failures, the activity of workers, records missing in the
 * journal. */

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "suite.h"

typedef struct heard {
    hs_exec_failure failure[4];
    int             count;
    sem_t           news; /* posted for each failure */
    pthread_t       thread;
} heard;

static void hear(void *data, const hs_exec_failure *failure)
{
    heard          *h = data;
    hs_exec_failure same;

    hs_exec_failure_init(&same);
    ck_assert_int_lt(h->count, 4);
    ck_assert(hs_exec_failure_at(scripted.context, (size_t)h->count, &same));
    ck_assert_ptr_eq(same.why, failure->why);
    h->failure[h->count++] = *failure;
    h->thread = pthread_self();
    sem_post(&h->news);
}

static heard ears;

/* Hook of the second task: wait for the three failures of the first task. */
static void wait_for_news(void *context)
{
    int i;

    (void)context;
    for (i = 0; i < 3; i++)
        while (sem_wait(&ears.news) != 0)
            continue;
}

START_TEST(failures_are_reported)
{
    const script_row rows[] = {{1, 1, "fail:9", 1, 0}, {1, 1, "call:1", 1, 0}, END_ROW};
    const unsigned   worker[] = {0, 1};
    hs_instance     *in = instance_of(rows, 3, 0, HS_SECONDS); /* the third for retries */
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    finished_run     p;
    int              i;

    memset(&ears, 0, sizeof ears);
    ck_assert_int_eq(sem_init(&ears.news, 0, 0), 0);
    scripted.hook = wait_for_news;
    s.fail.halt = HS_HALT_NEVER;
    s.fail.retries = 2;
    s.report.failure = hear;
    s.report.data = &ears;
    p = run_plan(in, lists(in, worker), &s);
    ck_assert_uint_eq(p.report.done, 1);
    ck_assert_int_eq(ears.count, 3);
    ck_assert(pthread_equal(ears.thread, pthread_self()));
    for (i = 0; i < 3; i++) {
        ck_assert_uint_eq(ears.failure[i].task, 0);
        ck_assert_uint_eq(ears.failure[i].number, (unsigned)i + 1);
        ck_assert_int_eq(ears.failure[i].final, i == 2);
        ck_assert(strlen(ears.failure[i].why) > 0);
    }
    sem_destroy(&ears.news);
    end_run(&p);
}
END_TEST

static hs_exec_activity activity_then;

static void look_at_worker(void *exec)
{
    hs_exec_activity_init(&activity_then);
    hs_exec_describe_activity(exec, 0, &activity_then);
}

START_TEST(activity_of_a_worker)
{
    const script_row rows[] = {{1, 1, "done", 1, 0}, {1, 1, "call:1", 1, 0}, END_ROW};
    const unsigned   worker[] = {0, 0};
    hs_instance     *in = instance_of(rows, 1, 0, HS_SECONDS);
    hs_exec_settings s = scripted_settings("plan");
    hs_exec_activity after;
    finished_run     p;

    scripted.hook = look_at_worker;
    p = run_plan(in, lists(in, worker), &s);
    ck_assert_int_eq(activity_then.running, 1);
    ck_assert_uint_eq(activity_then.task, 1);
    ck_assert_uint_eq(activity_then.done, 1);
    ck_assert_double_ge(activity_then.seconds, 0);
    ck_assert_double_lt(activity_then.seconds, 1e6);
    hs_exec_activity_init(&after);
    hs_exec_describe_activity(p.exec, 0, &after);
    ck_assert_int_eq(after.running, 0);
    ck_assert_double_eq(after.seconds, 0);
    end_run(&p);
}
END_TEST

/* A log file left by an earlier run is removed, and not reported as the log of this failure. */
START_TEST(logs_of_an_earlier_run_stay)
{
    const script_row rows[] = {{1, 1, "fail:9", 1, 0}, END_ROW};
    hs_instance     *in = instance_of(rows, 1, 0, HS_SECONDS);
    char             folder[] = "check_exec.XXXXXX", name[64], path[128];
    hs_exec_failure  failure;
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    finished_run     p;
    FILE            *old;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    hs_instance_name(in, 0, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s.1.log", folder, name);
    old = fopen(path, "w");
    ck_assert_ptr_nonnull(old);
    fclose(old);
    s.keep.log_folder = folder;
    p = run_plan(in, solved(in, "heteroprio"), &s);
    hs_exec_failure_init(&failure);
    ck_assert(hs_exec_failure_at(p.exec, 0, &failure));
    ck_assert_ptr_null(failure.log);
    ck_assert_int_ne(access(path, F_OK), 0);
    end_run(&p);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* Run with files limited to `bytes` bytes. No assertion is possible meanwhile: the check library
 * writes its results to a file, too. */
static hs_status run_limited(hs_exec *exec, hs_exec_report *report, rlim_t bytes)
{
    struct rlimit usual, limit;
    hs_status     st;

    getrlimit(RLIMIT_FSIZE, &usual);
    limit = usual;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
    st = hs_exec_run(exec, report, NULL);
    setrlimit(RLIMIT_FSIZE, &usual);
    return st;
}

/* Return the number of done tasks in the journal. */
static uint64_t on_record(const hs_instance *in, const hs_schedule *plan, hs_exec_settings s)
{
    hs_exec     *exec = NULL;
    hs_exec_journal_summary past;

    s.keep.resume = HS_RESUME_REST;
    s.keep.dry_run = 1;
    ck_assert_int_eq(hs_exec_create(in, plan, &s, &exec, NULL), HS_OK);
    hs_exec_journal_summary_init(&past);
    hs_exec_summarise_journal(exec, &past);
    hs_exec_free(exec);
    return past.done;
}

START_TEST(unrecorded_task_is_not_done)
{
    const script_row rows[] = {{1, 1, "busy:300", 300, 0}, END_ROW};
    char             file[] = "check_exec.XXXXXX";
    hs_instance     *in = instance_of(rows, 2, 1, HS_MILLISECONDS);
    hs_schedule     *plan = solved(in, "heteroprio");
    int              fd = mkstemp(file);
    hs_exec_settings s = scripted_settings(all_policies[_i]);
    hs_exec_report   r;
    hs_exec         *exec = NULL;

    ck_assert_int_ge(fd, 0);
    close(fd);
    s.keep.journal = file;
    hs_exec_report_init(&r);
    ck_assert_int_eq(hs_exec_create(in, plan, &s, &exec, NULL), HS_OK);
    ck_assert_int_eq(run_limited(exec, &r, 4000), HS_EIO);
    hs_exec_free(exec);
    ck_assert_uint_ge(r.unrecorded, 1);
    ck_assert_uint_eq(r.failed, 0);
    ck_assert_uint_eq(r.done + r.unrecorded + r.not_run, 300);
    ck_assert_uint_ge(on_record(in, plan, s), r.done);
    ck_assert_uint_le(on_record(in, plan, s), r.done + r.unrecorded);
    hs_schedule_free(plan);
    hs_instance_free(in);
    unlink(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec news");
    TCase *cases = tcase_create("dispatcher");

    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, scripted_reset, NULL);
    tcase_add_loop_test(cases, failures_are_reported, 0, POLICIES);
    tcase_add_test(cases, activity_of_a_worker);
    tcase_add_loop_test(cases, logs_of_an_earlier_run_stay, 0, POLICIES);
    tcase_add_loop_test(cases, unrecorded_task_is_not_done, 0, POLICIES);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
