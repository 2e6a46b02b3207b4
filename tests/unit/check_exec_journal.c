/* SPDX-License-Identifier: BSD-3-Clause */

/* Records that the dispatcher writes before a task starts and before the task's end is reported. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "suite.h"

enum { TASKS = 30 };

static char file[] = "check_exec_journal.XXXXXX";
static int  too_early; /* attempts that began while the journal recorded the task as done */
static int  unwritten;   /* ends reported before their record was in the journal */

/* Return the number of journal lines that begin with these words about a task. */
static int lines_of(const char *kind, uint32_t task)
{
    FILE *f = fopen(file, "r");
    char  line[512], first[64];
    int   count = 0;

    snprintf(first, sizeof first, "%s t0#%u ", kind, (unsigned)task + 1);
    while (f && fgets(line, sizeof line, f))
        count += strncmp(line, first, strlen(first)) == 0;
    if (f)
        fclose(f);
    return count;
}

static void look_before(const hs_attempt *a)
{
    if (lines_of("done", a->task) > lines_of("undone", a->task))
        __atomic_fetch_add(&too_early, 1, __ATOMIC_RELAXED);
}

static void look_after(void *data, const hs_exec_attempt *a)
{
    (void)data;
    if (a->outcome == HS_OUTCOME_DONE && lines_of("done", a->task) == lines_of("undone", a->task))
        __atomic_fetch_add(&unwritten, 1, __ATOMIC_RELAXED);
}

static void set_up(void)
{
    scripted_reset();
    scripted.at_start = look_before;
    strcpy(file + sizeof file - 7, "XXXXXX");
    close(mkstemp(file));
    too_early = unwritten = 0;
}

static void tear_down(void)
{
    ck_assert_int_eq(too_early, 0);
    ck_assert_int_eq(unwritten, 0);
    unlink(file);
}

static hs_instance *tasks(const char *kernel, unsigned cpus)
{
    const script_row rows[] = {{1, 0.5, kernel, TASKS, HS_RESTART_YES}, END_ROW};

    return instance_of(rows, cpus, 1, HS_SECONDS);
}

static hs_exec_settings settings(int policy)
{
    hs_exec_settings s = scripted_settings(all_policies[policy % POLICIES]);

    s.keep.journal = file;
    s.keep.resume = HS_RESUME_REST;
    s.report.attempt = look_after;
    s.fail.retries = 2;
    return s;
}

/* `how`: one of the policies or, after these, `plan` with a backend that takes lists. */
static finished_run go_on(const char *kernel, unsigned cpus, int how)
{
    hs_backend              backend = scripted_backend_with_lists();
    const hs_backend *const only[] = {&backend};
    hs_exec_settings        s = settings(how);
    hs_instance            *in = tasks(kernel, cpus);

    if (how >= POLICIES)
        s.run.backends = only;
    return run_plan(in, solved(in, "heteroprio-ns"), &s);
}

/* Each task fails once between two successes: its older record is revoked once. */
START_TEST(outdated_record_is_revoked_before_the_start)
{
    finished_run p = go_on("done", 2, _i);

    ck_assert_int_eq(p.status, HS_OK);
    ck_assert_int_eq(lines_of("undone", 0), 0);
    end_run(&p);
    p = go_on("fail:2", 2, _i);
    ck_assert_int_eq(p.status, HS_OK);
    ck_assert_uint_eq(p.report.resumed, 0);
    ck_assert_int_eq(scripted.begun, 3 * TASKS);
    for (uint32_t i = 0; i < TASKS; i++)
        ck_assert_int_eq(lines_of("undone", i), 1);
    end_run(&p);
    p = go_on("fail:2", 2, _i);
    ck_assert_uint_eq(p.report.resumed, TASKS);
    ck_assert_int_eq(scripted.begun, 3 * TASKS);
    end_run(&p);
}
END_TEST

/* The start of the victim revokes the record, so the start of the thief does not. */
START_TEST(spoliation_revokes_once)
{
    finished_run p = go_on("done", 1, 2);

    end_run(&p);
    scripted.begun_on_cpus = 0;
    scripted.cpus_first = true;
    p = go_on("hang-cpu", 1, 2);
    ck_assert_int_eq(p.status, HS_OK);
    ck_assert_uint_ge(p.report.aborted, 1);
    for (uint32_t i = 0; i < TASKS; i++)
        ck_assert_int_eq(lines_of("undone", i), 1);
    end_run(&p);
}
END_TEST

static hs_exec *ready(const hs_instance *in, const hs_schedule *plan, int how, bool look_only)
{
    hs_exec_settings s = settings(how);
    hs_exec         *exec = NULL;

    s.keep.dry_run = look_only;
    ck_assert_int_eq(hs_exec_create(in, plan, &s, &exec, NULL), HS_OK);
    return exec;
}

/* Run with a limit for the size of files, so that the journal cannot grow. No assertion is
 * possible meanwhile, because the check library writes files. */
static hs_status run_limited(hs_exec *exec, hs_exec_report *report)
{
    struct rlimit usual, limit;
    struct stat   about;
    hs_status     st;

    getrlimit(RLIMIT_FSIZE, &usual);
    limit = usual;
    limit.rlim_cur = stat(file, &about) == 0 ? (rlim_t)about.st_size + 5 : 0;
    setrlimit(RLIMIT_FSIZE, &limit);
    st = hs_exec_run(exec, report, NULL);
    setrlimit(RLIMIT_FSIZE, &usual);
    return st;
}

START_TEST(task_does_not_start_if_revocation_fails)
{
    finished_run            p = go_on("done", 2, _i);
    hs_instance   *in = tasks("busy:1", 2);
    hs_exec       *exec = ready(in, p.plan, _i, false);
    hs_exec_report r;
    hs_exec_journal_summary past;

    scripted.begun = 0;
    hs_exec_report_init(&r);
    ck_assert_int_eq(run_limited(exec, &r), HS_EIO);
    ck_assert_int_eq(scripted.begun, 0);
    ck_assert_uint_eq(r.not_run, TASKS);
    hs_exec_free(exec);
    exec = ready(p.in, p.plan, _i, true);
    hs_exec_journal_summary_init(&past);
    hs_exec_summarise_journal(exec, &past);
    ck_assert_uint_eq(past.done, TASKS); /* earlier results are still valid */
    hs_exec_free(exec);
    hs_instance_free(in);
    end_run(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec journal");
    TCase *cases = tcase_create("dispatcher");

    tcase_set_timeout(cases, 0);
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_loop_test(cases, outdated_record_is_revoked_before_the_start, 0, POLICIES + 1);
    tcase_add_test(cases, spoliation_revokes_once);
    tcase_add_loop_test(cases, task_does_not_start_if_revocation_fails, 0, POLICIES);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
