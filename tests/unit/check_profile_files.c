/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are no profiles, and profiles that cannot be read or written. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/database.h"
#include "profile_fixture.h"
#include "suite.h"

/* Replace the file `profile_path`. */
static void write_file(const void *bytes, size_t size)
{
    int fd = open(profile_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

/* Opening the file fails in this way; `why` is a part of the message. */
static void assert_refused(hs_profile_access access, hs_status st, const char *why)
{
    hs_profile *profile = NULL;
    hs_error    error = {0};

    ck_assert_int_eq(hs_profile_open(profile_path, access, &profile, &error), st);
    ck_assert_ptr_null(profile);
    ck_assert_int_eq(error.status, st);
    ck_assert_msg(strstr(error.why, why) != NULL, "%s", error.why);
    ck_assert_msg(strstr(error.why, profile_path) != NULL, "%s", error.why);
    ck_assert_int_eq(hs_profile_open(profile_path, access, &profile, NULL), st);
}

static void make_profile(int entries)
{
    hs_cost *cost = new_cost();

    for (int i = 0; i < entries; i++)
        observe(cost, HS_CPU, features_of("key", 0, i), 1, 1);
    flush_cost(cost);
    hs_cost_free(cost);
}

START_TEST(new_files_are_private)
{
    struct stat file;
    mode_t      mask;

    mask = umask(0);
    make_profile(1);
    umask(mask);
    ck_assert_int_eq(stat(profile_path, &file), 0);
    ck_assert_int_eq(file.st_mode & 0777, 0600);
    ck_assert_int_eq(chmod(profile_path, 0640), 0);
    make_profile(1);
    ck_assert_int_eq(stat(profile_path, &file), 0);
    ck_assert_int_eq(file.st_mode & 0777, 0640);
}
END_TEST

/* Names are names only, also those that SQLite gives a meaning. */
START_TEST(names_are_not_interpreted)
{
    static const char *const names[] = {"file:x?mode=memory", ":x:", "a'b\";--"};
    struct stat              file;
    char                     folder[64];

    strcpy(folder, profile_path);
    *strrchr(folder, '/') = '\0';
    ck_assert_int_eq(chdir(folder), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hs_profile *profile = NULL;

        ck_assert_int_eq(hs_profile_open(names[i], HS_PROFILE_UPDATE, &profile, NULL), HS_OK);
        hs_profile_close(profile);
        ck_assert_int_eq(stat(names[i], &file), 0);
        ck_assert_int_gt(file.st_size, 0);
    }
    ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

START_TEST(wal_files_are_converted)
{
    make_profile(1);
    query("PRAGMA journal_mode = WAL");
    make_profile(1);
    ck_assert_double_eq(query("SELECT journal_mode = 'delete' FROM pragma_journal_mode"), 1);
}
END_TEST

/* Code in a file from elsewhere does not run. */
START_TEST(triggers_do_not_run)
{
    hs_cost    *cost = new_cost();
    hs_profile *profile = NULL;

    make_profile(1);
    query("CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END");
    make_profile(2);
    ck_assert_double_eq(query("SELECT count(*) FROM entry"), 2);
    query("ALTER TABLE entry RENAME TO real_entry");
    query("CREATE VIEW entry AS SELECT * FROM real_entry");
    ck_assert_int_ne(hs_profile_open(profile_path, HS_PROFILE_READ, &profile, NULL), HS_OK);
    hs_cost_free(cost);
}
END_TEST

START_TEST(empty_files_become_profiles)
{
    hs_profile *profile = NULL;
    hs_cost    *cost = new_cost();
    struct stat file;
    size_t      processors = 1;

    write_file("", 0);
    ck_assert_int_eq(hs_profile_open(profile_path, HS_PROFILE_READ, &profile, NULL), HS_OK);
    ck_assert_int_eq(hs_profile_load(profile, &test_cpu, &test_gpu, cost, NULL), HS_OK);
    ck_assert_int_eq(hs_profile_count_processors(profile, &processors, NULL), HS_OK);
    ck_assert_uint_eq(processors, 0);
    ck_assert_int_ne(hs_profile_forget(profile, NULL, NULL, NULL), HS_OK);
    hs_profile_close(profile);
    hs_cost_free(cost);
    ck_assert(stat(profile_path, &file) == 0 && file.st_size == 0);
    make_profile(1);
    ck_assert_double_eq(query("SELECT count(*) FROM entry"), 1);
}
END_TEST

START_TEST(other_kinds_are_refused)
{
    char text[5000];

    memset(text, 'a', sizeof text);
    write_file("id,cpu,gpu\n", 11);
    assert_refused(HS_PROFILE_UPDATE, HS_EKIND, "is a file of another kind: choose another name");
    write_file(text, sizeof text);
    assert_refused(HS_PROFILE_UPDATE, HS_EKIND, "is a file of another kind");
    assert_refused(HS_PROFILE_READ, HS_EKIND, "is a file of another kind");
    unlink(profile_path);
    query("CREATE TABLE own(x)");
    assert_refused(HS_PROFILE_UPDATE, HS_EKIND, "is no profile of hybridsched");
    assert_refused(HS_PROFILE_READ, HS_EKIND, "is no profile of hybridsched");
    ck_assert_double_eq(query("SELECT count(*) FROM sqlite_master"), 1);
    query("DROP TABLE own");
    query("PRAGMA application_id = 5");
    assert_refused(HS_PROFILE_UPDATE, HS_EKIND, "is no profile of hybridsched");
    query("PRAGMA application_id = 0");
    query("PRAGMA user_version = 1");
    assert_refused(HS_PROFILE_UPDATE, HS_EKIND, "is no profile of hybridsched");
}
END_TEST

START_TEST(newer_formats_are_refused)
{
    make_profile(1);
    query("PRAGMA user_version = 2");
    assert_refused(HS_PROFILE_UPDATE, HS_EUNSUPPORTED,
                   "has format 2, and this version of hybridsched knows format 1: use a newer "
                   "version, or another profile");
    assert_refused(HS_PROFILE_READ, HS_EUNSUPPORTED, "has format 2");
    query("PRAGMA user_version = 0");
    assert_refused(HS_PROFILE_UPDATE, HS_EUNSUPPORTED, "has format 0");
}
END_TEST

START_TEST(missing_columns_are_damage)
{
    make_profile(1);
    query("ALTER TABLE entry RENAME COLUMN least TO most");
    assert_refused(HS_PROFILE_UPDATE, HS_ESYNTAX, "is damaged (no such column: least)");
    query("DROP TABLE entry");
    assert_refused(HS_PROFILE_READ, HS_ESYNTAX, "is damaged (no such table: entry)");
}
END_TEST

START_TEST(folders_and_missing_files_are_refused)
{
    assert_refused(HS_PROFILE_READ, HS_EIO, "cannot open the profile");
    ck_assert_int_ne(access(profile_path, F_OK), 0);
    ck_assert_int_eq(mkdir(profile_path, 0700), 0);
    assert_refused(HS_PROFILE_UPDATE, HS_EKIND, "must be a regular file");
    rmdir(profile_path);
    ck_assert_int_eq(mkfifo(profile_path, 0600), 0);
    assert_refused(HS_PROFILE_UPDATE, HS_EKIND, "must be a regular file");
    unlink(profile_path);
    strcat(profile_path, "/x");
    assert_refused(HS_PROFILE_UPDATE, HS_EIO, "cannot create the profile");
}
END_TEST

/* Call a function in a child with restricted write permissions; failed assertions of the child fail
 * the test. */
static void without_rights(void (*function)(void))
{
    pid_t pid = fork();
    int   status;

    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0))
            _exit(0);
        function();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

static void open_protected(void)
{
    hs_profile *profile = NULL;
    hs_cost    *cost = new_cost();
    hs_error    error = {0};

    assert_refused(HS_PROFILE_UPDATE, HS_EIO,
                   "cannot be written: check the permissions of the file and its folder");
    ck_assert_int_eq(hs_profile_open(profile_path, HS_PROFILE_READ, &profile, NULL), HS_OK);
    ck_assert_int_eq(hs_profile_load(profile, &test_cpu, NULL, cost, NULL), HS_OK);
    observe(cost, HS_CPU, features_of("a", 0, 1), 1, 1);
    ck_assert_int_eq(hs_profile_flush(profile, &test_cpu, NULL, cost, &error), HS_EIO);
    hs_profile_close(profile);
    hs_cost_free(cost);
}

static void open_secret(void)
{
    assert_refused(HS_PROFILE_READ, HS_EIO,
                   "cannot be opened: check the permissions of the file and its folder");
}

static void open_in_protected_folder(void)
{
    assert_refused(HS_PROFILE_UPDATE, HS_EIO, "check the permissions of the file and its folder");
}

static void create_in_protected_folder(void)
{
    assert_refused(HS_PROFILE_UPDATE, HS_EIO, "cannot create the profile");
}

START_TEST(protected_files_are_read_only)
{
    char folder[64];

    strcpy(folder, profile_path);
    *strrchr(folder, '/') = '\0';
    make_profile(3);
    ck_assert_int_eq(chmod(folder, 0777), 0);
    ck_assert_int_eq(chmod(profile_path, 0444), 0);
    without_rights(open_protected);
    ck_assert_int_eq(chmod(profile_path, 0), 0);
    without_rights(open_secret);
    ck_assert_int_eq(chmod(profile_path, 0666), 0);
    ck_assert_int_eq(chmod(folder, 0555), 0);
    without_rights(open_in_protected_folder);
    unlink(profile_path);
    without_rights(create_in_protected_folder);
    ck_assert_int_eq(chmod(folder, 0700), 0);
}
END_TEST

START_TEST(read_access_changes_nothing)
{
    hs_profile *profile = NULL;
    hs_cost    *cost = new_cost();

    make_profile(3);
    observe(cost, HS_CPU, features_of("a", 0, 1), 1, 1);
    ck_assert_int_eq(hs_profile_open(profile_path, HS_PROFILE_READ, &profile, NULL), HS_OK);
    ck_assert_int_eq(hs_profile_flush(profile, &test_cpu, NULL, cost, NULL), HS_EIO);
    ck_assert_int_eq(hs_profile_forget(profile, NULL, NULL, NULL), HS_EIO);
    ck_assert_int_eq(hs_profile_trim(profile, 1, NULL), HS_EIO);
    hs_profile_close(profile);
    ck_assert_double_eq(query("SELECT count(*) FROM entry"), 3);
    hs_cost_free(cost);
}
END_TEST

/* Flush while no space is left, then with space: nothing is lost. */
START_TEST(full_disks_lose_nothing)
{
    enum { ENTRIES = 2000 };
    hs_profile   *profile;
    hs_cost      *cost = new_cost();
    hs_error      error = {0};
    struct rlimit usual, limit;

    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &usual), 0);
    limit = usual;
    make_profile(10);
    profile = open_profile();
    for (int i = 0; i < ENTRIES; i++)
        observe(cost, HS_CPU, features_of("full", 0, i), 1, 1);
    if (_i == 0) {
        ck_assert_int_eq(
            sqlite3_exec(profile->database, "PRAGMA max_page_count = 8", NULL, NULL, NULL),
            SQLITE_OK);
    } else {
        signal(SIGXFSZ, SIG_IGN);
        limit.rlim_cur = 16384;
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    }
    for (int attempt = 0; attempt < 2; attempt++) {
        ck_assert_int_eq(hs_profile_flush(profile, &test_cpu, NULL, cost, &error),
                         _i == 0 ? HS_ERESOURCE : HS_EIO);
        ck_assert_msg(strstr(error.why, _i == 0
                                            ? "the disk is full; free some space"
                                            : "cannot be read or written: disk I/O error") != NULL,
                      "%s", error.why);
        ck_assert_double_eq(query("SELECT count(*) FROM entry"), 10);
    }
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &usual), 0);
    ck_assert_int_eq(
        sqlite3_exec(profile->database, "PRAGMA max_page_count = 100000", NULL, NULL, NULL),
        SQLITE_OK);
    ck_assert_int_eq(hs_profile_flush(profile, &test_cpu, NULL, cost, &error), HS_OK);
    hs_profile_close(profile);
    hs_cost_free(cost);
    ck_assert_double_eq(query("SELECT sum(n) FROM entry"), 10 + ENTRIES);
    assert_integrity();
}
END_TEST

