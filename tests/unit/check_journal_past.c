/* SPDX-License-Identifier: BSD-3-Clause */

/* The states of tasks in a journal when the instance has changed since the run. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal_fixture.h"
#include "suite.h"

typedef struct row {
    const char *id, *kernel, *cpu_command, *gpu_command;
} row;

/* Replace the fixture's instance by one with these rows; a row without an id ends the list. */
static void use_rows(const row *rows, unsigned cpus, double time)
{
    hs_builder *b = NULL;

    hs_instance_free(in);
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, cpus, 1), HS_OK);
    for (; rows->id; rows++) {
        hs_task task = {.struct_size = sizeof task,
                        .id = rows->id,
                        .cpu = time,
                        .gpu = time + 1,
                        .kernel = rows->kernel,
                        .cpu_command = rows->cpu_command,
                        .gpu_command = rows->gpu_command};

        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
}

/* Record an attempt by a worker; workers 0 and 1 are CPUs, worker 2 is a GPU. */
static void add_attempt(hsi_journal *j, uint32_t task, unsigned worker, unsigned attempt,
                        hs_outcome outcome)
{
    hsi_journal_record r = {
        .attempt = {
            .task = task, .worker = worker, .number = attempt, .outcome = outcome, .status = -1}};

    ck_assert_int_eq(hsi_journal_add(j, &r), HS_OK);
}

static void expect_states(const char *states, uint64_t unknown_tasks)
{
    static const char letters[] = {[HSI_PAST_NONE] = '-',
                                   [HSI_PAST_DONE] = 'd',
                                   [HSI_PAST_CHANGED] = 'c',
                                   [HSI_PAST_UNDONE] = 'u',
                                   [HSI_PAST_FAILED] = 'f'};
    uint64_t          counts[sizeof letters] = {0};
    size_t            i;

    shut(opened(HS_RESUME_REST, NULL, NULL));
    for (i = 0; states[i]; i++) {
        counts[past.state[i]]++;
        ck_assert_msg(letters[past.state[i]] == states[i], "task %zu of %s is %c", i, states,
                      letters[past.state[i]]);
    }
    ck_assert_uint_eq(past.done, counts[HSI_PAST_DONE]);
    ck_assert_uint_eq(past.changed, counts[HSI_PAST_CHANGED] + counts[HSI_PAST_UNDONE]);
    ck_assert_uint_eq(past.failed, counts[HSI_PAST_FAILED]);
    ck_assert_uint_eq(past.gone, unknown_tasks);
}

static const row three[] = {{"a", "", "make a", "make -g a"},
                            {"b", "", "make b", "make -g b"},
                            {"c", "dgemm:8", "", ""},
                            {0}};

/* Write a journal with all of `three` done: a and b on CPUs, c on the GPU. */
static void record_all_done(void)
{
    hsi_journal *j;

    use_rows(three, 2, 1);
    j = opened(HS_RESUME_NOT, NULL, NULL);
    add_attempt(j, 0, 0, 1, HS_OUTCOME_DONE);
    add_attempt(j, 1, 1, 1, HS_OUTCOME_DONE);
    add_attempt(j, 2, 2, 1, HS_OUTCOME_DONE);
    shut(j);
}

START_TEST(other_workers_times_and_order_keep_done_tasks)
{
    static const row turned[] = {{"c", "dgemm:8", "", ""},
                                 {"b", "", "make b", "make -g b"},
                                 {"a", "", "make a", "make -g a"},
                                 {0}};

    record_all_done();
    use_rows(three, 7, 0.25);
    expect_states("ddd", 0);
    use_rows(turned, 1, 3);
    expect_states("ddd", 0);
}
END_TEST

START_TEST(changed_and_new_tasks_run_again)
{
    static const row now[] = {{"b", "", "make b again", "make -g b"},
                              {"new", "", "make b", "make b"},
                              {"c", "dgemm:8", "", ""},
                              {0}};

    record_all_done();
    use_rows(now, 2, 1);
    expect_states("c-d", 1);
}
END_TEST

