/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PROFILE_DATABASE_H
#define HSI_PROFILE_DATABASE_H

#include <sqlite3.h>

#include <hybridsched/profile.h>

struct hs_profile {
    sqlite3 *database;
    char    *path;
};

/* Describe the latest failure of the database in *error (may be NULL), and return its status. */
hs_status hsi_profile_failure(const hs_profile *profile, hs_error *error);

/*
 * Report a damaged file; `defect` is e.g. "an entry is out of range". Return HS_ESYNTAX, or
 * HS_ENOMEM if the latest call of SQLite had no memory to return a text.
 */
hs_status hsi_profile_damage(const hs_profile *profile, const char *defect, hs_error *error);

/* Report an argument out of range. Return HS_EINVAL. */
hs_status hsi_profile_misuse(const char *fault, hs_error *error);

/* Execute statements without results. */
hs_status hsi_profile_execute(hs_profile *profile, const char *statements, hs_error *error);

/* Prepare a statement, which the caller owns: sqlite3_finalize(). */
hs_status hsi_profile_prepare(hs_profile *profile, const char *text, sqlite3_stmt **out,
                              hs_error *error);

/*
 * Advance a statement to its next row: set *has_row to true, or to false after the last one, and
 * reset the statement then. `binding` is the sum of the results of sqlite3_bind_*(), not 0 if one
 * failed.
 */
hs_status hsi_profile_step(hs_profile *profile, sqlite3_stmt *statement, int binding, bool *has_row,
                           hs_error *error);

/*
 * Execute a statement without results, or one that returns a number: set *number (may be NULL) to
 * the integer in the first row, and leave it unchanged if there is no row. Free the statement.
 */
hs_status hsi_profile_finish(hs_profile *profile, sqlite3_stmt *statement, int binding,
                             sqlite3_int64 *number, hs_error *error);

/* Begin a transaction that may write. */
hs_status hsi_profile_begin(hs_profile *profile, hs_error *error);

/* End a transaction without changes. */
void hsi_profile_roll_back(hs_profile *profile);

/*
 * End a transaction: commit if `status` is HS_OK, else roll back. Return `status`, or the failure
 * of the commit, after which the database is unchanged.
 */
hs_status hsi_profile_end(hs_profile *profile, hs_status status, hs_error *error);

#endif