/* Another process holds the lock for longer than the flush waits. */
START_TEST(locked_files_are_tried_again)
{
    hs_profile *profile;
    sqlite3    *other = NULL;
    hs_cost    *cost = new_cost();
    hs_error    error = {0};

    make_profile(1);
    profile = open_profile();
    observe(cost, HS_CPU, features_of("a", 0, 1), 1, 1);
    sqlite3_busy_timeout(profile->database, 10);
    ck_assert_int_eq(sqlite3_open(profile_path, &other), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(hs_profile_flush(profile, &test_cpu, NULL, cost, &error), HS_EIO);
    ck_assert_ptr_nonnull(strstr(error.why, "another process kept it locked for 30 s; try again"));
    sqlite3_close(other);
    ck_assert_int_eq(hs_profile_flush(profile, &test_cpu, NULL, cost, &error), HS_OK);
    ck_assert_double_eq(query("SELECT count(*) FROM entry"), 2);
    hs_profile_close(profile);
    hs_cost_free(cost);
}
END_TEST

/* Overwrite bytes of the file: the number of unused pages, or the page of the table `machine`. */
START_TEST(damaged_pages_are_refused)
{
    static const unsigned char unused_pages[] = {0, 0, 0, 5}, no_page[4096] = {0};
    int                        fd;

    make_profile(500);
    ck_assert_double_eq(query("PRAGMA page_size"), sizeof no_page);
    fd = open(profile_path, O_WRONLY);
    if (_i == 0)
        ck_assert_int_eq(pwrite(fd, unused_pages, sizeof unused_pages, 36), 4);
    else
        ck_assert_int_eq(pwrite(fd, no_page, sizeof no_page, sizeof no_page), sizeof no_page);
    close(fd);
    assert_refused(HS_PROFILE_READ, HS_ESYNTAX,
                   "is damaged (SQLite's integrity check fails): restore a copy, or delete it");
    assert_refused(HS_PROFILE_UPDATE, HS_ESYNTAX, "is damaged");
}
END_TEST

/* Values that no profile has. */
START_TEST(bad_values_are_damage)
{
    static const char *const changes[] = {
        "UPDATE entry SET n = -1",        "UPDATE entry SET n = 9e999",
        "UPDATE entry SET mean = 0",      "UPDATE entry SET mean = NULL",
        "UPDATE entry SET mean = 'abc'",  "UPDATE entry SET m2 = -0.5",
        "UPDATE entry SET least = 9e999", "UPDATE entry SET strange = -1",
        "UPDATE entry SET n = 'abc'",     "UPDATE entry SET last = 'abc'",
        "UPDATE entry SET size = -1",     "UPDATE entry SET flops = 9e999",
        "UPDATE entry SET level = 2",     "UPDATE entry SET key = hex(zeroblob(128))",
        "UPDATE entry SET size = 'abc'",  "UPDATE entry SET key = x'6162'",
    };
    hs_profile *profile;
    hs_cost    *cost = new_cost();
    hs_error    error = {0};

    make_profile(1);
    query(changes[_i]);
    profile = open_profile();
    ck_assert_int_eq(hs_profile_load(profile, &test_cpu, NULL, cost, &error), HS_ESYNTAX);
    ck_assert_ptr_nonnull(
        strstr(error.why, "is damaged (an entry is out of range): restore a copy, or delete it"));
    if (_i < 10) {
        observe(cost, HS_CPU, features_of("key", 0, 0), 1, 1);
        ck_assert_int_eq(hs_profile_flush(profile, &test_cpu, NULL, cost, NULL), HS_ESYNTAX);
    }
    hs_profile_close(profile);
    hs_cost_free(cost);
}
END_TEST

START_TEST(bad_processors_are_damage)
{
    static const char *const changes[] = {
        "UPDATE machine SET type = 'fpga'", "UPDATE machine SET type = NULL",
        "UPDATE machine SET model = ''",    "UPDATE machine SET model = hex(zeroblob(128))",
        "UPDATE machine SET cores = -1",    "UPDATE machine SET cores = 2147483648",
    };
    hs_profile  *profile;
    hs_processor found;
    uint64_t     entries;
    hs_error     error = {0};

    make_profile(1);
    query(changes[_i]);
    hs_processor_init(&found);
    profile = open_profile();
    ck_assert_int_eq(hs_profile_processor_at(profile, 0, &found, &entries, &error), HS_ESYNTAX);
    ck_assert_ptr_nonnull(strstr(error.why, "is damaged (a processor is out of range)"));
    hs_profile_close(profile);
}
END_TEST

/* Use a profile that may be damaged; every call ends, with or without success. */
static bool works(void)
{
    hs_profile  *profile = NULL;
    hs_cost     *cost = new_cost();
    hs_processor found;
    uint64_t     entries;
    hs_error     error = {0};
    hs_status    st = hs_profile_open(profile_path, HS_PROFILE_UPDATE, &profile, &error);

    hs_processor_init(&found);
    if (st == HS_OK)
        st = hs_profile_load(profile, &test_cpu, NULL, cost, &error);
    observe(cost, HS_CPU, features_of("key", 0, 3), 1, 1);
    if (st == HS_OK)
        st = hs_profile_processor_at(profile, 0, &found, &entries, &error);
    if (st == HS_OK)
        st = hs_profile_flush(profile, &test_cpu, NULL, cost, &error);
    if (st == HS_OK)
        st = hs_profile_trim(profile, 100, &error);
    ck_assert_msg(st == HS_OK || st == HS_ESYNTAX || st == HS_EKIND || st == HS_EUNSUPPORTED ||
                      st == HS_EINVAL || st == HS_EIO || st == HS_ETOOBIG,
                  "status %d: %s", (int)st, error.why);
    ck_assert(st == HS_OK || error.why[0] != 0);
    hs_profile_close(profile);
    hs_cost_free(cost);
    return st == HS_OK;
}

START_TEST(damage_is_found)
{
    enum { ROUNDS = 200 };
    static char good[1 << 17], bad[1 << 17];
    int         fd, refused = 0;
    ssize_t     size;

    make_profile(500);
    fd = open(profile_path, O_RDONLY);
    size = read(fd, good, sizeof good);
    close(fd);
    ck_assert_int_gt(size, 16384);
    srand48(5);
    for (int round = 0; round < ROUNDS; round++) {
        size_t at = (size_t)(lrand48() % size), length = 1 + (size_t)(lrand48() % 300);

        memcpy(bad, good, sizeof bad);
        for (size_t i = 0; i < length && at + i < (size_t)size; i++)
            bad[at + i] = (char)lrand48();
        write_file(bad, (size_t)size);
        refused += !works();
    }
    ck_assert_int_ge(refused, ROUNDS / 4);
    for (ssize_t left = 1; left < size; left += 1777) {
        write_file(good, (size_t)left);
        ck_assert(!works());
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profile files");
    TCase *tcase = tcase_create("files");

    tcase_add_checked_fixture(tcase, set_up_profile, tear_down_profile);
    tcase_add_test(tcase, new_files_are_private);
    tcase_add_test(tcase, names_are_not_interpreted);
    tcase_add_test(tcase, wal_files_are_converted);
    tcase_add_test(tcase, triggers_do_not_run);
    tcase_add_test(tcase, empty_files_become_profiles);
    tcase_add_test(tcase, other_kinds_are_refused);
    tcase_add_test(tcase, newer_formats_are_refused);
    tcase_add_test(tcase, missing_columns_are_damage);
    tcase_add_test(tcase, folders_and_missing_files_are_refused);
    tcase_add_test(tcase, protected_files_are_read_only);
    tcase_add_test(tcase, read_access_changes_nothing);
    tcase_add_loop_test(tcase, full_disks_lose_nothing, 0, 2);
    tcase_add_test(tcase, locked_files_are_tried_again);
    tcase_add_loop_test(tcase, damaged_pages_are_refused, 0, 2);
    tcase_add_loop_test(tcase, bad_values_are_damage, 0, 16);
    tcase_add_loop_test(tcase, bad_processors_are_damage, 0, 6);
    tcase_add_test(tcase, damage_is_found);
    suite_add_tcase(suite, tcase);
    sqlite3_config(SQLITE_CONFIG_URI, 1); /* some systems have this as the default */
    return run_suite(suite);
}