/* A task stays done if only the command for the unused type of worker has changed. */
START_TEST(unused_command_may_change)
{
    static const row now[] = {{"a", "label", "make a", "other"},
                              {"b", "", "other", "make -g b"},
                              {"c", "dgemm:8", "other", ""},
                              {0}};

    record_all_done();
    use_rows(now, 2, 1);
    expect_states("dcd", 0);
}
END_TEST

START_TEST(kernel_is_not_a_command)
{
    static const row now[] = {
        {"a", "make a", "", ""}, {"c", "dgemm:9", "", ""}, {"b", "", "dgemm:8", "x"}, {0}};

    record_all_done();
    use_rows(now, 2, 1);
    expect_states("ccc", 0);
}
END_TEST

/* The last record of a task counts: done, failed, done again; also after its command was changed.
 * */
START_TEST(the_last_record_counts)
{
    static const row now[] = {
        {"a", "", "mended", "x"}, {"b", "", "make b", "x"}, {"c", "dgemm:8", "", ""}, {0}};
    hsi_journal *j;

    record_all_done();
    use_rows(now, 2, 1);
    j = opened(HS_RESUME_REST, NULL, NULL);
    add_attempt(j, 0, 0, 2, HS_OUTCOME_FAILED);
    add_attempt(j, 2, 2, 3, HS_OUTCOME_LOST);
    shut(j);
    expect_states("fdf", 0);
    ck_assert_uint_eq(past.attempts[0], 2);
    ck_assert_uint_eq(past.attempts[1], 1);
    ck_assert_uint_eq(past.attempts[2], 3);
    j = opened(HS_RESUME_REST, NULL, NULL);
    add_attempt(j, 0, 0, 3, HS_OUTCOME_DONE);
    add_attempt(j, 2, 2, 2, HS_OUTCOME_DONE); /* attempt numbers need not ascend */
    shut(j);
    expect_states("ddd", 0);
    ck_assert_uint_eq(past.attempts[2], 3);
    use_rows(three, 2, 1);
    expect_states("cdd",
                  0); /* command of the first run; the last done record has another command */
}
END_TEST

/* Once a new version of a task starts, which may overwrite results, no version counts as done until
 * one has completed. */
START_TEST(restarted_task_is_not_done)
{
    static const row other[] = {
        {"a", "", "other", "x"}, {"b", "", "make b", "x"}, {"c", "dgemm:8", "", ""}, {0}};
    hsi_journal *j;
    int          twice;

    record_all_done();
    for (twice = 0; twice < 2; twice++) {
        use_rows(other, 2, 1);
        expect_states(twice ? "udd" : "cdd", 0);
        j = opened(HS_RESUME_REST, NULL, NULL);
        ck_assert_int_eq(hsi_journal_undo(j, 0), HS_OK);
        shut(j);
        expect_states("udd", 0);
        use_rows(three, 2, 1);
        expect_states("udd", 0);
    }
    j = opened(HS_RESUME_REST, NULL, NULL);
    add_attempt(j, 0, 0, 2, HS_OUTCOME_DONE);
    shut(j);
    expect_states("ddd", 0);
    use_rows(other, 2, 1);
    expect_states("cdd", 0);
    j = opened(HS_RESUME_REST, NULL, NULL);
    ck_assert_int_eq(hsi_journal_undo(j, 0), HS_OK);
    add_attempt(j, 0, 0, 3, HS_OUTCOME_FAILED);
    shut(j);
    use_rows(three, 2, 1);
    expect_states("fdd", 0);
    ck_assert_uint_eq(past.attempts[0], 3);
}
END_TEST

/* hsi_journal_undo() syncs before it returns: results of the following attempt may reach the disk
 * before later records. */
START_TEST(undo_is_synced_before_it_returns)
{
    hsi_journal *j = opened(HS_RESUME_NOT, NULL, NULL);
    uint32_t     i;

    for (i = 0; i < TASKS; i++) {
        int before = atomic_load(&disk.syncs);

        ck_assert_int_eq(hsi_journal_undo(j, i), HS_OK);
        ck_assert_int_gt(atomic_load(&disk.syncs), before);
    }
    shut(j);
    ck_assert_uint_eq(lost, 0);
}
END_TEST

