/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements, transactions and failures of a profile's database. */
#include "profile/database.h"

#include <string.h>

#include "core/error.h"

/* Messages by result code of SQLite. */
static const struct {
    int         code;
    hs_status   status;
    const char *message; /* text after "the profile 'PATH' " */
} failures[] = {
    {SQLITE_NOTADB, HS_EKIND, "is a file of another kind: choose another name"},
    {SQLITE_FULL, HS_ERESOURCE, "cannot be written: the disk is full; free some space"},
    {SQLITE_BUSY, HS_EIO, "cannot be used: another process kept it locked for 30 s; try again"},
    {SQLITE_LOCKED, HS_EIO, "cannot be used: another process kept it locked for 30 s; try again"},
    {SQLITE_READONLY, HS_EIO,
     "cannot be written: check the permissions of the file and its folder"},
    {SQLITE_PERM, HS_EIO, "cannot be used: check the permissions of the file and its folder"},
    {SQLITE_AUTH, HS_EIO, "cannot be used: check the permissions of the file and its folder"},
    {SQLITE_CANTOPEN, HS_EIO, "cannot be opened: check the permissions of the file and its folder"},
};

static bool is_input_output(int code)
{
    return code == SQLITE_IOERR || code == SQLITE_PROTOCOL || code == SQLITE_NOLFS ||
           code == SQLITE_INTERRUPT;
}

static hs_status no_memory(const hs_profile *profile, hs_error *error)
{
    return hsi_error_set(error, HS_ENOMEM, "not enough memory for the profile '%.300s'",
                         profile->path);
}

hs_status hsi_profile_failure(const hs_profile *profile, hs_error *error)
{
    int         code = sqlite3_errcode(profile->database) & 0xff;
    const char *path = profile->path;

    if (code == SQLITE_NOMEM)
        return no_memory(profile, error);
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (failures[i].code == code)
            return hsi_error_set(error, failures[i].status, "the profile '%.300s' %s", path,
                                 failures[i].message);
    if (is_input_output(code))
        return hsi_error_set(error, HS_EIO, "the profile '%.300s' cannot be read or written: %s",
                             path, sqlite3_errmsg(profile->database));
    return hsi_profile_damage(profile, sqlite3_errmsg(profile->database), error);
}

hs_status hsi_profile_damage(const hs_profile *profile, const char *defect, hs_error *error)
{
    if (sqlite3_errcode(profile->database) == SQLITE_NOMEM)
        return no_memory(profile, error);
    return hsi_error_set(error, HS_ESYNTAX,
                         "the profile '%.300s' is damaged (%.100s): restore a copy, or delete it",
                         profile->path, defect);
}

hs_status hsi_profile_misuse(const char *fault, hs_error *error)
{
    return hsi_error_set(error, HS_EINVAL, "%s", fault);
}

hs_status hsi_profile_execute(hs_profile *profile, const char *statements, hs_error *error)
{
    if (sqlite3_exec(profile->database, statements, NULL, NULL, NULL) == SQLITE_OK)
        return HS_OK;
    return hsi_profile_failure(profile, error);
}

hs_status hsi_profile_prepare(hs_profile *profile, const char *text, sqlite3_stmt **out,
                              hs_error *error)
{
    if (sqlite3_prepare_v2(profile->database, text, -1, out, NULL) == SQLITE_OK)
        return HS_OK;
    return hsi_profile_failure(profile, error);
}

hs_status hsi_profile_step(hs_profile *profile, sqlite3_stmt *statement, int binding, bool *has_row,
                           hs_error *error)
{
    int code = binding == SQLITE_OK ? sqlite3_step(statement) : SQLITE_NOMEM;

    *has_row = code == SQLITE_ROW;
    if (binding != SQLITE_OK)
        return no_memory(profile, error);
    if (*has_row)
        return HS_OK;
    if (code == SQLITE_DONE) {
        sqlite3_reset(statement);
        return HS_OK;
    }
    return hsi_profile_failure(profile, error);
}

hs_status hsi_profile_finish(hs_profile *profile, sqlite3_stmt *statement, int binding,
                             sqlite3_int64 *number, hs_error *error)
{
    bool      has_row;
    hs_status st = hsi_profile_step(profile, statement, binding, &has_row, error);

    if (has_row && number)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return st;
}

hs_status hsi_profile_begin(hs_profile *profile, hs_error *error)
{
    return hsi_profile_execute(profile, "BEGIN IMMEDIATE", error);
}

void hsi_profile_roll_back(hs_profile *profile)
{
    if (!sqlite3_get_autocommit(profile->database))
        sqlite3_exec(profile->database, "ROLLBACK", NULL, NULL, NULL);
}

hs_status hsi_profile_end(hs_profile *profile, hs_status status, hs_error *error)
{
    if (status == HS_OK)
        status = hsi_profile_execute(profile, "COMMIT", error);
    if (status != HS_OK)
        hsi_profile_roll_back(profile);
    return status;
}
