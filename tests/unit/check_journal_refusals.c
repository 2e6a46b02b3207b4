/* SPDX-License-Identifier: BSD-3-Clause */

/* What is not this plan's journal is refused, and left as it is. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/journal/text.h"

#include "journal_fixture.h"
#include "suite.h"

static void refuse_text(const char *text, size_t size, const char *reason)
{
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = NULL;
    bytes         after;

    spit(text, size);
    ck_assert_int_eq(open_journal(1, done, NULL, &j), HS_EINVAL);
    ck_assert_msg(strstr(why, reason) != NULL, "%s", why);
    after = slurp();
    ck_assert_uint_eq(after.size, size);
    ck_assert_int_eq(memcmp(after.at, text, size), 0);
    free(after.at);
}

START_TEST(other_files)
{
    static const char plan[] = "# hybridsched plan 1\n# cpus 2\n";

    refuse_text(plan, strlen(plan), "is not a journal");
    refuse_text("\n", 1, "is not a journal");
    refuse_text("hybridsched-journal 1 x", 23, "damaged");
    refuse_text("hybridsched-journal 1 x\n", 24, "damaged");
    refuse_text("hybridsched-journal \n", 21, "damaged");
}
END_TEST

/* A line and its sum, as another program of the same family may write it. */
static size_t sealed(char *to, uint64_t *chain, const char *text)
{
    size_t   length = strlen(text);
    uint64_t state = hsi_digest_bytes(hsi_journal_sum_start(*chain), text, length);

    *chain = hsi_journal_sum_end(state);
    return (size_t)sprintf(to, "%s %016llx\n", text, (unsigned long long)*chain);
}

START_TEST(other_versions)
{
    char     text[HSI_JOURNAL_LINE + 200];
    uint64_t chain = 0;
    size_t   size = sealed(text, &chain, "hybridsched-journal 2 what comes");

    refuse_text(text, size, "another version");
}
END_TEST

START_TEST(other_records)
{
    char     text[HSI_JOURNAL_LINE + 200];
    uint64_t chain = 0;
    size_t   header =
        hsi_journal_put_header(text, hsi_journal_digest(in, NULL), hs_instance_tasks(in), &chain);
    uint64_t start = chain;

    refuse_text(text, header + sealed(text + header, &chain, "begun t1 0"), "does not know");
    chain = start;
    refuse_text(text, header + sealed(text + header, &chain, "done nobody cpu0 1 0 1 0"),
                "not in the plan");
    chain = start;
    refuse_text(text, header + sealed(text + header, &chain, "done %zz cpu0 1 0 1 0"),
                "not in the plan");
    chain = start;
    refuse_text(text, header + sealed(text + header, &chain, "done "), "not in the plan");
}
END_TEST

START_TEST(another_plan)
{
    unsigned char done[TASKS] = {0};
    hs_instance  *own = in;
    hsi_journal  *j = NULL;
    int           i;

    for (i = 0; i < 2; i++) {
        hs_instance *other = i ? make(2, 1.5) : make(3, 1);

        in = own;
        shut(opened(1, done, NULL));
        in = other;
        ck_assert_int_eq(open_journal(1, done, NULL, &j), HS_EINVAL);
        ck_assert_ptr_nonnull(strstr(why, "another plan"));
        in = own;
        hs_instance_free(other);
    }
}
END_TEST

START_TEST(not_twice)
{
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = opened(0, done, NULL), *second = NULL;

    ck_assert_int_eq(open_journal(1, done, NULL, &second), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "another process"));
    shut(j);
    shut(opened(1, done, NULL));
}
END_TEST

START_TEST(not_over_another)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count;
    hsi_journal  *j = opened(0, done, NULL);

    record_some(j, 0, 3);
    shut(j);
    ck_assert_int_eq(open_journal(0, done, NULL, &j), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "resume it, or remove it"));
    shut(opened(1, done, &count));
    ck_assert_uint_eq(count, 3);
}
END_TEST

START_TEST(no_journal_yet)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count = 9;
    hsi_journal  *j = opened(1, done, &count);

    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_nonnull(strstr(why, "there was no journal"));
    shut(j);
    spit("", 0);
    shut(opened(0, done, &count)); /* an empty file is as good as none */
    ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(no_file)
{
    hsi_journal *j = NULL;

    snprintf(file, sizeof file, "%s/no/journal", folder);
    ck_assert_int_eq(open_journal(0, NULL, NULL, &j), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "No such file"));
    ck_assert_int_eq(look(0, NULL, NULL), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "No such file"));
    snprintf(file, sizeof file, "%s/fifo", folder);
    ck_assert_int_eq(mkfifo(file, 0600), 0);
    ck_assert_int_eq(open_journal(0, NULL, NULL, &j), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "regular file"));
    ck_assert_int_eq(look(0, NULL, NULL), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "regular file"));
    ck_assert_int_eq(hsi_journal_close(NULL, &lost, why), HS_OK);
}
END_TEST

/* Sees what a run would go on from, or be refused for, and leaves the file as it is. */
START_TEST(looked_at)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count = 1;
    struct stat   before, after;
    hsi_journal  *j;

    ck_assert_int_eq(look(1, done, &count), HS_OK);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_ne(access(file, F_OK), 0);

    j = opened(0, NULL, NULL);
    ck_assert_int_eq(record(j, nth(0)), HS_OK);
    ck_assert_int_eq(record(j, nth(1)), HS_OK);
    ck_assert_int_eq(look(1, done, &count), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "another process"));
    ck_assert_int_eq(hsi_journal_close(j, &lost, why), HS_OK);
    ck_assert_int_eq(look(0, done, &count), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(why, "resume it"));

    ck_assert_int_eq(stat(file, &before), 0);
    ck_assert_int_eq(truncate(file, before.st_size - 1), 0);
    ck_assert_int_eq(look(1, done, &count), HS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(why, "");
    assert_done(done, 2);
    ck_assert_int_eq(stat(file, &after), 0);
    ck_assert_int_eq(after.st_size, before.st_size - 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal refusals");
    TCase *tc = add_case(suite, "refusals");

    tcase_add_test(tc, other_files);
    tcase_add_test(tc, other_versions);
    tcase_add_test(tc, other_records);
    tcase_add_test(tc, another_plan);
    tcase_add_test(tc, not_twice);
    tcase_add_test(tc, not_over_another);
    tcase_add_test(tc, no_journal_yet);
    tcase_add_test(tc, no_file);
    tcase_add_test(tc, looked_at);
    return run_suite(suite);
}