START_TEST(undo_fails_on_a_failing_disk)
{
    hsi_journal *j = opened(HS_RESUME_NOT, NULL, NULL);

    atomic_store(&disk.fault, EIO);
    atomic_store(_i == 0 ? &disk.writes_left : &disk.syncs_left, 0);
    if (_i == 2)
        disk_reset(), unlink(file);
    ck_assert_int_eq(hsi_journal_undo(j, 0), HS_EIO);
    ck_assert_int_eq(record(j, 0), HS_EIO);
    ck_assert_int_eq(hsi_journal_close(j, &lost, &fault), HS_EIO);
}
END_TEST

START_TEST(unknown_tasks_are_counted_once)
{
    static const row one[] = {{"z", "", "", ""}, {0}};
    hsi_journal     *j;

    record_all_done();
    j = opened(HS_RESUME_REST, NULL, NULL);
    ck_assert_int_eq(hsi_journal_undo(j, 0), HS_OK);
    add_attempt(j, 0, 0, 2, HS_OUTCOME_FAILED);
    add_attempt(j, 0, 0, 3, HS_OUTCOME_DONE);
    ck_assert_int_eq(hsi_journal_undo(j, 1), HS_OK);
    shut(j);
    use_rows(one, 1, 1);
    expect_states("-", 3);
}
END_TEST

START_TEST(emulated_tasks_are_not_done)
{
    hsi_journal_record r = {.attempt = {.number = 1}, .emulated = true};
    hsi_journal       *j;
    unsigned char      state[3] = {0};
    uint16_t           attempts[3] = {0};
    hsi_journal_past   rehearsal = {.emulated = true, .state = state, .attempts = attempts};

    use_rows(three, 2, 1);
    j = opened(HS_RESUME_NOT, NULL, NULL);
    ck_assert_int_eq(hsi_journal_add(j, &r), HS_OK);
    shut(j);
    expect_states("c--", 0);
    ck_assert_int_eq(hsi_journal_inspect(file, in, 1, &rehearsal, &fault), HS_OK);
    ck_assert_uint_eq(rehearsal.done, 1);
}
END_TEST

START_TEST(failure_reason_is_read_back)
{
    static const struct {
        hs_exec_attempt attempt;
        const char     *word;
    } ends[] = {
        {{.outcome = HS_OUTCOME_FAILED, .status = 3}, " exit:3 "},
        {{.outcome = HS_OUTCOME_FAILED, .status = -1, .signal = 9}, " signal:9 "},
        {{.outcome = HS_OUTCOME_FAILED, .status = -1, .timed_out = true, .signal = 15}, " timeout "},
        {{.outcome = HS_OUTCOME_LOST, .status = -1}, " lost "},
        {{.outcome = HS_OUTCOME_FAILED, .status = -1}, " failed "},
    };
    hsi_journal *j = opened(HS_RESUME_NOT, NULL, NULL);
    bytes        all;
    size_t       i;

    for (i = 0; i < sizeof ends / sizeof *ends; i++) {
        hsi_journal_record r = {.attempt = ends[i].attempt};

        r.attempt.task = (uint32_t)(10 + i);
        r.attempt.number = 4;
        ck_assert_int_eq(hsi_journal_add(j, &r), HS_OK);
    }
    shut(j);
    all = slurp();
    all.at[all.size] = '\0';
    for (i = 0; i < sizeof ends / sizeof *ends; i++) {
        char start[64], *line;
        snprintf(start, sizeof start, "\nfailed frame#%zu cpu0 4 0.000000000 ", i + 1);
        line = strstr(all.at, start);
        ck_assert_msg(line != NULL, "%s", start);
        *strchr(line + 1, '\n') = '\0';
        ck_assert_msg(strstr(line, ends[i].word) != NULL, "%s", line);
        line[strlen(line)] = '\n';
    }
    free(all.at);
}
END_TEST

