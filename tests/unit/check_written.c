/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The output files of tools are complete or absent, whatever happens. The linker redirects rename()
 * to this file (-Wl,--wrap), which lets a test choose an error.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hybridsched/status.h>

#include "common/message.h"
#include "common/output.h"

static int rename_fails; /* errno of a failing rename(); 0: rename() works */

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_rename(const char *from, const char *to)
{
    errno = rename_fails;
    return rename_fails ? -1 : __real_rename(from, to);
}

static char folder[] = "check_written.XXXXXX", name[NAME_MAX + 2];

static void set_up(void)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    strcpy(name, "result");
    rename_fails = 0;
}

/* Return the number of files in the folder; with `remove`, remove all files. */
static int count_files(bool remove)
{
    DIR           *dir = opendir(".");
    struct dirent *entry;
    int            count = 0;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            count++;
            if (remove)
                unlink(entry->d_name);
        }
    closedir(dir);
    return count;
}

static void tear_down(void)
{
    count_files(true);
    ck_assert_int_eq(chdir(".."), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void write_text_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");

    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    ck_assert_int_eq(fclose(out), 0);
}

static void assert_holds(const char *path, const char *text)
{
    char   found[64] = "";
    FILE  *in = fopen(path, "r");
    size_t length;

    ck_assert_ptr_nonnull(in);
    length = fread(found, 1, sizeof found - 1, in);
    found[length] = '\0';
    fclose(in);
    ck_assert_str_eq(found, text);
}

static output *begin_output(const char *text)
{
    output *o = NULL;

    ck_assert_int_eq(output_open(name, &o), EXIT_OK);
    ck_assert_int_eq(write(output_fd(o), text, strlen(text)), (ssize_t)strlen(text));
    return o;
}

static mode_t mode_of(const char *path)
{
    struct stat st;

    ck_assert_int_eq(stat(path, &st), 0);
    return st.st_mode & 07777;
}

START_TEST(new_file_is_written)
{
    mode_t  mask = umask(027);
    output *o = begin_output("new");

    ck_assert_int_eq(count_files(0), 1);
    ck_assert_int_ne(access(name, F_OK), 0);
    ck_assert_int_eq(output_close(o, HS_OK), EXIT_OK);
    umask(mask);
    ck_assert_int_eq(count_files(0), 1);
    assert_holds(name, "new");
    ck_assert_uint_eq(mode_of(name), 0640);
}
END_TEST

START_TEST(existing_file_is_replaced)
{
    output *o;

    write_text_file(name, "old");
    ck_assert_int_eq(chmod(name, 0604), 0);
    o = begin_output("new");
    assert_holds(name, "old");
    ck_assert_int_eq(output_close(o, HS_OK), EXIT_OK);
    ck_assert_int_eq(count_files(0), 1);
    assert_holds(name, "new");
    ck_assert_uint_eq(mode_of(name), 0604);
}
END_TEST

START_TEST(abandoned_output_leaves_the_old_file)
{
    write_text_file(name, "old");
    output_discard(begin_output("new"));
    ck_assert_int_eq(output_close(begin_output("new"), HS_ENOMEM), EXIT_RESOURCE);
    ck_assert_int_eq(count_files(0), 1);
    assert_holds(name, "old");
}
END_TEST

START_TEST(symbolic_link_is_followed)
{
    write_text_file("target", "old");
    ck_assert_int_eq(symlink("target", name), 0);
    ck_assert_int_eq(output_close(begin_output("new"), HS_OK), EXIT_OK);
    ck_assert_int_eq(count_files(0), 2);
    assert_holds("target", "new");
    ck_assert_int_eq(unlink("target"), 0);
    ck_assert_int_eq(output_close(begin_output("newer"), HS_OK),
                     EXIT_OK); /* symbolic link to a file that does not exist */
    assert_holds(name, "newer");
}
END_TEST

/* Replace a file created under the same name after output_open(). */
START_TEST(file_created_meanwhile_is_replaced)
{
    output *o = begin_output("ours");

    write_text_file(name, "theirs");
    ck_assert_int_eq(output_close(o, HS_OK), EXIT_OK);
    ck_assert_int_eq(count_files(0), 1);
    assert_holds(name, "ours");
}
END_TEST

/* Let a child process write half a file and call end(how), and check that the old file is
 * unchanged. Return the wait status of the child. */
static int end_child_by(int (*end)(int), int how)
{
    static output *volatile half; /* static: the leak checker then finds the open output */
    int   status;
    pid_t child;

    write_text_file(name, "old");
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        output_begin();
        half = begin_output("half");
        ck_assert_ptr_nonnull(half);
        end(how);
        _exit(1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    assert_holds(name, "old");
    return status;
}

static int by_exit(int code)
{
    exit(code);
}

START_TEST(exit_and_signals_remove_the_temporary_file)
{
    int status = end_child_by(by_exit, 0);

    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_int_eq(count_files(0), 1);
    status = end_child_by(raise, SIGTERM);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
    ck_assert_int_eq(count_files(0), 1);
    status = end_child_by(raise, SIGKILL); /* a signal that cannot be caught leaves the temporary
                                              file */
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(count_files(0), 2);
}
END_TEST

/* Write a file with a name of maximal length: the name of its temporary file is no longer. */
START_TEST(longest_file_name_is_written)
{
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    ck_assert_int_eq(output_close(begin_output("new"), HS_OK), EXIT_OK);
    ck_assert_int_eq(output_close(begin_output("newer"), HS_OK), EXIT_OK);
    assert_holds(name, "newer");
    ck_assert_int_eq(count_files(0), 1);
    memset(name, 'n', NAME_MAX + 1);
    name[NAME_MAX + 1] = '\0';
    ck_assert_int_eq(output_open(name, &(output *){0}), EXIT_USAGE);
}
END_TEST

START_TEST(failed_rename_keeps_the_old_file)
{
    output *o = begin_output("new");

    rename_fails = EDQUOT;
    ck_assert_int_eq(output_close(o, HS_OK), EXIT_RESOURCE);
    ck_assert_int_eq(count_files(0), 0);
    write_text_file(name, "old");
    o = begin_output("new");
    rename_fails = EACCES;
    ck_assert_int_eq(output_close(o, HS_OK), EXIT_USAGE);
    ck_assert_int_eq(count_files(0), 1);
    assert_holds(name, "old");
}
END_TEST

/* Check that output_check_creatable() and output_open() return the same code, and that
 * output_check_creatable() creates no file. */
static void look_and_open(const char *path, int expected)
{
    output *o = NULL;
    int     before = count_files(false);

    ck_assert_int_eq(output_check_creatable(path), expected);
    ck_assert_int_eq(count_files(0), before);
    ck_assert_int_eq(output_open(path, &o), expected);
    output_discard(o);
}

START_TEST(unusable_names_are_refused)
{
    write_text_file("file", "old");
    ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
    ck_assert_int_eq(symlink("circle", "circle"), 0);
    look_and_open("-", EXIT_OK);
    look_and_open("new", EXIT_OK);
    look_and_open("./new", EXIT_OK);
    look_and_open("file", EXIT_OK);
    look_and_open("dangling", EXIT_OK);
    look_and_open("/dev/null", EXIT_OK);
    look_and_open("", EXIT_USAGE);
    look_and_open(".", EXIT_USAGE);
    look_and_open("circle", EXIT_USAGE);
    look_and_open("missing/new", EXIT_USAGE);
    look_and_open("missing/", EXIT_USAGE);
    look_and_open("file/new", EXIT_USAGE);
    assert_holds("file", "old");
}
END_TEST

/* Refuse write-protected files and folders. The test is skipped for root, who may write anyway. */
START_TEST(protected_files_are_refused)
{
    write_text_file("file", "old");
    ck_assert_int_eq(chmod("file", 0400), 0);
    if (access("file", W_OK) == 0)
        return;
    look_and_open("file", EXIT_USAGE);
    ck_assert_int_eq(chmod(".", 0500), 0);
    look_and_open("new", EXIT_USAGE);
    ck_assert_int_eq(chmod(".", 0700), 0);
}
END_TEST

int main(void)
{
    Suite   *suite = suite_create("written");
    TCase   *tests = tcase_create("all");
    SRunner *runner;
    int      failed;

    message_begin("check_written");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, new_file_is_written);
    tcase_add_test(tests, existing_file_is_replaced);
    tcase_add_test(tests, abandoned_output_leaves_the_old_file);
    tcase_add_test(tests, symbolic_link_is_followed);
    tcase_add_test(tests, file_created_meanwhile_is_replaced);
    tcase_add_test(tests, exit_and_signals_remove_the_temporary_file);
    tcase_add_test(tests, longest_file_name_is_written);
    tcase_add_test(tests, failed_rename_keeps_the_old_file);
    tcase_add_test(tests, unusable_names_are_refused);
    tcase_add_test(tests, protected_files_are_refused);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
