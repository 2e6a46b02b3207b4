/* SPDX-License-Identifier: BSD-3-Clause */

#include "journal_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

hs_instance *in;
char         folder[] = "check_journal.XXXXXX", file[64];
hs_error     fault;
uint64_t     lost;
long         memory_left = -1;
atomic_uint  recorded;

void all_well(void)
{
    memory_left = -1;
    memory_stop_failing();
    disk_reset();
}

hs_instance *make(unsigned cpus, double time)
{
    static const char *const names[] = {
        "two\nlines",  "a blank",        "100%",         "%0a",      "tab\tand\x01\x7f",
        "caf\xc3\xa9", "\xff\xfe bytes", "done undone ", "closed 1", "run \n done t1 \n"};
    hs_builder  *b = NULL;
    hs_instance *made = NULL;
    hs_task      task = {.struct_size = sizeof task, .cpu = time, .gpu = 2};
    size_t       i;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, cpus, 1), HS_OK);
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        task.id = names[i];
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    task.id = "frame";
    task.count = 20;
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    task.id = NULL;
    for (task.count = 1, i += task.count + 19; i < TASKS; i++)
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &made, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_uint_eq(hs_instance_tasks(made), TASKS);
    return made;
}

void set_up(void)
{
    all_well();
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/journal", folder);
    in = make(2, 1);
}

void tear_down(void)
{
    all_well();
    ck_assert_int_eq(atomic_load(&disk.false_claims), 0);
    hs_instance_free(in);
    unlink(file);
    rmdir(folder);
}

TCase *add_case(Suite *s, const char *name)
{
    TCase *tc = tcase_create(name);

    tcase_set_timeout(tc, 0);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    suite_add_tcase(s, tc);
    return tc;
}

bytes slurp(void)
{
    FILE *from = fopen(file, "rb");
    bytes all = {malloc(1 << 20), 0};

    ck_assert_ptr_nonnull(from);
    all.size = fread(all.at, 1, 1 << 20, from);
    fclose(from);
    return all;
}

void spit(const char *at, size_t size)
{
    FILE *to = fopen(file, "wb");

    ck_assert_ptr_nonnull(to);
    ck_assert_uint_eq(fwrite(at, 1, size, to), size);
    fclose(to);
}

bool exists(void)
{
    return access(file, F_OK) == 0;
}

size_t line_of(const bytes *all, size_t at)
{
    while (at > 0 && all->at[at - 1] != '\n')
        at--;
    return at;
}

size_t records_before(const bytes *all, size_t end)
{
    size_t count = 0, at, next;

    for (at = 0; at < all->size; at = next) {
        const char *newline = memchr(all->at + at, '\n', all->size - at);

        next = newline ? (size_t)(newline - all->at) + 1 : all->size;
        if (newline && next <= end && memcmp(all->at + at, "done ", 5) == 0)
            count++;
    }
    return count;
}

static unsigned char states[TASKS];
static uint16_t      attempts[TASKS];
hsi_journal_past     past;

static hsi_journal_past *no_past(void)
{
    memset(states, 0, sizeof states);
    memset(attempts, 0, sizeof attempts);
    past = (hsi_journal_past){.state = states, .attempts = attempts};
    return &past;
}

static void give_past(unsigned char *done, uint64_t *count)
{
    size_t i;

    for (i = 0; done && i < TASKS; i++)
        done[i] = states[i] == HSI_PAST_DONE;
    if (count)
        *count = past.done;
}

hs_status open_journal(int resume, unsigned char *done, uint64_t *count, hsi_journal **out)
{
    hs_status st;

    memory_fail_after(memory_left, 0);
    st = hsi_journal_open(file, in, resume, no_past(), out, &fault);
    memory_stop_failing();
    if (st == HS_OK)
        give_past(done, count);
    return st;
}

hs_status look(bool resume, unsigned char *done, uint64_t *count)
{
    hs_status st = hsi_journal_inspect(file, in, resume, no_past(), &fault);

    if (st == HS_OK)
        give_past(done, count);
    return st;
}

hs_status read_journal(const char *text, size_t size, unsigned char *done, hsi_journal_found *found)
{
    hs_status st = hsi_journal_read(&(hsi_journal_text){file, text, size}, 1, in, no_past(), found, &fault);

    if (st == HS_OK)
        give_past(done, NULL);
    return st;
}

hsi_journal *opened(int resume, unsigned char *done, uint64_t *count)
{
    hsi_journal *j = NULL;

    ck_assert_msg(open_journal(resume, done, count, &j) == HS_OK, "%s", fault.why);
    return j;
}

uint32_t nth(size_t n)
{
    return (uint32_t)(n * 29 % TASKS);
}

hs_status record(hsi_journal *j, uint32_t task)
{
    return record_end(j, task, HS_OUTCOME_DONE, 0);
}

hs_status record_end(hsi_journal *j, uint32_t task, hs_outcome outcome, int status)
{
    hsi_journal_record r = {.attempt = {.task = task,
                                        .worker = task % 3,
                                        .number = 1 + task % 2,
                                        .outcome = outcome,
                                        .status = status,
                                        .start = 0.25 * task}};

    r.attempt.end = r.attempt.start + 1e-9;
    return hsi_journal_add(j, &r);
}

void record_some(hsi_journal *j, size_t from, size_t to)
{
    for (; from < to; from++) {
        if (from % 11 == 5)
            ck_assert_int_eq(hsi_journal_undo(j, nth(from)), HS_OK);
        if (from % 7 == 3)
            ck_assert_int_eq(record_end(j, nth(from), HS_OUTCOME_FAILED, 1), HS_OK);
        ck_assert_int_eq(record(j, nth(from)), HS_OK);
    }
}

void shut(hsi_journal *j)
{
    ck_assert_msg(hsi_journal_close(j, &lost, &fault) == HS_OK, "%s", fault.why);
}

bytes journal_of_three_runs(size_t known, int closed)
{
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = opened(0, done, NULL);
    bytes         all;

    record_some(j, 0, 10);
    shut(j);
    j = opened(1, done, NULL);
    record_some(j, 10, 30);
    shut(j);
    j = opened(1, done, NULL);
    record_some(j, 30, known);
    shut(j);
    all = slurp();
    if (!closed)
        all.size = line_of(&all, all.size - 1);
    return all;
}

void assert_only_first_done(const unsigned char *done, size_t count)
{
    size_t n;

    for (n = 0; n < TASKS; n++)
        ck_assert_msg(done[nth(n)] == (n < count), "record %zu of %zu is %d", n, count,
                      done[nth(n)]);
}

static void *record_all(void *data)
{
    uint32_t i;

    for (i = 0; i < HSI_JOURNAL_LAG + 40; i++) {
        if (record(data, i % TASKS) != HS_OK)
            return data;
        atomic_fetch_add(&recorded, 1);
    }
    return NULL;
}

void record_in_blocked_thread(hsi_journal *j, pthread_t *thread)
{
    atomic_store(&recorded, 0);
    atomic_store(&disk.gate_closed, 1);
    ck_assert_int_eq(pthread_create(thread, NULL, record_all, j), 0);
    while (atomic_load(&recorded) < HSI_JOURNAL_LAG)
        usleep(1000);
}