/* Write a journal: a line "run" for each date, followed by a record; 'd', 'D', 'f' and 'u' are done, done
 * with another command, failed and undone. */
typedef struct past_line {
    char        kind;
    uint32_t    task;
    const char *date; /* of a run; NULL: a record */
} past_line;

static size_t write_past(char *text, const past_line *lines, size_t count)
{
    uint64_t chain;
    size_t   size = hsi_journal_put_header(text, &chain);

    for (size_t i = 0; i < count; i++) {
        char  *line = text + size;
        size_t length;

        if (lines[i].date)
            length = (size_t)sprintf(line, "run %s ", lines[i].date);
        else if (lines[i].kind == 'u')
            length = (size_t)sprintf(line, "undone %c ", 'a' + (int)lines[i].task);
        else
            length = (size_t)sprintf(
                line, "%s %c cpu0 1 0.000000000 0.000000001 %016llx ",
                lines[i].kind == 'f' ? "failed" : "done", 'a' + (int)lines[i].task,
                (unsigned long long)hsi_journal_digest_implementation(
                    in, lines[i].task < hs_instance_tasks(in) ? lines[i].task : 0, HS_CPU) +
                    (lines[i].kind == 'D'));
        size += hsi_journal_seal(line, length, 0, &chain);
    }
    return size;
}

/* The last record of a task counts, in whichever journal it is. */
START_TEST(runs_of_several_journals_are_read_by_date)
{
    enum { LINES = 6 };
    static const char first[] = "2026-01-31T12:00:00.100Z", second[] = "2026-01-31T12:00:00.200Z",
                      third[] = "2026-01-31T12:00:01Z"; /* as earlier versions wrote it */
    static const struct {
        past_line   own[LINES], other[LINES];
        const char *states;
    } cases[] = {
        {{{'r', 0, first}, {'d', 0, NULL}}, {{'r', 0, second}, {'d', 1, NULL}}, "dd-"},
        {{{'r', 0, first}, {'d', 0, NULL}}, {{'r', 0, second}, {'u', 0, NULL}}, "u--"},
        {{{'r', 0, second}, {'d', 0, NULL}}, {{'r', 0, first}, {'u', 0, NULL}}, "d--"},
        {{{'r', 0, first}, {'d', 0, NULL}}, {{'r', 0, second}, {'D', 0, NULL}}, "c--"},
        {{{'r', 0, second}, {'f', 2, NULL}}, {{'r', 0, third}, {'d', 2, NULL}}, "--d"},
        {{{'r', 0, third}, {'f', 2, NULL}}, {{'r', 0, second}, {'d', 2, NULL}}, "--f"},
        {{{'r', 0, first}, {'d', 0, NULL}, {'r', 0, third}, {'d', 1, NULL}},
         {{'r', 0, second}, {'u', 0, NULL}, {'u', 1, NULL}},
         "ud-"},
        /* the clock was set back between two runs of a journal */
        {{{'r', 0, third}, {'d', 0, NULL}, {'r', 0, first}, {'u', 0, NULL}},
         {{'r', 0, second}, {'d', 1, NULL}},
         "ud-"},
        {{{0}}, {{'r', 0, first}, {'d', 0, NULL}, {'d', 1, NULL}, {'d', 2, NULL}}, "ddd"},
    };
    static const char letters[] = "-dcuf";
    static char       text[2][4096];
    unsigned char     state[3];
    uint16_t          attempts[3];

    use_rows(three, 2, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsi_journal_past  now = {.state = state, .attempts = attempts};
        hsi_journal_text  journals[2] = {{"own", text[0], 0}, {"other", text[1], 0}};
        hsi_journal_found found;

        for (int which = 0; which < 2; which++) {
            const past_line *lines = which ? cases[i].other : cases[i].own;
            size_t           count = 0;

            while (count < LINES && lines[count].kind)
                count++;
            if (count > 0)
                journals[which].size = write_past(text[which], lines, count);
        }
        memset(state, 0, sizeof state);
        memset(attempts, 0, sizeof attempts);
        ck_assert_int_eq(hsi_journal_read(journals, 2, in, &now, &found, &fault), HS_OK);
        ck_assert_uint_eq(found.end, journals[0].size);
        for (int t = 0; t < 3; t++)
            ck_assert_msg(letters[state[t]] == cases[i].states[t], "case %zu, task %d: %c", i, t,
                          letters[state[t]]);
    }
}
END_TEST

