/* SPDX-License-Identifier: BSD-3-Clause */

/* Files refused as journals of this plan; a refused file is never changed. */

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
    ck_assert_msg(strstr(fault.why, reason) != NULL, "%s", fault.why);
    after = slurp();
    ck_assert_uint_eq(after.size, size);
    ck_assert_int_eq(memcmp(after.at, text, size), 0);
    free(after.at);
}

START_TEST(other_files_are_refused)
{
    static const char plan[] = "# hybridsched plan 1\n# cpus 2\n";

    refuse_text(plan, strlen(plan), "is not a journal");
    refuse_text("\n", 1, "is not a journal");
    refuse_text("hybridsched-journal 2 x", 23, "damaged");
    refuse_text("hybridsched-journal 2 x\n", 24, "damaged");
    refuse_text("hybridsched-journal \n", 21, "damaged");
}
END_TEST

/* Write a journal line with a valid sum, for text that the library itself does not write; return
 * the length. */
static size_t write_sealed_line(char *to, uint64_t *chain, const char *text)
{
    size_t   length = strlen(text);
    uint64_t state = hsi_digest_bytes(hsi_journal_sum_start(*chain), text, length);

    *chain = hsi_journal_sum_end(state);
    return (size_t)sprintf(to, "%s %016llx\n", text, (unsigned long long)*chain);
}

START_TEST(other_versions_are_refused)
{
    char     text[HSI_JOURNAL_LINE + 200];
    uint64_t chain = 0;
    size_t   size = write_sealed_line(text, &chain, "hybridsched-journal 3 what comes");

    refuse_text(text, size, "another version");
}
END_TEST

START_TEST(invalid_records_are_refused)
{
    static const char *const disordered[] = {
        "done ", "undone ", "done t1 0", "done t1 cpu0 1 0 1 0", "done t1 cpu0 1 0 1 0123456789abcde 0",
        "failed t1 cpu0 1 0 1 0123456789abcdeg exit:1 0", "done t1  cpu0 1 0 1 0123456789abcdef 0"};
    char     text[HSI_JOURNAL_LINE + 200];
    uint64_t chain = 0;
    size_t   header = hsi_journal_put_header(text, &chain);
    uint64_t start = chain;

    refuse_text(text, header + write_sealed_line(text + header, &chain, "begun t1 0"),
                "unknown kind of record");
    for (size_t i = 0; i < sizeof disordered / sizeof *disordered; i++) {
        chain = start;
        refuse_text(text, header + write_sealed_line(text + header, &chain, disordered[i]),
                    "malformed digest");
    }
}
END_TEST

/* Return the offset of the end of the first `lines` lines. */
static size_t end_of(const bytes *all, int lines)
{
    size_t at = 0;

    for (; lines > 0; at++)
        lines -= all->at[at] == '\n';
    return at;
}

/* Refuse two journals in one file: the first is cut at many offsets, the second after line `_i`, or
 * complete if `_i` is 0. */
START_TEST(joined_journals_are_refused)
{
    bytes        all = journal_of_three_runs(30, 1);
    size_t       header = end_of(&all, 1), second = _i ? end_of(&all, _i) : all.size, first;
    char        *joined = malloc(2 * all.size);
    hsi_journal *j = NULL;

    for (first = 1; first <= all.size; first += first < header ? 1 : 13) {
        char line[32];
        int  number = 1;

        for (size_t at = 0; at < first; at++)
            number += all.at[at] == '\n';
        snprintf(line, sizeof line, "in line %d,", number);
        memcpy(joined, all.at, first);
        memcpy(joined + first, all.at, second);
        if (first < header) {
            spit(joined, first + second);
            ck_assert_int_eq(open_journal(1, NULL, NULL, &j), HS_EINVAL);
            continue;
        }
        refuse_text(joined, first + second, "first line of another journal");
        ck_assert_msg(strstr(fault.why, line) != NULL, "%s: %s", line, fault.why);
        ck_assert_uint_eq(strtoul(strstr(fault.why, "head -c ") + 8, NULL, 10), first);
        ck_assert_uint_eq(strtoul(strstr(fault.why, "tail -c +") + 9, NULL, 10), first + 1);
        ck_assert_int_eq(look(1, NULL, NULL), HS_EINVAL);
    }
    free(joined);
    free(all.at);
}
END_TEST

START_TEST(error_names_the_line)
{
    char     text[HSI_JOURNAL_LINE + 400];
    uint64_t chain = 0;
    size_t   size = hsi_journal_put_header(text, &chain);

    size += hsi_journal_put_run(text + size, size, &chain);
    size += write_sealed_line(text + size, &chain, "begun t1 0");
    refuse_text(text, size, "line 3 of the journal");
}
END_TEST

/* Keep the sums of lines unchanged between releases, because journals outlive the program. */
START_TEST(sums_never_change)
{
    char     text[200];
    uint64_t chain = 0;

    (void)write_sealed_line(text, &chain, "hybridsched-journal 1 0123456789abcdef 3");
    ck_assert_str_eq(text, "hybridsched-journal 1 0123456789abcdef 3 8f320619cf13012f\n");
    (void)write_sealed_line(text, &chain, "closed 58");
    ck_assert_str_eq(text, "closed 58 679dc4ea47aeb7f6\n");
}
END_TEST

