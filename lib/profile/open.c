/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening, checking and creating the file of a profile. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "profile/entry_row.h"

enum {
    APPLICATION = 0x48535046, /* "HSPF" */
    FORMAT = 1,
    LOCK_WAIT = 30000, /* milliseconds */
};

static const char no_file[] = ":memory:";

static const char schema[] =
    "CREATE TABLE machine(id INTEGER PRIMARY KEY, type TEXT, model TEXT, cores INTEGER,"
    " UNIQUE(type, model, cores));"
    "CREATE TABLE entry(machine INTEGER, level INTEGER, key TEXT, what INTEGER, size REAL,"
    " flops REAL, bytes_in REAL, bytes_out REAL, n REAL, mean REAL, m2 REAL, least REAL,"
    " last INTEGER, strange INTEGER,"
    " PRIMARY KEY(machine, level, key, what, size, flops, bytes_in, bytes_out)) WITHOUT ROWID;"
    "PRAGMA application_id = 0x48535046;"
    "PRAGMA user_version = 1";

/* What a database says about itself. */
typedef struct marks {
    sqlite3_int64 application, format, tables;
} marks;

static bool is_new(const marks *found)
{
    return found->application == 0 && found->format == 0 && found->tables == 0;
}

static hs_status read_number(hs_profile *profile, const char *text, sqlite3_int64 *number,
                             hs_error *error)
{
    sqlite3_stmt *statement;
    hs_status     st = hsi_profile_prepare(profile, text, &statement, error);

    return st == HS_OK ? hsi_profile_finish(profile, statement, SQLITE_OK, number, error) : st;
}

static hs_status read_marks(hs_profile *profile, marks *found, hs_error *error)
{
    hs_status st = read_number(profile, "PRAGMA application_id", &found->application, error);

    if (st == HS_OK)
        st = read_number(profile, "PRAGMA user_version", &found->format, error);
    if (st == HS_OK)
        st = read_number(profile, "SELECT count(*) FROM sqlite_master", &found->tables, error);
    return st;
}

/* Check that the tables of a profile have the columns that this version reads. */
static hs_status check_columns(hs_profile *profile, hs_error *error)
{
    sqlite3_stmt *statement = NULL;
    hs_status     st = hsi_profile_prepare(profile,
                                           "SELECT id, type, model, cores, machine, " HSI_ENTRY_KEY
                                           ", " HSI_ENTRY_STATISTICS " FROM machine, entry",
                                           &statement, error);

    sqlite3_finalize(statement);
    return st;
}

/* Refuse a database that is neither a profile of this format nor new. */
static hs_status check_marks(hs_profile *profile, marks *found, hs_error *error)
{
    hs_status st = read_marks(profile, found, error);

    if (st != HS_OK || is_new(found))
        return st;
    if (found->application != APPLICATION)
        return hsi_error_set(error, HS_EKIND,
                             "'%.300s' is no profile of hybridsched: choose another name",
                             profile->path);
    if (found->format != FORMAT)
        return hsi_error_set(
            error, HS_EUNSUPPORTED,
            "the profile '%.300s' has format %lld, and this version of hybridsched "
            "knows format %d: use a newer version, or another profile",
            profile->path, (long long)found->format, FORMAT);
    return check_columns(profile, error);
}

/* Read all pages: damage must be found before a run, not at its end. */
static hs_status check_integrity(hs_profile *profile, hs_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool          has_row = false;
    hs_status     st = hsi_profile_prepare(profile, "PRAGMA integrity_check(1)", &statement, error);

    if (st == HS_OK)
        st = hsi_profile_step(profile, statement, SQLITE_OK, &has_row, error);
    if (st == HS_OK && has_row) {
        const char *result = (const char *)sqlite3_column_text(statement, 0);

        if (!result || strcmp(result, "ok") != 0)
            st = hsi_profile_damage(profile, "SQLite's integrity check fails", error);
    }
    sqlite3_finalize(statement);
    return st;
}

/* Create the tables of a new database. Write to a profile, without a change, to see if this works.
 */
static hs_status prepare_updates(hs_profile *profile, hs_error *error)
{
    marks     found = {0};
    hs_status st = hsi_profile_execute(profile, "PRAGMA journal_mode = DELETE", error);

    if (st == HS_OK)
        st = hsi_profile_begin(profile, error);
    if (st != HS_OK)
        return st;
    st = check_marks(profile, &found, error);
    if (st == HS_OK && is_new(&found))
        return hsi_profile_end(profile, hsi_profile_execute(profile, schema, error), error);
    if (st == HS_OK)
        st = hsi_profile_execute(profile, "PRAGMA user_version = 1", error);
    hsi_profile_roll_back(profile);
    return st;
}