/* Another process may be writing a line of another journal: the line is no part yet, and the file stays
 * as it is. Damage is refused. An absent journal is empty. */
START_TEST(other_journals_are_not_changed)
{
    static const past_line lines[] = {
        {'r', 0, "2026-01-31T12:00:00.100Z"}, {'d', 0, NULL}, {'d', 1, NULL}};
    char          other[128], absent[128], text[2048];
    const char   *others[2] = {other, absent};
    unsigned char state[3] = {0};
    uint16_t      attempts[3] = {0};
    hsi_journal  *j = NULL;
    FILE         *f;
    size_t        size, half;

    use_rows(three, 2, 1);
    size = write_past(text, lines, 3);
    half = size - 20;
    snprintf(other, sizeof other, "%s/other", folder);
    snprintf(absent, sizeof absent, "%s/absent", folder);
    f = fopen(other, "w");
    ck_assert(f && fwrite(text, 1, half, f) == half && fclose(f) == 0);
    for (int time = 0; time < 2; time++) {
        hsi_journal_past now = {
            .state = state, .attempts = attempts, .others = others, .other_count = 2};

        memset(state, 0, sizeof state);
        if (time == 0)
            ck_assert_int_eq(hsi_journal_inspect(file, in, true, &now, &fault), HS_OK);
        else
            ck_assert_int_eq(hsi_journal_open(file, in, 1, &now, &j, &fault), HS_OK);
        ck_assert_int_eq(state[0], HSI_PAST_DONE);
        ck_assert_int_eq(state[1], HSI_PAST_NONE);
        ck_assert_str_eq(now.note, "");
    }
    shut(j);
    f = fopen(other, "r");
    ck_assert(f && fread(text, 1, sizeof text, f) == half && fclose(f) == 0);
    ck_assert_int_eq(unlink(other), 0);
    ck_assert_int_ne(access(absent, F_OK), 0);
}
END_TEST

/* A run that needs another journal to be idle is refused while a process writes it. */
START_TEST(other_journal_must_be_idle)
{
    char          other[128];
    const char   *others[1] = {other};
    unsigned char state[3] = {0};
    uint16_t      attempts[3] = {0};

    use_rows(three, 2, 1);
    snprintf(other, sizeof other, "%s/other", folder);
    for (int idle = 0; idle < 2; idle++) {
        hsi_journal_past now = {.state = state,
                                .attempts = attempts,
                                .others = others,
                                .other_count = 1,
                                .idle_count = (size_t)idle};
        hsi_journal_past its = {.state = state, .attempts = attempts};
        hsi_journal     *running = NULL, *j = NULL;

        ck_assert_int_eq(hsi_journal_open(other, in, 1, &its, &running, &fault), HS_OK);
        if (!idle) {
            ck_assert_int_eq(hsi_journal_open(file, in, 1, &now, &j, &fault), HS_OK);
            shut(j);
        } else {
            ck_assert_int_eq(hsi_journal_open(file, in, 1, &now, &j, &fault), HS_EINVAL);
            ck_assert_ptr_nonnull(strstr(fault.why, other));
            ck_assert_int_eq(hsi_journal_inspect(file, in, true, &now, &fault), HS_EINVAL);
        }
        shut(running);
        ck_assert_int_eq(hsi_journal_open(file, in, 1, &now, &j, &fault), HS_OK);
        shut(j);
    }
    ck_assert_int_eq(unlink(other), 0);
}
END_TEST

/* The attempts that hs_journal_read() has reported. */
typedef struct visited {
    hs_journal_attempt attempt[8];
    char               why[8][32];
    size_t             count;
} visited;