/* Leave a file that is no journal unchanged, and do not advise the user to remove it. */
START_TEST(file_that_is_no_journal_stays_unchanged)
{
    static char  zeros[HSI_JOURNAL_LINE + 1];
    hsi_journal *j = NULL;
    bytes        after;
    int          resume;

    for (resume = 0; resume < 2; resume++) {
        spit("id,cpu,gpu\na,1,2\n", 17);
        ck_assert_int_eq(open_journal(resume, NULL, NULL, &j), HS_EINVAL);
        ck_assert_ptr_nonnull(strstr(fault.why, "is not a journal and was not changed"));
        ck_assert_ptr_null(strstr(fault.why, "remove"));
        spit(zeros, sizeof zeros);
        ck_assert_int_eq(open_journal(resume, NULL, NULL, &j), HS_EINVAL);
        ck_assert_ptr_nonnull(strstr(fault.why, "is not a journal and was not changed"));
    }
    after = slurp();
    ck_assert_uint_eq(after.size, sizeof zeros);
    free(after.at);
    spit(zeros, 40); /* a file that a crash may leave */
    shut(opened(1, NULL, NULL));
}
END_TEST

START_TEST(journal_in_use_is_refused)
{
    unsigned char done[TASKS] = {0};
    hsi_journal  *j = opened(0, done, NULL), *second = NULL;

    ck_assert_int_eq(open_journal(1, done, NULL, &second), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(fault.why, "another process"));
    shut(j);
    shut(opened(1, done, NULL));
}
END_TEST

START_TEST(existing_journal_is_not_overwritten)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count;
    hsi_journal  *j = opened(0, done, NULL);

    record_some(j, 0, 3);
    shut(j);
    ck_assert_int_eq(open_journal(0, done, NULL, &j), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(fault.why, "resume it, or remove it"));
    shut(opened(1, done, &count));
    ck_assert_uint_eq(count, 3);
}
END_TEST

START_TEST(missing_journal_is_created_on_resume)
{
    unsigned char done[TASKS] = {0};
    uint64_t      count = 9;
    hsi_journal  *j = opened(1, done, &count);

    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_nonnull(strstr(past.note, "did not exist"));
    shut(j);
    spit("", 0);
    shut(opened(0, done, &count)); /* an empty file counts as a missing file */
    ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(unusable_paths_are_refused)
{
    hsi_journal *j = NULL;

    snprintf(file, sizeof file, "%s/no/journal", folder);
    ck_assert_int_eq(open_journal(0, NULL, NULL, &j), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(fault.why, "No such file"));
    ck_assert_int_eq(look(0, NULL, NULL), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(fault.why, "No such file"));
    snprintf(file, sizeof file, "%s/fifo", folder);
    ck_assert_int_eq(mkfifo(file, 0600), 0);
    ck_assert_int_eq(open_journal(0, NULL, NULL, &j), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(fault.why, "regular file"));
    ck_assert_int_eq(look(0, NULL, NULL), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(fault.why, "regular file"));
    ck_assert_int_eq(hsi_journal_close(NULL, &lost, &fault), HS_OK);
}
END_TEST

/* Preview with hsi_journal_inspect(): done tasks or the refusal of a resumed run, file unchanged.
 */
START_TEST(preview_changes_nothing)
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
    ck_assert_ptr_nonnull(strstr(fault.why, "another process"));
    ck_assert_int_eq(hsi_journal_close(j, &lost, &fault), HS_OK);
    ck_assert_int_eq(look(0, done, &count), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(fault.why, "resume it"));

    ck_assert_int_eq(stat(file, &before), 0);
    ck_assert_int_eq(truncate(file, before.st_size - 1), 0);
    ck_assert_int_eq(look(1, done, &count), HS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(past.note, "");
    assert_done(done, 2);
    ck_assert_int_eq(stat(file, &after), 0);
    ck_assert_int_eq(after.st_size, before.st_size - 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal refusals");
    TCase *tc = add_case(suite, "refusals");

    tcase_add_test(tc, other_files_are_refused);
    tcase_add_test(tc, other_versions_are_refused);
    tcase_add_test(tc, invalid_records_are_refused);
    tcase_add_loop_test(tc, joined_journals_are_refused, 0, 4);
    tcase_add_test(tc, error_names_the_line);
    tcase_add_test(tc, sums_never_change);
    tcase_add_test(tc, file_that_is_no_journal_stays_unchanged);
    tcase_add_test(tc, journal_in_use_is_refused);
    tcase_add_test(tc, existing_journal_is_not_overwritten);
    tcase_add_test(tc, missing_journal_is_created_on_resume);
    tcase_add_test(tc, unusable_paths_are_refused);
    tcase_add_test(tc, preview_changes_nothing);
    return run_suite(suite);
}