/* Do not run code that a file from elsewhere may have: triggers, views, expressions. */
static void distrust_file(sqlite3 *database)
{
    sqlite3_extended_result_codes(database, 1);
    sqlite3_busy_timeout(database, LOCK_WAIT);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
}

/*
 * Check that `path` is a regular file; create an empty one if `create` is true. SQLite would create
 * it with permissions for everyone.
 */
static hs_status check_file(const char *path, bool create, hs_error *error)
{
    struct stat file;
    int         fd = create ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

    if (fd >= 0)
        close(fd);
    else if (create && errno != EEXIST)
        return hsi_error_set(error, HS_EIO, "cannot create the profile '%.300s': %s", path,
                             strerror(errno));
    if (stat(path, &file) != 0)
        return hsi_error_set(error, HS_EIO, "cannot open the profile '%.300s': %s", path,
                             strerror(errno));
    if (!S_ISREG(file.st_mode))
        return hsi_error_set(error, HS_EKIND, "the profile '%.300s' must be a regular file", path);
    return HS_OK;
}

/*
 * Open the database of a file or no_file, so that a transaction of a killed process can be rolled
 * back even if the profile is only read. SQLite takes names that begin with "file:" or ":" for more
 * than names.
 */
static hs_status open_database(hs_profile *profile, const char *path, hs_error *error)
{
    bool  in_memory = strcmp(path, no_file) == 0;
    char *name = sqlite3_mprintf(in_memory || *path == '/' ? "%s" : "./%s", path);
    int   code;

    if (!name)
        return hsi_error_set_status(error, HS_ENOMEM);
    code = sqlite3_open_v2(name, &profile->database, SQLITE_OPEN_READWRITE, NULL);
    sqlite3_free(name);
    if (!profile->database)
        return hsi_error_set_status(error, HS_ENOMEM);
    if (code != SQLITE_OK)
        return hsi_profile_failure(profile, error);
    distrust_file(profile->database);
    return HS_OK;
}

/* Check marks and pages in one transaction: another process may be creating the tables. */
static hs_status check_once(hs_profile *profile, marks *found, hs_error *error)
{
    hs_status st = hsi_profile_execute(profile, "BEGIN", error);

    if (st != HS_OK)
        return st;
    st = check_marks(profile, found, error);
    if (st == HS_OK)
        st = check_integrity(profile, error);
    return hsi_profile_end(profile, st, error);
}

/* Replace a database without tables by one in memory with the tables of an empty profile. */
static hs_status read_empty(hs_profile *profile, hs_error *error)
{
    hs_status st;

    sqlite3_close(profile->database);
    profile->database = NULL;
    st = open_database(profile, no_file, error);
    return st == HS_OK ? hsi_profile_execute(profile, schema, error) : st;
}

static hs_status open_profile(hs_profile *profile, bool writable, hs_error *error)
{
    marks     found = {0};
    hs_status st = HS_OK;

    if (strcmp(profile->path, no_file) != 0)
        st = check_file(profile->path, writable, error);
    if (st == HS_OK)
        st = open_database(profile, profile->path, error);
    if (st == HS_OK)
        st = check_once(profile, &found, error);
    if (st == HS_OK && writable)
        return prepare_updates(profile, error);
    if (st == HS_OK && is_new(&found))
        st = read_empty(profile, error);
    return st == HS_OK ? hsi_profile_execute(profile, "PRAGMA query_only = 1", error) : st;
}

hs_status hs_profile_open(const char *path, hs_profile_access access, hs_profile **out,
                          hs_error *error)
{
    hs_profile *profile;
    hs_status   st;

    if (!path || !*path || !out || (access != HS_PROFILE_READ && access != HS_PROFILE_UPDATE))
        return hsi_profile_misuse("a profile needs the name of a file", error);
    profile = calloc(1, sizeof *profile);
    if (!profile || !(profile->path = strdup(path))) {
        free(profile);
        return hsi_error_set_status(error, HS_ENOMEM);
    }
    st = open_profile(profile, access == HS_PROFILE_UPDATE, error);
    if (st == HS_OK)
        *out = profile;
    else
        hs_profile_close(profile);
    return st;
}

void hs_profile_close(hs_profile *profile)
{
    if (!profile)
        return;
    sqlite3_close(profile->database);
    free(profile->path);
    free(profile);
}