static void note_attempt(void *data, const hs_journal_attempt *attempt)
{
    visited *v = data;

    ck_assert_uint_lt(v->count, 8);
    v->attempt[v->count] = *attempt;
    strcpy(v->why[v->count++], attempt->why);
}

START_TEST(attempts_are_read_without_a_handle)
{
    static const past_line first[] = {{'r', 0, "2026-01-31T12:00:00.250Z"},
                                      {'d', 0, NULL},
                                      {'u', 0, NULL},
                                      {'d', 'x' - 'a', NULL}};
    static const past_line second[] = {
        {'r', 0, "1970-01-01T00:00:01.500Z"}, {'f', 1, NULL}, {'D', 2, NULL}, {'d', 2, NULL}};
    char             name[2][128], text[2048];
    const char      *path[] = {name[0], name[1]};
    hs_journal_state state[3];
    visited          v = {.count = 0};
    hs_status        status;

    use_rows(three, 2, 1);
    for (int i = 0; i < 2; i++) {
        size_t size = write_past(text, i ? second : first, 4);
        FILE  *f;

        snprintf(name[i], sizeof name[i], "%s/part%d", folder, i);
        f = fopen(name[i], "w");
        ck_assert(f && fwrite(text, 1, size, f) == size && fclose(f) == 0);
    }
    ck_assert_int_eq(hs_journal_read(in, path, 2, false, state, note_attempt, &v, &fault), HS_OK);
    ck_assert_int_eq(state[0], HS_JOURNAL_CHANGED);
    ck_assert_int_eq(state[1], HS_JOURNAL_FAILED);
    ck_assert_int_eq(state[2], HS_JOURNAL_DONE);
    ck_assert_uint_eq(v.count, 5);
    ck_assert(v.attempt[0].task == 1 && v.attempt[0].journal == 1 && !v.attempt[0].done);
    ck_assert(v.attempt[0].began == 1.5 && v.attempt[0].end == 1e-9 && v.attempt[0].start == 0);
    ck_assert(v.attempt[1].task == 2 && v.attempt[1].done && v.attempt[1].number == 1);
    ck_assert(!v.attempt[1].unchanged && v.attempt[2].unchanged);
    ck_assert(v.attempt[3].task == 0 && v.attempt[3].journal == 0 && v.attempt[3].unchanged);
    ck_assert(v.attempt[3].began == 1769860800.25);
    ck_assert(v.attempt[3].type == HS_CPU && v.attempt[3].worker == 0);
    ck_assert(v.attempt[4].task == HS_NONE && v.attempt[4].journal == 0);
    for (int left = 0;; left++) { /* every allocation may fail */
        v.count = 0;
        memory_fail_after(left, 1);
        status = hs_journal_read(in, path, 2, false, state, note_attempt, &v, &fault);
        memory_stop_failing();
        if (status == HS_OK)
            break;
        ck_assert_int_eq(status, HS_ENOMEM);
    }
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(unlink(name[i]), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal past");
    TCase *tc = add_case(suite, "past");

    tcase_add_test(tc, other_workers_times_and_order_keep_done_tasks);
    tcase_add_test(tc, changed_and_new_tasks_run_again);
    tcase_add_test(tc, unused_command_may_change);
    tcase_add_test(tc, kernel_is_not_a_command);
    tcase_add_test(tc, the_last_record_counts);
    tcase_add_test(tc, restarted_task_is_not_done);
    tcase_add_test(tc, undo_is_synced_before_it_returns);
    tcase_add_loop_test(tc, undo_fails_on_a_failing_disk, 0, 3);
    tcase_add_test(tc, unknown_tasks_are_counted_once);
    tcase_add_test(tc, emulated_tasks_are_not_done);
    tcase_add_test(tc, failure_reason_is_read_back);
    tcase_add_test(tc, runs_of_several_journals_are_read_by_date);
    tcase_add_test(tc, other_journals_are_not_changed);
    tcase_add_test(tc, other_journal_must_be_idle);
    tcase_add_test(tc, attempts_are_read_without_a_handle);
    return run_suite(suite);
}
